import { isOfFamily } from '../lib/ip-address.ts'
import { isPublicAddress } from '../lib/public-url.ts'
import { preferredFormat, readSdp } from '../media/sdp.ts'
import type { TrunkMedia } from './embedded/sip-calls.ts'
import { addressList } from './sip/guard.ts'

/** Thrown for an INVITE that is answered with 488. */
export class UnusableOffer extends Error {}

const lowestPort = 1_024

/** Multicast, broadcast, reserved and "this network": no phone receives RTP there. */
const isNoUnicast = addressList(['0.0.0.0/8', '224.0.0.0/4', '240.0.0.0/4', '::/128', 'ff00::/8'])

/** Why an SDP offer cannot be answered on that trunk; undefined when it can. */
export function problemOfOffer(
  sdp: string,
  { isPrivate, behindNat, encrypted, families, codecs }: Omit<TrunkMedia, 'mediaAddress'>,
): string | undefined {
  const offer = readSdp(sdp)
  if ('problem' in offer) return offer.problem
  if (!preferredFormat(offer, { codecs })) return 'no codec in common'
  if (offer.secure && !(encrypted && offer.crypto.length > 0)) return 'no encryption in common'
  if (offer.port < lowestPort) return 'RTP port below 1024'
  const { address } = offer
  if (address === null) return undefined
  if (isNoUnicast(address)) return 'RTP address is not unicast'
  if (!isOfFamily(address, families)) return 'no address family in common'
  // Behind NAT the address in the SDP is usually private; RTP then follows the address of the signalling.
  return isPrivate || behindNat || isPublicAddress(address) ? undefined : 'private RTP address on a public trunk'
}
