import { onTestFinished } from 'vitest'
import type { EndReason } from '../../src/domain/voice.ts'
import {
  type CallEvent,
  createSipStack,
  type SipCall,
  type SipOptions,
  type SipStack,
  type StackEvent,
  type TrunkSettings,
} from '../../src/drivers/sip/stack.ts'
import { createLog } from '../../src/lib/log.ts'
import { type HeldClock, heldClock } from '../kit/clocks.ts'
import { mailbox } from '../kit/mailbox.ts'
import { type Certificate, makeCertificate, type SipPeer, streamPeer, udpPeer } from '../kit/sip-peer.ts'

// One SIP stack, one trunk, and at its other end a scripted SIP phone. The clock is manual.

type Kind = CallEvent['kind']
type Of<K extends Kind> = Extract<CallEvent, { kind: K }>

export interface ObservedCall {
  call: SipCall
  next<K extends Kind>(kind: K): Promise<Of<K>>
  left(): readonly CallEvent[]
  ended(): Promise<{ reason: EndReason; code?: number }>
}

export interface SipWorld {
  stack: SipStack
  peer: SipPeer
  clock: HeldClock
  trunk: TrunkSettings
  incoming(): Promise<ObservedCall>
  dial(options?: { to?: string; from?: string; anonymous?: boolean; headers?: Record<string, string> }): ObservedCall
  trunkState(): Promise<boolean>
  /** Advances time in small steps, so that retransmissions occur. */
  advance(ms: number): void
}

export const ours = 'v=0\r\no=ours 1 1 IN IP4 127.0.0.1\r\ns=-\r\nm=audio 20000 RTP/AVP 0\r\n'

export interface WorldOptions {
  transport?: 'udp' | 'tcp' | 'tls'
  trunk?: Partial<TrunkSettings>
  stack?: Partial<SipOptions>
  /** The test sets the trunk later. */
  withoutTrunk?: boolean
}

export async function sipWorld(options: WorldOptions = {}): Promise<SipWorld> {
  const transport = options.transport ?? 'udp'
  const clock = heldClock(0)
  const certificate = transport === 'tls' ? await makeCertificate() : undefined
  const stack = createSipStack({
    clock,
    log: createLog('silent'),
    bind: '127.0.0.1',
    ports: { udp: 0, tcp: 0, ...(certificate && { tls: 0 }) },
    ...(certificate && { tls: { ...certificate, caFile: certificate.certFile } }),
    closeTimeoutMs: 20,
    ...options.stack,
  })
  const box = mailbox<StackEvent>()
  stack.on(box.put)
  await stack.start()
  onTestFinished(() => stack.close())
  const peer = await peerFor(transport, stack, certificate)
  const trunk: TrunkSettings = {
    id: 'trunk',
    host: '127.0.0.1',
    port: peer.port,
    transport,
    register: false,
    allowedIps: ['127.0.0.1'],
    numbers: { countryCode: '33' },
    behindNat: false,
    optionsSeconds: 0,
    ...options.trunk,
  }
  if (!options.withoutTrunk) stack.setTrunks([trunk])
  return {
    stack,
    peer,
    clock,
    trunk,
    async incoming() {
      const event = await box.next(({ kind }) => kind === 'leg.incoming')
      if (event.kind !== 'leg.incoming') throw new Error('not a call')
      return observe(event.call)
    },
    dial: (wanted = {}) =>
      observe(
        stack.invite({
          trunkId: 'trunk',
          to: '+33123456789',
          from: '+33155501234',
          sdp: ours,
          timeoutMs: 60_000,
          ...wanted,
        }),
      ),
    async trunkState() {
      const event = await box.next(({ kind }) => kind === 'trunk.state')
      return event.kind === 'trunk.state' && event.up
    },
    advance(ms) {
      for (let left = ms; left > 0; left -= 100) clock.advanceMachine(Math.min(left, 100))
    },
  }
}

function peerFor(transport: 'udp' | 'tcp' | 'tls', stack: SipStack, certificate: Certificate | undefined) {
  const to = () => stack.ports()[transport] ?? 0
  return transport === 'udp' ? udpPeer(to) : streamPeer(to, certificate)
}

export function observe(call: SipCall): ObservedCall {
  const box = mailbox<CallEvent>()
  call.on(box.put)
  const next = async <K extends Kind>(kind: K) => {
    const event = await box.next((one) => one.kind === kind)
    return event as Of<K>
  }
  return { call, next, left: box.left, ended: () => next('leg.ended') }
}
