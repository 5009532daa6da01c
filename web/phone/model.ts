import type { CallShown, IceServer, ServerMessage } from '../../src/live/protocol.ts'
import { type LiveTranscripts, onlyOf, utteranceIn, withLine } from '../kit/conversation/live.ts'
import type { Connection } from '../kit/live.ts'
import { type CardLine, withCard } from './insight-cards.ts'
import { type Item, type ListName, placeAfter, type Screen, withoutDetailsOf } from './places.ts'
import { partiesOn, serviceTime } from './selectors.ts'
import { frontOf, withRing } from './shown-calls.ts'
import { type Suggestions, suggestionsOf, withDismissed, withSuggestion } from './suggestions.ts'
import {
  keepMuted,
  nothingUnsent,
  ofListed,
  type Unsent,
  withLeft,
  withMute,
  withoutLeft,
  withoutMute,
} from './unsent.ts'

// The state of the phone as a pure reducer over WebSocket messages and user actions. No DOM, network or clock: the time is
// part of the events.

export interface WrapUp {
  callId: number
  /** UNIX seconds of the server clock; null: until the call has a tag. */
  until: number | null
  needsTag: boolean
  /** How many calls are wrapped up after this one. */
  following: number
}

/** A call that the user supervises without being a participant. */
export interface Listening {
  key: string
  mode: 'listen' | 'whisper'
  /** `starting`: requested, audio not connected yet. `lost`: the audio connection broke. */
  phase: 'starting' | 'on' | 'lost'
}

export interface PartyOnCall {
  key: string
  title: string
}

export interface PhoneState {
  connection: Connection
  /** Whether the first `hello` has arrived. */
  isKnown: boolean
  presence: string
  /** The network of outbound calls. */
  voice: 'simulated' | 'real'
  /** Whether emergency calls are possible. */
  emergency: boolean
  iceServers: IceServer[]
  listening: Listening | null
  /** Offset of the server clock to the clock of this machine. */
  aheadMs: number
  /** Ringing calls in order of arrival. */
  rings: CallShown[]
  /** Calls that the user is on. */
  talks: CallShown[]
  /** The call shown when there are several. */
  front: string | null
  /** Rings that the user has declined and the server has not ended yet. */
  declined: string[]
  unsent: Unsent
  /** Calls of this phone before the page was loaded. */
  remembered: PartyOnCall[]
  /** Incremented by every change that makes an older reply to `calls` outdated. */
  changes: number
  cards: Record<number, CardLine[][]>
  /** Live transcripts by call. */
  words: LiveTranscripts
  /** Passages of documents by call, the latest first. */
  suggestions: Suggestions
  /** Unsaved notes by call. */
  drafts: Record<number, string>
  wrapUp: WrapUp | null
  screen: Screen
  list: ListName
  item: Item | null
  dial: { text: string; lineId: number | null }
  /** Skipped numbers of the campaign. */
  skipped: number[]
  /** The last notice; `n` distinguishes equal ones. */
  notice: { text: string; isBad: boolean; n: number } | null
}

export type PhoneEvent =
  | { type: 'connection'; connection: Connection }
  /** The connection has been lost for a while. */
  | { type: 'outage' }
  | { type: 'message'; message: ServerMessage; at: number }
  /** The reply to `calls`; `asked` is `changes` at the time of the request. */
  | { type: 'calls'; calls: CallShown[]; now: number; asked: number; at: number }
  | { type: 'wrap_up'; wrapUp: WrapUp | null }
  /** State stored before a reload. */
  | { type: 'remembered'; memory: Memory }
  | { type: 'declined'; key: string }
  | { type: 'mute_selected'; key: string; isMuted: boolean }
  /** `isMuted` is the state on the server: the request may have been refused. */
  | { type: 'mute_settled'; key: string; isMuted: boolean; isRefused: boolean }
  /** The user has hung up. */
  | { type: 'left'; key: string; at: number }
  | { type: 'leave_settled'; key: string }
  /** The server has accepted a request of the user. */
  | { type: 'done'; key: string; change: Partial<Pick<CallShown, 'held' | 'recording'>> }
  | { type: 'listening'; listening: Listening | null }
  | { type: 'front'; key: string }
  | { type: 'screen'; screen: Screen }
  | { type: 'item'; item: Item | null }
  | { type: 'typed'; text: string }
  | { type: 'pressed'; digit: string }
  | { type: 'erased' }
  | { type: 'line'; lineId: number }
  | { type: 'prefilled'; to: string }
  | { type: 'dialled' }
  | { type: 'draft'; callId: number; text: string }
  | { type: 'dismissed'; callId: number; id: number }
  | { type: 'skipped'; id: number }
  | { type: 'campaign_over' }
  | { type: 'notice'; text: string; isBad: boolean }

