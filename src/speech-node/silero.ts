import { floatsOf, type ModelSession, type Runtime, type Tensor } from './runtime.ts'

const frame = 256
/** Each frame is preceded by the end of the previous one; without it the results are wrong. */
const context = 32
const rate = 8_000

/** Voice activity detection: speech probability of each frame of 32 ms; one instance per stream. */
export class Silero {
  readonly #runtime: Runtime
  readonly #session: ModelSession
  readonly #rate: Tensor
  readonly #input = new Float32Array(context + frame)
  #state: Tensor
  #filled = context

  constructor(runtime: Runtime, session: ModelSession) {
    this.#runtime = runtime
    this.#session = session
    this.#rate = runtime.integers([rate], [])
    this.#state = runtime.floats(new Float32Array(2 * 128), [2, 1, 128])
  }

  async detect(samples: Int16Array): Promise<Float32Array> {
    const found: number[] = []
    for (const sample of samples) {
      this.#input[this.#filled++] = sample / 32_768
      if (this.#filled === this.#input.length) found.push(await this.#step())
    }
    return Float32Array.from(found)
  }

  async #step(): Promise<number> {
    const input = this.#runtime.floats(this.#input.slice(), [1, this.#input.length])
    const { output, stateN } = await this.#session.run({ input, state: this.#state, sr: this.#rate })
    if (stateN) this.#state = stateN
    this.#input.copyWithin(0, frame)
    this.#filled = context
    return floatsOf(output)[0] ?? 0
  }
}
