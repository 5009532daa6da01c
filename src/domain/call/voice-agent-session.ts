// The session of an AI voice agent on a call: how it starts, and how it ends in every case.
import { greet } from '../ai-agent/dialog.ts'
import { segmentSilenceMs } from '../ai-agent/end-of-turn.ts'
import type { AgentPlan } from '../ai-agent/plan.ts'
import type { VoiceAgentEvent } from './events.ts'
import type { Floor, VoiceAgentEndReason, VoiceAgentSession } from './state.ts'
import { cancelTimers, emit, patch, type Turn } from './turn.ts'

export interface VoiceAgentSetup {
  session: string
  plan: AgentPlan
  /** Reported as transferred_to when the escalation target is a team. */
  firstUserId: number | null
  /** The same for the transfer targets that are teams. */
  firstOfTeams?: Readonly<Record<number, number | null>>
}

/** `node` is the widget; null for a call that the agent placed. */
export function newVoiceAgentSession(turn: Turn, ready: VoiceAgentSetup, node: string | null): VoiceAgentSession {
  const { session, plan, firstUserId, firstOfTeams } = ready
  const { talk } = greet(plan)
  return {
    session,
    plan,
    firstUserId,
    ...(firstOfTeams && { firstOfTeams }),
    node,
    numberId: turn.call.record.numberId,
    startedAt: turn.at,
    endedAt: null,
    endReason: null,
    escalation: null,
    talk,
    next: null,
    llm: { requestId: 0, isPending: false, queue: [], after: null },
    failed: false,
    patienceMs: segmentSilenceMs,
    floor: openFloor,
    keys: '',
    turns: [],
  }
}

/** Neither of them speaks. */
export const openFloor: Floor = {
  text: '',
  startedAt: null,
  isUnheard: false,
  speakingSince: null,
  held: null,
  isFirm: false,
  playback: null,
  last: null,
}

export const floorOf = ({ floor }: VoiceAgentSession): Floor => floor ?? openFloor

export function updateFloor(turn: Turn, changes: Partial<Floor>) {
  const { voiceAgent } = turn.call
  if (voiceAgent) updateVoiceAgent(turn, { floor: { ...floorOf(voiceAgent), ...changes } })
}

export function updateVoiceAgent(turn: Turn, changes: Partial<VoiceAgentSession>) {
  const { voiceAgent } = turn.call
  if (voiceAgent) patch(turn, { voiceAgent: { ...voiceAgent, ...changes } })
}

export function publishVoiceAgent(turn: Turn, event: VoiceAgentEvent) {
  const { voiceAgent, callId } = turn.call
  if (voiceAgent && callId !== null) emit(turn, { kind: 'voiceAgent', event, voiceAgent })
}

export function endVoiceAgent(turn: Turn, endReason: VoiceAgentEndReason) {
  const { voiceAgent, customer } = turn.call
  if (!voiceAgent || voiceAgent.endedAt !== null) return
  cancelTimers(turn, 'voiceAgent', 'voiceAgentLimit')
  if (voiceAgent.llm.isPending) emit(turn, { kind: 'llm.cancel' })
  if (customer.leg !== null) emit(turn, { kind: 'stt.stop', leg: customer.leg })
  updateVoiceAgent(turn, { endedAt: turn.at, endReason, next: null })
  publishVoiceAgent(turn, 'ended')
}

/** The summary is published last; then the session is removed from the state. */
export function summarizeVoiceAgent(turn: Turn) {
  publishVoiceAgent(turn, 'summary')
  patch(turn, { voiceAgent: null })
}

/** The call is transferred away from the agent. */
export function dismissVoiceAgent(turn: Turn) {
  if (!turn.call.voiceAgent) return
  endVoiceAgent(turn, 'disconnected')
  summarizeVoiceAgent(turn)
  suspendRecording(turn)
}

/**
 * Recording pauses while the caller waits for an agent or is on hold; `waits` marks a pause that ends automatically.
 */
export function suspendRecording(turn: Turn) {
  const { recording } = turn.call
  if (recording.kind !== 'on') return
  patch(turn, { recording: { kind: 'paused', recId: recording.recId, waits: true } })
  if (recording.recId !== null) emit(turn, { kind: 'record.pause', recId: recording.recId })
}

export function resumeRecording(turn: Turn) {
  const { recording } = turn.call
  if (recording.kind !== 'paused' || !recording.waits) return
  patch(turn, { recording: { kind: 'on', recId: recording.recId } })
  if (recording.recId !== null) emit(turn, { kind: 'record.resume', recId: recording.recId })
}
