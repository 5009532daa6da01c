import { encodeInto, samplesPerFrame, ulawSilence } from '../media/g711.ts'

const framesAtOnce = 5
/** Five seconds: the tap of a reader that is further behind is closed. */
const maxUnread = 50

/** The audio received from a leg, in chunks of 100 ms. */
export class Tap {
  readonly id: string
  readonly #send: (ulaw: string, sent: () => void) => void
  readonly #chunk = Buffer.alloc(framesAtOnce * samplesPerFrame)
  #filled = 0
  #unread = 0

  constructor(id: string, send: (ulaw: string, sent: () => void) => void) {
    this.id = id
    this.#send = send
  }

  /** 20 ms; null while the leg is muted. False if the reader is too far behind. */
  write(frame: Int16Array | null): boolean {
    if (frame) encodeInto('PCMU', frame, this.#chunk, this.#filled)
    else this.#chunk.fill(ulawSilence, this.#filled, this.#filled + samplesPerFrame)
    this.#filled += samplesPerFrame
    if (this.#filled < this.#chunk.length) return true
    this.#filled = 0
    if (this.#unread >= maxUnread) return false
    this.#unread++
    this.#send(this.#chunk.toString('base64'), () => {
      this.#unread--
    })
    return true
  }
}
