import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { findInsight, type Suggestion } from '../results/store.ts'

/** Per call: an agent cannot read more, and the list is rewritten with each. */
const maxStored = 60

export async function suggestionsOfCall(db: Db, companyId: CompanyId, callId: number): Promise<Suggestion[]> {
  return (await findInsight(db, companyId, callId, 'suggestions'))?.content ?? []
}

/** Adds suggestions to those of the call and returns them with their ids; none once the call has too many. */
export async function addSuggestions(
  db: Db,
  companyId: CompanyId,
  callId: number,
  found: readonly Omit<Suggestion, 'id'>[],
  at: number,
): Promise<Suggestion[]> {
  const before = await suggestionsOfCall(db, companyId, callId)
  const room = Math.max(0, maxStored - before.length)
  const added = found.slice(0, room).map((one, place) => ({ id: before.length + place + 1, ...one }))
  if (added.length === 0) return []
  const content = JSON.stringify([...before, ...added] satisfies Suggestion[])
  await db
    .insertInto('insight')
    .values({
      company_id: companyId,
      call_id: callId,
      kind: 'suggestions',
      engine: 'documents',
      content,
      created_at: at,
    })
    .onConflict((conflict) => conflict.columns(['call_id', 'kind']).doUpdateSet({ content }))
    .execute()
  return added
}
