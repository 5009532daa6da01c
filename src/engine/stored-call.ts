import type { Db } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import type { DriverCommand } from '../domain/call/events.ts'
import type { CallState, NumberFacts } from '../domain/call/state.ts'
import { fromStored, type StoredCallState, toStored } from '../domain/call/stored-state.ts'
import { readFlow } from '../domain/flow/parse.ts'
import type { LegId } from '../domain/voice.ts'
import { numberFacts } from './routing-data.ts'
import { numberFlow } from './trace-store.ts'
import type { RecordedIntervals } from './transcribed-call.ts'

export type OpenRecordings = ReadonlyMap<string, 'recording' | 'voicemail'>

/**
 * The state of an active call. The flow is immutable and large: its version is enough. Legs on real lines outlive this
 * process, so another one continues the call; simulated legs, their timers and playback end with it. `shown` is for phone
 * apps that reconnect.
 */
export function saved(call: CallState, recordings: OpenRecordings = new Map()): string {
  const { number, agents, ...rest } = call
  const stored = toStored({ ...rest, agents })
  return JSON.stringify({
    ...stored,
    // A call that has ended may still have a file to close.
    recordings: [...recordings],
    ...(call.line === 'simulated' && endedWithProcess(call)),
    shown: {
      recording: call.recording.kind,
      muted: agents.filter(({ muted }) => muted).map(({ userId }) => userId),
      // Only with media can two phone apps of a user compete.
      heard: call.line === 'real' ? agents.filter(({ leg }) => leg !== null).map(({ userId }) => userId) : [],
    },
    number: number && { id: number.id, version: number.flow.version },
  })
}

const endedWithProcess = ({ agents }: CallState) => ({
  timers: {},
  sound: 0,
  // Recordings of real lines are on disk; simulated ones are not.
  recording: { is: 'off' },
  agents: agents.map(({ userId }) => ({ userId, leg: null })),
})

/** Stored with a call on real lines: what another process needs to continue it. */
export interface ResumeData {
  isUrgent: boolean
  /** Commands that had not completed; they can be repeated. */
  commands: readonly DriverCommand[]
  seen: readonly (readonly [leg: LegId, seq: number])[]
  /** Absent in rows of older releases. */
  intervals?: RecordedIntervals
}

/** Appends it to the text of a saved call. */
export const withResumeData = (text: string, resume: ResumeData): string =>
  `${text.slice(0, -1)},"resume":${JSON.stringify(resume)}}`

/** Undefined in rows of older releases, and for simulated calls. */
export const resumeDataIn = (text: string): ResumeData | undefined => (JSON.parse(text) as Saved).resume

type Saved = StoredCallState & {
  number: { id: number; version: number } | null
  /** Absent in rows of older releases. */
  recordings?: [recId: string, what: 'recording' | 'voicemail'][]
  resume?: ResumeData
}

/** Recordings of the call that had not ended. */
export const recordingsIn = (text: string): OpenRecordings => new Map((JSON.parse(text) as Saved).recordings ?? [])

/** A Number with the flow that the call began with; null if it was deleted in the meantime: the call can still be ended. */
export type NumberReader = (companyId: CompanyId, id: number, version: number) => Promise<NumberFacts | null>

/** Reads every Number once, however many calls it has. */
export function createNumberReader(db: Db): NumberReader {
  const read = new Map<string, Promise<NumberFacts | null>>()

  async function factsOf(companyId: CompanyId, id: number, version: number): Promise<NumberFacts | null> {
    const facts = await numberFacts(db, companyId, id)
    if (!facts) return null
    const document = await numberFlow(db, companyId, id, version)
    return document === undefined ? facts : { ...facts, flow: readFlow(document) }
  }

  return (companyId, id, version) => {
    const key = `${companyId} ${id} ${version}`
    const facts = read.get(key) ?? factsOf(companyId, id, version)
    read.set(key, facts)
    return facts
  }
}

export async function restored(readNumber: NumberReader, companyId: CompanyId, text: string): Promise<CallState> {
  const { number, recordings: _recordings, resume: _resume, ...stored }: Saved = JSON.parse(text)
  return { ...fromStored(stored), number: number && (await readNumber(companyId, number.id, number.version)) }
}
