import { describe, expect, test } from 'vitest'
import type { CallShown } from '../../src/live/protocol.ts'
import { initial, type PhoneState } from './model.ts'
import { isMuted, isOver, type Line, needsMicrophone, roleOffered, withoutSound } from './sound-plan.ts'

const talk = (more: Partial<CallShown> = {}): CallShown => ({
  key: 'k1',
  call_id: 7,
  state: 'on_call',
  direction: 'inbound',
  external: '+33199000777',
  number_id: 1,
  purpose: null,
  phase: 'talking',
  line: 'real',
  sound: false,
  held: false,
  remote_hold: false,
  muted: false,
  recording: 'off',
  started_at: 0,
  answered_at: 0,
  external_display: null,
  contact: null,
  number: null,
  menu: null,
  people: [],
  guests: [],
  given_by: null,
  aside: null,
  ...more,
})
const phone = (more: Partial<PhoneState> = {}): PhoneState => ({
  ...initial,
  connection: 'open',
  isKnown: true,
  talks: [talk()],
  ...more,
})
const line = (more: Partial<Line> = {}): Line => ({ key: 'k1', role: 'party', isKnown: true, ...more })
const nobody = new Set<string>()

describe('an offer goes along', () => {
  test('with the answer to a ring over a real line only', () => {
    const rings = [talk({ key: 'r', state: 'ringing' }), talk({ key: 's', state: 'ringing', line: 'simulated' })]

    expect(roleOffered(phone({ rings }), { type: 'answer', key: 'r' })).toBe('party')
    expect(roleOffered(phone({ rings }), { type: 'answer', key: 's' })).toBeUndefined()
  })

  test('with a call that will go over a real line', () => {
    expect(roleOffered(phone({ voice: 'real' }), { type: 'dial', to: '+33123456789' })).toBe('party')
    expect(roleOffered(phone({ voice: 'simulated' }), { type: 'dial', to: '+33123456789' })).toBeUndefined()
  })

  test('with a supervisor’s wish, and not with the end of it', () => {
    expect(roleOffered(phone(), { type: 'supervise', key: 'k1', mode: 'listen' })).toBe('listener')
    expect(roleOffered(phone(), { type: 'supervise', key: 'k1', mode: 'join' })).toBe('party')
    expect(roleOffered(phone(), { type: 'supervise', key: 'k1', mode: null })).toBeUndefined()
  })
})

describe('a call that is not heard here', () => {
  test('is brought its sound when nobody has', () => {
    expect(withoutSound(phone(), [], nobody)).toEqual([{ key: 'k1', isMine: false }])
  })

  test('is left alone when another phone of the person has it', () => {
    expect(withoutSound(phone({ talks: [talk({ sound: true })] }), [], nobody)).toEqual([])
  })

  test('is brought its sound again after a reload, even if the server has not noticed yet', () => {
    const state = phone({ talks: [talk({ sound: true })] })

    expect(withoutSound(state, [], new Set(['k1']))).toEqual([{ key: 'k1', isMine: true }])
  })

  test.each([
    ['is heard', phone(), [line()]],
    ['is on the simulated network', phone({ talks: [talk({ line: 'simulated' })] }), []],
    ['may be the one that is being dialled', phone(), [line({ key: null })]],
    ['cannot be asked for without a connection', phone({ connection: 'lost' }), []],
  ])('needs nothing when it %s', (_, state, lines) => {
    expect(withoutSound(state, lines, new Set(['k1']))).toEqual([])
  })

  test('needs more than a supervisor’s ear once they have joined', () => {
    expect(withoutSound(phone(), [line({ role: 'listener' })], nobody)).toHaveLength(1)
  })
})

describe('the sound ends', () => {
  test('with the call, not before the server has told of it', () => {
    const state = phone({ talks: [] })

    expect(isOver(state, line())).toBe(true)
    expect(isOver(state, line({ isKnown: false }))).toBe(false)
    expect(isOver(phone(), line())).toBe(false)
  })

  test('when the same phone is opened in another window', () => {
    expect(isOver(phone({ connection: 'replaced' }), line())).toBe(true)
    expect(isOver(phone({ connection: 'lost' }), line())).toBe(false)
  })

  test('when a supervisor stops listening', () => {
    const listening = { key: 'k1', mode: 'listen', phase: 'on' } as const

    expect(isOver(phone({ listening }), line({ role: 'listener' }))).toBe(false)
    expect(isOver(phone({ listening: { ...listening, phase: 'lost' } }), line({ role: 'listener' }))).toBe(true)
    expect(isOver(phone(), line({ role: 'listener' }))).toBe(true)
  })
})

test('the server’s word about muting is what the microphone follows', () => {
  expect(isMuted(phone({ talks: [talk({ muted: true })] }), line())).toBe(true)
  expect(isMuted(phone(), line())).toBe(false)
})

test('whoever only listens keeps their microphone closed', () => {
  const at = (mode: 'listen' | 'whisper') => phone({ listening: { key: 'k1', mode, phase: 'on' } })

  expect(needsMicrophone(at('listen'), line({ role: 'listener' }))).toBe(false)
  expect(needsMicrophone(at('whisper'), line({ role: 'listener' }))).toBe(true)
  expect(needsMicrophone(phone(), line())).toBe(true)
})
