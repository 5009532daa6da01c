/** RFC 3550 §6.4.1 and its appendices A.3 and A.8: how much was lost, and how unevenly the rest came. */
export class Reception {
  #ssrc = -1
  #first = 0
  #highest = 0
  #received = 0
  #lostBefore = 0
  #expectedBefore = 0
  #transit = Number.NaN
  #jitter = 0

  note(ssrc: number, sequence: number, timestamp: number, atMs: number): void {
    if (ssrc !== this.#ssrc) this.#begin(ssrc, sequence)
    const step = ((sequence - this.#highest) << 16) >> 16
    if (step > 0) this.#highest += step
    this.#received++
    const transit = atMs * 8 - timestamp
    const change = Math.abs(transit - this.#transit)
    // A jump of the timestamps is not jitter.
    if (change < 8_000) this.#jitter += (change - this.#jitter) / 16
    this.#transit = transit
  }

  #begin(ssrc: number, sequence: number): void {
    if (this.#ssrc >= 0) {
      this.#expectedBefore += this.#expected()
      this.#lostBefore += this.#lost()
    }
    this.#ssrc = ssrc
    this.#first = sequence
    this.#highest = sequence - 1
    this.#received = 0
    this.#transit = Number.NaN
  }

  #expected(): number {
    return this.#highest - this.#first + 1
  }

  #lost(): number {
    return Math.max(0, this.#expected() - this.#received)
  }

  get lossPct(): number {
    const expected = this.#ssrc < 0 ? 0 : this.#expectedBefore + this.#expected()
    return expected === 0 ? 0 : (100 * (this.#lostBefore + this.#lost())) / expected
  }

  get jitterMs(): number {
    return this.#jitter / 8
  }
}
