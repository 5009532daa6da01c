import { makeResponse, newCallId, newTag } from './build.ts'
import { createEmitter, type SipCall } from './call.ts'
import { isOfDialog } from './dialog.ts'
import type { DialogParty, SipEndpoint } from './endpoint.ts'
import { anonymous, identityHeaders } from './identity.ts'
import type { IncomingRequest } from './incoming-request.ts'
import { type Header, hasControl, isToken } from './message.ts'
import { sendInvite } from './outgoing-invite.ts'
import { hangUpOutgoing, type InviteOptions, type OutgoingState, startSilenceTimer } from './outgoing-state.ts'
import { minInterval } from './session-timer.ts'
import type { SipTrunkSettings } from './trunk-settings.ts'

export interface OutgoingCall extends DialogParty {
  call: SipCall
  closed: Promise<void>
}

/** An outbound call. */
export function createOutgoingCall(
  endpoint: SipEndpoint,
  trunk: SipTrunkSettings,
  options: InviteOptions,
  released: () => void,
): OutgoingCall {
  let setClosed = () => {}
  const closed = new Promise<void>((resolve) => {
    setClosed = resolve
  })
  const state = newState(endpoint, trunk, options, () => {
    released()
    setClosed()
  })
  const party: DialogParty = {
    accepts: (address) => accepts(state, address),
    receive: (incoming) => receive(state, incoming),
  }
  endpoint.adopt(state.callId, state.tag, party)
  startTimers(state)
  sendInvite(state)
  return { call: sipCallOf(state), ...party, closed }
}

function newState(
  endpoint: SipEndpoint,
  trunk: SipTrunkSettings,
  options: InviteOptions,
  released: () => void,
): OutgoingState {
  const tag = newTag()
  const { target, anonymous: isAnonymous = false } = options
  const identity = { ...options, anonymous: isAnonymous, tag, displayName: target?.displayName }
  const { uri, headers } = identityHeaders(trunk, identity)
  return {
    endpoint,
    trunk,
    options,
    callId: newCallId(),
    tag,
    identity: headers,
    custom: customHeaders(options.headers ?? {}),
    emitter: createEmitter(),
    forks: new Map(),
    acknowledged: new Map(),
    asked: new Set(),
    endedForks: new Set(),
    released,
    uri: target?.uri ?? uri,
    place: { host: trunk.host, port: trunk.port, transport: trunk.transport },
    isRedirected: false,
    seq: 0,
    minInterval,
    attempt: { cancel() {} },
    phase: 'calling',
    chosen: undefined,
    isReleased: false,
    cancelTimeout() {},
    cancelSilence() {},
  }
}

function startTimers(call: OutgoingState): void {
  const { clock } = call.endpoint
  const { timeoutMs } = call.options
  call.cancelTimeout = clock.machineAfter(timeoutMs, () => hangUpOutgoing(call, 'no_answer'))
  startSilenceTimer(call)
}

function sipCallOf(state: OutgoingState): SipCall {
  const { callId, tag, trunk, options, forks, emitter } = state
  return {
    id: `${callId}|${tag}`,
    trunkId: trunk.id,
    direction: 'outgoing',
    from: options.anonymous ? anonymous : options.from,
    to: options.to,
    displayName: '',
    sdp: undefined,
    asksForEarlyOffer: false,
    callerId: undefined,
    remoteAddress: () => (state.chosen ?? [...forks.values()].at(-1))?.flow().address,
    progress() {},
    answer() {},
    reject: () => hangUpOutgoing(state, 'rejected'),
    hangup: (reason) => hangUpOutgoing(state, reason),
    offer: async (sdp) => (state.chosen ?? [...forks.values()].at(-1))?.offer(sdp),
    refuseRefer: () => state.chosen?.refuseRefer(),
    on: emitter.on,
  }
}

const accepts = ({ endpoint, trunk, asked, forks }: OutgoingState, address: string): boolean =>
  asked.has(address) ||
  endpoint.isTrunkAddress(trunk.id, address) ||
  [...forks.values()].some((fork) => fork.isPeer(address))

/** A request of the far end within one of the dialogs. */
function receive({ forks }: OutgoingState, incoming: IncomingRequest): void {
  const fork = [...forks.values()].find((one) => isOfDialog(one.dialog(), incoming.request))
  if (fork) fork.receive(incoming)
  else incoming.respond(makeResponse(incoming.request, 481, undefined))
}

/** Custom headers: only X- headers, without line breaks. */
function customHeaders(headers: Record<string, string>): Header[] {
  return Object.entries(headers).map(([name, value]) => {
    const small = name.toLowerCase()
    const bytes = Buffer.from(value, 'utf8').toString('latin1')
    if (!isToken(small) || !small.startsWith('x-') || hasControl(bytes) || bytes.length > 1_024) {
      throw new Error('a custom SIP header must begin with X- and be a single line')
    }
    return { name: small, value: bytes }
  })
}
