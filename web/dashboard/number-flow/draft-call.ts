import type { CallInput, Effect, Found, TraceEntry } from '../../../src/domain/call/events.ts'
import { step } from '../../../src/domain/call/machine.ts'
import { inboundCall } from '../../../src/domain/call/new-call.ts'
import { type CallState, isDone, type NumberFacts } from '../../../src/domain/call/state.ts'
import type { Target } from '../../../src/domain/flow/document.ts'

// A test call through a flow that need not be saved: the call machine of the server, with simulated parties and a clock
// of its own. It runs in the browser, so it changes nothing, costs nothing and sends no webhook.

/** What the agents do whom the flow rings. */
export type AgentBehaviour = 'answer' | 'no_answer' | 'unavailable'

export interface DraftCallOptions {
  number: NumberFacts
  from: string
  /** When the call arrives, in milliseconds. */
  at: number
  agents: AgentBehaviour
  membersOf: (teamId: number) => readonly number[]
}

interface Pending {
  at: number
  input: CallInput
}

/** Immutable; every action returns the next one. */
export interface DraftCall {
  options: DraftCallOptions
  state: CallState
  now: number
  pending: readonly Pending[]
  trace: readonly { at: number; entry: TraceEntry }[]
  /** The audio that the caller hears. */
  playing: readonly string[]
}

const customerLeg = 'caller'
const secondMs = 1_000
/** Prompts have no audio here. */
const promptMs = 5 * secondMs
const answerAfterMs = 4 * secondMs
const maxSteps = 1_000

export function beginDraftCall(options: DraftCallOptions): DraftCall {
  const { number, from, at } = options
  const begin = { key: '00000000-0000-4000-8000-000000000001', companyId: 0, callId: 0, at }
  const state = inboundCall(begin, number, { leg: customerLeg, from })
  return feed({ options, state, now: at, pending: [], trace: [], playing: [] }, { kind: 'begin' })
}

export const isOver = ({ state }: DraftCall) => isDone(state)

export const pressKey = (call: DraftCall, digit: string): DraftCall =>
  feed(call, { kind: 'leg.dtmf', leg: customerLeg, digit })

export const callerHangsUp = (call: DraftCall): DraftCall =>
  feed(call, { kind: 'leg.ended', leg: customerLeg, reason: 'hangup' })

/** Lets time pass; what is due happens in order. */
export function advance(call: DraftCall, seconds: number): DraftCall {
  const until = call.now + seconds * secondMs
  let after = call
  for (let steps = 0; steps < maxSteps; steps++) {
    const next = nextDue(after)
    if (!next || next.at > until) break
    after = fire(after, next)
  }
  return { ...after, now: until }
}

/** Up to the next thing that happens without the caller; undefined if only the caller can continue the call. */
export function skip(call: DraftCall): DraftCall | undefined {
  const next = isOver(call) ? undefined : nextDue(call)
  return next && fire(call, next)
}

/** Timers of the machine that are due count as inputs. */
function nextDue({ state, pending }: DraftCall): Pending | undefined {
  const timers = Object.entries(state.timers).map(([name, at]): Pending => {
    const timer = name as keyof CallState['timers']
    return { at: at ?? 0, input: { kind: 'timer', name: timer } }
  })
  return [...pending, ...timers].sort((a, b) => a.at - b.at)[0]
}

function fire(call: DraftCall, due: Pending): DraftCall {
  const pending = call.pending.filter((one) => one !== due)
  return feed({ ...call, pending, now: Math.max(call.now, due.at) }, due.input)
}

function feed(call: DraftCall, input: CallInput): DraftCall {
  const { state, effects } = step(call.state, { ...input, at: call.now })
  return effects.reduce(perform, { ...call, state })
}

/** What the engine and the drivers do on the server. Answers to queries arrive in the same instant. */
function perform(call: DraftCall, effect: Effect): DraftCall {
  switch (effect.kind) {
    case 'trace':
      return { ...call, trace: [...call.trace, { at: call.now, entry: effect.entry }] }
    case 'find.agents': {
      const people = found(call.options, effect)
      return feed(call, { kind: 'agents.found', people, considered: [], consultation: effect.consultation })
    }
    case 'query.position':
      return feed(call, { kind: 'position', place: 1 })
    case 'query.number':
      return feed(call, { kind: 'number.missing' })
    case 'query.voiceAgent':
      return feed(call, { kind: 'voiceAgent.unavailable' })
    case 'play': {
      const heard = { ...call, playing: effect.media }
      return effect.loop ? heard : after(heard, promptMs, { kind: 'play.ended', sound: effect.sound })
    }
    case 'play.stop':
      return { ...call, playing: [] }
    case 'record': {
      const started = { kind: 'record.started', what: effect.what, recId: effect.what } as const
      return feed({ ...call, playing: [] }, started)
    }
    case 'ring': {
      if (call.options.agents !== 'answer') return call
      const command = { kind: 'answer', by: effect.userId } as const
      return after(call, answerAfterMs, { kind: 'command', command })
    }
    case 'attach':
      return feed(
        { ...call, playing: [] },
        { kind: 'agent.attached', userId: effect.userId, leg: `agent-${effect.userId}` },
      )
    case 'dial':
      return dial(call, effect)
    default:
      return call
  }
}

function dial(call: DraftCall, { role, to }: Extract<Effect, { kind: 'dial' }>): DraftCall {
  if (call.options.agents !== 'answer') return feed(call, { kind: 'dial.failed', role, to })
  const leg = `outside-${role}`
  return after(feed(call, { kind: 'dialled', role, to, leg }), answerAfterMs, { kind: 'leg.answered', leg })
}

const after = (call: DraftCall, ms: number, input: CallInput): DraftCall => ({
  ...call,
  pending: [...call.pending, { at: call.now + ms, input }],
})

function found({ agents, membersOf }: DraftCallOptions, wanted: Extract<Effect, { kind: 'find.agents' }>) {
  if (agents === 'unavailable') return []
  const usersOf = ({ type, id }: Target): Found[] =>
    type === 'user' ? [{ userId: id, teamId: null }] : membersOf(id).map((userId) => ({ userId, teamId: id }))
  const all = wanted.targets.flatMap(usersOf).filter(({ userId }) => !wanted.except.includes(userId))
  return all.filter((one, index) => all.findIndex(({ userId }) => userId === one.userId) === index).slice(0, wanted.max)
}
