import type { Target } from '../flow/document.ts'
import type { CallInput, Effect, Found, TraceEntry } from './events.ts'
import { step } from './machine.ts'
import { inboundCall } from './new-call.ts'
import { type CallState, isDone, type NumberFacts } from './state.ts'

// A test call through a flow that need not be saved: the call machine with simulated parties and a clock of its own. The
// flow editor runs it in the browser. The server repeats it from its actions, to send the events of the test to webhooks.

/** What the agents do whom the flow rings. */
export const draftAgents = ['answer', 'no_answer', 'unavailable'] as const
export type DraftAgents = (typeof draftAgents)[number]

/** What the caller does, or waits for. */
export type DraftAction =
  | { kind: 'key'; digit: string }
  | { kind: 'wait'; seconds: number }
  /** Up to the next thing that happens without the caller. */
  | { kind: 'next' }
  | { kind: 'hang_up' }

export const draftActionLimits = { actions: 300, seconds: 600 } as const

/** The simulated caller: a number that is reserved for fiction. */
export const draftCaller = '+33199000777'

export interface DraftCallOptions {
  number: NumberFacts
  /** When the call arrives, in milliseconds. */
  at: number
  agents: DraftAgents
  membersOf: (teamId: number) => readonly number[]
}

interface Pending {
  at: number
  input: CallInput
}

/** An event that a real call would publish. */
export type DraftEvent = { at: number } & Omit<Extract<Effect, { kind: 'publish' }>, 'kind'>

/** Immutable; every action returns the next one. */
export interface DraftCall {
  options: DraftCallOptions
  state: CallState
  now: number
  pending: readonly Pending[]
  actions: readonly DraftAction[]
  trace: readonly { at: number; entry: TraceEntry }[]
  events: readonly DraftEvent[]
  /** The audio that the caller hears. */
  playing: readonly string[]
  /** Inputs so far, except those of the caller. */
  steps: number
}

const customerLeg = 'caller'
const secondMs = 1_000
/** Prompts have no audio here. */
const promptMs = 5 * secondMs
const answerAfterMs = 4 * secondMs
/** A flow that never ends by itself must not keep the server busy. */
const maxSteps = 2_000

export function beginDraftCall(options: DraftCallOptions): DraftCall {
  const { number, at } = options
  const begin = { key: '00000000-0000-4000-8000-000000000001', companyId: 0, callId: 0, at }
  const state = inboundCall(begin, number, { leg: customerLeg, from: draftCaller })
  const call = { options, state, now: at, pending: [], actions: [], trace: [], events: [], playing: [], steps: 0 }
  return feed(call, { kind: 'begin' })
}

export const isDraftCallOver = ({ state }: DraftCall) => isDone(state)

/** False if only the caller can continue the call. */
export const hasNextInDraftCall = (call: DraftCall) => nextDue(call) !== undefined

export function actInDraftCall(call: DraftCall, action: DraftAction): DraftCall {
  return { ...afterAction(call, action), actions: [...call.actions, action] }
}

function afterAction(call: DraftCall, action: DraftAction): DraftCall {
  switch (action.kind) {
    case 'key':
      return feed(call, { kind: 'leg.dtmf', leg: customerLeg, digit: action.digit })
    case 'wait':
      return advance(call, action.seconds)
    case 'next': {
      const next = nextDue(call)
      return next ? fire(call, next) : call
    }
    case 'hang_up':
      return feed(call, { kind: 'leg.ended', leg: customerLeg, reason: 'hangup' })
  }
}

/** Lets time pass; what is due happens in order. */
function advance(call: DraftCall, seconds: number): DraftCall {
  const until = call.now + seconds * secondMs
  let after = call
  for (let next = nextDue(after); next && next.at <= until; next = nextDue(after)) after = fire(after, next)
  return { ...after, now: until }
}

/** Timers of the machine that are due count as inputs. */
function nextDue({ state, pending, steps }: DraftCall): Pending | undefined {
  if (isDone(state) || steps >= maxSteps) return undefined
  const timers = Object.entries(state.timers).map(([name, at]): Pending => {
    const timer = name as keyof CallState['timers']
    return { at: at ?? 0, input: { kind: 'timer', name: timer } }
  })
  return [...pending, ...timers].sort((a, b) => a.at - b.at)[0]
}

function fire(call: DraftCall, due: Pending): DraftCall {
  const pending = call.pending.filter((one) => one !== due)
  return feed({ ...call, pending, now: Math.max(call.now, due.at), steps: call.steps + 1 }, due.input)
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
    case 'publish': {
      const { kind: _kind, ...event } = effect
      return { ...call, events: [...call.events, { at: call.now, ...event }] }
    }
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
