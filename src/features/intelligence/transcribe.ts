import { transaction } from '../../db/database.ts'
import { utterancesOf } from '../../domain/intelligence/transcript.ts'
import { callOutputs, enqueue, type JobPayloads } from '../../jobs/queue.ts'
import type { Services } from '../../services.ts'
import { lockCall } from '../calls/store.ts'
import { publish } from '../publish.ts'
import { findHeard, findTranscript, presencesOn, writeTranscript } from './store.ts'

/** The job: what was heard becomes a transcript, and everything that can be made of it is wanted. */
export function transcriber(services: Services) {
  return ({ companyId, callId }: JobPayloads['call.transcribe']) =>
    transaction(services.db, async (tx) => {
      const call = await lockCall(tx, companyId, callId)
      const heard = call && (await findHeard(tx, companyId, callId))
      if (!call || !heard) return
      const at = services.clock.now()
      const utterances = utterancesOf(heard, await presencesOn(tx, companyId, callId), call.external)
      await writeTranscript(tx, companyId, callId, utterances, at)
      const transcript = await findTranscript(tx, companyId, callId)
      if (!transcript) return
      await publish(services, tx, companyId, [{ about: 'insight', what: 'transcription.created', call, transcript }])
      for (const output of callOutputs) {
        await enqueue(tx, 'call.analyse', { companyId, callId, output }, at, `analyse:${callId}:${output}`)
      }
    })
}
