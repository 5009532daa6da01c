import type { CallShown, ServerMessage } from '../../src/live/protocol.ts'
import type { PhoneState } from './model.ts'

/** The fields of the ring message; the others arrive with the reply to `calls`. */
export function withRing(state: PhoneState, ring: Extract<ServerMessage, { type: 'ring' }>, at: number): PhoneState {
  const { key, call_id, from, number_id, purpose, line } = ring
  const isOutside = from !== ''
  const shown: CallShown = {
    key,
    call_id,
    state: 'ringing',
    direction: purpose === 'internal' ? null : 'inbound',
    external: isOutside ? from : null,
    number_id,
    purpose,
    phase: 'ringing',
    line,
    sound: false,
    held: false,
    remote_hold: false,
    muted: false,
    recording: 'off',
    started_at: Math.floor((at + state.aheadMs) / 1_000),
    answered_at: null,
    external_display: isOutside ? from : null,
    contact: null,
    number: null,
    menu: null,
    people: [],
    guests: [],
    given_by: null,
    consultation: null,
  }
  return { ...state, rings: [...state.rings, shown] }
}

/** The call that is shown: a second one as soon as it begins; after a reload the one that is not on hold. */
export function frontOf({ talks: before, front }: PhoneState, talks: readonly CallShown[]): string | null {
  const begun = talks.find(({ key }) => !before.some((call) => call.key === key))
  if (begun && before.length > 0 && talks.length > 1) return begun.key
  if (talks.some(({ key }) => key === front)) return front
  return (talks.find(({ held }) => !held) ?? talks[0])?.key ?? null
}

/** The call is on hold while the user talks on another one: neither side is heard. */
export const isInBackground = ({ talks }: Pick<PhoneState, 'talks'>, wanted: string | null) =>
  talks.some(({ key, held }) => key === wanted && held) && talks.some(({ key, held }) => key !== wanted && !held)
