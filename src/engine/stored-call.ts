import type { Db } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import type { CallState } from '../domain/call/state.ts'
import { fromStored, type StoredCallState, toStored } from '../domain/call/stored-state.ts'
import { readFlow } from '../domain/flow/parse.ts'
import { numberFacts } from './routing-data.ts'
import { numberFlow } from './trace-store.ts'

export type OpenRecordings = ReadonlyMap<string, 'recording' | 'voicemail'>

/**
 * The data needed to end the call properly after its process has ended. The flow is immutable and large: its version
 * is enough; timers, playback and browser legs end with the process. `shown` is for phone apps that reconnect.
 */
export function saved(call: CallState, recordings: OpenRecordings = new Map()): string {
  const { number, agents, ...rest } = call
  const stored = toStored({ ...rest, agents })
  return JSON.stringify({
    ...stored,
    // A call that has ended may still have a file to close.
    recordings: [...recordings],
    timers: {},
    sound: 0,
    // Recordings of real lines are on disk; simulated ones are not.
    recording: call.line === 'real' ? stored.recording : { is: 'off' },
    agents: agents.map(({ userId }) => ({ userId, leg: null })),
    shown: {
      recording: call.recording.kind,
      muted: agents.filter(({ muted }) => muted).map(({ userId }) => userId),
      // Only with media can two phone apps of a user compete.
      heard: call.line === 'real' ? agents.filter(({ leg }) => leg !== null).map(({ userId }) => userId) : [],
    },
    number: number && { id: number.id, version: number.flow.version },
  })
}

type Saved = StoredCallState & {
  number: { id: number; version: number } | null
  /** Absent in rows of older releases. */
  recordings?: [recId: string, what: 'recording' | 'voicemail'][]
}

/** Recordings of the call that had not ended. */
export const recordingsIn = (text: string): OpenRecordings => new Map((JSON.parse(text) as Saved).recordings ?? [])

export async function restored(db: Db, companyId: CompanyId, text: string): Promise<CallState> {
  const { number, recordings: _recordings, ...stored }: Saved = JSON.parse(text)
  const rest = fromStored(stored)
  if (!number) return { ...rest, number: null }
  const facts = await numberFacts(db, companyId, number.id)
  const document = await numberFlow(db, companyId, number.id, number.version)
  // The Number was deleted in the meantime: the call can still be ended.
  if (!facts) return { ...rest, number: null }
  return { ...rest, number: document === undefined ? facts : { ...facts, flow: readFlow(document) } }
}
