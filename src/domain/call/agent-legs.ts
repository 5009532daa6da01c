import { consultationLegEnded, consultationRefused } from './consultation.ts'
import { isHeldByOther, putOnHold } from './hold.ts'
import { playRingback } from './progress.ts'
import { noticeForAgent } from './recording-notice.ts'
import { ringRefused } from './ringing.ts'
import { rungBy } from './state.ts'
import { supervisorAttached, updateWhisper } from './supervise.ts'
import { agentHangsUp } from './talking.ts'
import { emit, hangUp, patch, type Turn } from './turn.ts'

/** The browser or device of an agent joined the call, for the first time or again. */
export function agentAttached(turn: Turn, userId: number, leg: string, via: 'browser' | 'device' = 'browser') {
  const { agents, consultation, phase } = turn.call
  if (supervisorAttached(turn, userId, leg)) return
  if (consultation?.userId === userId) {
    hangUp(turn, consultation.leg)
    const { device: _before, ...rest } = consultation
    patch(turn, { consultation: { ...rest, leg, ...(via === 'device' && { device: true }) } })
    return void emit(turn, { kind: 'join', room: 'consultation', leg })
  }
  const known = agents.find((agent) => agent.userId === userId)
  if (!known) return hangUp(turn, leg)
  // The agent reconnected before the first leg was connected: the newest leg applies.
  hangUp(turn, known.leg)
  const { lost: _lost, device: _device, unanswered: _unanswered, ...back } = known
  const now = { ...back, leg, ...(via === 'device' && { device: true as const }) }
  patch(turn, { agents: agents.map((agent) => (agent.userId === userId ? now : agent)) })
  if (known.muted) emit(turn, { kind: 'mute', leg, muted: true })
  if (isHeldByOther(turn, known)) putOnHold(turn, leg)
  const ownConsultation = consultation?.purpose === 'consult' && consultation.by === userId ? consultation : null
  const isConsulting = ownConsultation?.joined || ownConsultation?.progress === 'early'
  emit(turn, { kind: 'join', room: isConsulting ? 'consultation' : 'main', leg })
  const hasRingback = (phase.kind === 'dialling' && phase.progress === 'tone') || ownConsultation?.progress === 'tone'
  if (hasRingback) playRingback(turn, leg)
  noticeForAgent(turn, leg)
  updateWhisper(turn)
}

/**
 * The agent's last phone app disconnected, or its media could not be attached. The media of a browser has a connection of
 * its own: an agent with media stays on the call, and the loss of the media is reported separately.
 */
export function agentLost(turn: Turn, userId: number) {
  const { phase, consultation, agents, line } = turn.call
  // Devices and the mobile number do not need the phone app.
  if (rungBy(turn.call).some((rung) => rung.userId === userId && rung.legs?.length)) return
  if (agents.some((agent) => agent.userId === userId && agent.device)) return
  if (consultation?.userId === userId && consultation.device) return
  if (phase.kind === 'ringing' && phase.ring.rung.some((rung) => rung.userId === userId)) {
    return ringRefused(turn, phase, userId, 'no_answer')
  }
  const hasMedia = (leg: string | null) => line === 'real' && leg !== null
  if (consultation?.userId === userId) return hasMedia(consultation.leg) ? undefined : consultationLegEnded(turn)
  if (consultation?.rung.some((rung) => rung.userId === userId))
    return consultationRefused(turn, consultation, userId, 'no_answer')
  if (agents.some((agent) => agent.userId === userId && !hasMedia(agent.leg))) agentHangsUp(turn, userId, 'lost')
}
