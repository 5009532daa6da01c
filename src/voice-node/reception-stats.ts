/** A packet that is this many packets late counts as lost. */
const overtaken = 16

/** RFC 3550 §6.4.1 and its appendices A.3 and A.8: loss and interarrival jitter. */
export class ReceptionStats {
  #ssrc = -1
  #first = 0
  #highest = 0
  #received = 0
  #receivedBefore = 0
  #expectedBefore = 0
  #atQuality: Counted = nothing
  #atReport: Counted = nothing
  #transit = Number.NaN
  #jitter = 0
  /** Which of the last packets have arrived, by sequence number. */
  readonly #recent = new Uint8Array(overtaken).fill(1)
  #settled: Counted = nothing

  note(ssrc: number, sequence: number, timestamp: number, atMs: number): void {
    if (ssrc !== this.#ssrc) this.#begin(ssrc, sequence)
    const step = ((sequence - this.#highest) << 16) >> 16
    this.#settle(step)
    if (step > 0) this.#highest += step
    this.#received++
    const transit = atMs * 8 - timestamp
    const change = Math.abs(transit - this.#transit)
    // A jump of the timestamps is not jitter.
    if (change < 8_000) this.#jitter += (change - this.#jitter) / 16
    this.#transit = transit
  }

  #settle(step: number): void {
    const sequence = this.#highest + step
    for (let next = Math.max(this.#highest + 1, sequence - 2 * overtaken); next <= sequence; next++) {
      const place = next & (overtaken - 1)
      const { expected, received } = this.#settled
      this.#settled = { expected: expected + 1, received: received + (this.#recent[place] ?? 0) }
      this.#recent[place] = 0
    }
    if (step > -overtaken) this.#recent[sequence & (overtaken - 1)] = 1
  }

  #begin(ssrc: number, sequence: number): void {
    if (this.#ssrc >= 0) {
      this.#expectedBefore += this.#expected()
      this.#receivedBefore += this.#received
    }
    this.#ssrc = ssrc
    this.#first = sequence
    this.#highest = sequence - 1
    this.#received = 0
    this.#transit = Number.NaN
    this.#recent.fill(1)
  }

  #expected(): number {
    return this.#highest - this.#first + 1
  }

  #counted(): Counted {
    const isStarted = this.#ssrc >= 0
    return {
      expected: this.#expectedBefore + (isStarted ? this.#expected() : 0),
      received: this.#receivedBefore + this.#received,
    }
  }

  get lossPct(): number {
    return lossBetween(nothing, this.#counted())
  }

  get jitterMs(): number {
    return this.#jitter / 8
  }

  /** Since the previous call; null if no packet has arrived since then. */
  takeQuality(): { lossPct: number; jitterMs: number } | null {
    const [before, now] = [this.#atQuality, this.#counted()]
    this.#atQuality = now
    return now.received === before.received ? null : { lossPct: lossBetween(before, now), jitterMs: this.jitterMs }
  }

  /** Loss since the previous call, in percent; unlike in a report, reordered packets do not count as lost. */
  takeSettledLossPct(): number {
    const { expected, received } = this.#settled
    this.#settled = nothing
    return expected === 0 ? 0 : (100 * (expected - received)) / expected
  }

  /** The figures of a receiver report; null before the first packet. */
  takeReport(): { ssrc: number; fractionLost: number; lost: number; highestSequence: number; jitter: number } | null {
    if (this.#ssrc < 0) return null
    const [before, now] = [this.#atReport, this.#counted()]
    this.#atReport = now
    return {
      ssrc: this.#ssrc,
      fractionLost: Math.min(255, Math.floor((lossBetween(before, now) * 256) / 100)),
      lost: Math.max(0, now.expected - now.received),
      highestSequence: this.#highest,
      jitter: Math.round(this.#jitter),
    }
  }
}

interface Counted {
  expected: number
  received: number
}

const nothing: Counted = { expected: 0, received: 0 }

/** Duplicates may exceed the expected number of packets: that is no loss. */
function lossBetween(before: Counted, now: Counted): number {
  const expected = now.expected - before.expected
  const lost = Math.max(0, expected - (now.received - before.received))
  return expected <= 0 ? 0 : (100 * lost) / expected
}
