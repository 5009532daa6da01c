// The call as a pure function: no clock, no chance, no promises. The engine around it saves first and acts second.
import {
  agentFailed,
  agentHasSpoken,
  agentHears,
  agentInterrupted,
  agentKey,
  agentSays,
  agentTakesCall,
  agentTalkedTooLong,
  agentThought,
  agentWaited,
  agentWasCut,
  beginAgent,
} from './agent.ts'
import { asideFailed, asideFound, asideLegAnswered, asideLegEnded, asideRefused, asideTimedOut } from './aside.ts'
import { obey } from './commands-on-call.ts'
import type { CallEvent, DialRole, Effect } from './events.ts'
import { causeOf, finish } from './finish.ts'
import { goOnUnanswered, passedAnswered, passedEnded } from './passed.ts'
import { playRingback, progressed, remoteHold, stopRingback } from './progress.ts'
import {
  askForCallback,
  becameFree,
  found,
  noAnswer,
  ringRefused,
  ringTimedOut,
  startRing,
  tryAgain,
} from './ringing.ts'
import { soundLost, soundStayedAway } from './sound.ts'
import { type CallState, isDone } from './state.ts'
import { supervisorAttached, supervisorGone, whisperAgain } from './supervise.ts'
import { agentHangsUp, legEndedInTalk, talk } from './talking.ts'
import {
  addParticipant,
  ask,
  change,
  enter,
  goTo,
  hangUp,
  hear,
  hearWaiting,
  joinAgent,
  note,
  publish,
  type Turn,
  trace,
  wake,
} from './turn.ts'
import { afterSound, afterWait, agentMissing, menuKey, walk } from './widgets.ts'

export interface Step {
  state: CallState
  effects: Effect[]
  /** Why a command means nothing now; nothing has changed then. */
  refused?: string
}

/** The whole life of a call. Total: an event that means nothing in a phase changes nothing. */
export function step(call: CallState, event: CallEvent): Step {
  const turn: Turn = { call, at: event.at, effects: [], next: null }
  const refused = take(turn, event)
  if (refused !== undefined) return { state: call, effects: [], refused }
  walk(turn)
  return { state: turn.call, effects: turn.effects }
}

function take(turn: Turn, event: CallEvent): string | undefined {
  const { call } = turn
  if (isDone(call)) return afterTheEnd(turn, event)
  switch (event.kind) {
    case 'begin':
      return void begin(turn, event)
    case 'command':
      return obey(turn, event.command)
    case 'timer':
      return void timer(turn, event)
    case 'engine.restarted':
      return void finish(turn, 'failure')
    case 'leg.dialog':
      if (isOutside(call, event.leg)) change(turn, { dialogs: { ...call.dialogs, [event.leg]: event.dialog } })
      return
    case 'leg.answered':
      return void legAnswered(turn, event.leg)
    case 'leg.progress':
      return void progressed(turn, event)
    case 'leg.remoteHold':
      return void remoteHold(turn, event)
    case 'leg.ended':
      return void legEnded(turn, event)
    case 'leg.dtmf':
      if (event.leg === call.customer.leg) digit(turn, event.digit)
      return
    case 'play.ended':
      if (event.sound === call.sound) soundEnded(turn)
      return
    case 'record.started':
      return void recordStarted(turn, event)
    case 'record.failed':
      return void recordFailed(turn, event.what)
    case 'record.ended':
      return void recordEnded(turn, event)
    case 'dialled':
      return void dialled(turn, event)
    case 'dial.failed':
      return void dialFailed(turn, event)
    case 'agent.attached':
      return void attached(turn, event.userId, event.leg)
    case 'agent.lost':
      return void agentLost(turn, event.userId)
    case 'found':
      if (event.aside) {
        if (call.aside) asideFound(turn, call.aside, event.people)
      } else if (call.phase.at === 'ringing') found(turn, call.phase, event.people, event.considered)
      return
    case 'agent.free':
      if (call.phase.at === 'ringing') becameFree(turn, call.phase, event)
      else ask(turn, { kind: 'release', userId: event.userId })
      return
    case 'position':
      if (call.phase.at === 'ringing') hear(turn, ['position', String(event.place)])
      return
    case 'number.entered':
      note(turn, { numberId: event.number.id })
      change(turn, { number: event.number, ringNode: null })
      return void goTo(turn, event.number.flow.start)
    case 'number.missing':
      return void finish(turn, 'normal_clearing')
    case 'leg.speaks':
      if (event.leg === call.customer.leg && call.phase.at === 'agent' && call.agent) agentInterrupted(turn, call.agent)
      return
    case 'leg.said':
      if (event.leg === call.customer.leg && call.phase.at === 'agent' && call.agent) {
        agentHears(turn, call.agent, { kind: 'words', text: event.text })
      }
      return
    case 'play.cut':
      if (call.agent) agentWasCut(turn, call.agent, event)
      return
    case 'agent.says':
      if (call.phase.at === 'agent' && call.agent) agentSays(turn, call.agent, event)
      return
    case 'agent.thought':
      if (call.phase.at === 'agent' && call.agent) agentThought(turn, call.agent, event)
      return
    case 'agent.failed':
      if (call.phase.at === 'agent' && call.agent) agentFailed(turn, call.agent, event)
      return
    case 'agent.ready':
      if (isMoving(call)) agentTakesCall(turn, event, call.phase.node)
      return
    case 'agent.missing':
      if (isMoving(call)) agentMissing(turn, call.phase.node)
      return
  }
}

