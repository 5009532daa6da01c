import { transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { contractTag } from '../../../domain/intelligence/transcript.ts'
import type { Services } from '../../../services.ts'
import { mayUse } from '../../accounts/index.ts'
import { lockCall } from '../../calls/index.ts'
import { publish } from '../../publishing/index.ts'
import { settingsForNumber } from '../settings/store.ts'
import { addUtterance } from './store.ts'
import { notifyUtterance } from './updates.ts'
import { type LiveUtterance, utteranceShown } from './view.ts'

/** Language of a Number with realtime transcription; undefined: realtime transcription is off. */
export async function languageFollowed(
  services: Services,
  companyId: CompanyId,
  numberId: number,
): Promise<string | undefined> {
  const { db } = services
  const { enabled, language } = await settingsForNumber(db, companyId, numberId)
  if (!enabled || !(await mayUse(services, db, companyId, 'assist-pro'))) return undefined
  return contractTag(language)
}

/** Stores an utterance, publishes its event and notifies the open apps, in one transaction. */
export async function storeUtterance(
  services: Services,
  companyId: CompanyId,
  callId: number,
  received: { language: string; engine: string; utterance: LiveUtterance; userIds: readonly number[] },
): Promise<void> {
  const { language, utterance, userIds } = received
  await transaction(services.db, async (tx) => {
    const call = await lockCall(tx, companyId, callId)
    if (!call) return
    await addUtterance(tx, companyId, callId, received, services.clock.now())
    const event = 'realtime_transcription.utterances_received'
    await publish(services, tx, companyId, [{ kind: 'insight', event, call, utterance, language }])
    await notifyUtterance(tx, { companyId, callId, userIds, utterance: utteranceShown(utterance) })
  })
}
