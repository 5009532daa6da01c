// events/ is the spine: whatever happened is one row, written in the transaction that made it happen.
import type { Db, Tx } from '../db/database.ts'
import { notify, positionIsRowId } from '../db/dialect.ts'
import type { CompanyId } from '../db/tables.ts'
import type { Clock } from '../lib/clock.ts'
import { ulid } from '../lib/ulid.ts'

export interface NewEvent {
  name: string
  resource: string
  /** `user:12`: order is kept per resource. */
  resourceKey: string
  occurredAt: number
  /** The JSON text of the envelope's `data`, rendered once, as the resource is at this moment. */
  data: string
}

/** Writes the rows; whoever waits for events is woken when the transaction commits. */
export async function appendEvents(tx: Tx, clock: Clock, companyId: CompanyId, events: NewEvent[]): Promise<void> {
  for (const event of events) {
    const row = await tx
      .insertInto('event')
      .values({
        id: `evt_${ulid(clock.machineNow())}`,
        position: null,
        company_id: companyId,
        name: event.name,
        resource: event.resource,
        resource_key: event.resourceKey,
        occurred_at: event.occurredAt,
        data: event.data,
        asset_refs: null,
        redacted_at: null,
      })
      .returning('row_id')
      .executeTakeFirstOrThrow()
    if (positionIsRowId(tx)) {
      await tx.updateTable('event').set({ position: row.row_id }).where('row_id', '=', row.row_id).execute()
    }
  }
  if (events.length > 0) await notify(tx, 'events', String(companyId))
}

/** The company's events in the order they were written. */
export function readEvents(db: Db, companyId: CompanyId, afterRow = 0) {
  return db
    .selectFrom('event')
    .select(['row_id', 'id', 'name', 'resource', 'resource_key', 'occurred_at', 'data', 'redacted_at'])
    .where('company_id', '=', companyId)
    .where('row_id', '>', afterRow)
    .orderBy('row_id')
    .execute()
}

/** A person was deleted: what was said about them earlier keeps ids only; the farewell itself stays until it is due. */
export async function redactEvents(
  tx: Tx,
  companyId: CompanyId,
  at: number,
  about: { resourceKey: string; except: readonly string[]; data: string },
): Promise<void> {
  await tx
    .updateTable('event')
    .set({ data: about.data, redacted_at: at })
    .where('company_id', '=', companyId)
    .where('resource_key', '=', about.resourceKey)
    .where('name', 'not in', about.except.length > 0 ? [...about.except] : [''])
    .where('redacted_at', 'is', null)
    .execute()
}

/** Rewrites payloads of one kind of resource, for the people named inside them. */
export async function rewriteEvents(
  tx: Tx,
  companyId: CompanyId,
  resource: string,
  rewrite: (data: string) => string | undefined,
): Promise<void> {
  const rows = await tx
    .selectFrom('event')
    .select(['row_id', 'data'])
    .where('company_id', '=', companyId)
    .where('resource', '=', resource)
    .execute()
  for (const { row_id, data } of rows) {
    const changed = rewrite(data)
    if (changed !== undefined)
      await tx.updateTable('event').set({ data: changed }).where('row_id', '=', row_id).execute()
  }
}
