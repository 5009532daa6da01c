// The call machine as a pure function: no clock, no randomness, no promises. The engine saves the state first and
// runs the effects second.

import { handleCommand } from './commands-on-call.ts'
import {
  consultationFailed,
  consultationFound,
  consultationLegAnswered,
  consultationLegEnded,
  consultationRefused,
  consultationTimedOut,
} from './consultation.ts'
import type { CallMachineEvent, DialRole, Effect } from './events.ts'
import { causeOf, finish } from './finish.ts'
import { continueUnanswered, forwardAnswered, forwardEnded } from './forwarded.ts'
import { playRingback, progressed, remoteHold, stopRingback } from './progress.ts'
import {
  agentAvailable,
  agentsFound,
  askForCallback,
  noAnswer,
  retryRing,
  ringRefused,
  ringTimedOut,
  startRing,
} from './ringing.ts'
import { mediaLost, mediaNotRestored } from './sound.ts'
import { type CallState, isDone } from './state.ts'
import { supervisorAttached, supervisorGone, updateWhisper } from './supervise.ts'
import { agentHangsUp, connect, legEndedInTalk } from './talking.ts'
import {
  addParticipant,
  emit,
  enterPhase,
  goTo,
  hangUp,
  joinAgent,
  patch,
  patchRecord,
  play,
  playWaiting,
  publish,
  startTimer,
  type Turn,
  trace,
} from './turn.ts'
import {
  llmDone,
  llmSentence,
  startVoiceAgent,
  voiceAgentAnswers,
  voiceAgentFailed,
  voiceAgentInput,
  voiceAgentInterrupted,
  voiceAgentKey,
  voiceAgentLimitReached,
  voiceAgentPlaybackCut,
  voiceAgentPlaybackEnded,
  voiceAgentTimeout,
} from './voice-agent.ts'
import { afterSound, afterWait, menuKey, runFlow, voiceAgentUnavailable } from './widgets.ts'

export interface Step {
  state: CallState
  effects: Effect[]
  /** Why a command is not possible in the current state; the state is unchanged then. */
  refused?: string
}

/** Processes one event. Total: an event without meaning in the current phase changes nothing. */
export function step(call: CallState, event: CallMachineEvent): Step {
  const turn: Turn = { call, at: event.at, effects: [], next: null }
  const refused = handleEvent(turn, event)
  if (refused !== undefined) return { state: call, effects: [], refused }
  runFlow(turn)
  return { state: turn.call, effects: turn.effects }
}

function handleEvent(turn: Turn, event: CallMachineEvent): string | undefined {
  const { call } = turn
  if (isDone(call)) return afterEnd(turn, event)
  switch (event.kind) {
    case 'begin':
      return void begin(turn, event)
    case 'command':
      return handleCommand(turn, event.command)
    case 'timer':
      return void timer(turn, event)
    case 'engine.restarted':
      return void finish(turn, 'failure')
    case 'leg.dialog':
      if (isOutside(call, event.leg)) patch(turn, { dialogs: { ...call.dialogs, [event.leg]: event.dialog } })
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
    case 'agents.found':
      if (event.consultation) {
        if (call.consultation) consultationFound(turn, call.consultation, event.people)
      } else if (call.phase.kind === 'ringing') agentsFound(turn, call.phase, event.people, event.considered)
      return
    case 'agent.free':
      if (call.phase.kind === 'ringing') agentAvailable(turn, call.phase, event)
      else emit(turn, { kind: 'release', userId: event.userId })
      return
    case 'position':
      if (call.phase.kind === 'ringing') play(turn, ['position', String(event.place)])
      return
    case 'number.entered':
      patchRecord(turn, { numberId: event.number.id })
      patch(turn, { number: event.number, ringNode: null })
      return void goTo(turn, event.number.flow.start)
    case 'number.missing':
      return void finish(turn, 'normal_clearing')
    case 'leg.speaks':
      if (event.leg === call.customer.leg && call.phase.kind === 'voiceAgent' && call.voiceAgent)
        voiceAgentInterrupted(turn, call.voiceAgent)
      return
    case 'leg.said':
      if (event.leg === call.customer.leg && call.phase.kind === 'voiceAgent' && call.voiceAgent) {
        voiceAgentInput(turn, call.voiceAgent, { kind: 'words', text: event.text })
      }
      return
    case 'play.cut':
      if (call.voiceAgent) voiceAgentPlaybackCut(turn, call.voiceAgent, event)
      return
    case 'llm.sentence':
      if (call.phase.kind === 'voiceAgent' && call.voiceAgent) llmSentence(turn, call.voiceAgent, event)
      return
    case 'llm.done':
      if (call.phase.kind === 'voiceAgent' && call.voiceAgent) llmDone(turn, call.voiceAgent, event)
      return
    case 'voiceAgent.failed':
      if (call.phase.kind === 'voiceAgent' && call.voiceAgent) voiceAgentFailed(turn, call.voiceAgent, event)
      return
    case 'voiceAgent.ready':
      if (isMoving(call)) voiceAgentAnswers(turn, event, call.phase.node)
      return
    case 'voiceAgent.unavailable':
      if (isMoving(call)) voiceAgentUnavailable(turn, call.phase.node)
      return
  }
}

