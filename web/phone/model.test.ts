import { describe, expect, test } from 'vitest'
import type { CallShown, ServerMessage } from '../../src/live/protocol.ts'
import { initialPhone, type PhoneEvent, type PhoneState, reducePhone } from './model.ts'
import {
  activeRings,
  isMutedHere,
  isStillMuted,
  otherParty,
  phoneMemory,
  serviceTime,
  unsavedNotes,
  viewOf,
} from './selectors.ts'

type Hello = Extract<ServerMessage, { type: 'hello' }>

const at = 1_800_000_000_000
const seconds = at / 1_000

const shown = (more: Partial<CallShown> = {}): CallShown => ({
  key: 'k1',
  call_id: 7,
  state: 'on_call',
  direction: 'inbound',
  external: '+33199000777',
  number_id: 1,
  purpose: null,
  phase: 'talking',
  line: 'simulated',
  sound: false,
  held: false,
  remote_hold: false,
  muted: false,
  recording: 'on',
  started_at: seconds,
  answered_at: seconds,
  external_display: '+33 1 99 00 07 77',
  contact: null,
  number: { id: 1, name: 'Main line', digits: '+33199000101' },
  menu: null,
  people: [],
  guests: [],
  given_by: null,
  consultation: null,
  ...more,
})

const ringing = (more: Partial<CallShown> = {}) =>
  shown({ state: 'ringing', phase: 'ringing', purpose: 'inbound', answered_at: null, recording: 'off', ...more })

const lines: Pick<Hello, 'voice' | 'emergency' | 'ice_servers'> = { voice: 'real', emergency: true, ice_servers: [] }
const received = (message: ServerMessage): PhoneEvent => ({ type: 'message', message, at })
const hello = (calls: CallShown[] = [], presence = 'available') =>
  received({ type: 'hello', session: 's', user_id: 4, position: 1, presence, now: seconds, calls, ...lines })
const ring = (key = 'k1', call_id = 7): PhoneEvent =>
  received({ type: 'ring', key, call_id, from: '+33199000777', number_id: 1, purpose: 'inbound', line: 'simulated' })
const word = (state: string, key = 'k1'): PhoneEvent => received({ type: 'call', key, call_id: 7, state })
const stop = (why: 'answered_elsewhere' | 'cancelled' | 'timeout', key = 'k1'): PhoneEvent =>
  received({ type: 'ring_stop', key, call_id: 7, why })

const phoneAfter = (...events: PhoneEvent[]): PhoneState => events.reduce(reducePhone, initialPhone)
const answer = (state: PhoneState, calls: CallShown[]): PhoneEvent => ({
  type: 'calls',
  calls,
  now: seconds,
  asked: state.changes,
  at,
})

