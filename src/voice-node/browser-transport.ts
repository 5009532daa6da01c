import type { Sending } from './stream.ts'

// The way to one browser: ICE, DTLS and SRTP are a library's business. There are two, and this is all they have to do.

export interface BrowserNetwork {
  bindAddress: string
  publicAddress: string | null
  port: number
}

export interface TransportEvents {
  /** Whatever comes, decrypted; RTCP may be among it. */
  packet(packet: Buffer): void
  /** Sound may be sent. */
  open(): void
  connected(): void
  /** It is over, and nobody here has closed it. */
  lost(): void
}

export interface BrowserTransport {
  /** Complete with all ways to get here. */
  answer(sdpOffer: string, line: { mid: string; ssrc: number; agreed: Sending }): Promise<string>
  send(packet: Buffer): void
  /** RTCP; absent where the library reports by itself. */
  sendReport?(packet: Buffer): void
  close(): void
  /** Closing takes a moment; a process that ends before may crash. */
  readonly closed: Promise<void>
}

export interface BrowserTransports {
  readonly kind: 'native' | 'pure'
  open(id: string, network: BrowserNetwork, events: TransportEvents): BrowserTransport
  /** To be called when every transport is closed. */
  end(): void
}

/** The native library where it loads, else the one that needs nothing but Node and costs more. */
export async function loadTransports(wanted: BrowserTransports['kind'] = 'native'): Promise<BrowserTransports> {
  if (wanted === 'native') {
    const native = await import('./native-transport.ts').catch(() => undefined)
    if (native) return native.nativeTransports
  }
  return (await import('./pure-transport.ts')).pureTransports
}