export type Memory = Pick<
  PhoneState,
  'cards' | 'suggestions' | 'drafts' | 'screen' | 'list' | 'item' | 'dial' | 'skipped' | 'unsent' | 'remembered'
>

export const initialPhone: PhoneState = {
  connection: 'connecting',
  isKnown: false,
  presence: 'offline',
  voice: 'simulated',
  emergency: false,
  iceServers: [],
  listening: null,
  aheadMs: 0,
  rings: [],
  talks: [],
  front: null,
  declined: [],
  unsent: nothingUnsent,
  remembered: [],
  changes: 0,
  cards: {},
  words: {},
  suggestions: {},
  drafts: {},
  wrapUp: null,
  screen: 'keypad',
  list: 'todo',
  item: null,
  dial: { text: '', lineId: null },
  skipped: [],
  notice: null,
}

export function reducePhone(state: PhoneState, event: PhoneEvent): PhoneState {
  switch (event.type) {
    case 'connection':
      return { ...state, connection: event.connection }
    case 'outage':
      // Whether a call still rings is unknown, and it could not be accepted; a call in progress stays.
      return { ...state, rings: [], declined: [] }
    case 'message':
      return onMessage(state, event.message, event.at)
    case 'calls':
      // The state has changed since the request: a newer reply follows.
      if (event.asked !== state.changes) return state
      return withCalls({ ...state, aheadMs: event.now * 1_000 - event.at }, event.calls)
    case 'wrap_up':
      return { ...state, wrapUp: event.wrapUp }
    case 'remembered':
      return { ...state, ...event.memory }
    case 'declined':
      return { ...state, declined: [...state.declined, event.key] }
    case 'mute_selected':
      return { ...state, unsent: withMute(state.unsent, event.key, event.isMuted) }
    case 'mute_settled':
      return withMuteSettled(state, event)
    case 'left':
      return { ...withoutTalk(state, event.key), unsent: withLeft(state.unsent, event.key) }
    case 'leave_settled':
      return moved({ ...state, unsent: withoutLeft(state.unsent, event.key) })
    case 'done':
      return changed(state, event.key, event.change)
    case 'listening':
      return { ...state, listening: event.listening }
    case 'front':
      return { ...state, front: event.key }
    case 'screen':
      return { ...state, ...placeAfter(state, event.screen) }
    case 'item':
      return { ...state, item: event.item }
    case 'typed':
      return { ...state, dial: { ...state.dial, text: event.text.slice(0, 64) } }
    case 'pressed':
      return reducePhone(state, { type: 'typed', text: pressed(state.dial.text, event.digit) })
    case 'erased':
      return reducePhone(state, { type: 'typed', text: state.dial.text.slice(0, -1) })
    case 'line':
      return { ...state, dial: { ...state.dial, lineId: event.lineId } }
    case 'prefilled':
      return { ...state, screen: 'keypad', dial: { ...state.dial, text: event.to } }
    case 'dialled':
      return { ...state, dial: { ...state.dial, text: '' } }
    case 'draft':
      return { ...state, drafts: withDraft(state.drafts, event.callId, event.text) }
    case 'dismissed':
      return { ...state, suggestions: withDismissed(state.suggestions, event.callId, event.id) }
    case 'skipped':
      return { ...state, skipped: [...state.skipped.filter((id) => id !== event.id), event.id] }
    case 'campaign_over':
      return { ...state, skipped: [] }
    case 'notice':
      return noticed(state, event.text, event.isBad)
  }
}

