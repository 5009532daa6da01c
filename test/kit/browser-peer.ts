import { Audio, PeerConnection } from 'node-datachannel'
import { decode, encode } from '../../src/media/g711.ts'
import { emptyHeader, readRtp, writeRtpHeader } from '../../src/voice-node/rtp.ts'
import { Ear, every20ms, humming, type Voice } from './ear.ts'

export interface BrowserPeer {
  readonly ear: Ear
  readonly offer: string
  /** How many have come. */
  readonly packets: number
  /** Resolves when sound can flow; it hums from then on. */
  accept(answer: string): Promise<void>
  press(digit: string): void
  /** To end the process before this resolves is to crash it. */
  close(): Promise<void>
}

const telephoneEvent = 126

/** What a browser does, without one: it offers, and hums. A deaf one only counts. Each must be closed before the end. */
export async function browserPeer(voice: Voice, { deaf = false } = {}): Promise<BrowserPeer> {
  const connection = new PeerConnection(voice, {
    iceServers: [],
    bindAddress: '127.0.0.1',
    disableAutoNegotiation: true,
    forceMediaTransport: true,
  })
  const closed = new Promise<void>((resolve) => {
    connection.onStateChange((state) => {
      if (state === 'closed') resolve()
    })
  })
  const ssrc = 4_242
  const audio = new Audio('0', 'SendRecv')
  audio.addAudioCodec(0, 'PCMU')
  audio.addAudioCodec(telephoneEvent, 'telephone-event/8000')
  audio.addSSRC(ssrc, voice)
  const track = connection.addTrack(audio)
  const ear = new Ear()
  const hum = humming(voice)
  const header = emptyHeader()
  let sequence = 0
  let timestamp = 1_000
  let stop = () => {}
  let packets = 0
  track.onMessage((packet) => {
    packets++
    if (deaf) return
    if (readRtp(packet, header) && header.payloadType === 0) {
      ear.hear(decode('PCMU', packet.subarray(header.start, header.end)))
    }
  })

  function send(payloadType: number, at: number, payload: Buffer): void {
    const packet = Buffer.alloc(12 + payload.length)
    sequence = (sequence + 1) & 0xffff
    writeRtpHeader(packet, payloadType, false, sequence, at, ssrc)
    payload.copy(packet, 12)
    if (track.isOpen()) track.sendMessageBinary(packet)
  }

  const offer = await new Promise<string>((resolve) => {
    connection.onGatheringStateChange((state) => {
      if (state === 'complete') resolve(withoutAddresses(connection.localDescription()?.sdp ?? ''))
    })
    connection.setLocalDescription('offer')
  })

  return {
    ear,
    offer,
    get packets() {
      return packets
    },
    async accept(answer) {
      const opened = new Promise<void>((resolve) => track.onOpen(resolve))
      connection.setRemoteDescription(answer, 'answer')
      await opened
      stop = every20ms(() => {
        send(0, timestamp, encode('PCMU', hum()))
        timestamp += 160
      })
    },
    press(digit) {
      const code = '0123456789*#'.indexOf(digit)
      for (const end of [0x0a, 0x8a, 0x8a, 0x8a]) send(telephoneEvent, timestamp, Buffer.from([code, end, 3, 0x20]))
    },
    close() {
      stop()
      connection.close()
      return closed
    },
  }
}

/**
 * Browsers hide their addresses behind names that only their own network can resolve, so the server waits until it is
 * spoken to. This library would not bear to be spoken to before it has the answer.
 */
const withoutAddresses = (sdp: string) => sdp.replace(/^a=(candidate:.*|end-of-candidates)\r?\n/gm, '')
