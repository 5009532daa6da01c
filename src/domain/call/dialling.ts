import { consultationFailed } from './consultation.ts'
import type { CallMachineEvent, DialRole } from './events.ts'
import { finish } from './finish.ts'
import { continueUnanswered } from './forwarded.ts'
import type { CallState } from './state.ts'
import { emit, enterPhase, hangUp, patch, publishCallEvent, type Turn } from './turn.ts'

// External parties that are dialled: the customer, a forwarding destination, a consulted party.

type On<K extends CallMachineEvent['kind']> = Extract<CallMachineEvent, { kind: K }>

const dialMs = 60_000

export function dialCustomer(turn: Turn, userId: number | null) {
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

export function dialled(turn: Turn, { role, to, leg }: On<'dialled'>) {
  const { phase, consultation, customer } = turn.call
  if (!isAwaited(turn.call, role, to)) return hangUp(turn, leg, 'cancelled')
  if (role === 'customer') patch(turn, { customer: { ...customer, leg } })
  else if (phase.kind === 'forwarded') enterPhase(turn, { ...phase, leg })
  else if (consultation) patch(turn, { consultation: { ...consultation, leg } })
}

export function dialFailed(turn: Turn, { role, to }: On<'dial.failed'>) {
  const { phase } = turn.call
  if (!isAwaited(turn.call, role, to)) return
  if (role === 'customer') return finish(turn, 'failure')
  if (role === 'consultation') return consultationFailed(turn)
  if (phase.kind !== 'forwarded') return
  publishCallEvent(turn, 'unsuccessful_transfer')
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
