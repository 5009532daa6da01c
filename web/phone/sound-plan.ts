import type { Request } from '../kit/live.ts'
import type { PhoneState } from './model.ts'

// Which calls of the phone need sound from this browser, and which do not any more. Pure, like the phone itself.

/** `party`: somebody on the call. `listener`: a supervisor who is not. */
export type Role = 'party' | 'listener'

export interface Line {
  /** Null: it is being dialled, and has no name yet. */
  key: string | null
  role: Role
  /** Whether the server has told of the call since. */
  isKnown: boolean
}

type Offering = Extract<Request, { type: 'answer' | 'dial' | 'supervise' }>

export const mayOffer = (request: Request): request is Offering =>
  request.type === 'answer' || request.type === 'dial' || request.type === 'supervise'

/** As what the person will be heard once the server agrees; undefined: there is no sound to this. */
export function roleOffered(state: PhoneState, request: Offering): Role | undefined {
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

/** Whose call is over, or has gone elsewhere. */
export function isOver({ talks, listening, connection }: PhoneState, { key, role, isKnown }: Line): boolean {
  // The same phone in another window has the calls now.
  if (connection === 'replaced') return true
  if (role === 'listener') return listening?.key !== key || listening.phase === 'lost'
  return isKnown && !talks.some((call) => call.key === key)
}

/**
 * Calls that are not heard here. `isMine`: this browser had the sound, before a reload or a broken network. The others
 * are nobody's yet, as far as is known: any phone of the person may bring the sound, but only one.
 */
export function withoutSound(
  { talks, connection }: PhoneState,
  lines: readonly Line[],
  mine: ReadonlySet<string>,
): { key: string; isMine: boolean }[] {
  // One that is being dialled may be any of them.
  if (connection !== 'open' || lines.some(({ key }) => key === null)) return []
  return talks.flatMap(({ key, line, sound }) => {
    const isHeard = lines.some((one) => one.role === 'party' && one.key === key)
    const isMine = mine.has(key)
    return line === 'real' && !isHeard && (isMine || !sound) ? { key, isMine } : []
  })
}

export const isMuted = ({ talks }: PhoneState, { key }: Line) => talks.some((call) => call.key === key && call.muted)

/** Whoever only listens keeps their microphone closed. */
export const needsMicrophone = ({ listening }: PhoneState, { role }: Line) =>
  role === 'party' || listening?.mode === 'whisper'