describe('a ring', () => {
  test('is shown first, with the caller before any other detail is known', () => {
    const state = phoneAfter(hello(), ring())

    expect(viewOf(state)).toMatchObject({ kind: 'ring', others: 0, ring: { external: '+33199000777', number: null } })
  })

  test('receives its number, contact and menu choice with the reply to `calls`', () => {
    const before = phoneAfter(hello(), ring())
    const state = reducePhone(before, answer(before, [ringing({ contact: 'Ana Ruiz', menu: 'Billing' })]))

    expect(viewOf(state)).toMatchObject({ kind: 'ring', ring: { contact: 'Ana Ruiz', menu: 'Billing' } })
  })

  test('is not removed by a reply that was sent before it began', () => {
    const before = phoneAfter(hello())
    const late = answer(before, [])
    const state = reducePhone(reducePhone(before, ring()), late)

    expect(activeRings(state)).toHaveLength(1)
  })

  test.each(['cancelled', 'timeout', 'answered_elsewhere'] as const)('stops when the server ends it: %s', (why) => {
    const state = phoneAfter(hello(), ring(), stop(why))

    expect(viewOf(state).kind).toBe('idle')
    expect(state.notice?.text).toBe(why === 'answered_elsewhere' ? 'Answered by a colleague' : undefined)
  })

  test.each([
    'cancelled',
    'timeout',
    'answered_elsewhere',
  ] as const)('leaves the customer without the call: %s', (why) => {
    const beside = (callId: number): PhoneEvent => ({
      type: 'item',
      item: { kind: 'customer', number: '+33199000777', callId },
    })
    const ended = phoneAfter(hello(), ring(), beside(7), stop(why))
    const other = phoneAfter(hello(), ring(), beside(8), stop(why))
    const unnoticed = phoneAfter(hello(), ring(), beside(7))

    expect(ended.item).toEqual({ kind: 'customer', number: '+33199000777', callId: null })
    expect(other.item).toMatchObject({ callId: 8 })
    expect(reducePhone(unnoticed, answer(unnoticed, [])).item).toMatchObject({ callId: null })
    expect(reducePhone(unnoticed, answer(unnoticed, [shown()])).item).toMatchObject({ callId: 7 })
  })

  test('is hidden at once when declined, and shown when the call rings again', () => {
    const declined = phoneAfter(hello(), ring(), { type: 'declined', key: 'k1' })
    expect(viewOf(declined).kind).toBe('idle')

    const again = reducePhone(reducePhone(declined, stop('cancelled')), ring())
    expect(viewOf(again).kind).toBe('ring')
  })

  test('is shown after an earlier ring', () => {
    const state = phoneAfter(hello(), ring('k1', 7), ring('k2', 8))
    expect(viewOf(state)).toMatchObject({ kind: 'ring', ring: { key: 'k1' }, others: 1 })

    const ordered = reducePhone(state, answer(state, [ringing({ key: 'k2', call_id: 8 }), ringing()]))
    expect(viewOf(ordered)).toMatchObject({ ring: { key: 'k1' } })
  })

  test('received twice is one ring', () => {
    expect(phoneAfter(hello(), ring(), ring()).rings).toHaveLength(1)
  })
})

describe('a call', () => {
  test('is shown as soon as it is answered', () => {
    const state = phoneAfter(hello(), ring(), word('connected'))

    expect(viewOf(state)).toMatchObject({ kind: 'call', call: { key: 'k1', phase: 'talking', state: 'on_call' } })
    expect(state.rings).toEqual([])
  })

  test('is marked as a consultation when a colleague talks first', () => {
    expect(viewOf(phoneAfter(hello(), ring(), word('consulting')))).toMatchObject({ call: { phase: 'consulted' } })
  })

  test('keeps its state after a reload', () => {
    const held = shown({ held: true, muted: true, recording: 'paused', started_at: seconds - 60 })
    const state = phoneAfter(hello([held], 'in_call'))

    expect(viewOf(state)).toEqual({ kind: 'call', call: held })
  })

  test('shows a change once the server has accepted it', () => {
    const state = phoneAfter(hello([shown()]), { type: 'done', key: 'k1', change: { held: true } })

    expect(state.talks[0]?.held).toBe(true)
  })

  test('is replaced by the other call when it ends', () => {
    const both = phoneAfter(hello([shown(), shown({ key: 'k2', call_id: 8 })]), { type: 'front', key: 'k1' })
    expect(viewOf(both)).toMatchObject({ call: { key: 'k1' } })

    const one = reducePhone(both, word('ended'))
    expect(viewOf(one)).toMatchObject({ call: { key: 'k2' } })
    expect(viewOf(reducePhone(one, word('ended', 'k2'))).kind).toBe('idle')
  })

  test('stays after a lost connection, until the server reports that it has ended', () => {
    const talking = phoneAfter(hello([shown()]), { type: 'connection', connection: 'lost' })
    expect(viewOf(talking).kind).toBe('call')

    expect(viewOf(reducePhone(talking, hello([]))).kind).toBe('idle')
  })

  test('shows a notice when the transfer target does not answer', () => {
    const consultation = { purpose: 'consult', to: 'Elin Novak', state: 'ringing' } as const
    const state = phoneAfter(hello([shown({ consultation, held: true })]), word('not_reached'))

    expect(state.notice).toMatchObject({ text: 'Elin Novak did not answer', isBad: true })
  })

  test('shows a notice when no phone of the transfer target could be rung', () => {
    const consultation = { purpose: 'consult', to: 'Elin Novak', state: 'ringing' } as const
    const state = phoneAfter(hello([shown({ consultation, held: true })]), word('not_available'))

    expect(state.notice).toMatchObject({ text: 'Elin Novak is not available', isBad: true })
  })

  test('shows the consultation of a server of the previous release', () => {
    const aside = { purpose: 'consult', to: 'Elin Novak', state: 'ringing' } as const
    const { consultation: _, ...call } = shown({ aside })

    expect(phoneAfter(hello([call as CallShown])).talks[0]?.consultation).toEqual(aside)
  })

  test('is read again only for its own events', () => {
    const state = phoneAfter(hello([shown()]))
    const event = (id: number) => received({ type: 'event', position: 9, name: 'call.hold', data: { id } })

    expect(reducePhone(state, event(7)).changes).toBe(state.changes + 1)
    expect(reducePhone(state, event(99)).changes).toBe(state.changes)
  })
})

