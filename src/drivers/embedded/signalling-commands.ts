import type { DeviceTarget, DialOptions, LegId, VoiceDriver } from '../../domain/voice.ts'
import { writeOffer } from '../../media/sdp.ts'
import { trunkIdOfDevice } from '../sip/device-settings.ts'
import type { DriverContext } from './context.ts'
import { legAnswered } from './leg-progress.ts'
import type { TrunkLeg } from './legs.ts'
import { acceptOffer, isWideLeg, openTrunkLeg } from './negotiation.ts'
import type { SoundFiles } from './sound-files.ts'
import { dialNextTrunk } from './trunk-fallback.ts'

export type SignallingCommands = Pick<
  VoiceDriver,
  'dial' | 'ringing' | 'answer' | 'reject' | 'hangup' | 'refuseTransfer' | 'endDialog' | 'attachBrowser'
>

/** Commands that create, answer and end legs. */
export function createSignallingCommands(context: DriverContext, { filesOf }: SoundFiles): SignallingCommands {
  const { sip, media, mediaStart, legs, newId, isDraining } = context
  return {
    async dial(options) {
      if (options.device) return dialDevice(context, options, options.device)
      const [trunkId, ...next] = options.trunkIds
      if (trunkId === undefined) throw new Error('no trunk carries this call')
      if (isDraining() && !options.urgent) throw new Error('no new calls: this process is ending')
      const leg = options.leg ?? newId('leg')
      if (legs.wasUsed(leg)) return leg
      legs.buffer(leg)
      try {
        const trunk = await openTrunkLeg(context, leg, trunkId, null, { isUrgent: options.urgent ?? false })
        trunk.dialling = { options, next: [trunkId, ...next] }
        await dialNextTrunk(context, leg, trunk)
      } catch (error) {
        legs.dropBuffer(leg)
        legs.discard(leg)
        throw error
      }
      // The caller of dial() receives the id before the first event of the leg.
      setImmediate(legs.flush, leg)
      return leg
    },
    async ringing(leg, early) {
      const trunk = legs.trunk(leg)
      if (trunk.offered === '' && trunk.asksForEarlyOffer) return sip.ringing(leg, offerEarly(trunk), 'offer')
      if (early === undefined || !trunk.offered) return sip.ringing(leg)
      trunk.early = await acceptOffer(context, leg, trunk.offered)
      await sip.ringing(leg, trunk.early)
      const files = await filesOf([early])
      await media.request('play', { leg, playId: newId('play'), files, loop: true, bargeInOn: '' })
    },
    async answer(leg) {
      const { offered, early, ours } = legs.trunk(leg)
      if (offered === null && early === null) return
      try {
        // An INVITE without an offer asks for ours; the answer comes in the ACK (RFC 3261 §13.2.1).
        const sdp = early ?? (offered ? await acceptOffer(context, leg, offered) : writeOffer(ours))
        await sip.answer(leg, sdp)
      } catch (error) {
        // The caller received no answer, so the call must not count as answered.
        if (legs.has(leg)) legs.ended(leg, 'failed', await sip.end(leg, 'unusable'))
        throw error
      }
      Object.assign(legs.trunk(leg), { offered: null, early: null })
      legAnswered(context, leg)
    },
    async reject(leg, why) {
      legs.living(leg)
      legs.ended(leg, 'rejected', await sip.end(leg, why))
    },
    async hangup(leg, reason) {
      const found = legs.get(leg)
      if (!found) return
      const isTrunk = found.kind === 'trunk'
      const isElsewhere = reason === 'answered_elsewhere'
      if (isTrunk) await sip.end(leg, isElsewhere ? reason : reason === 'lost' ? 'overloaded' : 'hangup')
      legs.ended(leg, isElsewhere ? 'cancelled' : (reason ?? (isTrunk && !found.isAnswered ? 'cancelled' : 'hangup')))
    },
    refuseTransfer: (leg) => sip.refuseTransfer(leg),
    endDialog: (dialog) => sip.endDialog(dialog),
    async attachBrowser({ sdpOffer, urgent = false, peers = [], isInternal = false }) {
      if (isDraining() && legs.isEmpty() && !urgent) throw new Error('no new calls: this process is ending')
      const leg = newId('leg')
      await mediaStart.ensure()
      // The first leg of an outbound call is attached before the carrier has answered.
      const isExpected = peers.length === 0 && (isInternal || sip.prefersWideband())
      const isWideband = isExpected || peers.some((peer) => isWideLeg(legs.get(peer)))
      const request = { leg, offer: sdpOffer, isUrgent: urgent, isWideband }
      const { answer, isWide } = await media.request('attachBrowser', request)
      legs.add(leg, { kind: 'browser', isWide })
      legs.emit({ kind: 'leg.answered', leg })
      return { leg, sdpAnswer: answer }
    },
  }
}

/** Our offer in the first provisional response; the PRACK brings the answer. */
function offerEarly(trunk: TrunkLeg): string {
  trunk.early = writeOffer(trunk.ours)
  trunk.offered = null
  trunk.ours = { ...trunk.ours, version: trunk.ours.version + 1 }
  return trunk.early
}

/** Calls a registered contact of a device; the media is offered to the address that it has registered from. */
async function dialDevice(
  context: DriverContext,
  { from, anonymous = false, timeoutMs, peers, ...options }: DialOptions,
  target: DeviceTarget,
): Promise<LegId> {
  const { sip, legs, newId } = context
  const leg = options.leg ?? newId('leg')
  if (legs.wasUsed(leg)) return leg
  legs.buffer(leg)
  try {
    const { ours } = await openTrunkLeg(context, leg, trunkIdOfDevice(target.deviceId), null, {
      address: target.contact.address,
      peers,
    })
    await sip.dialDevice(leg, target, { from, anonymous, timeoutMs, sdpOffer: writeOffer(ours) })
  } catch (error) {
    legs.dropBuffer(leg)
    legs.discard(leg)
    throw error
  }
  setImmediate(legs.flush, leg)
  return leg
}