/** A plus is valid at the beginning only. */
const pressed = (text: string, digit: string) => (digit === '+' && text !== '' ? text : text + digit)

function onMessage(state: PhoneState, message: ServerMessage, at: number): PhoneState {
  const utterance = utteranceIn(message)
  if (utterance) return { ...state, words: withLine(state.words, utterance.callId, utterance.line) }
  switch (message.type) {
    case 'hello': {
      const { presence, now, calls, voice, emergency, ice_servers: iceServers } = message
      const known = { ...state, isKnown: true, presence, aheadMs: now * 1_000 - at, changes: state.changes + 1 }
      const unsent = keepMuted(state.unsent, state.talks, calls)
      return withEndNoticed(state, withCalls({ ...known, voice, emergency, iceServers, unsent, remembered: [] }, calls))
    }
    case 'ring':
      return state.rings.some(({ key }) => key === message.key) ? moved(state) : moved(withRing(state, message, at))
    case 'ring_stop':
      return moved(withRingStopped(state, message))
    case 'call':
      return moved(withCallState(state, message, at))
    case 'insight_card':
      return { ...state, cards: withCard(state.cards, message.call_id, message.contents) }
    case 'suggestion':
      return { ...state, suggestions: withSuggestion(state.suggestions, message.call_id, message.suggestion) }
    case 'dial':
      return reducePhone(state, { type: 'prefilled', to: message.to })
    case 'presence':
      return { ...state, presence: message.availability }
    case 'event':
      return message.name.startsWith('call.') && isAboutMine(state, message.data) ? moved(state) : state
    default:
      return state
  }
}

const moved = (state: PhoneState): PhoneState => ({ ...state, changes: state.changes + 1 })

function isAboutMine(state: PhoneState, data: unknown): boolean {
  const id = typeof data === 'object' && data !== null && 'id' in data ? data.id : undefined
  return [...state.rings, ...state.talks].some((call) => call.call_id === id)
}

/** The calls that have ended while this phone was not connected. */
function withEndNoticed(before: PhoneState, after: PhoneState): PhoneState {
  const parties = before.isKnown ? partiesOn(before.talks) : before.remembered
  const ended = parties.filter(({ key }) => !after.talks.some((call) => call.key === key))
  if (ended.length === 0) return after
  const titles = ended.map(({ title }) => title).join(', ')
  return noticed(after, `The call with ${titles} ended while this phone was not connected`, true)
}

/** The server's list is authoritative: a call that is not in it has ended. */
function withCalls(state: PhoneState, listed: readonly CallShown[]): PhoneState {
  // During an upgrade the server may be of the previous release, which has `aside` only.
  const calls = listed.map((call) => ({ ...call, consultation: call.consultation ?? call.aside ?? null }))
  const rings = calls.filter((call) => call.state === 'ringing')
  const unsent = ofListed(state.unsent, calls)
  const talks = calls.filter(({ key, state: at }) => at === 'on_call' && !unsent.left.includes(key))
  const keys = new Set(calls.map(({ key }) => key))
  const inOrder = [
    ...state.rings.flatMap(({ key }) => rings.find((ring) => ring.key === key) ?? []),
    ...rings.filter(({ key }) => !state.rings.some((ring) => ring.key === key)),
  ]
  const front = frontOf(state, talks)
  return {
    ...withoutOldCards(state, calls),
    rings: inOrder,
    item: withoutDetailsOf(state.item, goneRings(state, keys)),
    talks,
    front,
    unsent,
    declined: state.declined.filter((key) => keys.has(key)),
  }
}

const goneRings = ({ rings }: PhoneState, listed: ReadonlySet<string>) =>
  rings.flatMap(({ key, call_id }) => (listed.has(key) ? [] : call_id))

/** Insight cards, live transcripts and suggestions are dropped when their call ends. */
function withoutOldCards(state: PhoneState, calls: readonly CallShown[]): PhoneState {
  const ids = new Set(calls.flatMap(({ call_id }) => call_id ?? []))
  const cards = Object.fromEntries(Object.entries(state.cards).filter(([id]) => ids.has(Number(id))))
  return { ...state, cards, words: onlyOf(state.words, ids), suggestions: suggestionsOf(state.suggestions, ids) }
}

