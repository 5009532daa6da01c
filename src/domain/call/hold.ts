import { emit, enterPhase, play, publishCallEvent, stopPlayback, type Turn } from './turn.ts'
import { resumeRecording, suspendRecording } from './voice-agent-session.ts'

export function hold(turn: Turn) {
  const { customer, number, phase } = turn.call
  if (phase.kind !== 'talking' || phase.held) return
  enterPhase(turn, { kind: 'talking', held: true })
  if (customer.leg !== null) emit(turn, { kind: 'mute', leg: customer.leg, muted: true })
  play(turn, [number?.musicOnHold ?? 'waiting'], { loop: true })
  // The customer is not part of the conversation: what the agent says on hold is not recorded.
  suspendRecording(turn)
  publishCallEvent(turn, 'hold')
}

export function resume(turn: Turn) {
  const { customer } = turn.call
  enterPhase(turn, { kind: 'talking', held: false })
  stopPlayback(turn)
  if (customer.leg !== null) emit(turn, { kind: 'mute', leg: customer.leg, muted: false })
  resumeRecording(turn)
}
