import type { LegId } from '../../domain/voice.ts'
import { second } from '../../lib/clock.ts'
import type { DriverContext } from './context.ts'
import type { TrunkLeg } from './legs.ts'

// What happens on a leg, by signalling or by media; the engine receives each event once.

export function legAnswered(context: DriverContext, leg: LegId): void {
  const { legs, media, log } = context
  const trunk = legs.trunk(leg)
  trunk.isAnswered = true
  media
    .request('watch', { leg })
    .catch((error) => log.debug({ event: 'rtp.watch_failed', error, leg }, 'leg ended before its RTP was watched'))
  legs.emit({ kind: 'leg.answered', leg })
  if (trunk.audio === 'received') legConnected(context, leg)
}

/** Audio arrives. On a trunk it is reported once the call is answered. */
export function legConnected({ legs }: DriverContext, leg: LegId): void {
  const found = legs.get(leg)
  if (found?.kind === 'trunk') {
    const wasReported = found.audio === 'reported'
    found.audio = found.isAnswered ? 'reported' : 'received'
    if (wasReported || !found.isAnswered) return
  }
  legs.emit({ kind: 'leg.connected', leg })
}

export function remoteHold({ legs }: DriverContext, leg: LegId, trunk: TrunkLeg, held: boolean): void {
  if (trunk.isHeld === held) return
  trunk.isHeld = held
  legs.emit({ kind: 'leg.remoteHold', leg, held })
}

/** A far end that sends DTMF by INFO may send it in RTP as well: the same digit within a second counts once. */
export function digitReceived({ legs, clock }: DriverContext, leg: LegId, key: string, by: 'rtp' | 'info'): void {
  const found = legs.get(leg)
  if (found?.kind === 'trunk') {
    const { lastDigit } = found
    found.lastDigit = { key, by, at: clock.machineNow() }
    if (lastDigit?.key === key && lastDigit.by !== by && clock.machineNow() - lastDigit.at < second) return
  }
  legs.emit({ kind: 'leg.dtmf', leg, digit: key })
}