function withRingStopped(
  state: PhoneState,
  { key, call_id: callId, why }: Extract<ServerMessage, { type: 'ring_stop' }>,
): PhoneState {
  const stopped = {
    ...state,
    item: withoutDetailsOf(state.item, [callId]),
    rings: state.rings.filter((ring) => ring.key !== key),
    declined: state.declined.filter((one) => one !== key),
  }
  return why === 'answered_elsewhere' ? noticed(stopped, 'Answered by a colleague', false) : stopped
}

function withCallState(
  state: PhoneState,
  { key, state: callState, failure, to }: Extract<ServerMessage, { type: 'call' }>,
  at: number,
): PhoneState {
  if (callState === 'ended') {
    const ended = { ...withoutTalk(state, key), unsent: withoutLeft(withoutMute(state.unsent, key), key) }
    return typeof failure === 'string' ? noticed(ended, failure, true) : ended
  }
  // A colleague has merged the call into another one.
  if (callState === 'moved' && typeof to === 'string') {
    return { ...changed(state, key, { key: to }), front: state.front === key ? to : state.front }
  }
  if (callState === 'remote_hold') return changed(state, key, { remote_hold: true })
  if (callState === 'remote_unhold') return changed(state, key, { remote_hold: false })
  if (callState === 'sound_here') return changed(state, key, { sound: true })
  if (callState === 'sound_lost') return changed(state, key, { sound: false })
  if (callState === 'not_listening') return withoutListening(state, key)
  if (callState === 'not_reached' || callState === 'not_available') {
    const party = state.talks.find((call) => call.key === key)?.consultation?.to
    const why = callState === 'not_available' ? 'is not available' : 'did not answer'
    return noticed(changed(state, key, { consultation: null }), `${party ?? 'The other party'} ${why}`, true)
  }
  const ringing = state.rings.find((ring) => ring.key === key)
  if (!ringing) return callState === 'connected' ? changed(state, key, { phase: 'talking' }) : state
  const answered: CallShown = {
    ...ringing,
    state: 'on_call',
    purpose: null,
    phase: callState === 'consulting' ? 'consulted' : callState === 'dialling' ? 'dialling' : 'talking',
    // Until the server reports it: ringing is not talk time.
    answered_at: callState === 'connected' ? Math.floor(serviceTime(state, at) / 1_000) : ringing.answered_at,
  }
  return {
    ...state,
    rings: state.rings.filter((ring) => ring.key !== key),
    talks: [...state.talks.filter((call) => call.key !== key), answered],
    front: key,
  }
}

function withoutTalk(state: PhoneState, key: string): PhoneState {
  const talks = state.talks.filter((call) => call.key !== key)
  return { ...state, talks, front: state.front === key ? (talks[0]?.key ?? null) : state.front }
}

/** The user may have selected another state while the request was sent. */
function withMuteSettled(
  state: PhoneState,
  { key, isMuted, isRefused }: Extract<PhoneEvent, { type: 'mute_settled' }>,
): PhoneState {
  const isCurrent = isRefused || state.unsent.mutes[key] === isMuted
  const unsent = isCurrent ? withoutMute(state.unsent, key) : state.unsent
  return changed({ ...state, unsent }, key, { muted: isMuted })
}

/** While supervision is starting, the message refers to an earlier one. */
function withoutListening(state: PhoneState, key: string): PhoneState {
  if (state.listening?.key !== key || state.listening.phase === 'starting') return state
  return noticed({ ...state, listening: null }, 'The call you were listening to has ended', false)
}

function changed(state: PhoneState, key: string, change: Partial<CallShown>): PhoneState {
  return { ...state, talks: state.talks.map((call) => (call.key === key ? { ...call, ...change } : call)) }
}

function withDraft(drafts: PhoneState['drafts'], callId: number, text: string): PhoneState['drafts'] {
  const { [callId]: _before, ...others } = drafts
  return text === '' ? others : { ...others, [callId]: text }
}

const noticed = (state: PhoneState, text: string, isBad: boolean): PhoneState => ({
  ...state,
  notice: { text, isBad, n: (state.notice?.n ?? 0) + 1 },
})
