import type { Db } from '../../../db/database.ts'
import { notify } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { UtteranceShown } from './view.ts'

/** Notification to open apps during a call. */
export interface UtteranceUpdate {
  companyId: CompanyId
  callId: number
  /** Users on the call; users who may see all calls of the company are notified as well. */
  userIds: readonly number[]
  utterance: UtteranceShown
}

export const utteranceChannel = 'utterance'

/** A database notification carries at most 8,000 bytes. */
const maxTextLength = 1_500

/** Sent to every process at commit; an utterance whose notification is lost is still in the transcript. */
export function notifyUtterance(db: Db, update: UtteranceUpdate): Promise<void> {
  const text = update.utterance.text.slice(0, maxTextLength)
  return notify(db, utteranceChannel, JSON.stringify({ ...update, utterance: { ...update.utterance, text } }))
}

/** Parses a payload written by `notifyUtterance`. */
export const parseUtteranceUpdate = (payload: string): UtteranceUpdate => JSON.parse(payload)