type Moving = CallState & { phase: { at: 'widget'; node: string } }
const isMoving = (call: CallState): call is Moving => call.phase.at === 'widget' && call.phase.doing.is === 'moving'

/** Nothing happens any more to a call that is over; only what was under way is brought home. */
function afterTheEnd(turn: Turn, event: CallEvent): string | undefined {
  switch (event.kind) {
    case 'command':
      return 'The call has ended'
    case 'record.ended':
      return void keepSound(turn, event)
    case 'record.started':
      return void ask(turn, { kind: 'record.stop', recId: event.recId })
    case 'agent.attached':
    case 'dialled':
      return void ask(turn, { kind: 'leg.hangup', leg: event.leg, reason: 'hangup' })
    case 'agent.free':
      return void ask(turn, { kind: 'release', userId: event.userId })
    default:
      return
  }
}

function begin(turn: Turn, { sdpOffer, session }: Extract<CallEvent, { kind: 'begin' }>) {
  const { record, number, phase } = turn.call
  if (record.external !== '') addParticipant(turn, { kind: 'external', phone: record.external })
  if (record.direction === 'inbound') {
    publish(turn, 'created')
    return goTo(turn, number?.flow.start)
  }
  if (turn.call.errand) {
    publish(turn, 'created')
    return dialCustomer(turn, null)
  }
  if (record.userId === null) return
  joinAgent(
    turn,
    record.userId,
    { ...(sdpOffer !== undefined && { sdpOffer }), ...(session !== undefined && { session }) },
    'dialling',
  )
  publish(turn, 'created')
  if (phase.at === 'ringing') startRing(turn, phase.ring)
  else dialCustomer(turn, record.userId)
}

const dialMs = 60_000

function dialCustomer(turn: Turn, userId: number | null) {
  const { record, number, errand } = turn.call
  ask(turn, {
    kind: 'dial',
    role: 'customer',
    to: record.external,
    from: number?.digits ?? '',
    line: number?.digits ?? '',
    userId,
    origin: errand ? 'ai_agent' : record.callbackOf === null ? 'app' : 'callback',
    timeoutMs: dialMs,
  })
}

function timer(turn: Turn, { name, at }: Extract<CallEvent, { kind: 'timer' }>) {
  const { call } = turn
  const due = call.timers[name]
  if (due === undefined || due > at) return
  const { [name]: _fired, ...timers } = call.timers
  change(turn, { timers })
  const { phase, aside } = call
  switch (name) {
    case 'ring':
      if (phase.at === 'ringing') ringTimedOut(turn, phase)
      return
    case 'retry':
      if (phase.at === 'ringing') tryAgain(turn, phase)
      return
    case 'deadline':
      if (phase.at === 'ringing') noAnswer(turn, phase.ring)
      return
    case 'menu':
      return menuKey(turn, null)
    case 'wait':
      if (phase.at === 'widget') afterWait(turn, phase.node)
      return
    case 'announce':
      if (phase.at !== 'ringing' || call.waiting.announceEveryMs === null) return
      wake(turn, 'announce', call.waiting.announceEveryMs)
      return void ask(turn, { kind: 'ask.position' })
    case 'aside':
      if (aside) asideTimedOut(turn, aside)
      return
    case 'sound':
      return soundStayedAway(turn)
    case 'agent':
      if (phase.at === 'agent' && call.agent) agentWaited(turn, call.agent)
      return
    case 'agent_limit':
      if (phase.at === 'agent' && call.agent) agentTalkedTooLong(turn, call.agent)
      return
  }
}