type Moving = CallState & { phase: { kind: 'widget'; node: string } }
const isMoving = (call: CallState): call is Moving =>
  call.phase.kind === 'widget' && call.phase.activity.kind === 'moving'

/** A call that has ended ignores events; only pending operations are cleaned up. */
function afterEnd(turn: Turn, event: CallMachineEvent): string | undefined {
  switch (event.kind) {
    case 'command':
      return 'The call has ended'
    case 'record.ended':
      return void saveRecording(turn, event)
    case 'record.started':
      return void emit(turn, { kind: 'record.stop', recId: event.recId })
    case 'agent.attached':
    case 'dialled':
      return void emit(turn, { kind: 'leg.hangup', leg: event.leg, reason: 'hangup' })
    case 'agent.free':
      return void emit(turn, { kind: 'release', userId: event.userId })
    default:
      return
  }
}

function begin(turn: Turn, { sdpOffer, session }: Extract<CallMachineEvent, { kind: 'begin' }>) {
  const { record, number, phase } = turn.call
  if (record.external !== '') addParticipant(turn, { kind: 'external', phone: record.external })
  if (record.direction === 'inbound') {
    publish(turn, 'created')
    return goTo(turn, number?.flow.start)
  }
  if (turn.call.outboundVoiceAgent) {
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
  if (phase.kind === 'ringing') startRing(turn, phase.ring)
  else dialCustomer(turn, record.userId)
}

const dialMs = 60_000

function dialCustomer(turn: Turn, userId: number | null) {
  const { record, number, outboundVoiceAgent } = turn.call
  emit(turn, {
    kind: 'dial',
    role: 'customer',
    to: record.external,
    from: number?.digits ?? '',
    line: number?.digits ?? '',
    userId,
    origin: outboundVoiceAgent ? 'ai_agent' : record.callbackOf === null ? 'app' : 'callback',
    timeoutMs: dialMs,
  })
}

function timer(turn: Turn, { name, at }: Extract<CallMachineEvent, { kind: 'timer' }>) {
  const { call } = turn
  const due = call.timers[name]
  if (due === undefined || due > at) return
  const { [name]: _fired, ...timers } = call.timers
  patch(turn, { timers })
  const { phase, consultation } = call
  switch (name) {
    case 'ring':
      if (phase.kind === 'ringing') ringTimedOut(turn, phase)
      return
    case 'retry':
      if (phase.kind === 'ringing') retryRing(turn, phase)
      return
    case 'deadline':
      if (phase.kind === 'ringing') noAnswer(turn, phase.ring)
      return
    case 'menu':
      return menuKey(turn, null)
    case 'wait':
      if (phase.kind === 'widget') afterWait(turn, phase.node)
      return
    case 'announce':
      if (phase.kind !== 'ringing' || call.waiting.announceEveryMs === null) return
      startTimer(turn, 'announce', call.waiting.announceEveryMs)
      return void emit(turn, { kind: 'query.position' })
    case 'consultation':
      if (consultation) consultationTimedOut(turn, consultation)
      return
    case 'sound':
      return mediaNotRestored(turn)
    case 'voiceAgent':
      if (phase.kind === 'voiceAgent' && call.voiceAgent) voiceAgentTimeout(turn, call.voiceAgent)
      return
    case 'voiceAgentLimit':
      if (phase.kind === 'voiceAgent' && call.voiceAgent) voiceAgentLimitReached(turn, call.voiceAgent)
      return
  }
}

function digit(turn: Turn, key: string) {
  const { phase, voiceAgent } = turn.call
  if (phase.kind === 'voiceAgent' && voiceAgent) return voiceAgentKey(turn, voiceAgent, key)
  const waits = phase.kind === 'ringing' || (phase.kind === 'widget' && phase.activity.kind === 'waiting')
  if (waits && key === '1' && askForCallback(turn)) return
  if (phase.kind === 'widget' && phase.activity.kind === 'menu') menuKey(turn, key)
}

function soundEnded(turn: Turn) {
  const { phase, voiceAgent } = turn.call
  if (phase.kind === 'voiceAgent' && voiceAgent) voiceAgentPlaybackEnded(turn, voiceAgent)
  else if (phase.kind === 'widget') afterSound(turn, phase.node, phase.activity)
  else if (phase.kind === 'ringing') playWaiting(turn, false)
}

function legAnswered(turn: Turn, leg: string) {
  const { phase, customer, consultation, record, outboundVoiceAgent } = turn.call
  if (phase.kind === 'forwarded') return forwardAnswered(turn, phase, leg)
  if (consultation?.leg === leg) return consultationLegAnswered(turn, consultation, leg)
  if (phase.kind !== 'dialling' || leg !== customer.leg) return
  stopRingback(turn)
  patch(turn, { customer: { ...customer, open: true } })
  patchRecord(turn, { answeredAt: turn.at })
  trace(turn, { kind: 'answered', user_id: record.userId })
  publish(turn, 'answered')
  if (outboundVoiceAgent) return startVoiceAgent(turn, outboundVoiceAgent, null)
  if (record.userId !== null) emit(turn, { kind: 'show', userId: record.userId, state: 'connected' })
  connect(turn)
}

function legEnded(turn: Turn, { leg, reason, code }: Extract<CallMachineEvent, { kind: 'leg.ended' }>) {
  const { phase, customer } = turn.call
  forgetDialog(turn, leg)
  if (supervisorGone(turn, leg) || (reason === 'lost' && mediaLost(turn, leg))) return
  if (phase.kind === 'talking') return legEndedInTalk(turn, leg, reason)
  if (phase.kind === 'forwarded' && leg === phase.leg) return forwardEnded(turn, phase, reason)
  if (leg === customer.leg) {
    patch(turn, { customer: { ...customer, leg: null } })
    return finish(turn, causeOf(reason, phase.kind === 'dialling' ? code : undefined), code)
  }
  // The agent hung up before the customer answered.
  const agent = turn.call.agents.find((one) => one.leg === leg)
  if (agent) agentHangsUp(turn, agent.userId, reason)
}

function recordStarted(turn: Turn, { what, recId }: Extract<CallMachineEvent, { kind: 'record.started' }>) {
  const { phase, recording } = turn.call
  if (what === 'recording' && recording.status !== 'off') {
    patch(turn, { recording: { ...recording, recId } })
    if (recording.status === 'paused') emit(turn, { kind: 'record.pause', recId })
  } else if (phase.kind === 'widget' && phase.activity.kind === 'voicemail' && phase.activity.recId === null) {
    enterPhase(turn, { ...phase, activity: { kind: 'voicemail', recId } })
  } else {
    // The caller left the widget before the beep.
    emit(turn, { kind: 'record.stop', recId })
  }
}

/** The call continues without its recording; a voicemail that cannot be recorded ends it. */
function recordFailed(turn: Turn, what: 'recording' | 'voicemail') {
  const { phase, recording } = turn.call
  if (what === 'recording') {
    if (recording.status !== 'off' && recording.recId === null) patch(turn, { recording: { status: 'off' } })
  } else if (phase.kind === 'widget' && phase.activity.kind === 'voicemail' && phase.activity.recId === null) {
    finish(turn, 'failure')
  }
}

function recordEnded(turn: Turn, event: Extract<CallMachineEvent, { kind: 'record.ended' }>) {
  const { phase, recording } = turn.call
  // The disk is full.
  if (recording.status !== 'off' && recording.recId === event.recId) patch(turn, { recording: { status: 'off' } })
  // Silence, or the maximum length of a message.
  const isMessage =
    phase.kind === 'widget' && phase.activity.kind === 'voicemail' && phase.activity.recId === event.recId
  saveRecording(turn, event)
  if (isMessage) finish(turn, 'normal_clearing')
}

const minRecordingMs = 1_000

function saveRecording(turn: Turn, { what, file, ms }: Extract<CallMachineEvent, { kind: 'record.ended' }>) {
  const length = what === 'voicemail' && ms < minRecordingMs ? 0 : ms
  emit(turn, { kind: 'recording.save', what, file, ms: length })
}

function dialled(turn: Turn, { role, to, leg }: Extract<CallMachineEvent, { kind: 'dialled' }>) {
  const { phase, consultation, customer } = turn.call
  if (!isAwaited(turn.call, role, to)) return hangUp(turn, leg, 'cancelled')
  if (role === 'customer') patch(turn, { customer: { ...customer, leg } })
  else if (phase.kind === 'forwarded') enterPhase(turn, { ...phase, leg })
  else if (consultation) patch(turn, { consultation: { ...consultation, leg } })
}

function dialFailed(turn: Turn, { role, to }: Extract<CallMachineEvent, { kind: 'dial.failed' }>) {
  const { phase } = turn.call
  if (!isAwaited(turn.call, role, to)) return
  if (role === 'customer') return finish(turn, 'failure')
  if (role === 'consultation') return consultationFailed(turn)
  if (phase.kind !== 'forwarded') return
  publish(turn, 'unsuccessful_transfer')
  continueUnanswered(turn, phase.node)
}

/** A dialled party may no longer be needed when the dial completes. */
function isAwaited({ phase, consultation, customer }: CallState, role: DialRole, to: string): boolean {
  switch (role) {
    case 'customer':
      return phase.kind === 'dialling' && customer.leg === null
    case 'forwarded':
      return phase.kind === 'forwarded' && phase.phone === to && phase.leg === null
    case 'consultation':
      return (
        consultation?.to.type === 'number' &&
        consultation.to.number === to &&
        consultation.leg === null &&
        !consultation.failed
      )
  }
}

function attached(turn: Turn, userId: number, leg: string) {
  const { agents, consultation, phase } = turn.call
  if (supervisorAttached(turn, userId, leg)) return
  if (consultation?.userId === userId) {
    hangUp(turn, consultation.leg)
    patch(turn, { consultation: { ...consultation, leg } })
    return void emit(turn, { kind: 'join', room: 'consultation', leg })
  }
  const known = agents.find((agent) => agent.userId === userId)
  if (!known) return hangUp(turn, leg)
  // The agent reconnected before the first leg was connected: the newest leg applies.
  hangUp(turn, known.leg)
  const { lost: _lost, ...back } = known
  patch(turn, { agents: agents.map((agent) => (agent.userId === userId ? { ...back, leg } : agent)) })
  if (known.muted) emit(turn, { kind: 'mute', leg, muted: true })
  const ownConsultation = consultation?.purpose === 'consult' && consultation.by === userId ? consultation : null
  const isConsulting = ownConsultation?.joined || ownConsultation?.progress === 'early'
  emit(turn, { kind: 'join', room: isConsulting ? 'consultation' : 'main', leg })
  const hasRingback = (phase.kind === 'dialling' && phase.progress === 'tone') || ownConsultation?.progress === 'tone'
  if (hasRingback) playRingback(turn, leg)
  updateWhisper(turn)
}

const isOutside = ({ customer, guests, consultation, phase }: CallState, leg: string) =>
  leg === customer.leg ||
  guests.some((guest) => guest.leg === leg) ||
  (consultation?.leg === leg && consultation.userId === null) ||
  (phase.kind === 'forwarded' && phase.leg === leg)

function forgetDialog(turn: Turn, leg: string) {
  if (!(leg in turn.call.dialogs)) return
  const { [leg]: _over, ...dialogs } = turn.call.dialogs
  patch(turn, { dialogs })
}

/** The agent's last phone app disconnected. */
function agentLost(turn: Turn, userId: number) {
  const { phase, consultation, agents } = turn.call
  if (phase.kind === 'ringing' && phase.ring.rung.some((rung) => rung.userId === userId)) {
    return ringRefused(turn, phase, userId, 'no_answer')
  }
  if (consultation?.userId === userId) return consultationLegEnded(turn)
  if (consultation?.rung.some((rung) => rung.userId === userId))
    return consultationRefused(turn, consultation, userId, 'no_answer')
  if (agents.some((agent) => agent.userId === userId)) agentHangsUp(turn, userId, 'lost')
}
