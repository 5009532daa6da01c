// events/ is the spine: whatever happened is one row, written in the transaction that made it happen.
import type { Db, Tx } from '../db/database.ts'
import { nextPosition, notify } from '../db/dialect.ts'
import type { CompanyId } from '../db/tables.ts'
import type { Clock } from '../lib/clock.ts'
import { ulid } from '../lib/ulid.ts'
import { fanOut } from './fan-out.ts'

/** Who gets it, when that is not whoever subscribed: all but one webhook · one alone · those made with one token. */
export type Audience = { except: string } | { only: string } | { token: number }

export interface NewEvent {
  name: string
  resource: string
  /** `user:12`: order is kept per resource. */
  resourceKey: string
  occurredAt: number
  /** The JSON text of the envelope's `data`, rendered once, as the resource is at this moment. */
  data: string
  /** The Number it is about, for integrations that may see some Numbers only. */
  numberId?: number
  audience?: Audience
  /** Nothing happened: somebody asked for a sample. */
  test?: boolean
}

export interface WrittenEvent extends NewEvent {
  rowId: number
  id: string
}

/**
 * Writes the rows and one delivery for each webhook that wants them; whoever waits is woken when the transaction commits.
 * The row the events are about must be locked by this transaction already: that makes their order the order of commits.
 */
export async function appendEvents(
  tx: Tx,
  clock: Clock,
  companyId: CompanyId,
  events: NewEvent[],
): Promise<WrittenEvent[]> {
  const written: WrittenEvent[] = []
  for (const event of events) {
    const id = `evt_${ulid(clock.machineNow())}`
    const position = await nextPosition(tx)
    const { row_id } = await tx
      .insertInto('event')
      .values({
        ...(position !== null && { row_id: position }),
        id,
        position,
        company_id: companyId,
        name: event.name,
        resource: event.resource,
        resource_key: event.resourceKey,
        occurred_at: event.occurredAt,
        data: event.data,
        asset_refs: null,
        redacted_at: null,
        number_id: event.numberId ?? null,
        test: event.test ? 1 : 0,
      })
      .returning('row_id')
      .executeTakeFirstOrThrow()
    written.push({ ...event, rowId: row_id, id })
  }
  if (events.length === 0) return written
  await fanOut(tx, clock, companyId, written)
  await notify(tx, 'events', String(companyId))
  return written
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

/** Rewrites payloads of one kind of resource, for the people named inside them; says whose were changed. */
export async function rewriteEvents(
  tx: Tx,
  companyId: CompanyId,
  resource: string,
  rewrite: (data: string) => string | undefined,
): Promise<string[]> {
  const rows = await tx
    .selectFrom('event')
    .select(['row_id', 'resource_key', 'data'])
    .where('company_id', '=', companyId)
    .where('resource', '=', resource)
    .execute()
  const rewritten = new Set<string>()
  for (const { row_id, resource_key, data } of rows) {
    const changed = rewrite(data)
    if (changed === undefined) continue
    await tx.updateTable('event').set({ data: changed }).where('row_id', '=', row_id).execute()
    rewritten.add(resource_key)
  }
  return [...rewritten]
}