function digit(turn: Turn, key: string) {
  const { phase, agent } = turn.call
  if (phase.at === 'agent' && agent) return agentKey(turn, agent, key)
  const waits = phase.at === 'ringing' || (phase.at === 'widget' && phase.doing.is === 'waiting')
  if (waits && key === '1' && askForCallback(turn)) return
  if (phase.at === 'widget' && phase.doing.is === 'menu') menuKey(turn, key)
}

function soundEnded(turn: Turn) {
  const { phase, agent } = turn.call
  if (phase.at === 'agent' && agent) agentHasSpoken(turn, agent)
  else if (phase.at === 'widget') afterSound(turn, phase.node, phase.doing)
  else if (phase.at === 'ringing') hearWaiting(turn, false)
}

function legAnswered(turn: Turn, leg: string) {
  const { phase, customer, aside, record, errand } = turn.call
  if (phase.at === 'passed') return passedAnswered(turn, phase, leg)
  if (aside?.leg === leg) return asideLegAnswered(turn, aside, leg)
  if (phase.at !== 'dialling' || leg !== customer.leg) return
  stopRingback(turn)
  change(turn, { customer: { ...customer, open: true } })
  note(turn, { answeredAt: turn.at })
  trace(turn, { kind: 'answered', user_id: record.userId })
  publish(turn, 'answered')
  if (errand) return beginAgent(turn, errand, null)
  if (record.userId !== null) ask(turn, { kind: 'show', userId: record.userId, state: 'connected' })
  talk(turn)
}

function legEnded(turn: Turn, { leg, reason, code }: Extract<CallEvent, { kind: 'leg.ended' }>) {
  const { phase, customer } = turn.call
  forgetDialog(turn, leg)
  if (supervisorGone(turn, leg) || (reason === 'lost' && soundLost(turn, leg))) return
  if (phase.at === 'talking') return legEndedInTalk(turn, leg, reason)
  if (phase.at === 'passed' && leg === phase.leg) return passedEnded(turn, phase, reason)
  if (leg === customer.leg) {
    change(turn, { customer: { ...customer, leg: null } })
    return finish(turn, causeOf(reason, phase.at === 'dialling' ? code : undefined), code)
  }
  // The agent who dials has gone before anybody answered.
  const agent = turn.call.agents.find((one) => one.leg === leg)
  if (agent) agentHangsUp(turn, agent.userId, reason)
}

function recordStarted(turn: Turn, { what, recId }: Extract<CallEvent, { kind: 'record.started' }>) {
  const { phase, recording } = turn.call
  if (what === 'recording' && recording.is !== 'off') {
    change(turn, { recording: { ...recording, recId } })
    if (recording.is === 'paused') ask(turn, { kind: 'record.pause', recId })
  } else if (phase.at === 'widget' && phase.doing.is === 'voicemail' && phase.doing.recId === null) {
    enter(turn, { ...phase, doing: { is: 'voicemail', recId } })
  } else {
    // The caller was taken elsewhere before the beep.
    ask(turn, { kind: 'record.stop', recId })
  }
}

/** The call continues without its recording; a voicemail that cannot be recorded ends it. */
function recordFailed(turn: Turn, what: 'recording' | 'voicemail') {
  const { phase, recording } = turn.call
  if (what === 'recording') {
    if (recording.is !== 'off' && recording.recId === null) change(turn, { recording: { is: 'off' } })
  } else if (phase.at === 'widget' && phase.doing.is === 'voicemail' && phase.doing.recId === null) {
    finish(turn, 'failure')
  }
}

function recordEnded(turn: Turn, event: Extract<CallEvent, { kind: 'record.ended' }>) {
  const { phase, recording } = turn.call
  // A disk that is full, in the middle of the call.
  if (recording.is !== 'off' && recording.recId === event.recId) change(turn, { recording: { is: 'off' } })
  // Silence, or the longest a message may be.
  const isMessage = phase.at === 'widget' && phase.doing.is === 'voicemail' && phase.doing.recId === event.recId
  keepSound(turn, event)
  if (isMessage) finish(turn, 'normal_clearing')
}

