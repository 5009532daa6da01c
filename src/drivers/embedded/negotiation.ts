import { randomBytes, randomInt } from 'node:crypto'
import { isIP } from 'node:net'
import type { LegId } from '../../domain/voice.ts'
import { type AudioCodec, isWidebandCodec } from '../../media/codecs.ts'
import { type Agreed, answerTo, isHeldBy, type OurSide, preferredFormat, readSdp, settle } from '../../media/sdp.ts'
import { problemOfOffer, UnusableOffer } from '../offer.ts'
import type { DriverContext } from './context.ts'
import { remoteHold } from './leg-progress.ts'
import type { Leg, Legs, TrunkLeg } from './legs.ts'

// The media of trunk legs: an RTP port for each, and SDP offers and answers.

export const newSrtpKey = () => randomBytes(30)

/** Opens the RTP port of a leg. `offered` is the SDP offer of the far end; null: we dial. */
export async function openTrunkLeg(
  { sip, media, mediaStart, legs }: DriverContext,
  leg: LegId,
  trunkId: string,
  offered: string | null,
  { isUrgent = false, address, peers }: { isUrgent?: boolean; address?: string; peers?: LegId[] | undefined } = {},
): Promise<TrunkLeg> {
  const isCaller = offered !== null
  const { encrypted, mediaAddress, codecs } = await sip.trunk(trunkId, isCaller ? leg : undefined, undefined, address)
  await mediaStart.ensure()
  const { port } = await media.request('openTrunk', { leg, isUrgent, isCaller })
  const ours: OurSide = {
    address: mediaAddress,
    port,
    sessionId: randomInt(1, 2 ** 47),
    version: 1,
    codecs: codecsBeside(legs, codecs, peers),
    ...(encrypted && { key: newSrtpKey() }),
  }
  const trunk: TrunkLeg = {
    kind: 'trunk',
    trunkId,
    ours,
    offered,
    isWide: false,
    early: null,
    asksForEarlyOffer: false,
    isHeld: false,
    isAnswered: false,
    audio: 'none',
    dialling: null,
  }
  legs.add(leg, trunk)
  return trunk
}

/** A call whose offer cannot be answered is refused before any agent rings. */
export async function admit(
  context: DriverContext,
  leg: LegId,
  trunkId: string,
  sdpOffer: string | null,
  asksForEarlyOffer = false,
): Promise<void> {
  const { sip, log } = context
  const problem = sdpOffer === null ? undefined : problemOfOffer(sdpOffer, await sip.trunk(trunkId, leg))
  if (problem === undefined) {
    const trunk = await openTrunkLeg(context, leg, trunkId, sdpOffer ?? '')
    trunk.asksForEarlyOffer = asksForEarlyOffer
    return
  }
  log.info({ event: 'sip.offer_rejected', leg, trunkId, reason: problem }, 'rejected an INVITE whose SDP is unusable')
  throw new UnusableOffer(problem)
}

/** Connects the media and returns our SDP answer; throws where the offer is unusable. */
export async function acceptOffer(context: DriverContext, leg: LegId, sdpOffer: string): Promise<string> {
  const trunk = context.legs.trunk(leg)
  const offer = readSdp(sdpOffer)
  if ('problem' in offer) throw new Error(`unusable offer: ${offer.problem}`)
  // Media may be of another address family than the signalling, from which our address was derived.
  if (offer.address !== null && isIP(offer.address) !== isIP(trunk.ours.address)) {
    const { mediaAddress } = await context.sip.trunk(trunk.trunkId, leg, offer.address)
    trunk.ours = { ...trunk.ours, address: mediaAddress }
  }
  const answer = answerTo(offer, trunk.ours)
  if ('problem' in answer) throw new Error(`unusable offer: ${answer.problem}`)
  await connectMedia(context, leg, trunk, answer.agreed)
  trunk.offered = null
  trunk.ours = { ...trunk.ours, version: trunk.ours.version + 1 }
  remoteHold(context, leg, trunk, isHeldBy(offer))
  return answer.sdp
}

/** Accepts the offer of a re-INVITE. */
export async function acceptReoffer(context: DriverContext, leg: LegId, sdpOffer: string): Promise<string> {
  const { sip, legs } = context
  const problem = problemOfOffer(sdpOffer, await sip.trunk(legs.trunk(leg).trunkId, leg))
  if (problem !== undefined) throw new UnusableOffer(problem)
  return acceptOffer(context, leg, sdpOffer)
}

/** The far end answered our offer; throws where the answer is unusable. */
export async function applyAnswer(context: DriverContext, leg: LegId, sdpAnswer: string): Promise<void> {
  const trunk = context.legs.trunk(leg)
  const answer = readSdp(sdpAnswer)
  const agreed = 'problem' in answer ? answer : settle(answer, trunk.ours)
  if ('problem' in agreed) throw new Error(`unusable answer: ${agreed.problem}`)
  await connectMedia(context, leg, trunk, agreed)
}

async function connectMedia({ sip, media }: DriverContext, leg: LegId, trunk: TrunkLeg, agreed: Agreed): Promise<void> {
  const { isPrivate, behindNat } = await sip.trunk(trunk.trunkId, leg)
  trunk.isWide = isWidebandCodec(agreed.codec)
  const { ourKey, theirKey, ...far } = agreed
  const keys = ourKey && theirKey ? { ours: ourKey.toString('base64'), theirs: theirKey.toString('base64') } : undefined
  const signallingAddress = behindNat ? sip.signallingAddress(leg) : undefined
  await media.request('connect', {
    leg,
    far: { ...far, isPrivate, ...(signallingAddress !== undefined && { signallingAddress }), ...(keys && { keys }) },
  })
}

/** Whether the leg has wideband audio, or will have when it is answered. */
export function isWideLeg(leg: Leg | undefined): boolean {
  if (leg?.kind !== 'trunk' || !leg.offered) return leg?.isWide ?? false
  const offer = readSdp(leg.offered)
  const format = 'problem' in offer ? undefined : preferredFormat(offer, leg.ours)
  return format !== undefined && isWidebandCodec(format.codec)
}

/** An offer begins with what the other parties of the call have, so that nothing is transcoded without need. */
export function codecsBeside(
  legs: Pick<Legs, 'get'>,
  codecs: readonly AudioCodec[],
  peers: LegId[] = [],
): readonly AudioCodec[] {
  if (peers.length === 0) return codecs
  const isWide = peers.some((peer) => isWideLeg(legs.get(peer)))
  const rank = (codec: AudioCodec) => (isWidebandCodec(codec) === isWide ? 0 : 1)
  return codecs.toSorted((a, b) => rank(a) - rank(b))
}
