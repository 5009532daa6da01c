import type { Db } from '../../../db/database.ts'
import { notify } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { UtteranceShown } from './view.ts'

/** What open apps are told while a call goes on. */
export interface UtteranceUpdate {
  companyId: CompanyId
  callId: number
  /** Those on the call; whoever may see all of the company's calls is told as well. */
  userIds: readonly number[]
  utterance: UtteranceShown
}

export const utteranceChannel = 'utterance'

/** A notice carries 8,000 bytes. */
const maxTextLength = 1_500

/** To every process, with the transaction; one that gets lost is in the transcript all the same. */
export function notifyUtterance(db: Db, update: UtteranceUpdate): Promise<void> {
  const text = update.utterance.text.slice(0, maxTextLength)
  return notify(db, utteranceChannel, JSON.stringify({ ...update, utterance: { ...update.utterance, text } }))
}

/** Our own words. */
export const parseUtteranceUpdate = (payload: string): UtteranceUpdate => JSON.parse(payload)
