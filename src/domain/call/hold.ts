import type { LegId } from '../voice.ts'
import { noSound } from './progress.ts'
import type { Agent } from './state.ts'
import { emit, enterPhase, play, publishCallEvent, stopPlayback, type Turn } from './turn.ts'
import { resumeRecording, suspendRecording } from './voice-agent-session.ts'

/** `by`: the agent; in an internal call the others are on hold. */
export function hold(turn: Turn, by?: number) {
  const { customer, number, phase, guests } = turn.call
  if (phase.kind !== 'talking' || phase.held) return
  if (customer.leg === null) return holdColleagues(turn, by)
  enterPhase(turn, { kind: 'talking', held: true })
  emit(turn, { kind: 'mute', leg: customer.leg, muted: true })
  const music = number?.musicOnHold ?? 'waiting'
  play(turn, [music], { loop: true })
  for (const { leg } of guests) putOnHold(turn, leg, music)
  // The customer is not part of the conversation: what the agent says on hold is not recorded.
  suspendRecording(turn)
  publishCallEvent(turn, 'hold')
}

function holdColleagues(turn: Turn, by: number | undefined) {
  if (by === undefined) return
  enterPhase(turn, { kind: 'talking', held: true, heldBy: by })
  for (const { userId, leg } of turn.call.agents) {
    if (userId === by) continue
    if (leg !== null) putOnHold(turn, leg)
    emit(turn, { kind: 'show', userId, state: 'remote_hold' })
  }
}

/** The party hears music, and is not heard. */
export function putOnHold(turn: Turn, leg: LegId, music = 'waiting') {
  emit(turn, { kind: 'mute', leg, muted: true }, { kind: 'play', leg, sound: noSound, media: [music], loop: true })
}

/** A colleague has put the internal call on hold. */
export function isHeldByOther({ call: { phase } }: Turn, { userId }: Pick<Agent, 'userId'>): boolean {
  return phase.kind === 'talking' && phase.heldBy !== undefined && phase.heldBy !== userId
}

export function resume(turn: Turn) {
  const { phase, agents } = turn.call
  const heldBy = phase.kind === 'talking' ? phase.heldBy : undefined
  enterPhase(turn, { kind: 'talking', held: false })
  if (heldBy !== undefined) {
    for (const { userId, leg, muted = false } of agents) {
      if (userId === heldBy) continue
      if (leg !== null) emit(turn, { kind: 'play.stop', leg }, { kind: 'mute', leg, muted })
      emit(turn, { kind: 'show', userId, state: 'remote_unhold' })
    }
    return
  }
  stopPlayback(turn)
  releaseExternals(turn)
  resumeRecording(turn)
}

/** External parties are heard again. */
export function releaseExternals(turn: Turn) {
  const { customer, guests } = turn.call
  if (customer.leg !== null) emit(turn, { kind: 'mute', leg: customer.leg, muted: false })
  for (const { leg } of guests) emit(turn, { kind: 'play.stop', leg }, { kind: 'mute', leg, muted: false })
}
