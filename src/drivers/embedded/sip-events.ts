import type { LegId } from '../../domain/voice.ts'
import { UnusableOffer } from '../offer.ts'
import type { DriverContext } from './context.ts'
import { digitReceived, legAnswered } from './leg-progress.ts'
import { acceptReoffer, admit, applyAnswer } from './negotiation.ts'
import type { SipEvent } from './sip-calls.ts'
import { dialNextTrunk, mayTryNextTrunk } from './trunk-fallback.ts'

type On<K extends SipEvent['kind']> = Extract<SipEvent, { kind: K }>

const notAcceptable = 488

/** Handles an event of the SIP stack. */
export function onSipEvent(context: DriverContext, event: SipEvent) {
  const { legs, log } = context
  switch (event.kind) {
    case 'leg.incoming':
      return incoming(context, event)
    case 'leg.progress':
      return progress(context, event)
    case 'leg.answered':
      return endOnFailure(context, event.leg, answered(context, event))
    case 'leg.dtmf':
      return digitReceived(context, event.leg, event.digit, 'info')
    case 'leg.ended':
      return ended(context, event)
    case 'leg.dialog':
    case 'leg.referred':
    case 'trunk.state':
    case 'device.registered':
    case 'device.gone':
      return legs.emit(event)
    case 'sdp.answer':
      return endOnFailure(context, event.leg, applyAnswer(context, event.leg, event.sdpAnswer))
    case 'sdp.offer':
      acceptReoffer(context, event.leg, event.sdpOffer).then(event.reply, (error) => {
        log.info({ event: 'sip.reinvite_rejected', leg: event.leg, error }, 'rejected a re-INVITE with 488')
        event.reply(undefined)
      })
      return
  }
}

function incoming(context: DriverContext, event: On<'leg.incoming'>): void {
  const { leg, trunkId, from, to, sdpOffer, asksForEarlyOffer, deviceId, callerId } = event
  const { sip, legs, isDraining } = context
  legs.buffer(leg)
  admit(context, leg, trunkId, sdpOffer, asksForEarlyOffer).then(
    () => {
      if (legs.isBuffered(leg)) {
        const device = deviceId === undefined ? {} : { deviceId }
        const verified = callerId === undefined ? {} : { callerId }
        legs.publish({ kind: 'leg.incoming', leg, trunkId, from, to, ...device, ...verified })
        legs.flush(leg)
      } else legs.discard(leg)
    },
    (error) => {
      // Cancelled by the caller, or refused because this driver closes.
      if (!legs.isBuffered(leg)) return
      legs.dropBuffer(leg)
      if (isBusy(error) && !isDraining()) legs.publish({ kind: 'call.refused', trunkId, from, to })
      // Above the limit the carrier may try another server.
      void sip.end(leg, error instanceof UnusableOffer ? 'unusable' : 'overloaded')
    },
  )
}

/** The media process has reached its limit of legs. */
const isBusy = (error: unknown) => error instanceof Error && error.name === 'Busy'

function progress(context: DriverContext, { leg, code, sdpAnswer }: On<'leg.progress'>): void {
  const { legs } = context
  const trunk = legs.get(leg)
  // The far end rings: no other trunk is tried.
  if (trunk?.kind === 'trunk' && code >= 180) trunk.dialling = null
  if (sdpAnswer) endOnFailure(context, leg, applyAnswer(context, leg, sdpAnswer))
  legs.emit({ kind: 'leg.progress', leg, code, ...(sdpAnswer && { early: true }) })
}

async function answered(context: DriverContext, { leg, sdpAnswer }: On<'leg.answered'>): Promise<void> {
  if (sdpAnswer !== undefined) await applyAnswer(context, leg, sdpAnswer)
  // An incoming call was reported as answered when our answer was sent.
  if (!context.legs.trunk(leg).isAnswered) legAnswered(context, leg)
}

/** A call whose media cannot be negotiated is ended. */
function endOnFailure({ sip, legs, log }: DriverContext, leg: LegId, work: Promise<unknown>): void {
  work.catch((error) => {
    log.warn({ event: 'sip.media_failed', error, leg }, 'media of a call could not be negotiated')
    void sip.end(leg, 'unusable')
    legs.ended(leg, 'failed', notAcceptable)
  })
}

function ended(context: DriverContext, { leg, reason, code }: On<'leg.ended'>) {
  const { legs, log } = context
  const found = legs.get(leg)
  // Cancelled before it had an RTP port: the call was never announced.
  if (!found) return legs.dropBuffer(leg)
  if (found.kind === 'trunk' && !found.isAnswered && reason !== 'cancelled') {
    const facts = { event: 'sip.call_failed', leg, trunkId: found.trunkId, reason, code: code ?? null }
    log.info(facts, code === undefined ? 'no SIP response to a call' : 'call failed with a SIP response')
  }
  if (!mayTryNextTrunk(found, reason, code)) return legs.ended(leg, reason, code)
  dialNextTrunk(context, leg, found).then(
    (isTried) => void (isTried || legs.ended(leg, reason, code)),
    () => legs.ended(leg, reason, code),
  )
}
