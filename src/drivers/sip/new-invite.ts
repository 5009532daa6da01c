import { makeResponse } from './build.ts'
import { callPartiesOf } from './identity.ts'
import { type IncomingRequest, respondTo } from './incoming-request.ts'
import { type Header, header, type SipRequest } from './message.ts'
import type { NewRequestContext, TrunksOfSource } from './new-request-context.ts'
import { answerTimer, minInterval } from './session-timer.ts'
import type { SipTrunk } from './trunk.ts'
import type { SipTrunkSettings } from './trunk-settings.ts'

const retryLater: Header[] = [{ name: 'retry-after', value: '10' }]

/** Handles the INVITE of a new call: checks it, determines its trunk and authenticates it. */
export function handleInvite(context: NewRequestContext, incoming: IncomingRequest, trunks: TrunksOfSource) {
  const { request } = incoming
  if (problemOfInvite(context, incoming)) return
  const [first, ...others] = trunks
  if (others.length === 0 || !context.routeCall) return acceptCall(context, incoming, first.settings)
  incoming.respond(makeResponse(request, 100, undefined))
  routeToTrunk(context, incoming, trunks)
}

/** True: the INVITE cannot be handled and was answered. */
export function problemOfInvite(context: NewRequestContext, incoming: IncomingRequest): boolean {
  const { request } = incoming
  const refuse = (status: number, headers: Header[] = []) => {
    respondTo(incoming, status, headers)
    return true
  }
  if (context.transactions.isMerged(incoming)) return refuse(482)
  if (!context.isOpen()) return refuse(503, retryLater)
  const type = header(request, 'content-type')?.split(';')[0]?.trim().toLowerCase()
  if (request.body !== '' && type !== 'application/sdp') {
    return refuse(415, [{ name: 'accept', value: 'application/sdp' }])
  }
  if (answerTimer(request).kind === 'tooShort') {
    return refuse(422, [{ name: 'min-se', value: String(minInterval) }])
  }
  return false
}

function routeToTrunk(context: NewRequestContext, incoming: IncomingRequest, trunks: TrunksOfSource): void {
  const { log } = context
  chooseTrunk(context, incoming.request, trunks).then(
    (chosen) => {
      if (!incoming.isOpen()) return
      if (chosen) return acceptCall(context, incoming, chosen.settings)
      log.info(
        { event: 'sip.invite_rejected', address: incoming.flow.address, status: 404 },
        'no trunk of this address carries calls to the called number',
      )
      respondTo(incoming, 404)
    },
    (error) => {
      log.error({ event: 'sip.routing_failed', error }, 'the trunk of an INVITE could not be determined')
      if (incoming.isOpen()) respondTo(incoming, 503, retryLater)
    },
  )
}

/** By source address and called number: several companies may have the same carrier. */
async function chooseTrunk(
  { routeCall }: NewRequestContext,
  request: SipRequest,
  trunks: TrunksOfSource,
): Promise<SipTrunk | undefined> {
  const candidates = trunks.map(({ settings }) => ({ trunkId: settings.id, to: callPartiesOf(request, settings).to }))
  const chosen = await routeCall?.(candidates)
  return trunks.find(({ settings }) => settings.id === chosen)
}

function acceptCall(context: NewRequestContext, incoming: IncomingRequest, trunk: SipTrunkSettings) {
  const challenges = challengesFor(context, incoming, trunk)
  if (challenges.length > 0) return respondTo(incoming, 401, challenges)
  context.onCall(context.calls.accept(incoming, trunk))
}

/** Empty: the trunk needs no credentials, or the request is authenticated. */
function challengesFor(
  { digestAuth, log }: NewRequestContext,
  { request, flow }: IncomingRequest,
  trunk: SipTrunkSettings,
): Header[] {
  if (!trunk.inboundAuth) return []
  const challenges = digestAuth.challengesFor(request, trunk.domain ?? 'trunk', trunk.inboundAuth)
  if (challenges.length > 0 && header(request, 'authorization') !== undefined) {
    const facts = { event: 'sip.inbound_auth_failed', trunkId: trunk.id, address: flow.address }
    log.warn(facts, 'INVITE with invalid or stale credentials')
  }
  return challenges.map((value) => ({ name: 'www-authenticate', value }))
}
