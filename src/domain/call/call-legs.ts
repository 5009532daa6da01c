import { rungLegAnswered, rungLegEnded } from './agent-devices.ts'
import { consultationLegAnswered } from './consultation.ts'
import type { CallMachineEvent } from './events.ts'
import { causeOf, finish } from './finish.ts'
import { forwardAnswered, forwardEnded } from './forwarded.ts'
import { stopRingback } from './progress.ts'
import { startNotice } from './recording-notice.ts'
import { mediaLost } from './sound.ts'
import { type CallState, rungBy } from './state.ts'
import { supervisorGone } from './supervise.ts'
import { agentHangsUp, connectParties, legEndedInTalk } from './talking.ts'
import { emit, patch, patchRecord, publishCallEvent, type Turn, trace } from './turn.ts'
import { startVoiceAgent } from './voice-agent.ts'

// Legs that are answered and that end. The SIP dialogs of external parties are stored: after a crash another process
// ends them.

type On<K extends CallMachineEvent['kind']> = Extract<CallMachineEvent, { kind: K }>

export function dialogOpened(turn: Turn, { leg, dialog }: On<'leg.dialog'>) {
  const { call } = turn
  if (isOutside(call, leg) || isRung(call, leg)) patch(turn, { dialogs: { ...call.dialogs, [leg]: dialog } })
}

const isOutside = ({ customer, guests, consultation, phase, agents }: CallState, leg: string) =>
  leg === customer.leg ||
  agents.some((agent) => agent.device && agent.leg === leg) ||
  consultation?.byLeg === leg ||
  guests.some((guest) => guest.leg === leg) ||
  (consultation?.leg === leg && (consultation.userId === null || consultation.device)) ||
  (phase.kind === 'forwarded' && phase.leg === leg)

const isRung = (call: CallState, leg: string) => rungBy(call).some(({ legs }) => legs?.some((one) => one.leg === leg))

export function handleLegAnswered(turn: Turn, leg: string) {
  if (rungLegAnswered(turn, leg)) return
  const { phase, customer, consultation, record, outboundVoiceAgent } = turn.call
  if (phase.kind === 'forwarded') return forwardAnswered(turn, phase, leg)
  if (consultation?.leg === leg) return consultationLegAnswered(turn, consultation, leg)
  if (phase.kind !== 'dialling' || leg !== customer.leg) return
  stopRingback(turn)
  patch(turn, { customer: { ...customer, open: true } })
  patchRecord(turn, { answeredAt: turn.at })
  trace(turn, { kind: 'answered', user_id: record.userId })
  publishCallEvent(turn, 'answered')
  if (outboundVoiceAgent && startNotice(turn, { kind: 'voiceAgent' })) return
  if (outboundVoiceAgent) return startVoiceAgent(turn, outboundVoiceAgent, null)
  if (record.userId !== null) emit(turn, { kind: 'show', userId: record.userId, state: 'connected' })
  connectParties(turn)
}

export function legEnded(turn: Turn, { leg, reason, code }: On<'leg.ended'>) {
  const { phase, customer } = turn.call
  forgetDialog(turn, leg)
  if (rungLegEnded(turn, leg, reason)) return
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

function forgetDialog(turn: Turn, leg: string) {
  if (!(leg in turn.call.dialogs)) return
  const { [leg]: _over, ...dialogs } = turn.call.dialogs
  patch(turn, { dialogs })
}
