import type { Buffer } from 'node:buffer'
import type { DeviceTarget, VoiceFactOf } from '../../domain/voice.ts'
import { type Clock, second } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { SipCall } from './call.ts'
import { createSipCallTable } from './call-table.ts'
import { type DeviceRequestContext, handleDeviceRequest, isDeviceAnswering } from './device-requests.ts'
import { type SipDeviceSettings, trunkIdOfDevice } from './device-settings.ts'
import { createSipDevices, type SipDevices, type SipDevicesOptions } from './devices.ts'
import { createDialogTeardown } from './dialog-teardown.ts'
import { createDigestAuth } from './digest-auth.ts'
import { createDigestFallback } from './digest-fallback.ts'
import { createSipDispatcher, type SipDispatcher } from './dispatcher.ts'
import type { SipFlow, TransportKind } from './flow.ts'
import { createGuard, type GuardLimits } from './guard.ts'
import type { SipRequest } from './message.ts'
import { handleCancel, handleNewRequest } from './new-requests.ts'
import type { InviteOptions } from './outgoing-state.ts'
import { ownAddressFor } from './own-address.ts'
import type { Resolver } from './resolver.ts'
import { createResponseCounts, type ResponseCounts } from './response-counts.ts'
import { createStackEndpoint, type StackEndpoint } from './stack-endpoint.ts'
import { createTransactions } from './transactions.ts'
import { createTransport, type Transport, type TransportOptions } from './transport.ts'
import { createSipTrunk } from './trunk.ts'
import type { SipTrunkSettings } from './trunk-settings.ts'
import { createSipTrunkTable, type SipTrunkTable } from './trunk-table.ts'

export type { SipCall, SipCallEvent as CallEvent } from './call.ts'
export type { InviteOptions } from './outgoing-state.ts'
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
  /** The accounts that devices may register and call with. */
  setDevices(devices: readonly SipDeviceSettings[]): void
  /** Registers changed trunks again and unregisters removed ones; calls continue. */
  setTrunks(trunks: SipTrunkSettings[]): void
  ports(): { [kind in TransportKind]?: number }
  /** Throws for an unknown trunk and for invalid custom headers; everything else is reported by events of the call. */
  invite(options: InviteOptions): SipCall
  /** Calls a contact of a device; throws for an unknown device. */
  inviteDevice(target: DeviceTarget, options: Omit<InviteOptions, 'trunkId' | 'to' | 'target'>): SipCall
  /** Tears down a dialog from the text of a `leg.dialog` event, in any process. Resolves also without a response. */
  endDialog(dialog: string): Promise<void>
  /** The address that the trunk's host resolves to; undefined if it does not resolve. */
  addressOf(trunkId: string): Promise<string | undefined>
  /** undefined: not known yet, or no such trunk. */
  isUp(trunkId: string): boolean | undefined
  stats(): { calls: number; transactions: number; refused: number; banned: number; responses: ResponseCounts }
  on(listener: (event: StackEvent) => void): void
}

export type StackEvent =
  /** Not ringing yet: call progress, answer or reject. */
  | { kind: 'leg.incoming'; call: SipCall; deviceId?: string }
  | VoiceFactOf<'trunk.state' | 'device.registered' | 'device.gone'>

