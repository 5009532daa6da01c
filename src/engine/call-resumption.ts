import type { CompanyId } from '../db/tables.ts'
import type { CallInput } from '../domain/call/events.ts'
import type { CallState } from '../domain/call/state.ts'
import type { LegId } from '../domain/voice.ts'
import type { Services } from '../services.ts'
import { markResumed, type OrphanedCall } from './active-call-store.ts'
import { isCallback } from './callback-requests.ts'
import type { Engine } from './engine.ts'
import { dialledLegsOf, legsOfCall, possibleLegsOf } from './repeatable-commands.ts'
import {
  type NumberReader,
  type OpenRecordings,
  type ResumeData,
  recordingsIn,
  restored,
  resumeDataIn,
} from './stored-call.ts'
import type { ResumedDials, TollGuard } from './toll-guard.ts'
import type { LegsAndRecordings, TrunkDriver } from './trunk-manager.ts'

interface Options {
  services: Services
  real: TrunkDriver | undefined
  engine: Engine
  guard: Pick<TollGuard, 'resume'>
}

/** Continues calls of a process that has ended, where their legs have outlived it. */
export interface CallResumption {
  /** The keys of the calls that go on; the legs of the others are gone. */
  resume(calls: readonly OrphanedCall[], readNumber: NumberReader): Promise<ReadonlySet<string>>
  /** Its legs may be on a line node that cannot be reached at the moment. */
  isAwaitingNode(call: OrphanedCall): boolean
  /** Recordings in progress, as far as they are on disk; for a call that has ended, those being closed. */
  keptOf(recordings: OpenRecordings): Promise<RecordEnded[]>
}

type RecordEnded = Extract<CallInput, { kind: 'record.ended' }>

/** A call that can go on if its legs exist. */
interface Resumable {
  companyId: CompanyId
  key: string
  call: CallState
  from: ResumeData
  recordings: OpenRecordings
  wanted: LegsAndRecordings
  /** Legs that its last commands may have created. */
  possible: readonly LegId[]
}

export function createCallResumption({ services, real, engine, guard }: Options): CallResumption {
  const { db, log } = services

  /** All calls with one request to the driver and a few statements, so that many calls do not wait for each other. */
  async function resume(calls: readonly OrphanedCall[], readNumber: NumberReader): Promise<ReadonlySet<string>> {
    const resumable = (await Promise.all(calls.map((call) => readableOf(call, readNumber)))).flat()
    if (!real?.adopt || resumable.length === 0) return new Set()
    const adopted = await real.adopt({
      legs: resumable.flatMap(({ wanted, possible }) => [...wanted.legs, ...possible]),
      recordings: resumable.flatMap(({ wanted }) => wanted.recordings),
    })
    if (!adopted) return new Set()
    const [legs, recordings] = [new Set(adopted.legs), new Set(adopted.recordings)]
    const there = resumable.filter((one) => isThere(one, legs, recordings))
    for (const [companyId, ofCompany] of byCompany(there)) {
      const keys = ofCompany.map(({ key }) => key)
      await markResumed(db, companyId, keys)
      await guard.resume(real, companyId, ofCompany.map(dialsOf))
    }
    for (const one of there) await continueCall(real, one, legs, recordings)
    return new Set(there.map(({ key }) => key))
  }

  /** One call that cannot be read does not hold up the others. */
  async function readableOf(call: OrphanedCall, readNumber: NumberReader): Promise<Resumable[]> {
    try {
      return await resumableOf(call, readNumber)
    } catch (error) {
      log.error({ event: 'call.not_resumed', key: call.key, error }, 'stored call could not be read')
      return []
    }
  }

  async function continueCall(
    driver: TrunkDriver,
    { key, call, from, recordings, wanted, possible }: Resumable,
    legs: ReadonlySet<LegId>,
    recording: ReadonlySet<string>,
  ): Promise<void> {
    const adopted = [...wanted.legs, ...possible].filter((leg) => legs.has(leg))
    const lost = legsOfCall(call).filter((leg) => !legs.has(leg))
    engine.resume(call, driver, { ...from, recordings, lost, adopted })
    log.info({ event: 'call.resumed', key, callId: call.callId, legs: adopted.length }, 'call resumed')
    const missing = [...recordings].filter(([recId]) => !recording.has(recId))
    for (const one of await keptOf(new Map(missing))) engine.notify(key, one)
  }

  async function keptOf(recordings: OpenRecordings): Promise<RecordEnded[]> {
    const found = await Promise.all(
      [...recordings].map(async ([recId, what]) => {
        const sound = await real?.salvage(recId).catch((error) => {
          log.error(
            { event: 'recording.not_salvaged', recId, error },
            'recording of a stopped process could not be read',
          )
          return undefined
        })
        if (!sound) return []
        return [{ kind: 'record.ended' as const, recId, what, file: sound.file, ms: Math.round(sound.seconds * 1_000) }]
      }),
    )
    return found.flat()
  }

  const isAwaitingNode = ({ key, state }: OrphanedCall) =>
    !isCallback(key) &&
    resumeDataIn(state) !== undefined &&
    real?.nodes?.().some(({ isRemote, isConnected }) => isRemote && !isConnected) === true

  return { resume, isAwaitingNode, keptOf }
}

/** Empty for calls of older releases and simulated ones. */
async function resumableOf(
  { companyId, key, state: text }: OrphanedCall,
  readNumber: NumberReader,
): Promise<Resumable[]> {
  const from = isCallback(key) ? undefined : resumeDataIn(text)
  if (!from) return []
  const call = await restored(readNumber, companyId, text)
  const recordings = recordingsIn(text)
  const possible = from.commands.flatMap(possibleLegsOf)
  return [{ companyId, key, call, from, recordings, wanted: legsWanted(call, from, recordings), possible }]
}

/** A call without legs and recordings needs none of them. */
function isThere({ wanted, possible }: Resumable, legs: ReadonlySet<LegId>, recordings: ReadonlySet<string>): boolean {
  if (wanted.legs.length + wanted.recordings.length === 0) return true
  return (
    [...wanted.legs, ...possible].some((leg) => legs.has(leg)) ||
    wanted.recordings.some((recId) => recordings.has(recId))
  )
}

function byCompany(calls: readonly Resumable[]): Map<CompanyId, Resumable[]> {
  const companies = new Map<CompanyId, Resumable[]>()
  for (const call of calls) companies.set(call.companyId, [...(companies.get(call.companyId) ?? []), call])
  return companies
}

const dialsOf = ({ key, call, from }: Resumable): ResumedDials => ({
  callKey: key,
  emergency: from.isUrgent,
  legs: dialledLegsOf(call),
})

/** Legs and recordings of the call, and recordings that its last commands may have created. */
function legsWanted(call: CallState, { commands }: ResumeData, recordings: OpenRecordings): LegsAndRecordings {
  const started = commands.flatMap((one) => (one.kind === 'record' && one.recId !== undefined ? one.recId : []))
  return { legs: legsOfCall(call), recordings: [...recordings.keys(), ...started] }
}
