// Legs of agents other than browsers. A device rings beside the phone app, and the first answer takes the call; a mobile
// number rings the same way, but the user has to press 1, because voicemail of the mobile network answers as well.
import type { EndReason, LegId } from '../voice.ts'
import { agentAttached, agentLost } from './agent-legs.ts'
import { handleCommand } from './commands-on-call.ts'
import type { CallMachineEvent } from './events.ts'
import { hold } from './hold.ts'
import { noSound } from './progress.ts'
import { type CallState, type Rung, type RungLeg, rungBy } from './state.ts'
import { unhold } from './talking.ts'
import { emit, enterPhase, hangUp, patch, type Turn } from './turn.ts'

type RingDialled = Extract<CallMachineEvent, { kind: 'ring.dialled' }>

/** A leg to a device or mobile number exists. */
export function ringDialled(turn: Turn, { userId, leg, via, prompt }: RingDialled) {
  const rung = rungBy(turn.call).find((one) => one.userId === userId)
  // Answered, declined or over in the meantime.
  if (!rung) return hangUp(turn, leg, 'cancelled')
  if (rung.legs?.some((one) => one.leg === leg)) return
  changeRung(turn, { ...rung, legs: [...(rung.legs ?? []), { leg, via, ...(prompt !== undefined && { prompt }) }] })
}

/** No phone app of the user is open: the ring ends with the last leg. */
export function ringWithoutApp(turn: Turn, userId: number) {
  const rung = rungBy(turn.call).find((one) => one.userId === userId)
  if (!rung) return
  if (!rung.legs?.length) return agentLost(turn, userId)
  changeRung(turn, { ...rung, noApp: true })
}

function changeRung(turn: Turn, changed: Rung) {
  const { phase, consultation } = turn.call
  const replaced = (all: readonly Rung[]) => all.map((one) => (one.userId === changed.userId ? changed : one))
  if (phase.kind === 'ringing') {
    const { ring } = phase
    enterPhase(turn, { kind: 'ringing', ring: { ...ring, rung: replaced(ring.rung) } })
  }
  if (consultation) patch(turn, { consultation: { ...consultation, rung: replaced(consultation.rung) } })
}

function findRungLeg(call: CallState, leg: LegId): { rung: Rung; found: RungLeg } | undefined {
  for (const rung of rungBy(call)) {
    const found = rung.legs?.find((one) => one.leg === leg)
    if (found) return { rung, found }
  }
  return undefined
}

/** True when the leg rang for an agent. */
export function rungLegAnswered(turn: Turn, leg: LegId): boolean {
  const ringing = findRungLeg(turn.call, leg)
  if (!ringing) return false
  const { rung, found } = ringing
  if (found.via === 'device') takeCall(turn, rung.userId, leg)
  else emit(turn, { kind: 'play', leg, sound: noSound, media: [found.prompt ?? 'forward_accept'], loop: true })
  return true
}

function takeCall(turn: Turn, userId: number, leg: LegId) {
  handleCommand(turn, { kind: 'answer', by: userId, leg })
  agentAttached(turn, userId, leg, 'device')
  // An open phone app shows the call with its controls, but must not take the audio.
  if (turn.call.line === 'real') emit(turn, { kind: 'show', userId, state: 'sound_here' })
}

/** True when the leg rang for an agent. */
export function rungLegEnded(turn: Turn, leg: LegId, reason: EndReason): boolean {
  const ringing = findRungLeg(turn.call, leg)
  if (!ringing) return false
  const { rung, found } = ringing
  const legs = rung.legs?.filter((one) => one !== found) ?? []
  changeRung(turn, { ...rung, legs })
  // 603 declines for the user; 486 may be a setting of one device.
  const isDeclined = found.via === 'device' && (reason === 'rejected' || (reason === 'busy' && rung.noApp))
  const isLast = rung.noApp && legs.length === 0
  if (isDeclined && (isLast || reason === 'rejected')) handleCommand(turn, { kind: 'decline', by: rung.userId })
  else if (isLast) agentLost(turn, rung.userId)
  return true
}

/** A key pressed on a leg that is not the customer's. */
export function agentKey(turn: Turn, leg: LegId, key: string) {
  const { agents, customer, phase } = turn.call
  const ringing = findRungLeg(turn.call, leg)
  if (ringing) {
    if (ringing.found.via !== 'mobile' || key !== '1') return
    emit(turn, { kind: 'play.stop', leg })
    return takeCall(turn, ringing.rung.userId, leg)
  }
  const isAgent = agents.some((agent) => agent.device && agent.leg === leg)
  if (!isAgent || phase.kind !== 'talking' || phase.held || customer.leg === null) return
  emit(turn, { kind: 'digits', leg: customer.leg, digits: key })
}

/** The hold key of a device: the call is held as if in the phone app. */
export function agentHolds(turn: Turn, leg: LegId, held: boolean): boolean {
  const { agents, customer, phase } = turn.call
  if (!agents.some((agent) => agent.device && agent.leg === leg)) return false
  if (phase.kind !== 'talking' || phase.held === held || customer.leg === null) return true
  if (held) hold(turn)
  else unhold(turn)
  return true
}

/** A device that places a call hears ringback as early media; it is answered when the other party answers. */
export function attachCallingDevice(turn: Turn, userId: number, leg: LegId) {
  emit(turn, { kind: 'leg.early', leg })
  agentAttached(turn, userId, leg, 'device')
  const { agents } = turn.call
  patch(turn, { agents: agents.map((one) => (one.userId === userId ? { ...one, unanswered: true as const } : one)) })
}
