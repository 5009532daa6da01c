import type { EndReason, LegId } from '../../domain/voice.ts'
import { second } from '../../lib/clock.ts'
import { writeOffer } from '../../media/sdp.ts'
import type { DriverContext } from './context.ts'
import type { Leg, TrunkLeg } from './legs.ts'
import { codecsBeside, newSrtpKey } from './negotiation.ts'

/** A trunk that sends no response within this time is given up if another one is left. */
const maxSilenceMs = 4 * second

/** Dials over the next trunk, with the same RTP port. False: no trunk is left. */
export async function dialNextTrunk({ sip, legs }: DriverContext, leg: LegId, trunk: TrunkLeg): Promise<boolean> {
  const { options, next } = trunk.dialling ?? { next: [] }
  const [trunkId, ...others] = next
  if (!options || trunkId === undefined) return false
  const { encrypted, mediaAddress, codecs } = await sip.trunk(trunkId)
  const { key: _key, ...ours } = trunk.ours
  trunk.trunkId = trunkId
  trunk.ours = {
    ...ours,
    address: mediaAddress,
    codecs: codecsBeside(legs, codecs, options.peers),
    ...(encrypted && { key: newSrtpKey() }),
  }
  trunk.dialling = { options, next: others }
  const timeout = others.length > 0 ? { silenceMs: maxSilenceMs } : {}
  await sip.dial(leg, trunkId, { ...options, ...timeout, sdpOffer: writeOffer(trunk.ours) })
  // The leg ended while the INVITE was being prepared.
  if (!legs.has(leg)) await sip.end(leg, 'hangup')
  return true
}

/** No response, or a server failure (5xx): another trunk may succeed. */
const isFailureOfTrunk = (code: number | undefined) => code === undefined || code >= 500

export const mayTryNextTrunk = (found: Leg, reason: EndReason, code: number | undefined): found is TrunkLeg =>
  found.kind === 'trunk' && found.dialling !== null && reason === 'failed' && isFailureOfTrunk(code)
