import { secureRandom } from '../../lib/random.ts'
import { attempt, type FinalOutcome } from './attempt.ts'
import { allowedMethods, sdpOf, supportedOptions } from './build.ts'
import type { Header } from './message.ts'
import {
  acknowledge,
  buildRequest,
  isSettled,
  peersOfSession,
  type SessionState,
  sendRequest,
  trunkOfSession,
  updateTarget,
} from './session-state.ts'
import { agreedTimer, type SessionTimer, timerMs, timerOfRequest } from './session-timer.ts'

// Our offers within a dialog, and the session timer (RFC 4028), which repeats the last one.

const maxGlares = 8

/** Sends a re-INVITE or, before the INVITE is answered, an UPDATE; resolves with the SDP answer. */
export function sendOffer(session: SessionState, sdp: string, glares = 0): Promise<string | undefined> {
  if (session.isOver || isBusy(session)) return Promise.resolve(undefined)
  const method = session.isConfirmed ? 'INVITE' : 'UPDATE'
  // RFC 3311 §5.1: the offer of the INVITE must have been answered.
  if (method === 'UPDATE' && !(session.canUpdate && isSettled(session))) return Promise.resolve(undefined)
  return new Promise((resolve) => {
    const own = attempt(session.endpoint, {
      trunk: trunkOfSession(session),
      peers: () => peersOfSession(session),
      build: (peer) => buildRequest(session, method, peer, offerHeaders(session), sdp),
      final(result) {
        if (session.pending === own) {
          session.pending = undefined
          resolve(settleOffer(session, result, sdp, glares))
        } else if (result.kind === 'response') void acknowledge(session, result.response, result.request)
      },
    })
    session.pending = own
  })
}

/** An offer of either side is pending. */
const isBusy = ({ pending, asked, unacked }: SessionState) => pending !== undefined || asked?.isOpen() || unacked

const offerHeaders = ({ timer }: SessionState): Header[] => [
  { name: 'allow', value: allowedMethods },
  { name: 'supported', value: supportedOptions },
  ...(timer ? [{ name: 'session-expires', value: timerOfRequest(timer) }] : []),
]

async function settleOffer(
  session: SessionState,
  result: FinalOutcome,
  sdp: string,
  glares: number,
): Promise<string | undefined> {
  if (result.kind !== 'response') return farEndGone(session)
  const { response, request } = result
  if (response.status === 491 && glares < maxGlares && !session.isOver) {
    await glareOver(session)
    return sendOffer(session, sdp, glares + 1)
  }
  if (endsDialog(response.status)) return farEndGone(session)
  if (response.status >= 300) return undefined
  if (request.method === 'INVITE') await acknowledge(session, response, request)
  else updateTarget(session, response)
  setTimer(session, agreedTimer(response) ?? session.timer)
  session.isRenegotiated = true
  session.local = sdp
  session.remote = sdpOf(response) ?? session.remote
  return sdpOf(response)
}

/** RFC 3261 §12.2.1.2: these two mean that the dialog is over. */
const endsDialog = (status: number) => status === 408 || status === 481

function farEndGone({ isOver, hooks }: SessionState): undefined {
  if (!isOver) hooks.lost()
}

/** RFC 3261 §14.1, in units of 10 ms. */
function glareOver(session: SessionState): Promise<void> {
  const ms = session.ownsCallId ? 2_100 + secureRandom() * 1_900 : secureRandom() * 2_000
  return new Promise((resolve) => {
    session.cancelGlare = session.endpoint.clock.machineAfter(Math.round(ms / 10) * 10, resolve)
  })
}

export function setTimer(session: SessionState, agreed: SessionTimer | undefined): void {
  const { endpoint, hooks } = session
  const { clock } = endpoint
  session.timer = agreed
  session.cancelTimer()
  if (!agreed || session.isOver) return
  session.cancelTimer = clock.machineAfter(timerMs(agreed), () => {
    if (agreed.refresher === 'them') return hooks.lost()
    // If the refresh fails, the session still ends at its expiry.
    const restMs = timerMs({ ...agreed, refresher: 'them' }) - timerMs(agreed)
    session.cancelTimer = clock.machineAfter(restMs, hooks.lost)
    refresh(session, agreed).catch((error) =>
      endpoint.log.error({ event: 'sip.refresh_failed', error }, 'session could not be refreshed'),
    )
  })
}

async function refresh(session: SessionState, agreed: SessionTimer, glares = 0): Promise<void> {
  const again = async () => {
    await glareOver(session)
    if (!session.isOver && glares < maxGlares) await refresh(session, agreed, glares + 1)
  }
  if (isBusy(session)) return again()
  if (!session.canUpdate && session.local !== undefined) {
    await sendOffer(session, session.local)
    return
  }
  const result = await sendRequest(session, 'UPDATE', [
    { name: 'supported', value: supportedOptions },
    { name: 'session-expires', value: timerOfRequest(agreed) },
  ])
  if (result.kind !== 'response') return farEndGone(session)
  const { status } = result.response
  if (endsDialog(status)) return farEndGone(session)
  if (status === 491) return again()
  if (status < 300 && !session.isOver) setTimer(session, agreedTimer(result.response) ?? agreed)
}