describe('wrap-up', () => {
  const wrapUp = { callId: 7, until: seconds + 30, needsTag: true, following: 0 }

  test('follows the call, regardless of the open screen', () => {
    const state = phoneAfter(
      hello([], 'after_call_work'),
      { type: 'screen', screen: 'history' },
      { type: 'wrap_up', wrapUp },
    )

    expect(viewOf(state)).toEqual({ kind: 'wrap_up', wrapUp })
  })

  test('survives a reload, and ends when the server ends it', () => {
    const state = phoneAfter({ type: 'wrap_up', wrapUp }, hello([], 'after_call_work'))
    expect(viewOf(state).kind).toBe('wrap_up')

    expect(viewOf(reducePhone(state, { type: 'wrap_up', wrapUp: null })).kind).toBe('idle')
  })

  test('gives way to the next call', () => {
    expect(viewOf(phoneAfter(hello(), { type: 'wrap_up', wrapUp }, ring())).kind).toBe('ring')
  })
})

describe('cards', () => {
  const contents = [{ type: 'title', text: 'Ana' }, { type: 'shortText', text: 'VIP', label: 'Plan' }, { type: 'odd' }]
  const card = received({ type: 'insight_card', call_id: 7, contents })

  test('are kept per call in order of arrival, without invalid lines', () => {
    const state = phoneAfter(hello(), ring(), card, card)

    expect(state.cards[7]).toHaveLength(2)
    expect(state.cards[7]?.[0]).toEqual(contents.slice(0, 2))
  })

  test('survive a reload, and are dropped when the call ends', () => {
    const before = phoneAfter(hello([shown()]), card)
    const back = phoneAfter({ type: 'remembered', memory: phoneMemory(before) }, hello([shown()]))
    expect(back.cards[7]).toHaveLength(1)

    expect(reducePhone(back, hello([])).cards).toEqual({})
  })
})

describe('the keypad', () => {
  const press = (...keys: string[]) => keys.map((digit): PhoneEvent => ({ type: 'pressed', digit }))

  test('accepts keys, a plus only at the beginning', () => {
    expect(phoneAfter(...press('+', '3', '3', '+', '1')).dial.text).toBe('+331')
    expect(phoneAfter(...press('1', '2'), { type: 'erased' }).dial.text).toBe('1')
  })

  test('is opened and filled in by a dial request', () => {
    const state = phoneAfter(
      hello(),
      { type: 'screen', screen: 'settings' },
      received({ type: 'dial', to: '+33123456789' }),
    )

    expect(viewOf(state)).toEqual({ kind: 'idle', screen: 'keypad' })
    expect(state.dial.text).toBe('+33123456789')
  })

  test('is cleared after dialling, and keeps the selected number', () => {
    const state = phoneAfter({ type: 'line', lineId: 3 }, { type: 'typed', text: '201' }, { type: 'dialled' })

    expect(state.dial).toEqual({ text: '', lineId: 3 })
  })
})

