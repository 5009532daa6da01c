import type { RtpHeader } from '../../src/voice-node/rtp.ts'

/** Counts the packets of an RTP stream at its receiver: what is missing, out of order or repeated. */
export class StreamContinuity {
  packets = 0
  /** Sequence numbers that were left out. */
  lost = 0
  /** Not after the last one. */
  reordered = 0
  /** Timestamps that did not follow the one before, although no packet is missing. */
  jumps = 0
  /** Sources after the first one. */
  restarts = 0
  #last: Pick<RtpHeader, 'ssrc' | 'sequence' | 'timestamp' | 'payloadType'> | undefined

  /** `samples`: how far the timestamp advances with each packet. */
  note({ ssrc, sequence, timestamp, payloadType }: RtpHeader, samples = 160): void {
    this.packets++
    const last = this.#last
    this.#last = { ssrc, sequence, timestamp, payloadType }
    if (!last) return
    if (last.ssrc !== ssrc) {
      this.restarts++
      return
    }
    const distance = ((sequence - last.sequence + 0x8000) & 0xffff) - 0x8000
    if (distance > 1) this.lost += distance - 1
    if (distance < 1) this.reordered++
    const isAudio = last.payloadType === payloadType
    if (distance === 1 && isAudio && ((timestamp - last.timestamp) | 0) !== samples) this.jumps++
  }

  get flaws(): Pick<StreamContinuity, 'lost' | 'reordered' | 'jumps' | 'restarts'> {
    const { lost, reordered, jumps, restarts } = this
    return { lost, reordered, jumps, restarts }
  }
}

export const noFlaws = { lost: 0, reordered: 0, jumps: 0, restarts: 0 }
