import { isIP } from 'node:net'
import { isEmergencyAnywhere } from '../domain/toll.ts'
import type { LegId } from '../domain/voice.ts'
import type { TrunkLine } from '../engine/trunk-manager.ts'
import type { Cancel, Clock } from '../lib/clock.ts'
import { second } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { isPublicAddress } from '../lib/public-url.ts'
import type { PortProblem, SipCalls, SipEvent } from './embedded/sip-calls.ts'
import { refusals } from './sip/outcome.ts'
import { ownAddressFor } from './sip/own-address.ts'
import { createSipStack, type SipCall, type SipOptions, type SipStack, type TrunkSettings } from './sip/stack.ts'

// The SIP stack as the driver uses it: calls by the id of their leg. No port is opened before there is a trunk.

export interface TrunkCallsOptions {
  clock: Clock
  log: Log
  bind: string
  ports: { udp: number; tcp: number; tls: number }
  publicIp: string | undefined
  /** Our address in the SDP. */
  mediaIp: string | undefined
  tls: { certFile: string; keyFile: string } | undefined
  /** Other processes of this installation use the same ports; the one that binds them serves the trunks. */
  shared?: boolean
  /** In the sandbox: a number that is an emergency number in any country is not dialled. */
  refusesEmergency: boolean
  /** Which trunk an INVITE belongs to, where several have its source address. */
  routeCall?: SipOptions['routeCall']
  /** Addresses that the host of a company's trunk may resolve to. */
  admits?: SipOptions['admits']
}

export interface TrunkCalls extends SipCalls {
  setTrunks(lines: readonly TrunkLine[]): void
  close(): Promise<void>
  ports(): ReturnType<SipStack['ports']>
  portProblem(): PortProblem | undefined
}

const tryAgainMs = 5 * second
const tryAgainSeldomMs = 60 * second
const maxRemembered = 1_000

