import type { Db } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import type { CallState } from '../domain/call/state.ts'
import { readFlow } from '../domain/flow/parse.ts'
import { numberFacts } from './directory.ts'
import { flowOf } from './store.ts'

/** The flow is immutable and long: its version is enough. */
export function saved(call: CallState): string {
  const { number, ...rest } = call
  return JSON.stringify({ ...rest, number: number && { id: number.id, version: number.flow.version } })
}

export async function restored(db: Db, companyId: CompanyId, text: string): Promise<CallState> {
  const { number, ...rest }: Omit<CallState, 'number'> & { number: { id: number; version: number } | null } =
    JSON.parse(text)
  if (!number) return { ...rest, number: null }
  const facts = await numberFacts(db, companyId, number.id)
  const document = await flowOf(db, companyId, number.id, number.version)
  // A Number that was deleted meanwhile: the call can still be ended.
  if (!facts) return { ...rest, number: null }
  return { ...rest, number: document === undefined ? facts : { ...facts, flow: readFlow(document) } }
}
