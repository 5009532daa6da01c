import { type Tx, transaction } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import { type Call, lockCall, lockCalls, markPublished, updateCall } from '../features/calls/calls/store.ts'
import { scheduleTranscript } from '../features/intelligence/results/speech-jobs.ts'
import { publish } from '../features/publishing/index.ts'
import { enqueue } from '../jobs/queue.ts'
import { second } from '../lib/clock.ts'
import type { Services } from '../services.ts'
import { notifyMissedCall, notifyVoicemail } from './missed-call-notices.ts'
import { scheduleVoicemailEmail } from './voicemail-emails.ts'

// Events after the end of a call: call.ended once its data is complete, then its comments, then its recordings.

const voicemailAfter = 3 * second

type Ended = { companyId: CompanyId; callId: number; notes: number }

/** Job: runs some time after the hang-up and publishes once. Batched, because many calls end in the same second. */
export const callEndedPublisher = (services: Services) => ({
  batch: (ended: readonly Ended[]) =>
    transaction(services.db, async (tx) => {
      for (const [companyId, calls] of byCompany(ended)) {
        const locked = await lockCalls(tx, companyId, new Set(calls.map(({ callId }) => callId)))
        const facts = calls.flatMap((one) => {
          const { callId, notes } = one
          if (locked.get(callId)?.publishedEvents !== 'nothing') return []
          const comments = Array.from({ length: notes }, () => ({ kind: 'call', event: 'commented', callId }) as const)
          return [{ kind: 'call', event: 'ended', callId } as const, ...comments]
        })
        const now = calls
          .flatMap(({ callId }) => locked.get(callId) ?? [])
          .filter((call) => call.publishedEvents === 'nothing')
        await markPublished(tx, companyId, ids(now), 'ended')
        await publish(services, tx, companyId, facts)
        for (const call of now) {
          await publishAssets(services, tx, companyId, { ...call, publishedEvents: 'ended' })
          await notifyMissedCall(services, tx, companyId, call)
        }
      }
    }),
})

const ids = (calls: readonly Call[]) => calls.map(({ id }) => id)

function byCompany(ended: readonly Ended[]): Map<CompanyId, Ended[]> {
  const grouped = new Map<CompanyId, Ended[]>()
  for (const one of ended) grouped.set(one.companyId, [...(grouped.get(one.companyId) ?? []), one])
  return grouped
}

/** A recording has been converted: published by the later of the conversion and the end of the call. */
export async function assetReady(services: Services, tx: Tx, companyId: CompanyId, callId: number): Promise<void> {
  const call = await lockCall(tx, companyId, callId)
  if (call && call.publishedEvents !== 'nothing') await publishAssets(services, tx, companyId, call)
}

async function publishAssets(services: Services, tx: Tx, companyId: CompanyId, call: Call): Promise<void> {
  if (call.recording === null && call.voicemail === null) return
  if (call.voicemail !== null) {
    const due = services.clock.now() + voicemailAfter
    return enqueue(tx, 'call.assets', { companyId, callId: call.id }, due, `call-assets:${call.id}`)
  }
  await updateCall(tx, companyId, call.id, { told: 'all' })
  await publish(services, tx, companyId, [{ kind: 'call', event: 'comm_assets_generated', callId: call.id }])
  await scheduleTranscript(services, tx, companyId, call.id)
}

/** Job: a voicemail is published shortly after the end of its call. */
export function assetPublisher(services: Services) {
  return ({ companyId, callId }: { companyId: CompanyId; callId: number }) =>
    transaction(services.db, async (tx) => {
      const call = await lockCall(tx, companyId, callId)
      if (call?.publishedEvents !== 'ended') return
      await updateCall(tx, companyId, callId, { told: 'all' })
      await publish(services, tx, companyId, [
        ...(call.voicemail === null ? [] : [{ kind: 'call', event: 'voicemail_left', callId } as const]),
        { kind: 'call', event: 'comm_assets_generated', callId },
      ])
      await scheduleTranscript(services, tx, companyId, callId)
      await notifyVoicemail(services, tx, companyId, call)
      await scheduleVoicemailEmail(services, tx, companyId, call)
    })
}
