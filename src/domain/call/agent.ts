// An AI voice agent speaks with the customer, turn by turn. What it says is up to its brain; here is when, and what
// becomes of the call.
//
//   speaks ──► listens ──► speaks …         with a language model: listens ──► thinks ──► speaks, sentence by sentence
//     └──────────┴── says goodbye, or hands over; whatever it cannot do ends in handing over
import {
  breakDown,
  cutShort,
  givesUp,
  greet,
  type Heard,
  type Line,
  type Next,
  oneKeyIsEnough,
  patienceMs,
  reflex,
  respond,
  type Talk,
} from '../ai-agent/brain.ts'
import type { EscalationTarget } from '../ai-agent/plan.ts'
import { spoken } from '../ai-agent/spoken.ts'
import { widgetAt } from '../flow/document.ts'
import { type AgentReady, endPart, newPart, restRecording, setPart, summarise, tellPart } from './agent-part.ts'
import type { Destination } from './commands.ts'
import { transfer } from './commands-on-call.ts'
import type { Organ } from './events.ts'
import { finish } from './finish.ts'
import type { AgentPart } from './state.ts'
import { meet } from './talking.ts'
import {
  ask,
  change,
  enter,
  forget,
  goTo,
  hear,
  hushed,
  note,
  openLine,
  publish,
  type Turn,
  trace,
  wake,
} from './turn.ts'

const allKeys = '0123456789*#'
const betweenKeysMs = 3_000
const maxKeys = 32
/** A language model that has not come to an end by then will not. */
const maxAsked = 40
/** Somebody began to speak and nothing came of it: noise, or an ear that has missed it. */
const maxSpeechMs = 45_000

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
  openLine(turn)
  meet(turn)
  listen(turn)
  speak(turn, greet(ready.plan))
}

function listen(turn: Turn) {
  const { agent, customer } = turn.call
  if (!agent || customer.leg === null) return
  const { language } = agent.plan
  ask(turn, { kind: 'listen', leg: customer.leg, language, hangoverMs: agent.patienceMs })
}

function speak(turn: Turn, { say, next, talk }: Line) {
  const { agent } = turn.call
  if (!agent) return
  const patience = patienceMs(agent.plan, talk)
  const isNewPatience = patience !== agent.patienceMs
  setPart(turn, { talk, patienceMs: patience })
  if (isNewPatience) listen(turn)
  utter(turn, say, next)
}

function utter(turn: Turn, say: string, next: AgentPart['next']) {
  const { agent } = turn.call
  if (!agent) return
  forget(turn, 'agent')
  hear(turn, [spoken(say)], { bargeInOn: allKeys, speaker: agent.plan.id })
  const { sound } = turn.call
  setPart(turn, { next, keys: '', turns: [...agent.turns, { by: 'agent', text: say, at: turn.at, sound }] })
}

/** What it said has been heard to its end. */
export function agentHasSpoken(turn: Turn, part: AgentPart) {
  const { next, plan, mind } = part
  switch (next?.is) {
    case 'listen':
      setPart(turn, { next: null })
      return wake(turn, 'agent', plan.idle.seconds * 1_000)
    case 'more':
      return goOn(turn, { ...part, mind })
    case 'end':
      endPart(turn, next.why)
      return finish(turn, 'normal_clearing')
    case 'escalate':
      return handOver(turn, next.why, next.target)
    case undefined:
      return
  }
}

/** The next sentence of a language model, or what comes after the last one. */
function goOn(turn: Turn, part: AgentPart) {
  const { mind } = part
  const [sentence, ...queue] = mind.queue
  if (sentence !== undefined) {
    setPart(turn, { mind: { ...mind, queue } })
    return utter(turn, sentence, { is: 'more' })
  }
  const { after } = mind
  setPart(turn, { next: null, mind: { ...mind, after: null } })
  if (after) agentHasSpoken(turn, { ...part, next: after, mind: { ...mind, after: null } })
}

/** Whoever says goodbye or hands over is not interrupted any more. */
const isClosing = ({ next, mind }: AgentPart) => [next, mind.after].some(isLast)
const isLast = (next: AgentPart['next']) => next?.is === 'end' || next?.is === 'escalate'

/** What it says, and what it thinks about, is over. */
function beSilent(turn: Turn, { next, mind }: AgentPart) {
  if (next !== null) hushed(turn)
  if (mind.thinks) ask(turn, { kind: 'think.stop' })
  forget(turn, 'agent')
  setPart(turn, { next: null, mind: { ...mind, thinks: false, queue: [], after: null } })
}

