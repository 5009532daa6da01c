import { tagOf } from './address.ts'
import { sdpOf } from './build.ts'
import { dialogOfResponse } from './dialog.ts'
import type { SipFlow } from './flow.ts'
import { header, type SipRequest, type SipResponse } from './message.ts'
import { endOutgoing, hangUpOutgoing, type OutgoingState, releaseOutgoing } from './outgoing-state.ts'
import { saveDialog } from './saved-dialog.ts'
import { createSession, type DialogSession } from './session.ts'
import { agreedTimer } from './session-timer.ts'

// Several ends may answer one INVITE: the first one is the call, all others are acknowledged and ended.

const maxForks = 16

/** The session of the answering end; undefined for a response without a dialog. */
export function forkOf(call: OutgoingState, response: SipResponse, peer: SipFlow): DialogSession | undefined {
  const { trunk, forks } = call
  const theirs = tagOf(header(response, 'to'))
  const dialog = dialogOfResponse(trunk.id, response)
  if (!theirs || !dialog) return undefined
  const known = forks.get(theirs)
  if (known || forks.size >= maxForks) return known
  const begin = { dialog, flow: peer, contactUser: trunk.username ?? '', ownsCallId: true, firstMessage: response }
  const fork: DialogSession = createSession(call.endpoint, begin, {
    emit: (event) => (call.chosen ?? fork) === fork && call.emitter.emit(event),
    changed: () => call.chosen === fork && emitDialog(call, fork),
    ended() {
      if (call.chosen !== fork) return
      endOutgoing(call, 'hangup')
      releaseOutgoing(call)
    },
    lost: () => call.chosen === fork && hangUpOutgoing(call, 'lost'),
  })
  forks.set(theirs, fork)
  return fork
}

const emitDialog = ({ emitter }: OutgoingState, fork: DialogSession) =>
  emitter.emit({ kind: 'leg.dialog', dialog: saveDialog(fork.dialog(), fork.flow()) })

/** A 2xx to our INVITE. */
export function onAccepted(call: OutgoingState, response: SipResponse, request: SipRequest, peer: SipFlow) {
  const fork = forkOf(call, response, peer)
  const dialog = dialogOfResponse(call.trunk.id, response)
  if (!fork || !dialog) return
  // RFC 3261 §13.2.2.4: the route set of the 2xx replaces that of the early dialog.
  const used = Math.max(fork.dialog().seq, dialog.seq)
  const isFirst = call.chosen === undefined && call.phase === 'calling'
  if (fork !== call.chosen) fork.setDialog({ ...dialog, seq: used })
  void fork.acknowledge(response, request)
  if (isFirst) return choose(call, fork, response)
  // A retransmitted 2xx gets its ACK again; that of another fork, or one that crossed a CANCEL, is ended.
  if (fork === call.chosen || call.endedForks.has(fork)) return
  call.endedForks.add(fork)
  fork.stop()
  const done = call.chosen ? () => {} : () => releaseOutgoing(call)
  fork.bye('cancelled').then(done, done)
}

function choose(call: OutgoingState, fork: DialogSession, response: SipResponse): void {
  // RFC 6337 §3.1: after an UPDATE a repeated answer to the INVITE is outdated.
  const sdp = fork.isRenegotiated() ? undefined : sdpOf(response)
  call.chosen = fork
  call.phase = 'up'
  call.cancelTimeout()
  fork.settle({ ...(!fork.isSettled() && { local: call.options.sdp }), remote: sdp })
  fork.setTimer(agreedTimer(response))
  emitDialog(call, fork)
  call.emitter.emit({ kind: 'leg.answered', ...(sdp !== undefined && { sdpAnswer: sdp }) })
}
