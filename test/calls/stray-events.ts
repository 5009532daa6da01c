import fc from 'fast-check'
import type { DialogState, Next } from '../../src/domain/ai-agent/dialog.ts'
import type { CallCommand } from '../../src/domain/call/commands.ts'
import type { CallInput, CallMachineEvent } from '../../src/domain/call/events.ts'
import { agentIds, agentReady } from './random-agent.ts'
import { anyCommandInput } from './random-call.ts'
import { anyNumber, users } from './random-flow.ts'

// Anything at any time: events that no network and no engine would send in that order, or at all.

const leg = fc.constantFrom('leg 0', 'leg 1', 'leg 2')
const recId = fc.constantFrom('rec 1', 'rec 2')
const what = fc.constantFrom('recording' as const, 'voicemail' as const)
const to = fc.constantFrom('+33199001111', '+33199002222')
const role = fc.constantFrom('customer' as const, 'forwarded' as const, 'consultation' as const)
const userId = fc.constantFrom(...users)
const person = fc.record({ userId, teamId: fc.constantFrom(null, 10) })
const sound = fc.integer({ min: 1, max: 6 })

const requestId = fc.integer({ min: 1, max: 3 })
const talk: DialogState = { question: 0, candidate: null, misunderstood: 0, silent: 0, answers: {} }
const after: fc.Arbitrary<Next> = fc.constantFrom<Next>(
  { kind: 'listen' },
  { kind: 'end', why: 'answered' },
  { kind: 'escalate', why: 'asked' },
  { kind: 'escalate', why: 'asked', target: { type: 'team', id: 10 } },
)

const anyCommand: fc.Arbitrary<CallInput> = fc
  .tuple(anyCommandInput, userId)
  .map(([command, by]) => ({ kind: 'command', command: { ...command, by } as CallCommand }))

const anyHappening: fc.Arbitrary<CallInput> = fc.oneof(
  { weight: 8, arbitrary: anyCommand },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('timer' as const),
      name: fc.constantFrom(
        'ring',
        'retry',
        'deadline',
        'menu',
        'wait',
        'announce',
        'consultation',
        'voiceAgent',
        'voiceAgentLimit',
      ),
    }),
  },
  fc.record({ kind: fc.constant('begin' as const) }),
  fc.record({ kind: fc.constant('leg.dialog' as const), leg, dialog: fc.constant('dialog') }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('leg.answered' as const), leg }) },
  fc.record({ kind: fc.constant('leg.ended' as const), leg, reason: fc.constantFrom('hangup', 'busy', 'lost') }),
  fc.record({ kind: fc.constant('leg.dtmf' as const), leg, digit: fc.constantFrom('1', '2') }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('play.ended' as const), sound }) },
  fc.record({ kind: fc.constant('record.started' as const), what, recId }),
  fc.record({ kind: fc.constant('record.failed' as const), what }),
  fc.record({ kind: fc.constant('leg.progress' as const), leg, code: fc.constantFrom(180, 183), early: fc.boolean() }),
  fc.record({ kind: fc.constant('leg.remoteHold' as const), leg, held: fc.boolean() }),
  fc.record({ kind: fc.constant('record.ended' as const), what, recId, file: recId, ms: fc.nat(5_000) }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('dialled' as const), role, to, leg }) },
  fc.record({ kind: fc.constant('dial.failed' as const), role, to }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('agent.attached' as const), userId, leg }) },
  fc.record({ kind: fc.constant('agent.lost' as const), userId }),
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('agents.found' as const),
      people: fc.uniqueArray(person, { selector: (one) => one.userId, maxLength: 3 }),
      considered: fc.constant([]),
      consultation: fc.boolean(),
    }),
  },
  fc.record({ kind: fc.constant('position' as const), place: fc.nat(9) }),
  fc.record({ kind: fc.constant('number.entered' as const), number: anyNumber(2) }),
  fc.record({ kind: fc.constant('number.missing' as const) }),
  fc.constantFrom(...agentIds).map((id): CallInput => {
    const ready = agentReady(id)
    return ready ? { kind: 'voiceAgent.ready', ...ready } : { kind: 'voiceAgent.unavailable' }
  }),
  fc.record({ kind: fc.constant('play.cut' as const), sound, said: fc.constantFrom('', 'Hello') }),
  fc.record({ kind: fc.constant('llm.sentence' as const), requestId, text: fc.constant('Well.') }),
  fc.record({ kind: fc.constant('llm.done' as const), requestId, talk: fc.constant(talk), after }),
  fc.record({
    kind: fc.constant('voiceAgent.failed' as const),
    service: fc.constantFrom('tts', 'stt', 'llm'),
    requestId,
  }),
  fc.record({ kind: fc.constant('leg.speechStarted' as const), leg }),
  fc.record({ kind: fc.constant('leg.utterance' as const), leg, text: fc.constantFrom('4 7', 'a person') }),
  fc.tuple(person).map(([one]) => ({ kind: 'agent.free' as const, ...one })),
)

/** In the order of their times, which are in the future of the call. */
export const strayEvents = (start: number): fc.Arbitrary<CallMachineEvent[]> =>
  fc.array(fc.tuple(anyHappening, fc.constantFrom(0, 1_000, 31_000)), { maxLength: 30, size: 'max' }).map((drawn) => {
    let at = start
    return drawn.map(([input, ms]) => {
      at += ms
      return { ...input, at }
    })
  })
