import type { Db } from '../db/database.ts'
import { unindexed } from '../db/dialect.ts'
import { isOneOfWords } from '../db/one-of.ts'
import type { CompanyId } from '../db/tables.ts'

/** The resources of which one of these events is still pending for a webhook. */
export async function awaitedResources(
  db: Db,
  companyId: CompanyId,
  resourceKeys: readonly string[],
  names: readonly string[],
): Promise<string[]> {
  const rows = await db
    .selectFrom('event')
    .innerJoin('delivery', 'delivery.event_row', 'event.row_id')
    .select('event.resource_key')
    .distinct()
    .where('event.company_id', '=', companyId)
    .where(isOneOfWords(db, 'event.resource_key', resourceKeys))
    .where('event.name', 'in', [...names])
    .where('delivery.state', 'in', ['queued', 'leased', 'held'])
    .execute()
  return rows.map(({ resource_key }) => resource_key)
}

/** Receiver responses to events about a person may quote personal data. */
export async function dropAnswers(db: Db, companyId: CompanyId, resourceKeys: readonly string[]): Promise<void> {
  const about = db
    .selectFrom('event')
    .innerJoin('delivery', 'delivery.event_row', 'event.row_id')
    .select('delivery.id')
    .where('event.company_id', '=', companyId)
    .where(isOneOfWords(db, 'event.resource_key', resourceKeys))
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
  holding: readonly string[] | null,
  rewrite: (data: string) => string | undefined,
): Promise<void> {
  const rows = await db
    .selectFrom('message_callback')
    .select(['id', 'data'])
    .where('company_id', '=', companyId)
    .$if(holding !== null, (query) =>
      query.where(({ or, eb }) => or((holding ?? []).map((text) => eb('data', 'like', `%${text}%`)))),
    )
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
