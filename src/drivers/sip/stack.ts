import type { Buffer } from 'node:buffer'
import type { VoiceFactOf } from '../../domain/voice.ts'
import { type Clock, second } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { secureRandom } from '../../lib/random.ts'
import { escapeUser, hostAndPort, tagOf } from './address.ts'
import { allowedMethods, makeResponse, newTag } from './build.ts'
import type { SipCall } from './call.ts'
import { createDialogTeardown } from './dialog-teardown.ts'
import { createDigestAuth } from './digest-auth.ts'
import { createSipDispatcher } from './dispatcher.ts'
import { createPeerHealth, type DialogParty, type SipEndpoint } from './endpoint.ts'
import { createGuard, type GuardLimits } from './guard.ts'
import { callPartiesOf } from './identity.ts'
import { createIncomingCall, type IncomingCall } from './incoming-call.ts'
import { type Header, header, type SipRequest } from './message.ts'
import { createOutgoingCall, type InviteOptions } from './outgoing-call.ts'
import { ownAddressFor } from './own-address.ts'
import { type Resolver, resolveTarget, type SipTarget, systemResolver } from './resolve.ts'
import { answerTimer, minInterval } from './session-timer.ts'
import { createTransactions, type IncomingRequest } from './transactions.ts'
import { createTransport, type Peer, type SipFlow, type TransportKind, type TransportOptions } from './transport.ts'
import { createSipTrunk, type SipTrunk } from './trunk.ts'
import type { SipTrunkSettings } from './trunk-settings.ts'

export type { SipCall, SipCallEvent as CallEvent } from './call.ts'
export type { InviteOptions } from './outgoing-call.ts'
export type { SipTrunkSettings as TrunkSettings } from './trunk-settings.ts'

export interface SipOptions extends Pick<TransportOptions, 'bind' | 'ports' | 'tls'> {
  clock: Clock
  log: Log
  /** Our public address, if the server is behind NAT. */
  publicIp?: string
  resolver?: Resolver
  limits?: GuardLimits
  /** The trunk of an INVITE, if several have its source address; undefined: none. */
  routeCall?(candidates: readonly { trunkId: string; to: string }[]): Promise<string | undefined>
  /** Addresses that the host of a restricted trunk may resolve to. */
  admits?(address: string): boolean
  /** How long close() waits for responses to BYE and unregistration. */
  closeTimeoutMs?: number
}

export interface SipStack {
  start(): Promise<void>
  /** Hangs up, unregisters, waits briefly for the responses, and closes all sockets. */
  close(): Promise<void>
  /** Registers changed trunks again and unregisters removed ones; calls continue. */
  setTrunks(trunks: SipTrunkSettings[]): void
  ports(): { [kind in TransportKind]?: number }
  /** Throws for an unknown trunk and for invalid custom headers; everything else is reported by events of the call. */
  invite(options: InviteOptions): SipCall
  /** Tears down a dialog from the text of a `dialog` event, in any process. Resolves also without a response. */
  endDialog(dialog: string): Promise<void>
  /** The address that the trunk's host resolves to; undefined if it does not resolve. */
  addressOf(trunkId: string): Promise<string | undefined>
  /** undefined: not known yet, or no such trunk. */
  isUp(trunkId: string): boolean | undefined
  stats(): { calls: number; transactions: number; refused: number; banned: number }
  on(listener: (event: StackEvent) => void): void
}

export type StackEvent =
  /** Not ringing yet: call progress, answer or reject. */
  { kind: 'leg.incoming'; call: SipCall } | VoiceFactOf<'trunk.state'>

const resolvedMs = 30 * second

