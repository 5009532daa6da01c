import type { DriverCommand } from '../domain/call/events.ts'
import { type CallState, rungBy } from '../domain/call/state.ts'
import type { LegId } from '../domain/voice.ts'
import { randomId } from '../lib/secrets.ts'
import { maxDeviceTargets } from './device-store.ts'

// Driver commands on real lines run after the commit of the state that requires them. If the process ends in between,
// another one repeats them: the driver recognizes ids that it has already used.

/** Assigns the ids of what the command creates. */
export function withCommandIds(command: DriverCommand): DriverCommand {
  if (command.kind === 'dial') return { ...command, leg: `leg-${randomId()}` }
  if (command.kind === 'ring') return { ...command, legs: `leg-${randomId()}` }
  if (command.kind === 'record') return { ...command, recId: `rec-${randomId()}` }
  return command
}

/** Playback is numbered within its call; ringback has no number. */
export const playIdOf = (key: string, sound: number): string | undefined =>
  sound < 0 ? undefined : `play-${key}-${sound}`

export const roomIdOf = (key: string, name: 'main' | 'consultation') => `room-${key}-${name}`

/** The id of a leg to a device of a rung user; `target`: its position among the devices, or the mobile number. */
export const ringLegOf = (legs: string, target: number | 'mobile'): LegId => `${legs}-${target}`

/** The legs that a command may have created. */
export function possibleLegsOf(command: DriverCommand): LegId[] {
  if (command.kind === 'dial') return command.leg === undefined ? [] : [command.leg]
  if (command.kind !== 'ring' || command.legs === undefined) return []
  const { legs } = command
  return [...Array.from({ length: maxDeviceTargets }, (_, n) => ringLegOf(legs, n)), ringLegOf(legs, 'mobile')]
}

/**
 * Phone apps read the state of their calls when they reconnect, and attach again; keys are not pressed twice. Speech
 * services start again with `engine.resumed`. A ring is repeated for devices only.
 */
const notRepeated = new Set<DriverCommand['kind']>([
  'ring.stop',
  'show',
  'card',
  'attach',
  'digits',
  'stt.start',
  'llm.request',
  'voiceAgent.fetchContext',
  'hand_over',
])

export const isRepeatable = ({ kind }: DriverCommand) => !notRepeated.has(kind)

/** All legs of the call. */
export function legsOfCall(call: CallState): LegId[] {
  const { customer, agents, supervisors, guests, consultation, phase } = call
  const legs = [
    customer.leg,
    ...[...agents, ...supervisors, ...guests].map(({ leg }) => leg),
    consultation?.leg,
    ...rungBy(call).flatMap(({ legs: ringing = [] }) => ringing.map(({ leg }) => leg)),
    phase.kind === 'forwarded' ? phase.leg : null,
  ]
  return [...new Set(legs.filter((leg) => typeof leg === 'string'))]
}

/** External legs that were dialled, with their numbers. */
export function dialledLegsOf({ record, customer, guests, consultation, phase }: CallState) {
  const { direction, external } = record
  const consulted = consultation?.to.type === 'number' ? { leg: consultation.leg, phone: consultation.to.number } : null
  const all = [
    ...(direction === 'outbound' && external !== null ? [{ leg: customer.leg, phone: external }] : []),
    ...(phase.kind === 'forwarded' ? [{ leg: phase.leg, phone: phase.phone }] : []),
    ...(consulted ? [consulted] : []),
    ...guests,
  ]
  return all.flatMap(({ leg, phone }) => (leg === null ? [] : [{ leg, phone }]))
}
