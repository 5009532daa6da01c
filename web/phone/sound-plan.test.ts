import { describe, expect, test } from 'vitest'
import type { CallShown } from '../../src/live/protocol.ts'
import { initialPhone, type PhoneState } from './model.ts'
import { isLineOver, isMuted, type Line, needsMicrophone, roleOffered, withoutSound } from './sound-plan.ts'

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
  consultation: null,
  ...more,
})
const phone = (more: Partial<PhoneState> = {}): PhoneState => ({
  ...initialPhone,
  connection: 'open',
  isKnown: true,
  talks: [talk()],
  ...more,
})
const line = (more: Partial<Line> = {}): Line => ({ key: 'k1', role: 'party', isKnown: true, ...more })
const none = new Set<string>()

describe('an SDP offer is sent', () => {
  test('when a call over a real network is accepted', () => {
    const rings = [talk({ key: 'r', state: 'ringing' }), talk({ key: 's', state: 'ringing', line: 'simulated' })]

    expect(roleOffered(phone({ rings }), { type: 'answer', key: 'r' })).toBe('party')
    expect(roleOffered(phone({ rings }), { type: 'answer', key: 's' })).toBeUndefined()
  })

  test('when a call over a real network is dialled', () => {
    expect(roleOffered(phone({ voice: 'real' }), { type: 'dial', to: '+33123456789' })).toBe('party')
    expect(roleOffered(phone({ voice: 'simulated' }), { type: 'dial', to: '+33123456789' })).toBeUndefined()
  })

  test('when supervision starts, not when it ends', () => {
    expect(roleOffered(phone(), { type: 'supervise', key: 'k1', mode: 'listen' })).toBe('listener')
    expect(roleOffered(phone(), { type: 'supervise', key: 'k1', mode: 'join' })).toBe('party')
    expect(roleOffered(phone(), { type: 'supervise', key: 'k1', mode: null })).toBeUndefined()
  })
})

describe('a call without audio in this browser', () => {
  test('is connected when no phone has connected it', () => {
    expect(withoutSound(phone(), [], none)).toEqual([{ key: 'k1', isMine: false }])
  })

  test('is not connected when another phone of the user has the audio', () => {
    expect(withoutSound(phone({ talks: [talk({ sound: true })] }), [], none)).toEqual([])
  })

  test('is connected again after a reload, even if the server has not noticed the loss yet', () => {
    const state = phone({ talks: [talk({ sound: true })] })

    expect(withoutSound(state, [], new Set(['k1']))).toEqual([{ key: 'k1', isMine: true }])
  })

  test.each([
    ['has audio', phone(), [line()]],
    ['is on the simulated network', phone({ talks: [talk({ line: 'simulated' })] }), []],
    ['may be the call that is being dialled', phone(), [line({ key: null })]],
    ['has no connection to the server', phone({ connection: 'lost' }), []],
  ])('needs no audio when it %s', (_, state, lines) => {
    expect(withoutSound(state, lines, new Set(['k1']))).toEqual([])
  })

  test('needs a participant connection after the supervisor has barged in', () => {
    expect(withoutSound(phone(), [line({ role: 'listener' })], none)).toHaveLength(1)
  })
})

describe('audio ends', () => {
  test('with the call, but not before the server has listed it', () => {
    const state = phone({ talks: [] })

    expect(isLineOver(state, line())).toBe(true)
    expect(isLineOver(state, line({ isKnown: false }))).toBe(false)
    expect(isLineOver(phone(), line())).toBe(false)
  })

  test('when the same phone is opened in another window', () => {
    expect(isLineOver(phone({ connection: 'replaced' }), line())).toBe(true)
    expect(isLineOver(phone({ connection: 'lost' }), line())).toBe(false)
  })

  test('when a supervisor stops listening', () => {
    const listening = { key: 'k1', mode: 'listen', phase: 'on' } as const

    expect(isLineOver(phone({ listening }), line({ role: 'listener' }))).toBe(false)
    expect(isLineOver(phone({ listening: { ...listening, phase: 'lost' } }), line({ role: 'listener' }))).toBe(true)
    expect(isLineOver(phone(), line({ role: 'listener' }))).toBe(true)
  })
})

test('the microphone is muted as the server reports', () => {
  expect(isMuted(phone({ talks: [talk({ muted: true })] }), line())).toBe(true)
  expect(isMuted(phone(), line())).toBe(false)
})

test('a supervisor who only listens does not use the microphone', () => {
  const at = (mode: 'listen' | 'whisper') => phone({ listening: { key: 'k1', mode, phase: 'on' } })

  expect(needsMicrophone(at('listen'), line({ role: 'listener' }))).toBe(false)
  expect(needsMicrophone(at('whisper'), line({ role: 'listener' }))).toBe(true)
  expect(needsMicrophone(phone(), line())).toBe(true)
})
