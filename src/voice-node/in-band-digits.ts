import { DtmfDetector } from '../media/dtmf-detector.ts'
import { samplesPerFrame } from '../media/g711.ts'

/** Silence of this length ends a digit; a longer one says nothing more. */
const maxPause = 5 * samplesPerFrame
/** A timestamp further back than this is not of a packet that was overtaken: the far end has restarted its stream. */
const restart = 8 * samplesPerFrame

/**
 * In-band DTMF of one stream. G.711 is read as it was sent, by its timestamps: what the jitter buffer leaves out after a
 * burst may be a whole digit, and what it inserts during a delay would split one.
 */
export class InBandDigits {
  readonly #detector: DtmfDetector
  readonly #silence = new Int16Array(maxPause)
  /** Timestamp after the last sample read. */
  #next: number | null = null

  constructor(report: (digit: string) => void) {
    this.#detector = new DtmfDetector(report)
  }

  /** Packets that were overtaken are left out, as lost ones are: a hole of that length does not end a digit. */
  receive(timestamp: number, samples: Int16Array): void {
    const ahead = this.#next === null ? 0 : (timestamp - this.#next) | 0
    if (ahead < 0 && ahead >= -restart) return
    const pause = ahead < 0 ? maxPause : Math.min(ahead, maxPause)
    if (pause > 0) this.#detector.write(this.#silence.subarray(0, pause))
    this.#detector.write(samples)
    this.#next = (timestamp + samples.length) >>> 0
  }

  /** Audio of other codecs, as it is played. */
  play(frame: Int16Array): void {
    this.#next = null
    this.#detector.write(frame)
  }
}
