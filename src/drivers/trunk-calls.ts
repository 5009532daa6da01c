import { isIP, isIPv6 } from 'node:net'
import type { TrunkLine } from '../domain/trunk-line.ts'
import type { LegId, SipDevice } from '../domain/voice.ts'
import { familiesOf } from '../lib/ip-address.ts'
import { isPublicAddress } from '../lib/public-url.ts'
import { type AudioCodec, codecsByName, defaultTrunkCodecs, isWidebandCodec } from '../media/codecs.ts'
import { hasOpus } from '../media/opus.ts'
import type { PortProblem, SipCalls, SipEvent } from './embedded/sip-calls.ts'
import { deviceIdOf } from './sip/device-settings.ts'
import { ownAddressFor } from './sip/own-address.ts'
import type { SipCall, SipStack } from './sip/stack.ts'
import { createCallCommands } from './trunk-calls/call-commands.ts'
import { createCallsByLeg } from './trunk-calls/calls-by-leg.ts'
import { settingsOfDevice, settingsOfLine } from './trunk-calls/line-settings.ts'
import type { TrunkCallsOptions } from './trunk-calls/options.ts'
import { createStackOpening } from './trunk-calls/stack-opening.ts'

// The SIP stack as the driver uses it: calls by the id of their leg. No port is opened before there is a trunk or a device.

export interface TrunkCalls extends SipCalls {
  setTrunks(lines: readonly TrunkLine[]): void
  close(): Promise<void>
  ports(): ReturnType<SipStack['ports']>
  portProblem(): PortProblem | undefined
}

export function createTrunkCalls(options: TrunkCallsOptions): TrunkCalls {
  const lines = new Map<string, TrunkLine>()
  const devices = new Map<string, SipDevice>()
  const listeners: ((event: SipEvent) => void)[] = []
  let isDraining = false
  let lastId = 0

  const emit = (event: SipEvent) => {
    for (const listener of listeners) listener(event)
  }
  const calls = createCallsByLeg(emit)
  const opening = createStackOpening(options, {
    isNeeded: () => lines.size + devices.size > 0,
    opened(stack) {
      stack.on((event) => (event.kind === 'leg.incoming' ? incoming(event.call, event.deviceId) : emit(event)))
      stack.setTrunks([...lines.values()].map(settingsOfLine))
      stack.setDevices([...devices.values()].map(settingsOfDevice))
    },
    failed() {
      for (const trunkId of lines.keys())
        emit({ kind: 'trunk.state', trunkId, up: false, detail: 'SIP port cannot be opened' })
    },
  })

  function incoming(call: SipCall, deviceId: string | undefined) {
    if (isDraining) return call.reject('overloaded')
    const leg = `sip-${++lastId}-${call.id}`.slice(0, 80)
    const { trunkId, from, to, sdp, asksForEarlyOffer, callerId } = call
    calls.add(leg, call)
    const device = deviceId === undefined ? {} : { deviceId }
    const verified = callerId && deviceId === undefined ? { callerId } : {}
    const offer = { sdpOffer: sdp ?? null, asksForEarlyOffer }
    emit({ kind: 'leg.incoming', leg, trunkId, from, to, ...offer, ...device, ...verified })
    calls.listen(leg, call)
  }

  /** The address of a call's far end: the source of its messages, else what the trunk's host resolves to. */
  async function addressOf(line: TrunkLine | undefined, leg: LegId | undefined): Promise<string | undefined> {
    const signalled = leg === undefined ? undefined : calls.get(leg)?.remoteAddress()
    if (signalled !== undefined || !line) return signalled
    return isIP(line.host) === 0 ? opening.stack()?.addressOf(line.id) : line.host
  }

  return {
    ...createCallCommands(calls, opening, options),
    async start() {},
    async drain() {
      isDraining = true
    },
    setTrunks(wanted) {
      lines.clear()
      for (const line of wanted) lines.set(line.id, line)
      const stack = opening.stack()
      if (stack) stack.setTrunks(wanted.map(settingsOfLine))
      else if (lines.size > 0) opening.openSoon()
      else if (devices.size === 0) opening.stopWaiting()
    },
    setDevices(wanted) {
      devices.clear()
      for (const device of wanted) devices.set(device.deviceId, device)
      const stack = opening.stack()
      if (stack) stack.setDevices(wanted.map(settingsOfDevice))
      else if (devices.size > 0) opening.openSoon()
    },
    async trunk(trunkId, leg, mediaOf, knownAddress) {
      const line = lines.get(trunkId)
      const device = devices.get(deviceIdOf(trunkId) ?? '')
      const address = knownAddress ?? (await addressOf(line, leg))
      const isOtherFamily = mediaOf !== undefined && isIPv6(mediaOf) !== isIPv6(address ?? anyPublicAddress)
      const target = isOtherFamily ? mediaOf : (address ?? anyPublicAddress)
      return {
        isPrivate: address !== undefined && !isPublicAddress(address),
        behindNat: device !== undefined || (line?.behindNat ?? false),
        encrypted: line?.srtp ?? device?.srtp ?? false,
        codecs: codecsOf(line),
        families: familiesOf(options.bind),
        mediaAddress: ownAddressFor(target, options.bind, options.mediaIp ?? options.publicIp),
      }
    },
    prefersWideband: () => [...lines.values()].some((line) => isWidebandCodec(codecsOf(line)[0] ?? 'PCMU')),
    signallingAddress: (leg) => calls.get(leg)?.remoteAddress(),
    on: (listener) => void listeners.push(listener),
    ports: () => opening.stack()?.ports() ?? {},
    responses: () => opening.stack()?.stats().responses,
    portsAttempted: opening.attempted,
    portProblem: () => (lines.size + devices.size > 0 ? opening.problem() : undefined),
    async close() {
      await opening.stop()
      await opening.stack()?.close()
    },
  }
}

/** Used for a name that does not resolve: selects the address announced to carriers on the Internet. */
const anyPublicAddress = '1.1.1.1'

/** Opus only where this system has an encoder. */
const codecsOf = (line: TrunkLine | undefined): readonly AudioCodec[] =>
  (line?.codecs ?? defaultTrunkCodecs)
    .map((name) => codecsByName[name])
    .filter((codec) => codec !== 'opus' || hasOpus())
