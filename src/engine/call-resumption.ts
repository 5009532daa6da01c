import type { CallInput } from '../domain/call/events.ts'
import type { CallState } from '../domain/call/state.ts'
import type { Services } from '../services.ts'
import { markResumed, type OrphanedCall } from './active-call-store.ts'
import { isCallback } from './callback-requests.ts'
import type { Engine } from './engine.ts'
import { dialledLegsOf, legsOfCall } from './repeatable-commands.ts'
import { type OpenRecordings, type ResumeData, recordingsIn, restored, resumeDataIn } from './stored-call.ts'
import type { TollGuard } from './toll-guard.ts'
import type { LegsAndRecordings, TrunkDriver } from './trunk-manager.ts'

interface Options {
  services: Services
  real: TrunkDriver | undefined
  engine: Engine
  guard: Pick<TollGuard, 'resume'>
}

/** Continues calls of a process that has ended, where their legs have outlived it. */
export interface CallResumption {
  /** False: the legs of the call are gone. */
  resume(call: OrphanedCall): Promise<boolean>
  /** Recordings in progress, as far as they are on disk; for a call that has ended, those being closed. */
  keptOf(recordings: OpenRecordings): Promise<RecordEnded[]>
}

type RecordEnded = Extract<CallInput, { kind: 'record.ended' }>

export function createCallResumption({ services, real, engine, guard }: Options): CallResumption {
  const { db, log } = services

  async function resume({ companyId, key, state: text }: OrphanedCall): Promise<boolean> {
    const from = isCallback(key) ? undefined : resumeDataIn(text)
    if (!from || !real?.adopt) return false
    const call = await restored(db, companyId, text)
    const recordings = recordingsIn(text)
    const wanted = legsWanted(call, from, recordings)
    const adopted = await real.adopt(wanted)
    const isGone = adopted?.legs.length === 0 && adopted.recordings.length === 0
    if (!adopted || (isGone && wanted.legs.length + wanted.recordings.length > 0)) return false
    await markResumed(db, companyId, key)
    const lost = legsOfCall(call).filter((leg) => !adopted.legs.includes(leg))
    const dials = { companyId, callKey: key, emergency: from.isUrgent, legs: dialledLegsOf(call) }
    await guard.resume(real, dials)
    engine.resume(call, real, { ...from, recordings, lost, adopted: adopted.legs })
    const missing = [...recordings].filter(([recId]) => !adopted.recordings.includes(recId))
    for (const one of await keptOf(new Map(missing))) engine.notify(key, one)
    log.info({ event: 'call.resumed', key, callId: call.callId, legs: adopted.legs.length }, 'call resumed')
    return true
  }

  async function keptOf(recordings: OpenRecordings): Promise<RecordEnded[]> {
    const found = await Promise.all(
      [...recordings].map(async ([recId, what]) => {
        const sound = await real?.salvage(recId)
        if (!sound) return []
        return [{ kind: 'record.ended' as const, recId, what, file: sound.file, ms: Math.round(sound.seconds * 1_000) }]
      }),
    )
    return found.flat()
  }

  return { resume, keptOf }
}

/** Legs and recordings of the call, and those that its last commands may have created. */
function legsWanted(call: CallState, { commands }: ResumeData, recordings: OpenRecordings): LegsAndRecordings {
  const dialled = commands.flatMap((one) => (one.kind === 'dial' && one.leg !== undefined ? one.leg : []))
  const started = commands.flatMap((one) => (one.kind === 'record' && one.recId !== undefined ? one.recId : []))
  return { legs: [...legsOfCall(call), ...dialled], recordings: [...recordings.keys(), ...started] }
}
