// The call machine as a pure function: no clock, no randomness, no promises. The engine saves the state first and
// runs the effects second.

import { keyInNotice, noticeEnded } from './after-notice.ts'
import { agentHolds, agentKey, attachCallingDevice, ringDialled, ringWithoutApp } from './agent-devices.ts'
import { agentAttached, agentLost } from './agent-legs.ts'
import { dialogOpened, handleLegAnswered, legEnded } from './call-legs.ts'
import { handleCommand } from './commands-on-call.ts'
import { consultationFound } from './consultation.ts'
import { dialCustomer, dialFailed, dialled } from './dialling.ts'
import type { CallMachineEvent, Effect } from './events.ts'
import { finish } from './finish.ts'
import { partiesMerged, refuseMerged } from './merge.ts'
import { handleRemoteHold, progressed } from './progress.ts'
import { recordEnded, recordFailed, recordStarted, saveRecording } from './recording.ts'
import { optsOutLater } from './recording-notice.ts'
import { agentAvailable, agentsFound, askForCallback, startRing } from './ringing.ts'
import { type CallState, isDone } from './state.ts'
import { timerFired } from './timers.ts'
import {
  addParticipant,
  emit,
  goTo,
  joinAgent,
  patch,
  patchRecord,
  play,
  playWaiting,
  publishCallEvent,
  type Turn,
  trace,
} from './turn.ts'
import {
  llmDone,
  llmSentence,
  resumeVoiceAgent,
  voiceAgentAnswers,
  voiceAgentContext,
  voiceAgentFailed,
  voiceAgentKey,
  voiceAgentPlaybackCut,
  voiceAgentPlaybackEnded,
  voiceAgentPlaybackLost,
} from './voice-agent.ts'
import { callerKeepsSpeaking, callerSaid, callerSpeaks } from './voice-agent-turns.ts'
import { afterSound, menuKey, runFlow, voiceAgentUnavailable } from './widgets.ts'

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
      return void timerFired(turn, event)
    case 'engine.resumed':
      if (call.phase.kind === 'voiceAgent' && call.voiceAgent) resumeVoiceAgent(turn, call.voiceAgent)
      return
    case 'engine.restarted':
      return void finish(turn, 'failure')
    case 'leg.dialog':
      return void dialogOpened(turn, event)
    case 'leg.answered':
      return void handleLegAnswered(turn, event.leg)
    case 'leg.progress':
      return void progressed(turn, event)
    case 'leg.remoteHold':
      if (!agentHolds(turn, event.leg, event.held)) handleRemoteHold(turn, event)
      return
    case 'leg.ended':
      return void legEnded(turn, event)
    case 'leg.dtmf':
      if (event.leg === call.customer.leg) digit(turn, event.digit)
      else agentKey(turn, event.leg, event.digit)
      return
    case 'play.ended':
      if (event.sound === call.sound) soundEnded(turn, event.failed ?? false)
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
      return void agentAttached(turn, event.userId, event.leg)
    case 'agent.lost':
      return void agentLost(turn, event.userId)
    case 'ring.dialled':
      return void ringDialled(turn, event)
    case 'ring.noApp':
      return void ringWithoutApp(turn, event.userId)
    case 'merged':
      return void partiesMerged(turn, event)
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
    case 'leg.speechStarted':
      if (event.leg === call.customer.leg && call.phase.kind === 'voiceAgent' && call.voiceAgent)
        callerSpeaks(turn, call.voiceAgent, event.startedAt)
      return
    case 'leg.speechContinued':
      if (event.leg === call.customer.leg && call.phase.kind === 'voiceAgent' && call.voiceAgent)
        callerKeepsSpeaking(turn, call.voiceAgent)
      return
    case 'leg.utterance':
      if (event.leg === call.customer.leg && call.phase.kind === 'voiceAgent' && call.voiceAgent)
        callerSaid(turn, call.voiceAgent, event)
      return
    case 'play.cut':
      if (call.voiceAgent) voiceAgentPlaybackCut(turn, call.voiceAgent, event)
      return
    case 'play.lost':
      if (call.voiceAgent) voiceAgentPlaybackLost(turn, call.voiceAgent, event)
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
    case 'voiceAgent.context':
      if (call.phase.kind === 'voiceAgent' && call.voiceAgent) voiceAgentContext(turn, call.voiceAgent, event)
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
    case 'ring.dialled':
    case 'dialled':
      return void emit(turn, { kind: 'leg.hangup', leg: event.leg, reason: 'hangup' })
    case 'agent.free':
      return void emit(turn, { kind: 'release', userId: event.userId })
    case 'merged':
      return void refuseMerged(turn, event.parties)
    default:
      return
  }
}

function begin(turn: Turn, { sdpOffer, session, leg }: Extract<CallMachineEvent, { kind: 'begin' }>) {
  const { record, number, phase, customer } = turn.call
  if (record.external !== '') addParticipant(turn, { kind: 'external', phone: record.external })
  if (record.direction === 'inbound') {
    publishCallEvent(turn, 'created')
    if (customer.callerId) trace(turn, { kind: 'caller_id', ...customer.callerId })
    return goTo(turn, number?.flow.start)
  }
  if (turn.call.outboundVoiceAgent) {
    publishCallEvent(turn, 'created')
    return dialCustomer(turn, null)
  }
  if (record.userId === null) return
  const offer = { ...(sdpOffer !== undefined && { sdpOffer }), ...(session !== undefined && { session }) }
  joinAgent(turn, record.userId, { ...offer, ...(leg !== undefined && { leg }) }, 'dialling')
  if (leg !== undefined) attachCallingDevice(turn, record.userId, leg)
  publishCallEvent(turn, 'created')
  if (phase.kind === 'ringing') startRing(turn, phase.ring)
  else dialCustomer(turn, record.userId)
}

function digit(turn: Turn, key: string) {
  const { phase, voiceAgent } = turn.call
  if (phase.kind === 'voiceAgent' && voiceAgent) return voiceAgentKey(turn, voiceAgent, key)
  if (phase.kind === 'notice') return keyInNotice(turn, phase, key)
  const waits = phase.kind === 'ringing' || (phase.kind === 'widget' && phase.activity.kind === 'waiting')
  if (waits && optsOutLater(turn, key)) return
  if (waits && key === '1' && askForCallback(turn)) return
  if (phase.kind === 'widget' && phase.activity.kind === 'menu') menuKey(turn, key)
}

function soundEnded(turn: Turn, isFailed: boolean) {
  const { phase, voiceAgent } = turn.call
  if (phase.kind === 'voiceAgent' && voiceAgent) voiceAgentPlaybackEnded(turn, voiceAgent)
  else if (phase.kind === 'notice') noticeEnded(turn, phase, isFailed)
  else if (phase.kind === 'widget') afterSound(turn, phase.node, phase.activity)
  else if (phase.kind === 'ringing') playWaiting(turn, false)
}