test('draft notes are kept per call until they are saved', () => {
  const typed = phoneAfter({ type: 'draft', callId: 7, text: 'Calls back' }, { type: 'draft', callId: 8, text: 'x' })
  expect(typed.drafts).toEqual({ 7: 'Calls back', 8: 'x' })

  expect(reducePhone(typed, { type: 'draft', callId: 7, text: '' }).drafts).toEqual({ 8: 'x' })
})

test('a draft note is unsaved only after the call and its wrap-up have ended', () => {
  const typed = phoneAfter(hello([shown()], 'in_call'), { type: 'draft', callId: 7, text: ' Call back ' })
  const over = reducePhone(typed, word('ended'))
  const isNow = (presence: string): PhoneEvent =>
    received({ type: 'presence', availability: presence } as ServerMessage)
  const wrapUp = { callId: 7, until: null, needsTag: false, following: 0 }

  expect([typed, over, reducePhone(over, isNow('after_call_work'))].flatMap(unsavedNotes)).toEqual([])
  expect(unsavedNotes(reducePhone(reducePhone(over, isNow('available')), { type: 'wrap_up', wrapUp }))).toEqual([])
  expect(unsavedNotes(reducePhone(over, isNow('available')))).toEqual([[7, 'Call back']])
})

test('ringing is not talk time', () => {
  const rung = reducePhone(phoneAfter(hello()), { ...ring(), at: at - 20_000 } as PhoneEvent)

  expect(reducePhone(rung, word('connected')).talks[0]?.answered_at).toBe(seconds)
})

describe('without a connection', () => {
  const lost: PhoneEvent = { type: 'connection', connection: 'lost' }
  const select = (isMuted: boolean): PhoneEvent => ({ type: 'mute_selected', key: 'k1', isMuted })
  const settled = (isMuted: boolean, isRefused = false): PhoneEvent => ({
    type: 'mute_settled',
    key: 'k1',
    isMuted,
    isRefused,
  })
  const isMuted = (state: PhoneState) => state.talks.map((call) => isMutedHere(state, call))

  test('mute applies at once and stays until the server confirms it', () => {
    const muted = phoneAfter(hello([shown()]), lost, select(true))
    expect(isMuted(muted)).toEqual([true])
    expect(isMuted(reducePhone(muted, hello([shown()])))).toEqual([true])

    const sent = reducePhone(muted, settled(true))
    expect(isMuted(sent)).toEqual([true])
    expect(sent.unsent.mutes).toEqual({})
  })

  test('the last of several selections applies', () => {
    const state = phoneAfter(hello([shown()]), select(true), select(false), settled(true))

    expect(isMuted(state)).toEqual([false])
    expect(state.unsent.mutes).toEqual({ k1: false })
    expect(isMuted(reducePhone(state, settled(false)))).toEqual([false])
  })

  test('unmuting takes effect for the other party only when the server knows', () => {
    const state = phoneAfter(hello([shown({ muted: true })]), lost, select(false))

    expect(state.talks.map((call) => isStillMuted(state, call))).toEqual([true])
    expect(isMuted(reducePhone(state, settled(true, true)))).toEqual([true])
  })

  test('a muted agent is not heard again because the server has forgotten it', () => {
    const state = phoneAfter(hello([shown({ muted: true })]), lost, hello([shown({ muted: false })]))

    expect(isMuted(state)).toEqual([true])
    expect(state.unsent.mutes).toEqual({ k1: true })
  })

  test('a call that the user has left is not shown again, and is left until the server has ended it', () => {
    const left = phoneAfter(hello([shown()]), lost, { type: 'left', key: 'k1', at })
    expect(viewOf(left).kind).toBe('idle')

    const back = reducePhone(left, hello([shown()]))
    expect(viewOf(back).kind).toBe('idle')
    expect(back.unsent.left).toEqual(['k1'])
    expect(back.notice).toBeNull()
    expect(reducePhone(back, word('ended')).unsent.left).toEqual([])
    expect(reducePhone(back, hello([])).unsent.left).toEqual([])
  })

  test('the end of a call is shown afterwards', () => {
    const state = phoneAfter(hello([shown({ contact: 'Ana Ruiz' })]), lost, hello([]))

    expect(state.notice?.text).toBe('The call with Ana Ruiz ended while this phone was not connected')
  })

  test('the end of a call is shown after a reload, too', () => {
    const memory = phoneMemory(phoneAfter(hello([shown({ contact: 'Ana Ruiz' })])))
    const loaded = phoneAfter({ type: 'remembered', memory })

    expect(reducePhone(loaded, hello([])).notice?.text).toContain('Ana Ruiz ended')
    expect(reducePhone(loaded, hello([shown()])).notice).toBeNull()
  })

  test('a declined call does not ring again when the connection is back', () => {
    const state = phoneAfter(hello(), ring(), { type: 'declined', key: 'k1' }, lost, hello([ringing()]))

    expect(activeRings(state)).toEqual([])
    expect(state.declined).toEqual(['k1'])
  })
})

