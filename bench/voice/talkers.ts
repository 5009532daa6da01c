import { createSocket } from 'node:dgram'
import type { MediaProcess } from '../../src/drivers/media-process.ts'
import { writeRtpHeader } from '../../src/voice-node/rtp.ts'
import { type BrowserPeer, browserPeer } from '../../test/kit/browser-peer.ts'
import { every20ms } from '../../test/kit/ear.ts'

export interface Talker {
  /** Packets that have come. */
  readonly heard: number
  close(): Promise<void> | void
}

/** The far end of a trunk: sends fifty packets a second and counts those that come. */
export async function farEnd(media: MediaProcess, leg: string): Promise<Talker> {
  const socket = createSocket({ type: 'udp4', lookup: (host, _options, found) => found(null, host, 4) })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  const { port } = await media.ask('openTrunk', { leg })
  const far = {
    address: '127.0.0.1',
    port: socket.address().port,
    codec: 'PCMU',
    payloadType: 0,
    telephoneEvent: 101,
    direction: 'sendrecv',
    isPrivate: true,
  } as const
  await media.ask('connect', { leg, far })
  let heard = 0
  socket.on('message', () => heard++)
  let n = 0
  const stop = every20ms(() => {
    const packet = Buffer.alloc(172, 0x55)
    writeRtpHeader(packet, 0, false, n & 0xffff, (n * 160) >>> 0, far.port)
    n++
    socket.send(packet, port, '127.0.0.1')
  })
  return {
    get heard() {
      return heard
    },
    close() {
      stop()
      socket.close()
    },
  }
}

/** A browser, without one. */
export async function phone(media: MediaProcess, leg: string, setUps: number[]): Promise<Talker> {
  const peer: BrowserPeer = await browserPeer('agent', { deaf: true })
  const from = performance.now()
  const { answer } = await media.ask('attachBrowser', { leg, offer: peer.offer })
  await peer.accept(answer)
  setUps.push(performance.now() - from)
  return {
    get heard() {
      return peer.packets
    },
    close: peer.close,
  }
}
