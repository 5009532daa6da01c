import type { Request } from '../kit/live.ts'
import type { PhoneState } from './model.ts'
import { isMutedHere } from './selectors.ts'
import { isInBackground } from './shown-calls.ts'

// Which calls need an audio connection from this browser, and which do not any more. Pure.

/** `party`: a participant of the call. `listener`: a supervisor who listens or whispers. */
export type LegRole = 'party' | 'listener'

export interface Line {
  /** Null: the call is being dialled and has no key yet. */
  key: string | null
  role: LegRole
  /** Whether the server has listed the call. */
  isKnown: boolean
}

type Offering = Extract<Request, { type: 'answer' | 'dial' | 'supervise' }>

export const mayOffer = (request: Request): request is Offering =>
  request.type === 'answer' || request.type === 'dial' || request.type === 'supervise'

/** The role of the audio connection that the request offers; undefined: none. */
export function roleOffered(state: PhoneState, request: Offering): LegRole | undefined {
  switch (request.type) {
    case 'answer':
      return state.rings.find(({ key }) => key === request.key)?.line === 'real' ? 'party' : undefined
    case 'dial':
      return state.voice === 'real' ? 'party' : undefined
    case 'supervise':
      if (request.mode === null) return undefined
      return request.mode === 'join' ? 'party' : 'listener'
  }
}

/** Whether the call has ended or moved to another window. */
export function isLineOver({ talks, listening, connection }: PhoneState, { key, role, isKnown }: Line): boolean {
  // The same phone in another window has taken over the calls.
  if (connection === 'replaced') return true
  if (role === 'listener') return listening?.key !== key || listening.phase === 'lost'
  return isKnown && !talks.some((call) => call.key === key)
}

/**
 * Calls without audio in this browser. `isMine`: this browser had the audio before a reload or a network failure. For the
 * others no audio is known: any phone of the user may connect it, but only one.
 */
export function withoutSound(
  { talks, connection }: PhoneState,
  lines: readonly Line[],
  mine: ReadonlySet<string>,
): { key: string; isMine: boolean }[] {
  // The call that is being dialled may be any of them.
  if (connection !== 'open' || lines.some(({ key }) => key === null)) return []
  return talks.flatMap(({ key, line, sound }) => {
    const isConnected = lines.some((one) => one.role === 'party' && one.key === key)
    const isMine = mine.has(key)
    return line === 'real' && !isConnected && (isMine || !sound) ? { key, isMine } : []
  })
}

export const isMuted = (state: PhoneState, { key }: Line) =>
  isInBackground(state, key) || state.talks.some((call) => call.key === key && isMutedHere(state, call))

/** A supervisor who only listens does not need the microphone. */
export const needsMicrophone = ({ listening }: PhoneState, { role }: Line) =>
  role === 'party' || listening?.mode === 'whisper'
