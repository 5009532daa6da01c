import fc from 'fast-check'
import type { NumberFacts, RecordingNotice } from '../../src/domain/call/state.ts'
import type { Flow, IvrOption, Target, Widget } from '../../src/domain/flow/document.ts'
import { alwaysOpen } from '../../src/domain/opening-hours.ts'
import { agentIds } from './random-agent.ts'

// A small office, and Numbers with random flows: every kind of widget, in few nodes.

export const users = [1, 2, 3, 4]
export const teams: Readonly<Record<number, readonly number[]>> = { 10: [1, 2], 11: [2, 3] }

export const user = fc.constantFrom(...users)
export const target: fc.Arbitrary<Target> = fc.oneof(
  fc.record({ type: fc.constant('user' as const), id: user }),
  fc.record({ type: fc.constant('team' as const), id: fc.constantFrom(10, 11) }),
)
export const outside = fc.constantFrom('+33199001111', '+33199002222')
const media = fc.constantFrom(null, 'sound')

const seconds = fc.constantFrom(0, 1, 5, 60)

type Next = fc.Arbitrary<string>

const anyWidget = (next: Next): fc.Arbitrary<Widget> =>
  fc.oneof(
    { weight: 8, arbitrary: anyRingTo(next) },
    fc.record({
      type: fc.constant('time_rule' as const),
      mode: fc.constantFrom('open' as const, 'closed' as const, 'custom' as const),
      hours: fc.constantFrom({}, alwaysOpen),
      closed_dates: fc.constant<string[]>([]),
      branches: fc.record({ open: next, otherwise: next }),
    }),
    fc.record({ type: fc.constant('audio' as const), media, branches: fc.record({ next }) }),
    fc.record({
      type: fc.constant('ivr' as const),
      media,
      options: fc.constant<IvrOption[]>([{ key: '1', title: 'One' }]),
      timeout_seconds: fc.constantFrom(1, 5),
      tries: fc.constantFrom(1, 2),
      branches: fc.record({ fallback: next, '1': next }),
    }),
    fc.record({
      type: fc.constant('waiting' as const),
      media,
      announce_position: fc.boolean(),
      announce_every_seconds: fc.constantFrom(30, 60),
      callback: fc.boolean(),
      seconds,
      branches: fc.record({ next, callback: fc.constant('callback') }),
    }),
    fc.record({
      type: fc.constant('ai_agent' as const),
      agent_id: fc.constantFrom(...agentIds),
      branches: fc.record({ escalated: next, unavailable: next }),
    }),
  )

const anyRingTo = (next: Next): fc.Arbitrary<Widget> =>
  fc.record(
    {
      type: fc.constant('ring_to' as const),
      targets: fc.array(target, { minLength: 1, maxLength: 3 }),
      strategy: fc.constantFrom('simultaneous', 'random', 'longest_idle', 'one_by_one'),
      ring_seconds: fc.constantFrom(5, 30),
      max_wait_seconds: fc.constantFrom(0, 45, 300),
      branches: fc.record({ no_answer: next }),
    },
    { requiredKeys: ['type', 'targets', 'strategy', 'max_wait_seconds', 'branches'] },
  )

const anyEnd = (next: Next): fc.Arbitrary<Widget> =>
  fc.oneof(
    fc.record({
      type: fc.constant('voicemail' as const),
      media,
      max_seconds: fc.constant(120),
      silence_seconds: fc.constant(5),
    }),
    fc.record({
      type: fc.constant('forward' as const),
      number: outside,
      ring_seconds: fc.constant(20),
      caller_id: fc.constantFrom('number' as const, 'caller' as const),
      branches: fc.oneof(fc.constant({}), fc.record({ no_answer: next })),
    }),
    fc.record({ type: fc.constant('go_to_number' as const), number_id: fc.constantFrom(1, 2, 3) }),
    fc.record({ type: fc.constant('hang_up' as const), media }),
  )

const callback: Widget = { type: 'callback', media: null, attempts: 3, retry_seconds: 300, expires_seconds: 3_600 }

/** Mostly onward; now and then nowhere, or round in a circle that no drawing may have: it must not hurt either. */
const onwardTo = (...ids: string[]): Next =>
  fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom(...ids) },
    { weight: 1, arbitrary: fc.constantFrom('nowhere', 'a', 'b', 'c') },
  )

const anyFlow: fc.Arbitrary<Flow> = fc
  .record({
    a: fc.oneof(
      { weight: 5, arbitrary: anyWidget(onwardTo('b', 'd')) },
      { weight: 1, arbitrary: anyEnd(onwardTo('b')) },
    ),
    b: anyWidget(onwardTo('c', 'd')),
    c: anyWidget(onwardTo('d')),
    d: anyEnd(onwardTo('e')),
    e: anyEnd(onwardTo('e')),
  })
  .map((nodes) => ({ version: 1, start: 'a', nodes: { ...nodes, callback } }))

const anyNotice: fc.Arbitrary<RecordingNotice> = fc.record({
  mode: fc.constantFrom('announce' as const, 'opt_out' as const, 'consent' as const),
  media: fc.constantFrom('recorded', 'recorded', 'recorded', null),
  key: fc.constantFrom('1', '9'),
  outbound: fc.boolean(),
})

export const anyNumber = (id: number): fc.Arbitrary<NumberFacts> =>
  fc.tuple(anyFacts(id), fc.option(anyNotice)).map(([facts, recordingNotice]) => ({
    ...facts,
    ...(recordingNotice && { recordingNotice }),
  }))

const anyFacts = (id: number): fc.Arbitrary<NumberFacts> =>
  fc.record({
    id: fc.constant(id),
    digits: fc.constant(`+3319900000${id}`),
    timeZone: fc.constant('Europe/Paris'),
    recording: fc.boolean(),
    priority: fc.constantFrom(null, 0, 1),
    flow: anyFlow,
    ringSimultaneousMs: fc.constant(30_000),
    ringOneByOneMs: fc.constant(20_000),
    musicOnHold: fc.constant(null),
  })