export function createSipStack(options: SipOptions): SipStack {
  const { clock, log, bind, publicIp } = options
  const resolver = options.resolver ?? systemResolver()
  const trunks = new Map<string, SipTrunk>()
  const parties = new Map<string, DialogParty>()
  const calls = new Set<{ call: SipCall; closed: Promise<void> }>()
  const ringing = new Map<IncomingRequest, IncomingCall>()
  const places = new Map<string, { until: number; peers: Promise<Peer[]> }>()
  const seenAs = new Map<string, { host: string; port: number }>()
  const counts = { refused: 0, banned: 0 }
  const digestAuth = createDigestAuth(clock)
  let emit: (event: StackEvent) => void = () => {}
  let state: 'new' | 'open' | 'closing' = 'new'

  const trunksAt = (address: string): SipTrunk[] => [...trunks.values()].filter((trunk) => trunk.owns(address))

  const guard = createGuard(clock, (address) => trunksAt(address).length > 0, options.limits)
  const transport = createTransport({
    ...options,
    admits: guard.admits,
    receive(bytes, flow) {
      try {
        reception.receive(bytes, flow)
      } catch (error) {
        log.error({ event: 'sip.message_failed', error }, 'SIP message could not be handled')
      }
    },
  })
  const send = (bytes: Buffer, to: SipFlow) => transport.send(bytes, to)
  const portOf = (kind: TransportKind) => transport.port(kind) ?? (kind === 'tls' ? 5061 : 5060)
  const sentBy = (to: SipFlow) => ({ host: ownAddressFor(to.address, bind, publicIp), port: portOf(to.transport) })
  const transactions = createTransactions({ clock, send, sentBy })

  /** Cached for a while: many calls within that time cost one lookup. */
  function resolve(place: SipTarget): Promise<Peer[]> {
    const key = `${place.transport}|${place.host}|${place.port ?? ''}`
    const known = places.get(key)
    if (known && known.until > clock.machineNow()) return known.peers
    if (places.size > 1_000) places.clear()
    const peers = resolveTarget(resolver, place, secureRandom)
    places.set(key, { until: clock.machineNow() + resolvedMs, peers })
    peers.then(
      (found) => found.length === 0 && places.delete(key),
      () => places.delete(key),
    )
    return peers
  }

  const endpoint: SipEndpoint = {
    clock,
    log,
    transactions,
    trunk: (id) => trunks.get(id)?.settings,
    async resolve(place, trunk) {
      const found = await resolve(place)
      const { admits } = options
      return trunk?.restricted && admits ? found.filter(({ address }) => admits(address)) : found
    },
    isTrunkAddress: (id, address) => trunks.get(id)?.owns(address) ?? false,
    health: createPeerHealth(clock),
    contact(to, user) {
      const { host, port } = seenAs.get(`${to.transport}|${to.address}`) ?? sentBy(to)
      const name = user === '' ? '' : `${escapeUser(user)}@`
      return `<sip:${name}${hostAndPort(host, port)}${to.transport === 'udp' ? '' : `;transport=${to.transport}`}>`
    },
    learn: (to, seen) => void seenAs.set(`${to.transport}|${to.address}`, seen),
    adopt: (callId, tag, party) => void parties.set(`${callId}|${tag}`, party),
    release: (callId, tag) => void parties.delete(`${callId}|${tag}`),
  }
  const teardown = createDialogTeardown(endpoint, send)

  const reception = createSipDispatcher({
    guard,
    transactions,
    send,
    trunksAt,
    partyOf: (request) => parties.get(`${header(request, 'call-id')}|${tagOf(header(request, 'to'))}`),
    begin,
    cancel(incoming) {
      const invite = transactions.cancelled(incoming.request)
      // RFC 3261 §9.1: CANCEL is hop by hop, so it has the source address of the INVITE.
      const isSender = invite?.flow.address === incoming.flow.address
      if (!invite || !isSender) return answer(incoming, 481)
      answer(incoming, 200)
      const call = ringing.get(invite)
      if (call) call.cancel()
      // The trunk is still being determined.
      else if (invite.isOpen()) answer(invite, 487)
    },
    foreign: ({ method }, { address }) =>
      log.warn(
        { event: 'sip.foreign_request', address, method },
        'dropped a request that is not from its dialog’s peer',
      ),
    stray: (response, flow) => teardown.stray(response, flow, trunksAt(flow.address)[0]?.settings.id ?? ''),
    refused(address, outcome) {
      counts.refused++
      if (outcome === 'counted') return
      counts.banned++
      log.warn({ event: 'sip.banned', address }, 'address banned from SIP')
    },
  })

  const answer = (incoming: IncomingRequest, status: number, headers: Header[] = []) =>
    incoming.respond(makeResponse(incoming.request, status, newTag(), { headers }))

  function begin(incoming: IncomingRequest, owners: readonly [SipTrunk, ...SipTrunk[]]) {
    const { request } = incoming
    switch (request.method) {
      case 'INVITE':
        return beginCall(incoming, owners)
      case 'OPTIONS':
        return answer(incoming, state === 'open' ? 200 : 503, [
          { name: 'allow', value: allowedMethods },
          { name: 'accept', value: 'application/sdp' },
          { name: 'supported', value: 'timer' },
        ])
      case 'REFER':
        return answer(incoming, 603)
      case 'BYE':
      case 'UPDATE':
      case 'PRACK':
      case 'INFO':
        return answer(incoming, 481)
      default:
        return answer(incoming, 405, [{ name: 'allow', value: allowedMethods }])
    }
  }

  function beginCall(incoming: IncomingRequest, [first, ...others]: readonly [SipTrunk, ...SipTrunk[]]) {
    const { request } = incoming
    if (transactions.isMerged(incoming)) return answer(incoming, 482)
    if (state !== 'open') return answer(incoming, 503, [{ name: 'retry-after', value: '10' }])
    const type = header(request, 'content-type')?.split(';')[0]?.trim().toLowerCase()
    if (request.body !== '' && type !== 'application/sdp') {
      return answer(incoming, 415, [{ name: 'accept', value: 'application/sdp' }])
    }
    if (answerTimer(request).kind === 'tooShort') {
      return answer(incoming, 422, [{ name: 'min-se', value: String(minInterval) }])
    }
    if (others.length === 0 || !options.routeCall) return takeCall(incoming, first.settings)
    incoming.respond(makeResponse(request, 100, undefined))
    chooseTrunk(request, [first, ...others]).then(
      (chosen) => {
        if (!incoming.isOpen()) return
        if (chosen) return takeCall(incoming, chosen.settings)
        log.info(
          { event: 'sip.invite_rejected', address: incoming.flow.address, status: 404 },
          'no trunk of this address carries calls to the called number',
        )
        answer(incoming, 404)
      },
      (error) => {
        log.error({ event: 'sip.routing_failed', error }, 'the trunk of an INVITE could not be determined')
        if (incoming.isOpen()) answer(incoming, 503, [{ name: 'retry-after', value: '10' }])
      },
    )
  }

  /** By source address and called number: several companies may have the same carrier. */
  async function chooseTrunk(request: SipRequest, owners: readonly SipTrunk[]): Promise<SipTrunk | undefined> {
    const candidates = owners.map(({ settings }) => ({ trunkId: settings.id, to: callPartiesOf(request, settings).to }))
    const chosen = await options.routeCall?.(candidates)
    return owners.find(({ settings }) => settings.id === chosen)
  }

  function takeCall(incoming: IncomingRequest, trunk: SipTrunkSettings) {
    const { request, flow } = incoming
    if (trunk.inboundAuth) {
      const challenges = digestAuth.challengesFor(request, trunk.domain ?? 'trunk', trunk.inboundAuth)
      const isRefused = challenges.length > 0
      if (isRefused && header(request, 'authorization') !== undefined) {
        const facts = { event: 'sip.inbound_auth_failed', trunkId: trunk.id, address: flow.address }
        log.warn(facts, 'INVITE with invalid or stale credentials')
      }
      const headers = challenges.map((value) => ({ name: 'www-authenticate', value }))
      if (isRefused) return answer(incoming, 401, headers)
    }
    const own = createIncomingCall(endpoint, incoming, trunk, () => {
      calls.delete(own)
      ringing.delete(incoming)
    })
    calls.add(own)
    ringing.set(incoming, own)
    emit({ kind: 'leg.incoming', call: own.call })
  }

  function invite(wanted: InviteOptions): SipCall {
    const trunk = trunks.get(wanted.trunkId)
    if (!trunk) throw new Error(`no trunk ${wanted.trunkId}`)
    if (state !== 'open') throw new Error('the SIP stack is not open')
    const own = createOutgoingCall(endpoint, trunk.settings, wanted, () => calls.delete(own))
    calls.add(own)
    return own.call
  }

  function setTrunks(wanted: SipTrunkSettings[]) {
    for (const [id, trunk] of trunks) {
      const same = wanted.find((one) => one.id === id)
      if (same && JSON.stringify(same) === JSON.stringify(trunk.settings)) continue
      trunks.delete(id)
      trunk
        .close()
        .catch((error) =>
          log.warn({ event: 'sip.unregister_failed', error, trunkId: id }, 'trunk could not be unregistered'),
        )
    }
    for (const settings of wanted) {
      if (trunks.has(settings.id)) continue
      const trunk = createSipTrunk(endpoint, settings, (up, detail) =>
        emit({ kind: 'trunk.state', trunkId: settings.id, up, detail }),
      )
      trunks.set(settings.id, trunk)
      if (state === 'open') trunk.start()
    }
  }

  async function close() {
    state = 'closing'
    const leaving = [...calls].map(({ call, closed }) => {
      call.hangup('lost')
      return closed
    })
    const all = Promise.allSettled([...leaving, ...[...trunks.values()].map((trunk) => trunk.close())])
    await new Promise<void>((resolve) => {
      const cancel = clock.machineAfter(options.closeTimeoutMs ?? second, resolve)
      all.then(() => {
        cancel()
        resolve()
      }, resolve)
    })
    transactions.close()
    await transport.close()
  }

  return {
    async start() {
      await transport.open()
      state = 'open'
      for (const trunk of trunks.values()) trunk.start()
    },
    close,
    setTrunks,
    ports() {
      const kinds = ['udp', 'tcp', 'tls'] as const
      const open = kinds.flatMap((kind) => {
        const port = transport.port(kind)
        return port === undefined ? [] : [[kind, port] as const]
      })
      return Object.fromEntries(open)
    },
    invite,
    endDialog: teardown.endDialog,
    async addressOf(trunkId) {
      const settings = trunks.get(trunkId)?.settings
      if (!settings) return undefined
      const { host, port, transport } = settings
      return (await endpoint.resolve({ host, port, transport }, settings))[0]?.address
    },
    isUp: (trunkId) => trunks.get(trunkId)?.isUp(),
    stats: () => ({ calls: calls.size, transactions: transactions.count(), ...counts }),
    on(listener) {
      emit = listener
    },
  }
}