export function createSipStack(options: SipOptions): SipStack {
  const { clock, log, bind, publicIp } = options
  const counts = { refused: 0, banned: 0 }
  const responses = createResponseCounts()
  let emit: (event: StackEvent) => void = () => {}
  let state: 'new' | 'open' | 'closing' = 'new'
  const isOpen = () => state === 'open'

  const trunks: SipTrunkTable = createSipTrunkTable({
    log,
    isOpen,
    create: (settings) =>
      createSipTrunk(endpoint, settings, (up, detail) =>
        emit({ kind: 'trunk.state', trunkId: settings.id, up, detail }),
      ),
  })
  const late: LateParts = { sentBy: (to) => sentBy(to), endpoint: () => endpoint, emit: (event) => emit(event) }
  const devices: SipDevices = devicesOfStack({ clock, isOpen }, late)
  const isKnown = (address: string) => trunks.at(address).length > 0 || devices.isAt(address)
  const guard = createGuard(clock, isKnown, options.limits)
  const transport = createTransport({
    ...options,
    admits: guard.admits,
    receive(bytes, flow) {
      responses.note('received', bytes)
      receiveSafely(log, () => dispatcher.receive(bytes, flow))
    },
  })
  const send = (bytes: Buffer, to: SipFlow) => {
    responses.note('sent', bytes)
    return transport.send(bytes, to)
  }
  const portOf = (kind: TransportKind) => transport.port(kind) ?? (kind === 'tls' ? 5061 : 5060)
  const sentBy = (to: SipFlow) => ({ host: ownAddressFor(to.address, bind, publicIp), port: portOf(to.transport) })
  const transactions = createTransactions({ clock, send, sentBy })
  const { resolver, admits, routeCall } = options
  const places = { bind, resolver, admits, sentBy }
  const endpoint: StackEndpoint = createStackEndpoint({ clock, log, transactions, trunks, devices, ...places })
  const calls = createSipCallTable(endpoint)
  const teardown = createDialogTeardown(endpoint, send)
  const newRequests: DeviceRequestContext = {
    clock,
    log,
    devices,
    ...authenticationOf(clock, options.limits),
    transactions,
    calls,
    isOpen,
    routeCall,
    onCall: (call) => emit({ kind: 'leg.incoming', call }),
    onDeviceCall: (call, { deviceId }) => emit({ kind: 'leg.incoming', call, deviceId }),
  }
  const dispatcher: SipDispatcher = createSipDispatcher({
    guard,
    transactions,
    send,
    trunksAt: trunks.at,
    deviceOf: devices.of,
    isDeviceAt: devices.isAt,
    partyOf: endpoint.partyOf,
    beginDevice: (incoming, device) => handleDeviceRequest(newRequests, incoming, device),
    begin: (incoming, owners) => handleNewRequest(newRequests, incoming, owners),
    cancel: (incoming) => handleCancel(newRequests, incoming),
    foreign: (request, flow) => logForeign(log, request, flow),
    stray: (response, flow) => teardown.stray(response, flow, trunks.at(flow.address)[0]?.settings.id ?? ''),
    refused: (address, outcome) => countRefusal({ log, counts }, address, outcome),
  })

  return {
    async start() {
      await transport.open()
      state = 'open'
      trunks.start()
      devices.start()
    },
    async close() {
      state = 'closing'
      devices.close()
      const farEnds = Promise.all([calls.hangUpAll(), trunks.close()])
      await settledWithin(clock, options.closeTimeoutMs ?? second, farEnds)
      transactions.close()
      await transport.close()
    },
    setTrunks: trunks.set,
    setDevices: devices.set,
    ports: () => openPorts(transport),
    invite(wanted) {
      const trunk = trunks.get(wanted.trunkId)
      if (!trunk) throw new Error(`no trunk ${wanted.trunkId}`)
      if (!isOpen()) throw new Error('the SIP stack is not open')
      return calls.dial(trunk.settings, wanted)
    },
    inviteDevice(target, wanted) {
      if (!isOpen()) throw new Error('the SIP stack is not open')
      return inviteDevice(newRequests, target, wanted)
    },
    endDialog: teardown.endDialog,
    addressOf: async (trunkId) => addressOfTrunk(endpoint, trunks.get(trunkId)?.settings),
    isUp: (trunkId) => trunks.get(trunkId)?.isUp(),
    stats: () => ({
      calls: calls.count(),
      transactions: transactions.count(),
      responses: responses.counts(),
      ...counts,
    }),
    on(listener) {
      emit = listener
    },
  }
}

const authenticationOf = (clock: Clock, limits: GuardLimits | undefined) => ({
  digestAuth: createDigestAuth(clock),
  digestFallback: createDigestFallback(),
  guesses: createGuard(clock, () => false, limits),
})

function receiveSafely(log: Log, receive: () => void): void {
  try {
    receive()
  } catch (error) {
    log.error({ event: 'sip.message_failed', error }, 'SIP message could not be handled')
  }
}

/** Parts of the stack that are created after the devices. */
interface LateParts extends Pick<SipDevicesOptions, 'sentBy'> {
  endpoint(): StackEndpoint
  emit(event: StackEvent): void
}

const devicesOfStack = (
  options: Pick<SipDevicesOptions, 'clock' | 'isOpen'>,
  { sentBy, endpoint, emit }: LateParts,
): SipDevices =>
  createSipDevices({
    ...options,
    sentBy,
    isAnswering: (device, contact) => isDeviceAnswering(endpoint(), device, contact),
    registered: (deviceId, contact) => emit({ kind: 'device.registered', deviceId, contact }),
    gone: (deviceId, uri) => emit({ kind: 'device.gone', deviceId, uri }),
  })

async function addressOfTrunk(endpoint: StackEndpoint, settings: SipTrunkSettings | undefined) {
  if (!settings) return undefined
  const { host, port, transport } = settings
  return (await endpoint.resolve({ host, port, transport }, settings))[0]?.address
}

const logForeign = (log: Log, { method }: SipRequest, { address }: SipFlow) =>
  log.warn({ event: 'sip.foreign_request', address, method }, 'dropped a request that is not from its dialog’s peer')

function countRefusal(
  { log, counts }: { log: Log; counts: { refused: number; banned: number } },
  address: string,
  outcome: 'counted' | 'banned',
): void {
  counts.refused++
  if (outcome === 'counted') return
  counts.banned++
  log.warn({ event: 'sip.banned', address }, 'address banned from SIP')
}

function inviteDevice(
  { devices, calls }: DeviceRequestContext,
  { deviceId, contact, displayName }: DeviceTarget,
  wanted: Parameters<SipStack['inviteDevice']>[1],
): SipCall {
  const settings = devices.settingsOf(trunkIdOfDevice(deviceId))
  if (!settings?.username) throw new Error(`no device ${deviceId}`)
  const target = { uri: contact.uri, flow: devices.flowOf(deviceId, contact), displayName }
  return calls.dial(settings, { ...wanted, trunkId: settings.id, to: settings.username, target })
}

function openPorts(transport: Pick<Transport, 'port'>): { [kind in TransportKind]?: number } {
  const kinds = ['udp', 'tcp', 'tls'] as const
  const open = kinds.flatMap((kind) => {
    const port = transport.port(kind)
    return port === undefined ? [] : [[kind, port] as const]
  })
  return Object.fromEntries(open)
}

function settledWithin(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.machineAfter(ms, resolve)
    work.then(() => {
      cancel()
      resolve()
    }, resolve)
  })
}