describe('a supervisor who listens', () => {
  const listen = (phase: 'starting' | 'on'): PhoneEvent => ({
    type: 'listening',
    listening: { key: 'k1', mode: 'listen', phase },
  })

  test('sees a notice when the call ends', () => {
    const state = phoneAfter(hello(), listen('on'), word('not_listening'))

    expect(state.listening).toBeNull()
    expect(state.notice).toMatchObject({ isBad: false })
  })

  test('is not affected by the end of another call', () => {
    expect(phoneAfter(hello(), listen('on'), word('not_listening', 'k2')).listening).toMatchObject({ phase: 'on' })
    // Refers to the supervision before a reload.
    expect(phoneAfter(hello(), listen('starting'), word('not_listening')).listening).not.toBeNull()
  })
})

test('the network of outbound calls is known before dialling', () => {
  expect(phoneAfter(hello())).toMatchObject({ voice: 'real', emergency: true, iceServers: [] })
})

test('skipped numbers of a campaign move to its end', () => {
  const skip = (id: number): PhoneEvent => ({ type: 'skipped', id })

  expect(phoneAfter(skip(1), skip(2), skip(1)).skipped).toEqual([2, 1])
})

test('the time is that of the server clock, which may be advanced in a sandbox', () => {
  const state = phoneAfter(
    received({
      type: 'hello',
      session: 's',
      user_id: 4,
      position: 1,
      presence: 'x',
      now: seconds + 600,
      calls: [],
      ...lines,
    }),
  )

  expect(serviceTime(state, at)).toBe(at + 600_000)
})

test.each([
  [{ contact: 'Ana Ruiz' }, { title: 'Ana Ruiz', detail: '+33 1 99 00 07 77' }],
  [{}, { title: '+33 1 99 00 07 77', detail: null }],
  [
    { external: 'anonymous', external_display: 'anonymous' },
    { title: 'Anonymous', detail: null },
  ],
  [
    { external: null, external_display: null, people: [{ id: 5, name: 'Elin Novak' }] },
    { title: 'Elin Novak', detail: 'Internal call' },
  ],
])('the title of the other party: %j', (call, party) => {
  expect(otherParty(shown(call))).toEqual(party)
})

describe('the live transcript', () => {
  const utterance = (text: string, at: number): PhoneEvent =>
    received({ type: 'utterance', call_id: 7, utterance: { participant_type: 'external', text, at } } as never)

  test('is kept during the call and dropped at its end', () => {
    const talking = [hello([shown()]), utterance('My parcel', 2), utterance('Hello', 1)].reduce(
      reducePhone,
      initialPhone,
    )
    const over = reducePhone(talking, hello([]))

    expect(talking.words[7]?.map(({ text }) => text)).toEqual(['Hello', 'My parcel'])
    expect(talking.changes).toBe(1)
    expect(over.words).toEqual({})
  })
})