export function agentHears(turn: Turn, part: AgentPart, heard: Heard) {
  if (isClosing(part)) return
  beSilent(turn, part)
  const text = heard.kind === 'words' ? heard.text : heard.kind === 'keys' ? heard.keys : ''
  if (text !== '') setPart(turn, { turns: [...part.turns, { by: 'caller', text, at: turn.at }] })
  if (part.plan.brain === 'flow') return speak(turn, respond(part.plan, part.talk, heard))
  const known = reflex(part.plan, part.talk, heard)
  if (known) return speak(turn, known)
  if (part.mind.asked >= maxAsked) return speak(turn, givesUp(part.plan, part.talk))
  think(turn)
}

function think(turn: Turn) {
  const { agent } = turn.call
  if (!agent) return
  const asked = agent.mind.asked + 1
  setPart(turn, { mind: { asked, thinks: true, queue: [], after: null } })
  if (turn.call.agent) ask(turn, { kind: 'think', asked, part: turn.call.agent })
}

/** A sentence, while the language model goes on. */
export function agentSays(turn: Turn, part: AgentPart, { asked, text }: { asked: number; text: string }) {
  const { mind } = part
  if (!mind.thinks || asked !== mind.asked) return
  if (part.next !== null) return setPart(turn, { mind: { ...mind, queue: [...mind.queue, text] } })
  utter(turn, text, { is: 'more' })
}

type Thought = { asked: number; talk: Talk; after: Next }

export function agentThought(turn: Turn, part: AgentPart, { asked, talk, after }: Thought) {
  const { mind } = part
  if (!mind.thinks || asked !== mind.asked) return
  setPart(turn, { talk, mind: { ...mind, thinks: false, after } })
  if (part.next === null && turn.call.agent) goOn(turn, turn.call.agent)
}

/** It says that it cannot go on and hands over; when it cannot even say that, without a word. */
export function agentFailed(turn: Turn, part: AgentPart, { what, asked }: { what: Organ; asked?: number }) {
  if (what === 'mind' && (!part.mind.thinks || asked !== part.mind.asked)) return
  if (isClosing(part)) return what === 'mouth' ? skip(turn, part) : undefined
  beSilent(turn, part)
  setPart(turn, { failed: true })
  speak(turn, breakDown(part.plan, part.talk))
}

function skip(turn: Turn, part: AgentPart) {
  hushed(turn)
  agentHasSpoken(turn, isLast(part.next) ? part : { ...part, next: part.mind.after })
}

/** Only what was really heard of it has been said. */
export function agentWasCut(turn: Turn, { turns }: AgentPart, { sound, said }: { sound: number; said: string }) {
  if (!turns.some((one) => one.sound === sound)) return
  const heard = turns.map((one) => (one.sound === sound ? { ...one, text: said } : one))
  setPart(turn, { turns: heard.filter(({ text }) => text !== '') })
}

/** Whoever speaks is not asked whether they are there, and not talked over. */
export function agentInterrupted(turn: Turn, part: AgentPart) {
  if (isClosing(part)) return
  beSilent(turn, part)
  setPart(turn, { keys: '' })
  if (turn.call.line === 'real') wake(turn, 'agent', maxSpeechMs)
}

/** Keys are gathered until it is enough, `#` is pressed or no other comes; `*` begins anew. */
export function agentKey(turn: Turn, part: AgentPart, key: string) {
  if (isClosing(part)) return
  beSilent(turn, part)
  const keys = key === '*' ? '' : part.keys + key
  const isEnough = key === '#' || keys.length >= maxKeys || (key !== '*' && oneKeyIsEnough(part.plan, part.talk))
  if (isEnough && turn.call.agent) return agentHears(turn, turn.call.agent, heardKeys(keys.replace('#', '')))
  setPart(turn, { keys })
  wake(turn, 'agent', betweenKeysMs)
}

const heardKeys = (keys: string): Heard => (keys === '' ? { kind: 'silence' } : { kind: 'keys', keys })

/** Nothing more was heard in time. */
export const agentWaited = (turn: Turn, part: AgentPart) => agentHears(turn, part, heardKeys(part.keys))

export function agentTalkedTooLong(turn: Turn, part: AgentPart) {
  if (isClosing(part)) return
  beSilent(turn, part)
  speak(turn, cutShort(part.plan, part.talk))
}

function handOver(turn: Turn, reason: string, chosen?: EscalationTarget) {
  const { agent, number } = turn.call
  if (!agent) return
  const target = chosen ?? agent.plan.escalation.target
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
  restRecording(turn)
  change(turn, { escalated: true })
  if (target.type === 'branch') return goTo(turn, branch)
  const to: Destination =
    target.type === 'external' ? { type: 'number', number: target.number } : { type: target.type, id: target.id }
  const firstUserId = target.type === 'team' ? (agent.firstOfTeams?.[target.id] ?? agent.firstUserId) : null
  transfer(turn, { kind: 'transfer', by: null, to, firstUserId }, 'ai_agent')
}
