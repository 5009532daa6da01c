import type { SendFormat } from './send-format.ts'

// The transport to one browser (ICE, DTLS, SRTP): the interface that the two WebRTC libraries implement.

export interface BrowserNetwork {
  bindAddress: string
  publicAddress: string | null
  port: number
}

export interface TransportEvents {
  /** A decrypted packet, RTP or RTCP. */
  packet(packet: Buffer): void
  /** Media may be sent. */
  open(): void
  connected(): void
  /** The connection ended without a call of close(). */
  lost(): void
}

export interface BrowserTransport {
  /** The SDP answer, with all ICE candidates. */
  answer(sdpOffer: string, line: { mid: string; ssrc: number; agreed: SendFormat }): Promise<string>
  send(packet: Buffer): void
  /** Sends RTCP. */
  sendReport(packet: Buffer): void
  close(): void
  /** Resolves when closed; exiting before may crash the process. */
  readonly closed: Promise<void>
}

export interface BrowserTransports {
  readonly kind: 'native' | 'pure'
  open(id: string, network: BrowserNetwork, events: TransportEvents): BrowserTransport
  /** Call when every transport is closed. */
  end(): void
}

/** The native library if it loads, else the slower one in pure TypeScript. */
export async function loadTransports(wanted: BrowserTransports['kind'] = 'native'): Promise<BrowserTransports> {
  if (wanted === 'native') {
    const native = await import('./native-transport.ts').catch(() => undefined)
    if (native) return native.nativeTransports
  }
  return (await import('./pure-transport.ts')).pureTransports
}
