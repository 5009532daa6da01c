import type { Db } from '../db/database.ts'
import { unindexed, wordsFromJson } from '../db/dialect.ts'
import type { CompanyId } from '../db/tables.ts'

/** Whether one of these events about a resource is still pending for a webhook. */
export async function isAwaited(
  db: Db,
  companyId: CompanyId,
  resourceKey: string,
  names: readonly string[],
): Promise<boolean> {
  const row = await db
    .selectFrom('event')
    .innerJoin('delivery', 'delivery.event_row', 'event.row_id')
    .select('delivery.id')
    .where('event.company_id', '=', companyId)
    .where('event.resource_key', '=', resourceKey)
    .where('event.name', 'in', [...names])
    .where('delivery.state', 'in', ['queued', 'leased', 'held'])
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Receiver responses to events about a person may quote personal data. */
export async function dropAnswers(db: Db, companyId: CompanyId, resourceKeys: readonly string[]): Promise<void> {
  const about = db
    .selectFrom('event')
    .innerJoin('delivery', 'delivery.event_row', 'event.row_id')
    .select('delivery.id')
    .where('event.company_id', '=', companyId)
    .where('event.resource_key', 'in', wordsFromJson(db, JSON.stringify(resourceKeys)) as never)
  await db
    .updateTable('attempt')
    .set({ response_body: '', response_headers: '' })
    .where('delivery_id', 'in', about)
    .where(unindexed('company_id'), '=', companyId)
    .execute()
}

/** Copies of messages that mention a person; delivered ones stay visible for a week. */
export async function rewriteCallbacks(
  db: Db,
  companyId: CompanyId,
  holding: readonly string[],
  rewrite: (data: string) => string | undefined,
): Promise<void> {
  const rows = await db
    .selectFrom('message_callback')
    .select(['id', 'data'])
    .where('company_id', '=', companyId)
    .where(({ or, eb }) => or(holding.map((text) => eb('data', 'like', `%${text}%`))))
    .execute()
  for (const { id, data } of rows) {
    const changed = rewrite(data)
    if (changed === undefined) continue
    await db
      .updateTable('message_callback')
      .set({ data: changed })
      .where('company_id', '=', companyId)
      .where('id', '=', id)
      .execute()
  }
}
