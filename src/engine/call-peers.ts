import type { CallState } from '../domain/call/state.ts'
import type { LegId } from '../domain/voice.ts'

/** The legs of the call, for a driver that connects one more: it selects a codec that needs no transcoding. */
export function peerLegsOf({ customer, agents, guests, consultation }: CallState): LegId[] {
  const all = [customer.leg, ...agents.map(({ leg }) => leg), ...guests.map(({ leg }) => leg), consultation?.leg]
  return all.filter((leg) => leg !== null && leg !== undefined)
}
