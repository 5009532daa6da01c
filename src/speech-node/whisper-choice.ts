/** Ids of the special tokens, from the model's configuration file. */
export interface WhisperNumbers {
  decoder_start_token_id: number
  eos_token_id: number
  no_timestamps_token_id: number
  lang_to_id: Record<string, number>
  task_to_id: { transcribe: number }
  suppress_tokens: readonly number[]
  begin_suppress_tokens: readonly number[]
}

const timeStep = 0.02
/** Windows are cut so that speech starts in the first second. */
const latestBeginning = 1

export const firstTimestamp = ({ no_timestamps_token_id }: WhisperNumbers) => no_timestamps_token_id + 1
/** Stands before the text that precedes the sound. */
export const precedingText = ({ no_timestamps_token_id }: WhisperNumbers) => no_timestamps_token_id - 2
export const noSpeechToken = ({ no_timestamps_token_id }: WhisperNumbers) => no_timestamps_token_id - 1
export const secondsOf = (token: number, numbers: WhisperNumbers) => (token - firstTimestamp(numbers)) * timeStep

/**
 * Greedy decoding with the timestamp rules of Whisper: timestamps come in pairs around words and never decrease; if all
 * timestamps together are more likely than any word, a timestamp is chosen.
 */
export class WhisperChoice {
  readonly tokens: number[] = []
  readonly #numbers: WhisperNumbers
  readonly #never: ReadonlySet<number>
  readonly #lastTime: number
  #sum = 0

  constructor(numbers: WhisperNumbers, seconds: number) {
    this.#numbers = numbers
    this.#never = new Set([...numbers.suppress_tokens, numbers.no_timestamps_token_id])
    this.#lastTime = firstTimestamp(numbers) + Math.ceil(seconds / timeStep)
  }

  /** Mean log probability of the tokens. */
  get confidence(): number {
    return this.tokens.length === 0 ? 0 : this.#sum / this.tokens.length
  }

  /** Probability of a token. */
  shareOf(logits: Float32Array, token: number): number {
    return Math.exp((logits[token] ?? -Infinity) - logSum(logits))
  }

  next(logits: Float32Array): number {
    const allowed = logits.slice()
    this.#forbid(allowed)
    const total = logSum(allowed)
    const first = firstTimestamp(this.#numbers)
    const bestWord = Math.max(best(allowed, 0, first).value, -Infinity)
    const times = logSum(allowed.subarray(first))
    const from = times > bestWord ? first : 0
    const { token, value } = best(allowed, from, allowed.length)
    this.#sum += value - total
    if (token !== this.#numbers.eos_token_id) this.tokens.push(token)
    return token
  }

  #forbid(logits: Float32Array): void {
    const { eos_token_id: end, begin_suppress_tokens } = this.#numbers
    const first = firstTimestamp(this.#numbers)
    for (const token of this.#never) logits[token] = -Infinity
    // Languages and tasks are given in the prompt, never generated.
    logits.fill(-Infinity, end + 1, first)
    logits.fill(-Infinity, this.#lastTime + 1)
    if (this.tokens.length === 0) {
      for (const token of begin_suppress_tokens) logits[token] = -Infinity
      logits.fill(-Infinity, 0, first)
      logits.fill(-Infinity, first + Math.round(latestBeginning / timeStep) + 1)
      return
    }
    const last = this.tokens.at(-1) ?? 0
    const before = this.tokens.at(-2)
    const isTime = last >= first
    const isPair = before === undefined || before >= first
    if (isTime && isPair) logits.fill(-Infinity, first)
    else if (isTime) logits.fill(-Infinity, 0, end)
    const latest = this.tokens.findLast((token) => token >= first)
    if (latest !== undefined) logits.fill(-Infinity, first, isTime ? latest : latest + 1)
  }
}

function best(values: Float32Array, from: number, until: number): { token: number; value: number } {
  let token = from
  for (let i = from + 1; i < until; i++) if ((values[i] ?? -Infinity) > (values[token] ?? -Infinity)) token = i
  return { token, value: values[token] ?? -Infinity }
}

function logSum(values: Float32Array): number {
  let max = -Infinity
  for (const value of values) if (value > max) max = value
  if (max === -Infinity) return max
  let sum = 0
  for (const value of values) if (value > max - 40) sum += Math.exp(value - max)
  return max + Math.log(sum)
}
