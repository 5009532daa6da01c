import type { Db } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import type { CallState } from '../domain/call/state.ts'
import { readFlow } from '../domain/flow/parse.ts'
import { numberFacts } from './directory.ts'
import { flowOf } from './store.ts'

export type Recordings = ReadonlyMap<string, 'recording' | 'voicemail'>

/**
 * What is needed to end the call properly once its sound is gone. The flow is immutable and long: its version is enough;
 * timers, sounds and the legs of browsers end with the process. `shown` is for phone apps that come back.
 */
export function saved(call: CallState, recordings: Recordings = new Map()): string {
  const { number, agents, ...rest } = call
  return JSON.stringify({
    ...rest,
    // One that is over may still have a file to close.
    recordings: [...recordings],
    timers: {},
    sound: 0,
    // What a real line has recorded is on the disk; of a simulated one nothing is.
    recording: call.line === 'real' ? call.recording : { is: 'off' },
    agents: agents.map(({ userId }) => ({ userId, leg: null })),
    shown: {
      recording: call.recording.is,
      muted: agents.filter(({ muted }) => muted).map(({ userId }) => userId),
      // Only where there is sound that two phones of a person could quarrel about.
      heard: call.line === 'real' ? agents.filter(({ leg }) => leg !== null).map(({ userId }) => userId) : [],
    },
    number: number && { id: number.id, version: number.flow.version },
  })
}

type Saved = Omit<CallState, 'number'> & {
  number: { id: number; version: number } | null
  /** Absent in what an older release has written. */
  recordings?: [recId: string, what: 'recording' | 'voicemail'][]
}

/** Which recordings of the call had not ended. */
export const recordingsIn = (text: string): Recordings => new Map((JSON.parse(text) as Saved).recordings ?? [])

export async function restored(db: Db, companyId: CompanyId, text: string): Promise<CallState> {
  const { number, recordings: _recordings, ...rest }: Saved = JSON.parse(text)
  if (!number) return { ...rest, number: null }
  const facts = await numberFacts(db, companyId, number.id)
  const document = await flowOf(db, companyId, number.id, number.version)
  // A Number that was deleted meanwhile: the call can still be ended.
  if (!facts) return { ...rest, number: null }
  return { ...rest, number: document === undefined ? facts : { ...facts, flow: readFlow(document) } }
}
