import type { MediaEvent } from '../media-process.ts'
import type { Taps } from '../taps.ts'
import type { DriverContext } from './context.ts'
import { digitReceived, legConnected } from './leg-progress.ts'
import type { Recordings } from './recordings.ts'

/** Handles an event of the media process. */
export function onMediaEvent(
  context: DriverContext,
  { taps, recordings }: { taps: Taps; recordings: Recordings },
  event: MediaEvent,
) {
  const { legs, log } = context
  switch (event.kind) {
    case 'died':
      legs.emit({ kind: 'node.gone', legs: legs.all().length })
      recordings.rescue()
      taps.forgetAll()
      return endAllLegs(context)
    case 'leg.lost':
      return legs.ended(event.leg, 'lost')
    case 'leg.connected':
      return legConnected(context, event.leg)
    case 'leg.silent': {
      const { leg, seconds } = event
      log.info({ event: 'rtp.timeout', leg, seconds }, 'no RTP arrives any more: the call is ended')
      void context.sip.end(leg, 'hangup')
      return legs.ended(leg, 'lost')
    }
    case 'leg.foreign': {
      const { leg, address, packets } = event
      log.warn({ event: 'rtp.foreign_packets', leg, address, packets }, 'dropped RTP packets of a foreign source')
      return
    }
    case 'leg.dtmf':
      return digitReceived(context, event.leg, event.digit, 'rtp')
    case 'leg.quality':
    case 'play.ended':
    case 'record.ended': {
      const { seq: _own, ...data } = event
      if (data.kind === 'record.ended') recordings.ended(data.recId)
      return legs.emit(data)
    }
    case 'tap.sound':
      return taps.sound(event.tapId, event.ulaw)
    case 'tap.ended':
      if (event.cause === 'overrun')
        log.warn({ event: 'media.tap_overrun', tapId: event.tapId }, 'audio tap closed: its reader is too slow')
      return taps.ended(event.tapId, event.cause)
    case 'play.missing':
      log.warn({ event: 'media.file_missing', leg: event.leg, file: event.file }, 'audio file is missing')
      return
    case 'record.failed':
      return recordings.failed(event.recId, event.message)
    case 'ready':
      return
  }
}

function endAllLegs({ sip, legs }: DriverContext): void {
  for (const [leg, { kind }] of legs.all()) {
    if (kind === 'trunk') void sip.end(leg, 'hangup')
    legs.ended(leg, 'lost')
  }
}
