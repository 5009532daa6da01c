import { keyTones } from '../media/call-sounds.ts'
import { samplesPerFrame } from '../media/g711.ts'

// RFC 4733: DTMF as telephone events.

const keys = '0123456789*#ABCD'
/** 200 ms. */
const ticksUntilGivenUp = 10

/** Reports each digit once: at its first End packet, at the start of the next digit, or after a timeout. */
export class DigitReader {
  readonly #report: (digit: string) => void
  #timestamp = -1
  #digit = ''
  #isOpen = false
  #silentTicks = 0

  constructor(report: (digit: string) => void) {
    this.#report = report
  }

  read(timestamp: number, packet: Buffer, start: number, end: number): void {
    if (end - start < 4) return
    const digit = keys[packet.readUInt8(start)]
    if (digit === undefined) return
    if (timestamp !== this.#timestamp) {
      // Reordered: the next digit has already closed this one.
      if (this.#timestamp >= 0 && ((timestamp - this.#timestamp) | 0) < 0) return
      this.#close()
      this.#timestamp = timestamp
      this.#digit = digit
      this.#isOpen = true
    }
    this.#silentTicks = 0
    const isEnd = packet.readUInt8(start + 1) >= 0x80
    if (isEnd) this.#close()
  }

  tick(): void {
    if (this.#isOpen && ++this.#silentTicks >= ticksUntilGivenUp) this.#close()
  }

  #close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#report(this.#digit)
  }
}

/** Ticks of the tone, then two repetitions of the End packet, then a pause. */
const ticksDown = 6
const ticksOfKey = ticksDown + 2
const ticksBetween = 4
/** A comma: half a second. */
const ticksOfPause = 25

export interface DigitEvent {
  code: number
  isFirst: boolean
  isEnd: boolean
  /** In samples. */
  duration: number
}

/** The telephone events to send instead of audio at each tick, while there are digits. */
export class DigitWriter {
  readonly #waiting: string[] = []
  readonly event: DigitEvent = { code: 0, isFirst: false, isEnd: false, duration: 0 }
  #tick = 0

  send(digits: string): void {
    for (const digit of digits.toUpperCase()) if (digit === ',' || keys.includes(digit)) this.#waiting.push(digit)
  }

  /** An event to send, a pause in which audio is sent, or nothing. */
  next(): 'event' | 'pause' | null {
    const [digit] = this.#waiting
    if (digit === undefined) return null
    const tick = this.#tick++
    if (digit === ',') {
      if (tick + 1 >= ticksOfPause) this.#advance()
      return 'pause'
    }
    if (tick >= ticksOfKey) {
      if (tick + 1 >= ticksOfKey + ticksBetween) this.#advance()
      return 'pause'
    }
    this.event.code = keys.indexOf(digit)
    this.event.isFirst = tick === 0
    this.event.isEnd = tick >= ticksDown - 1
    this.event.duration = Math.min(tick + 1, ticksDown) * samplesPerFrame
    return 'event'
  }

  #advance(): void {
    this.#waiting.shift()
    this.#tick = 0
  }
}

/** In-band DTMF, for far ends without telephone events. `fromSample` counts at 8 kHz; `into` is 20 ms at any rate. */
export function writeKeyTone(code: number, fromSample: number, into: Int16Array): void {
  const tones = keyTones[keys.charAt(code)] ?? [0, 0]
  for (let i = 0; i < into.length; i++) {
    const angle = (2 * Math.PI * (fromSample + (i * samplesPerFrame) / into.length)) / 8_000
    into[i] = 5_000 * (Math.sin(tones[0] * angle) + Math.sin(tones[1] * angle))
  }
}
