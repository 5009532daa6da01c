import type { CallShown } from '../../src/live/protocol.ts'
import { displayNumber } from '../kit/phone-number.ts'
import type { Memory, PartyOnCall, PhoneState, WrapUp } from './model.ts'
import type { Screen } from './places.ts'

// What the screens read from the state of the phone.

export type View =
  | { kind: 'ring'; ring: CallShown; others: number }
  | { kind: 'call'; call: CallShown }
  | { kind: 'wrap_up'; wrapUp: WrapUp }
  | { kind: 'idle'; screen: Screen }

/** Ringing and active calls come first, then the wrap-up, then the selected screen. */
export function viewOf(state: PhoneState): View {
  const ring = activeRings(state)[0]
  if (ring && state.talks.length === 0) return { kind: 'ring', ring, others: activeRings(state).length - 1 }
  const call = state.talks.find(({ key }) => key === state.front) ?? state.talks[0]
  if (call) return { kind: 'call', call }
  if (state.wrapUp) return { kind: 'wrap_up', wrapUp: state.wrapUp }
  return { kind: 'idle', screen: state.screen }
}

/** Unsaved notes of calls whose screen is closed. */
export function unsavedNotes(state: PhoneState): [callId: number, note: string][] {
  const isOnCall = state.talks.length > 0 || state.wrapUp !== null
  if (!state.isKnown || isOnCall || state.presence === 'in_call' || state.presence === 'after_call_work') return []
  return Object.entries(state.drafts)
    .map(([callId, note]): [number, string] => [Number(callId), note.trim()])
    .filter(([, note]) => note !== '')
}

/** Ringing calls that the user has not declined. */
export const activeRings = ({ rings, declined }: PhoneState) => rings.filter(({ key }) => !declined.includes(key))

/** Whether requests cannot be sent at the moment; the state is the last known one. */
export const isOffline = ({ isKnown, connection }: PhoneState) => isKnown && connection !== 'open'

/** Why an action is disabled. */
export const offlineHint = ({ connection }: PhoneState) =>
  connection === 'replaced' ? 'This phone is open in another window' : 'Available when the connection is back'

/** Why no call can be started now, or undefined; a second call puts the first one on hold. */
export function whyNoNewCall(state: PhoneState): string | undefined {
  if (isOffline(state)) return offlineHint(state)
  const [call, other] = state.talks
  if (other) return 'You are on two calls'
  if (call && (call.phase !== 'talking' || call.consultation?.purpose === 'consult')) return 'You are on a call'
  return undefined
}

/** Whether the user has muted the call; the microphone follows at once. */
export const isMutedHere = ({ unsent }: PhoneState, { key, muted }: CallShown) => unsent.mutes[key] ?? muted

/** The server mutes the user as well, until it receives the request to unmute. */
export const isStillMuted = (state: PhoneState, call: CallShown) =>
  isOffline(state) && call.muted && !isMutedHere(state, call)

/** The time of the server clock, in ms. */
export const serviceTime = ({ aheadMs }: Pick<PhoneState, 'aheadMs'>, at: number) => at + aheadMs

/** Title and detail of the other party. */
export function otherParty(call: CallShown): { title: string; detail: string | null } {
  const number = displayNumber(call.external_display ?? call.external ?? '')
  if (call.external === 'anonymous') return { title: 'Anonymous', detail: null }
  if (number) return call.contact ? { title: call.contact, detail: number } : { title: number, detail: null }
  const names = call.people.map(({ name }) => name).join(', ')
  return { title: names || 'A colleague', detail: 'Internal call' }
}

export const partiesOn = (talks: readonly CallShown[]): PartyOnCall[] =>
  talks.map((call) => ({ key: call.key, title: otherParty(call).title }))

export const phoneMemory = ({
  cards,
  suggestions,
  drafts,
  screen,
  list,
  item,
  dial,
  skipped,
  unsent,
  talks,
  ...state
}: PhoneState): Memory => ({
  cards,
  suggestions,
  drafts,
  screen,
  list,
  item,
  dial,
  skipped,
  unsent,
  remembered: state.isKnown ? partiesOn(talks) : state.remembered,
})