export function createTrunkCalls(options: TrunkCallsOptions): TrunkCalls {
  const { clock, log, bind, publicIp } = options
  const calls = new Map<LegId, SipCall>()
  const lines = new Map<string, TrunkLine>()
  const listeners: ((event: SipEvent) => void)[] = []
  /** The id of the call that each saved dialog belongs to, ended or not. */
  const dialogs = new Map<string, LegId>()
  /** Teardowns that wait for the SIP stack to open. */
  const waiting: (() => void)[] = []
  let stack: SipStack | undefined
  let opening: Promise<void> = Promise.resolve()
  let cancel: Cancel = () => {}
  let isDraining = false
  let lastId = 0
  let loggedProblem = ''
  let problem: PortProblem | undefined

  const emit = (event: SipEvent) => {
    for (const listener of listeners) listener(event)
  }

  /** Another program may have bound the port for now. */
  async function open(): Promise<void> {
    if (stack || lines.size === 0) return
    const { udp, tcp, tls } = options.ports
    const made = createSipStack({
      clock,
      log,
      bind,
      ports: { udp, tcp, ...(options.tls && { tls }) },
      ...(options.tls && { tls: options.tls }),
      ...(publicIp !== undefined && { publicIp }),
      ...(options.routeCall && { routeCall: options.routeCall }),
      ...(options.admits && { admits: options.admits }),
    })
    try {
      await made.start()
    } catch (error) {
      const isTaken = options.shared === true && isInUse(error)
      reportProblem(error, isTaken)
      // The process that has bound them serves the trunks.
      if (!isTaken)
        for (const trunkId of lines.keys())
          emit({ kind: 'trunk.state', trunkId, up: false, detail: 'SIP port cannot be opened' })
      cancel = clock.machineAfter(isTaken ? tryAgainSeldomMs : tryAgainMs, openSoon)
      return
    }
    made.on((event) => {
      if (event.kind === 'trunk.state') return emit(event)
      incoming(event.call)
    })
    stack = made
    loggedProblem = ''
    problem = undefined
    made.setTrunks([...lines.values()].map(settingsOf))
    stopWaiting()
  }

  /** Logs each problem once. */
  function reportProblem(error: unknown, isTaken: boolean): void {
    problem = { port: options.ports.udp, code: codeOf(error), isHeldByAnother: isTaken }
    const what = isTaken
      ? 'SIP ports are in use by another process on this machine: this process carries no calls until they are free'
      : 'SIP ports could not be opened'
    if (loggedProblem === what) return
    loggedProblem = what
    const facts = { event: isTaken ? 'sip.ports_in_use' : 'sip.ports_failed', error, ports: options.ports }
    if (isTaken) log.warn(facts, what)
    else log.error(facts, what)
  }

  function stopWaiting(): void {
    for (const go of waiting.splice(0)) go()
  }

  function remember(dialog: string, leg: LegId): void {
    dialogs.set(dialog, leg)
    if (dialogs.size <= maxRemembered) return
    for (const [text, one] of dialogs) {
      if (dialogs.size <= maxRemembered / 2) return
      if (!calls.has(one)) dialogs.delete(text)
    }
  }

  function openSoon(): void {
    opening = opening.then(open)
  }

  function incoming(call: SipCall): void {
    if (isDraining) {
      call.reject('overloaded')
      return
    }
    const leg = `sip-${++lastId}-${call.id}`.slice(0, 80)
    calls.set(leg, call)
    const { trunkId, from, to, sdp } = call
    emit({ kind: 'leg.incoming', leg, trunkId, from, to, sdpOffer: sdp ?? null })
    listen(leg, call)
  }

  function listen(leg: LegId, call: SipCall): void {
    call.on((event) => {
      // A redialled call has the same id.
      if (calls.get(leg) !== call) return
      if (event.kind === 'leg.dialog') remember(event.dialog, leg)
      if (event.kind === 'leg.ended') calls.delete(leg)
      emit({ ...event, leg })
    })
  }

  /** The address of a call's far end: the source of its messages, else what the trunk's host resolves to. */
  async function addressOf(line: TrunkLine | undefined, leg: LegId | undefined): Promise<string | undefined> {
    const signalled = leg === undefined ? undefined : calls.get(leg)?.remoteAddress()
    if (signalled !== undefined || !line) return signalled
    return isIP(line.host) === 0 ? stack?.addressOf(line.id) : line.host
  }

  return {
    async start() {},
    async drain() {
      isDraining = true
    },
    setTrunks(wanted) {
      lines.clear()
      for (const line of wanted) lines.set(line.id, line)
      if (stack) stack.setTrunks(wanted.map(settingsOf))
      else if (lines.size > 0) openSoon()
      else stopWaiting()
    },
    async dial(leg, trunkId, { to, from, anonymous, headers, timeoutMs, urgent, silenceMs, sdpOffer }) {
      if (options.refusesEmergency && (urgent || isEmergencyAnywhere(to))) {
        throw new Error('emergency numbers are not dialled from here')
      }
      await opening
      if (!stack) throw new Error('there is no line')
      const call = stack.invite({
        trunkId,
        to,
        from,
        timeoutMs,
        sdp: sdpOffer,
        ...(silenceMs !== undefined && { silenceMs }),
        ...(anonymous && { anonymous }),
        ...(headers && { headers }),
      })
      calls.set(leg, call)
      listen(leg, call)
    },
    async ringing(leg, sdpAnswer) {
      calls.get(leg)?.progress(sdpAnswer === undefined ? 180 : 183, sdpAnswer)
    },
    async answer(leg, sdp) {
      calls.get(leg)?.answer(sdp)
    },
    async end(leg, why) {
      const call = calls.get(leg)
      if (!call) return undefined
      calls.delete(leg)
      if (why === 'hangup' || call.direction === 'outgoing') {
        call.hangup()
        return undefined
      }
      call.reject(why)
      // A call that was answered can only be hung up.
      call.hangup()
      return refusals[why].status
    },
    async endDialog(dialog) {
      const leg = dialogs.get(dialog)
      // Known to this process: if the call has ended, its end was already reported.
      if (leg !== undefined) return calls.get(leg)?.hangup()
      if (!stack) await new Promise<void>((resolve) => waiting.push(resolve))
      await stack?.endDialog(dialog)
    },
    async trunk(trunkId, leg) {
      const line = lines.get(trunkId)
      const address = await addressOf(line, leg)
      return {
        isPrivate: address !== undefined && !isPublicAddress(address),
        behindNat: line?.behindNat ?? false,
        encrypted: line?.srtp ?? false,
        mediaAddress: ownAddressFor(address ?? anyPublicAddress, bind, options.mediaIp ?? publicIp),
      }
    },
    signallingAddress: (leg) => calls.get(leg)?.remoteAddress(),
    on: (listener) => void listeners.push(listener),
    ports: () => stack?.ports() ?? {},
    portProblem: () => (lines.size > 0 ? problem : undefined),
    async close() {
      await opening
      cancel()
      stopWaiting()
      await stack?.close()
    },
  }
}

/** Used for a name that does not resolve: selects the address announced to carriers on the Internet. */
const anyPublicAddress = '1.1.1.1'

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : 'unknown')
const isInUse = (error: unknown) => codeOf(error) === 'EADDRINUSE'

/** Countries without a trunk prefix before national numbers; most others use 0. */
const noPrefix = new Set(['IT', 'ES', 'PT', 'DK', 'NO', 'PL', 'CZ', 'GR', 'LU', 'SG', 'HK'])

/** Strongest first: RFC 8760 §2.3. */
const inboundAlgorithms = { any: ['SHA-256', 'MD5'], sha256: ['SHA-256'], md5: ['MD5'] } as const

function settingsOf(line: TrunkLine): TrunkSettings {
  const { id, host, port, transport, registers, username, password, domain, addresses, behindNat, numberForm } = line
  const { callingCode, country, inboundUsername, inboundPassword, inboundDigest, restricted } = line
  const nationalPrefix = callingCode === '1' ? '1' : noPrefix.has(country ?? '') ? '' : '0'
  return {
    id,
    host,
    transport,
    register: registers,
    allowedIps: addresses,
    behindNat,
    numbers: {
      ...(callingCode !== null && { countryCode: callingCode, nationalPrefix }),
      internationalPrefix: callingCode === '1' ? '011' : '00',
      out: numberForm === 'plus' ? 'e164' : numberForm,
    },
    ...(port !== null && { port }),
    ...(username !== null && { username }),
    ...(password !== null && { password }),
    ...(domain !== null && { domain }),
    ...(restricted && { restricted }),
    ...(inboundUsername !== null &&
      inboundPassword !== null && {
        inboundAuth: {
          username: inboundUsername,
          password: inboundPassword,
          algorithms: inboundAlgorithms[inboundDigest],
        },
      }),
  }
}
