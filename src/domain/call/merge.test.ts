import { expect, test } from 'vitest'
import type { CallInput, Effect } from './events.ts'
import { step } from './machine.ts'
import { outboundCall } from './new-call.ts'
import type { CallState, NumberFacts } from './state.ts'

const ada = 7
const at = 1_000

test('the legs of a merged call are handed over, not hung up', () => {
  const { call, effects } = lives(talking('first'), {
    kind: 'command',
    command: { kind: 'merge_into', by: ada, key: 'other' },
  })

  expect(call.phase.kind).toBe('done')
  const [handed] = effects.flatMap((effect) => (effect.kind === 'hand_over' ? effect : []))
  expect(handed).toMatchObject({
    to: 'other',
    by: ada,
    parties: { externals: [{ leg: 'first', phone: '+33612345678' }] },
  })
  expect(hungUp(effects)).toEqual(['ada-first'])
})

test('in the other call they join the conversation, which is no longer on hold', () => {
  const held = lives(talking('second'), { kind: 'command', command: { kind: 'hold', by: ada } })
  const merged = lives(held.call, merging('first'))

  expect(merged.call).toMatchObject({
    phase: { kind: 'talking', held: false },
    guests: [{ leg: 'first', phone: '+33611111111', merged: true }],
  })
  expect(merged.effects).toContainEqual({ kind: 'join', room: 'main', leg: 'first' })
  expect(merged.effects).toContainEqual({ kind: 'mute', leg: 'second', muted: false })
  expect(merged.effects.flatMap((effect) => (effect.kind === 'publish' ? effect.event : []))).toEqual(['unhold'])
})

test('a call that has ended hangs up the legs it is given', () => {
  const over = lives(talking('second'), { kind: 'engine.restarted' })

  expect(hungUp(lives(over.call, merging('first')).effects)).toEqual(['first'])
})

test('on hold all external parties of a conference hear music', () => {
  const merged = lives(talking('second'), merging('first'))
  const { effects } = lives(merged.call, { kind: 'command', command: { kind: 'hold', by: ada } })

  const music = effects.flatMap((effect) => (effect.kind === 'play' ? effect.leg : []))
  expect(music.toSorted()).toEqual(['first', 'second'])
})

const merging = (leg: string): CallInput => ({
  kind: 'merged',
  by: ada,
  parties: { externals: [{ leg, phone: '+33611111111' }], agents: [], dialogs: {} },
})

const hungUp = (effects: readonly Effect[]) =>
  effects.flatMap((effect) => (effect.kind === 'leg.hangup' ? effect.leg : []))

const number: NumberFacts = {
  id: 1,
  digits: '+33199000001',
  timeZone: 'Europe/Paris',
  recording: false,
  priority: null,
  flow: { version: 1, start: 'bye', nodes: { bye: { type: 'hang_up', media: null } } },
  ringSimultaneousMs: 30_000,
  ringOneByOneMs: 20_000,
  musicOnHold: null,
}

/** An outbound call of Ada that was answered. */
function talking(leg: string): CallState {
  const begin = { key: `call-${leg}`, companyId: 1, callId: 5, at, line: 'simulated' as const }
  const fresh = outboundCall(begin, number, { userId: ada, to: '+33612345678', callbackOf: null })
  const inputs: CallInput[] = [
    { kind: 'begin' },
    { kind: 'agent.attached', userId: ada, leg: `ada-${leg}` },
    { kind: 'dialled', role: 'customer', to: '+33612345678', leg },
    { kind: 'leg.answered', leg },
  ]
  return inputs.reduce((call, input) => lives(call, input).call, fresh)
}

function lives(before: CallState, input: CallInput) {
  const { state: call, effects } = step(before, { at, ...input })
  return { call, effects }
}
