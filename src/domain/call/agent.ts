// An AI voice agent speaks with the customer, turn by turn. What it says is up to its brain; here is when, and what
// becomes of the call.
import { cutShort, greet, type Heard, type Line, oneKeyIsEnough, respond } from '../ai-agent/brain.ts'
import { spoken } from '../ai-agent/spoken.ts'
import { widgetAt } from '../flow/document.ts'
import { type AgentReady, endPart, newPart, setPart, summarise, tellPart } from './agent-part.ts'
import type { Destination } from './commands.ts'
import { transfer } from './commands-on-call.ts'
import { finish } from './finish.ts'
import type { AgentPart } from './state.ts'
import { change, enter, forget, goTo, hear, hushed, note, publish, type Turn, trace, wake } from './turn.ts'

const allKeys = '0123456789*#'
const silenceMs = 8_000
const betweenKeysMs = 3_000
const mostKeys = 32

/** The widget has found its agent: the call is answered, unless it was before. */
export function agentTakesCall(turn: Turn, ready: AgentReady, node: string) {
  if (turn.call.record.answeredAt === null) {
    note(turn, { answeredAt: turn.at })
    trace(turn, { kind: 'answered', user_id: null })
    publish(turn, 'answered')
  }
  beginAgent(turn, ready, node)
}

export function beginAgent(turn: Turn, ready: AgentReady, node: string | null) {
  change(turn, { agent: newPart(turn, ready, node) })
  enter(turn, { at: 'agent' })
  trace(turn, { kind: 'ai_agent', node, agent_id: ready.plan.id, name: ready.plan.name })
  tellPart(turn, 'started')
  wake(turn, 'agent_limit', ready.plan.maxSeconds * 1_000)
  speak(turn, greet(ready.plan))
}

function speak(turn: Turn, { say, next, talk }: Line) {
  const { agent } = turn.call
  if (!agent) return
  forget(turn, 'agent')
  setPart(turn, { talk, next, keys: '', turns: [...agent.turns, { by: 'agent', text: say, at: turn.at }] })
  hear(turn, [spoken(say)], { bargeInOn: allKeys })
}

/** What it said has been heard to its end. */
export function agentHasSpoken(turn: Turn, { next }: AgentPart) {
  switch (next?.is) {
    case 'listen':
      setPart(turn, { next: null })
      return wake(turn, 'agent', silenceMs)
    case 'end':
      endPart(turn, next.why)
      return finish(turn, 'normal_clearing')
    case 'escalate':
      return handOver(turn, next.why)
    case undefined:
      return
  }
}

/** Whoever says goodbye or hands over is not interrupted any more. */
const isClosing = ({ next }: AgentPart) => next !== null && next.is !== 'listen'

export function agentHears(turn: Turn, part: AgentPart, heard: Heard) {
  if (isClosing(part)) return
  if (part.next !== null) hushed(turn)
  const text = heard.kind === 'words' ? heard.text : heard.kind === 'keys' ? heard.keys : null
  if (text !== null) setPart(turn, { turns: [...part.turns, { by: 'caller', text, at: turn.at }] })
  speak(turn, respond(part.plan, part.talk, heard))
}

/** Whoever speaks is not asked whether they are there, and not talked over. */
export function agentInterrupted(turn: Turn, part: AgentPart) {
  if (isClosing(part)) return
  if (part.next !== null) hushed(turn)
  setPart(turn, { next: null, keys: '' })
  forget(turn, 'agent')
}

/** Keys are gathered until it is enough, `#` is pressed or no other comes; `*` begins anew. */
export function agentKey(turn: Turn, part: AgentPart, key: string) {
  if (isClosing(part)) return
  if (part.next !== null) hushed(turn)
  const keys = key === '*' ? '' : part.keys + key
  const isEnough = key === '#' || keys.length >= mostKeys || (key !== '*' && oneKeyIsEnough(part.plan, part.talk))
  if (isEnough) return agentHears(turn, { ...part, next: null }, heardKeys(keys.replace('#', '')))
  setPart(turn, { keys, next: null })
  wake(turn, 'agent', betweenKeysMs)
}

const heardKeys = (keys: string): Heard => (keys === '' ? { kind: 'silence' } : { kind: 'keys', keys })

/** Nothing more was heard in time. */
export const agentWaited = (turn: Turn, part: AgentPart) => agentHears(turn, part, heardKeys(part.keys))

export function agentTalkedTooLong(turn: Turn, part: AgentPart) {
  if (isClosing(part)) return
  hushed(turn)
  speak(turn, cutShort(part.plan, part.talk))
}

function handOver(turn: Turn, reason: string) {
  const { agent, number } = turn.call
  if (!agent) return
  const { target } = agent.plan.escalation
  const widget = number && agent.node !== null ? widgetAt(number.flow, agent.node) : undefined
  const branch = widget?.type === 'ai_agent' ? widget.branches.escalated : undefined
  if (target.type === 'branch' && branch === undefined) {
    // It made the call itself: no flow goes on.
    endPart(turn, 'disconnected')
    return finish(turn, 'normal_clearing')
  }
  const destination = target.type === 'branch' ? branch : target.type === 'external' ? target.number : target.id
  setPart(turn, { escalation: { reason, target: { type: target.type, destination: String(destination) } } })
  trace(turn, { kind: 'escalated', reason, to: target.type, destination: String(destination) })
  tellPart(turn, 'escalated')
  endPart(turn, 'escalated')
  summarise(turn)
  change(turn, { escalated: true })
  if (target.type === 'branch') return goTo(turn, branch)
  const to: Destination =
    target.type === 'external' ? { type: 'number', number: target.number } : { type: target.type, id: target.id }
  transfer(turn, { kind: 'transfer', by: null, to, firstUserId: agent.firstUserId }, 'ai_agent')
}
