import fc from 'fast-check'
import type { CallCommand, TransferDestination } from '../../src/domain/call/commands.ts'
import type { NumberFacts } from '../../src/domain/call/state.ts'
import type { Target } from '../../src/domain/flow/document.ts'
import type { EndReason } from '../../src/domain/voice.ts'
import { anyNumber, outside, target, user, users } from './random-flow.ts'

// Random call scenarios: moves of the parties, the network and the process.

export interface CallScenario {
  call: 'inbound' | 'outbound' | 'internal'
  from: string
  number: NumberFacts
  /** Where a go_to_number leads. */
  second: NumberFacts
  /** Users who are busy at first. */
  elsewhere: readonly number[]
  moves: readonly Move[]
}

/** Resolved when the move is made, so that it finds a user more often. */
export interface Who {
  among: 'rung' | 'on the call' | 'all'
  nth: number
}

type WithoutBy<T> = T extends unknown ? Omit<T, 'by'> : never
export type CommandInput = WithoutBy<CallCommand>

export type Move =
  /** The oldest pending commands are executed, or fail. */
  | { do: 'work'; commands: number; fails: boolean }
  /** Pending reports arrive in order, at most so many. */
  | { do: 'settle'; most: number }
  | { do: 'report'; nth: number; arrives: 'once' | 'twice' | 'never' }
  | { do: 'wait'; ms: number }
  | { do: 'command'; by: Who; command: CommandInput }
  | { do: 'software'; command: CommandInput }
  | { do: 'press'; digit: string }
  | { do: 'say'; text: string }
  | { do: 'outside answers'; nth: number }
  | { do: 'far end leaves'; nth: number; reason: EndReason }
  | { do: 'recording ends'; nth: number }
  | { do: 'window closes'; by: Who }
  | { do: 'becomes free' | 'turns elsewhere'; userId: number }
  | { do: 'crash' | 'stop' }

const nth = fc.nat(3)
const unknownUser: Target = { type: 'user', id: 99 }
const anyTarget = fc.oneof({ weight: 9, arbitrary: target }, { weight: 1, arbitrary: fc.constant(unknownUser) })
const rarely = fc.integer({ min: 0, max: 15 }).map((drawn) => drawn === 0)
const answer: CommandInput = { kind: 'answer', sdpOffer: 'offer' }
const decline: CommandInput = { kind: 'decline' }
const who: fc.Arbitrary<Who> = fc.record({
  among: fc.constantFrom<Who['among'][]>('rung', 'on the call', 'on the call', 'on the call', 'on the call', 'all'),
  nth,
})
const rung: fc.Arbitrary<Who> = fc.record({ among: fc.constant('rung' as const), nth })
const destination: fc.Arbitrary<TransferDestination> = fc.oneof(
  { weight: 2, arbitrary: anyTarget },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('number' as const), number: outside }) },
)
const strategy = fc.constantFrom('simultaneous' as const, 'random' as const, 'longest_idle' as const)
const firstUserId = fc.constantFrom(null, 1)
const transfer = fc.record({ kind: fc.constant('transfer' as const), to: destination, strategy, firstUserId })

const apiCommandInput: fc.Arbitrary<CommandInput> = fc.oneof(
  transfer,
  fc.record({ kind: fc.constantFrom('pause_recording' as const, 'resume_recording' as const) }),
  fc.record({ kind: fc.constant('assign' as const), userId: user }),
)

export const anyCommandInput: fc.Arbitrary<CommandInput> = fc.oneof(
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
  { weight: 12, arbitrary: fc.record({ do: fc.constant('settle' as const), most: fc.constantFrom(1, 2, 3, 5, 30) }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('work' as const), commands: fc.integer({ min: 1, max: 4 }), fails: rarely }),
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
  { weight: 10, arbitrary: fc.record({ do: fc.constant('command' as const), by: rung, command: fc.constant(answer) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('command' as const), by: rung, command: fc.constant(decline) }) },
  { weight: 40, arbitrary: fc.record({ do: fc.constant('command' as const), by: who, command: anyCommandInput }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('software' as const), command: apiCommandInput }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('press' as const), digit: fc.constantFrom('1', '1', '2', '#') }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('say' as const),
      text: fc.constantFrom('It is broken', '4 7', 'yes', 'a person', 'never mind'),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('outside answers' as const), nth }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('far end leaves' as const), nth: fc.nat(6), reason: endReason }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('recording ends' as const), nth }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('window closes' as const), by: who }) },
  { weight: 9, arbitrary: fc.record({ do: fc.constant('becomes free' as const), userId: user }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('turns elsewhere' as const), userId: user }) },
)

const anyEnding: fc.Arbitrary<Move[]> = fc.constantFrom<Move[][]>([], [], [{ do: 'crash' }], [{ do: 'stop' }])

export const anyScenario: fc.Arbitrary<CallScenario> = fc
  .record({
    call: fc.constantFrom<CallScenario['call'][]>('inbound', 'inbound', 'inbound', 'outbound', 'internal'),
    from: fc.constantFrom('+33199001234', '+33199001234', 'anonymous'),
    number: anyNumber(1),
    second: anyNumber(2),
    elsewhere: fc.subarray(users, { maxLength: 3 }),
    moves: fc
      .tuple(fc.array(anyMove, { minLength: 1, maxLength: 60, size: 'max' }), anyEnding)
      .map(([moves, ending]) => [...moves, ...ending]),
  })
  .map((scenario) => ({ ...scenario, [fc.toStringMethod]: () => wording(scenario) }))

/** One line for each widget and each move, to be read. */
function wording({ call, from, number, second, elsewhere, moves }: CallScenario): string {
  const drawn = ({ flow }: NumberFacts) => Object.entries(flow.nodes).map((node) => JSON.stringify(node))
  const lines = [
    `${call} call, from ${from}`,
    `elsewhere ${elsewhere}`,
    'first Number',
    ...drawn(number),
    'second Number',
    ...drawn(second),
  ]
  return [...lines, 'moves', ...moves.map((move) => JSON.stringify(move))].join('\n')
}
