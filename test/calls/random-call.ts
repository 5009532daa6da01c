import fc from 'fast-check'
import type { CallCommand, Destination } from '../../src/domain/call/commands.ts'
import type { NumberFacts } from '../../src/domain/call/state.ts'
import type { Flow, IvrOption, Target, Widget } from '../../src/domain/flow/document.ts'
import { alwaysOpen } from '../../src/domain/opening-hours.ts'
import type { EndReason } from '../../src/domain/voice.ts'

// What can happen around a call, drawn by chance: a small flow with every kind of widget, and a list of moves of the
// people, the network and the machine it runs on.

export interface Scene {
  call: 'inbound' | 'outbound' | 'internal'
  from: string
  number: NumberFacts
  /** Where a go_to_number leads. */
  second: NumberFacts
  moves: readonly Move[]
}

/** Chosen when it is made, so that the choice is worth something. */
export interface Who {
  among: 'rung' | 'on the call' | 'all'
  nth: number
}

type WithoutBy<T> = T extends unknown ? Omit<T, 'by'> : never
export type Wish = WithoutBy<CallCommand>

export type Move =
  /** The oldest deeds that have not been done yet are done, or cannot be done. */
  | { do: 'work'; deeds: number; fails: boolean }
  /** All that is under way arrives, in order. */
  | { do: 'settle' }
  | { do: 'report'; nth: number; arrives: 'once' | 'twice' | 'never' }
  | { do: 'wait'; ms: number }
  | { do: 'command'; by: Who; wish: Wish }
  | { do: 'software'; wish: Wish }
  | { do: 'press'; digit: string }
  | { do: 'outside answers'; nth: number }
  | { do: 'far end leaves'; nth: number; reason: EndReason }
  | { do: 'recording ends'; nth: number }
  | { do: 'window closes'; by: Who }
  | { do: 'becomes free' | 'turns elsewhere'; userId: number }
  | { do: 'crash' | 'stop' }

export const users = [1, 2, 3, 4]
export const teams: Readonly<Record<number, readonly number[]>> = { 10: [1, 2], 11: [2, 3] }

const user = fc.constantFrom(...users)
const target: fc.Arbitrary<Target> = fc.oneof(
  fc.record({ type: fc.constant('user' as const), id: user }),
  fc.record({ type: fc.constant('team' as const), id: fc.constantFrom(10, 11) }),
)
const nobody: Target = { type: 'user', id: 99 }
const somebody = fc.oneof({ weight: 9, arbitrary: target }, { weight: 1, arbitrary: fc.constant(nobody) })
const outside = fc.constantFrom('+33199001111', '+33199002222')
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
      agent_id: fc.constant('one'),
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

export const anyNumber = (id: number): fc.Arbitrary<NumberFacts> =>
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

const nth = fc.nat(3)
const rarely = fc.integer({ min: 0, max: 15 }).map((drawn) => drawn === 0)
const answer: Wish = { kind: 'answer', sdpOffer: 'offer' }
const decline: Wish = { kind: 'decline' }
const who: fc.Arbitrary<Who> = fc.record({
  among: fc.constantFrom<Who['among'][]>('rung', 'on the call', 'on the call', 'on the call', 'on the call', 'all'),
  nth,
})
const rung: fc.Arbitrary<Who> = fc.record({ among: fc.constant('rung' as const), nth })
const destination: fc.Arbitrary<Destination> = fc.oneof(
  { weight: 2, arbitrary: somebody },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('number' as const), number: outside }) },
)
const strategy = fc.constantFrom('simultaneous' as const, 'random' as const, 'longest_idle' as const)
const firstUserId = fc.constantFrom(null, 1)
const transfer = fc.record({ kind: fc.constant('transfer' as const), to: destination, strategy, firstUserId })

const softwareWish: fc.Arbitrary<Wish> = fc.oneof(
  transfer,
  fc.record({ kind: fc.constantFrom('pause_recording' as const, 'resume_recording' as const) }),
  fc.record({ kind: fc.constant('assign' as const), userId: user }),
)

export const anyWish: fc.Arbitrary<Wish> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'answer' as const,
        'decline' as const,
        'hold' as const,
        'unhold' as const,
        'unhold' as const,
        'mute' as const,
        'unmute' as const,
        'pause_recording' as const,
        'resume_recording' as const,
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('hang_up' as const) }) },
  { weight: 1, arbitrary: transfer },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('consult' as const), to: destination, firstUserId }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('complete_transfer' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('add_participant' as const),
      to: fc.oneof(
        fc.record({ type: fc.constant('user' as const), id: user }),
        fc.record({ type: fc.constant('number' as const), number: outside }),
      ),
    }),
  },
  fc.record({ kind: fc.constant('send_digits' as const), digits: fc.constant('12#') }),
  fc.record({ kind: fc.constant('comment' as const), content: fc.constant('A note') }),
  fc.record({ kind: fc.constant('assign' as const), userId: user }),
)

const endReason = fc.constantFrom<EndReason[]>('hangup', 'busy', 'no_answer', 'rejected', 'cancelled', 'failed', 'lost')

const anyMove: fc.Arbitrary<Move> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ do: fc.constant('settle' as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('work' as const), deeds: fc.integer({ min: 1, max: 4 }), fails: rarely }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('report' as const),
      nth,
      arrives: fc.constantFrom<('once' | 'twice' | 'never')[]>('once', 'once', 'once', 'twice', 'never'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 900, 900, 5_000, 31_000) }),
  },
  { weight: 10, arbitrary: fc.record({ do: fc.constant('command' as const), by: rung, wish: fc.constant(answer) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('command' as const), by: rung, wish: fc.constant(decline) }) },
  { weight: 40, arbitrary: fc.record({ do: fc.constant('command' as const), by: who, wish: anyWish }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('software' as const), wish: softwareWish }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('press' as const), digit: fc.constantFrom('1', '1', '2', '#') }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('outside answers' as const), nth }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('far end leaves' as const), nth: fc.nat(6), reason: endReason }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('recording ends' as const), nth }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('window closes' as const), by: who }) },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constantFrom('becomes free' as const, 'turns elsewhere' as const), userId: user }),
  },
)

const anyEnding: fc.Arbitrary<Move[]> = fc.constantFrom<Move[][]>([], [], [{ do: 'crash' }], [{ do: 'stop' }])

export const anyScene: fc.Arbitrary<Scene> = fc
  .record({
    call: fc.constantFrom<Scene['call'][]>('inbound', 'inbound', 'inbound', 'outbound', 'internal'),
    from: fc.constantFrom('+33199001234', '+33199001234', 'anonymous'),
    number: anyNumber(1),
    second: anyNumber(2),
    moves: fc
      .tuple(fc.array(anyMove, { minLength: 1, maxLength: 60, size: 'max' }), anyEnding)
      .map(([moves, ending]) => [...moves, ...ending]),
  })
  .map((scene) => ({ ...scene, [fc.toStringMethod]: () => wording(scene) }))

/** One line for each widget and each move, to be read. */
function wording({ call, from, number, second, moves }: Scene): string {
  const drawn = ({ flow }: NumberFacts) => Object.entries(flow.nodes).map((node) => JSON.stringify(node))
  const lines = [`${call} call, from ${from}`, 'first Number', ...drawn(number), 'second Number', ...drawn(second)]
  return [...lines, 'moves', ...moves.map((move) => JSON.stringify(move))].join('\n')
}