const minSoundMs = 1_000

function keepSound(turn: Turn, { what, file, ms }: Extract<CallEvent, { kind: 'record.ended' }>) {
  const length = what === 'voicemail' && ms < minSoundMs ? 0 : ms
  ask(turn, { kind: 'keep.sound', what, file, ms: length })
}

function dialled(turn: Turn, { role, to, leg }: Extract<CallEvent, { kind: 'dialled' }>) {
  const { phase, aside, customer } = turn.call
  if (!isAwaited(turn.call, role, to)) return hangUp(turn, leg, 'cancelled')
  if (role === 'customer') change(turn, { customer: { ...customer, leg } })
  else if (phase.at === 'passed') enter(turn, { ...phase, leg })
  else if (aside) change(turn, { aside: { ...aside, leg } })
}

function dialFailed(turn: Turn, { role, to }: Extract<CallEvent, { kind: 'dial.failed' }>) {
  const { phase } = turn.call
  if (!isAwaited(turn.call, role, to)) return
  if (role === 'customer') return finish(turn, 'failure')
  if (role === 'aside') return asideFailed(turn)
  if (phase.at !== 'passed') return
  publish(turn, 'unsuccessful_transfer')
  goOnUnanswered(turn, phase.node)
}

/** Whoever was dialled may not be wanted any more when the network has got that far. */
function isAwaited({ phase, aside, customer }: CallState, role: DialRole, to: string): boolean {
  switch (role) {
    case 'customer':
      return phase.at === 'dialling' && customer.leg === null
    case 'passed':
      return phase.at === 'passed' && phase.phone === to && phase.leg === null
    case 'aside':
      return aside?.to.type === 'number' && aside.to.number === to && aside.leg === null && !aside.failed
  }
}

function attached(turn: Turn, userId: number, leg: string) {
  const { agents, aside, phase } = turn.call
  if (supervisorAttached(turn, userId, leg)) return
  if (aside?.userId === userId) {
    hangUp(turn, aside.leg)
    change(turn, { aside: { ...aside, leg } })
    return void ask(turn, { kind: 'join', room: 'aside', leg })
  }
  const known = agents.find((agent) => agent.userId === userId)
  if (!known) return hangUp(turn, leg)
  // Left and came back before the first sound was there: the newest counts.
  hangUp(turn, known.leg)
  const { lost: _lost, ...back } = known
  change(turn, { agents: agents.map((agent) => (agent.userId === userId ? { ...back, leg } : agent)) })
  if (known.muted) ask(turn, { kind: 'mute', leg, muted: true })
  const consultation = aside?.purpose === 'consult' && aside.by === userId ? aside : null
  const isConsulting = consultation?.joined || consultation?.progress === 'early'
  ask(turn, { kind: 'join', room: isConsulting ? 'aside' : 'main', leg })
  const hasRingback = (phase.at === 'dialling' && phase.progress === 'tone') || consultation?.progress === 'tone'
  if (hasRingback) playRingback(turn, leg)
  whisperAgain(turn)
}

const isOutside = ({ customer, guests, aside, phase }: CallState, leg: string) =>
  leg === customer.leg ||
  guests.some((guest) => guest.leg === leg) ||
  (aside?.leg === leg && aside.userId === null) ||
  (phase.at === 'passed' && phase.leg === leg)

function forgetDialog(turn: Turn, leg: string) {
  if (!(leg in turn.call.dialogs)) return
  const { [leg]: _over, ...dialogs } = turn.call.dialogs
  change(turn, { dialogs })
}

/** Their last window was closed. */
function agentLost(turn: Turn, userId: number) {
  const { phase, aside, agents } = turn.call
  if (phase.at === 'ringing' && phase.ring.rung.some((rung) => rung.userId === userId)) {
    return ringRefused(turn, phase, userId, 'no_answer')
  }
  if (aside?.userId === userId) return asideLegEnded(turn)
  if (aside?.rung.some((rung) => rung.userId === userId)) return asideRefused(turn, aside, userId, 'no_answer')
  if (agents.some((agent) => agent.userId === userId)) agentHangsUp(turn, userId, 'lost')
}
