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
 * The timestamp rules of Whisper: timestamps come in pairs around words and never decrease; if all timestamps together
 * are more likely than any word, a timestamp is chosen.
 */
export class WhisperRules {
  readonly end: number
  readonly #numbers: WhisperNumbers
  readonly #never: ReadonlySet<number>
  readonly #lastTime: number

  constructor(numbers: WhisperNumbers, seconds: number) {
    this.end = numbers.eos_token_id
    this.#numbers = numbers
    this.#never = new Set([...numbers.suppress_tokens, numbers.no_timestamps_token_id])
    this.#lastTime = firstTimestamp(numbers) + Math.ceil(seconds / timeStep)
  }

  isTime(token: number): boolean {
    return token >= firstTimestamp(this.#numbers)
  }

  /** The logits of what may follow these tokens, of which those before `from` are excluded; the log sum of all. */
  following(tokens: readonly number[], logits: Float32Array): { allowed: Float32Array; from: number; total: number } {
    const allowed = logits.slice()
    this.#forbid(allowed, tokens)
    const total = logSum(allowed)
    const first = firstTimestamp(this.#numbers)
    const bestWord = Math.max(best(allowed, 0, first).value, -Infinity)
    const times = logSum(allowed.subarray(first))
    return { allowed, from: times > bestWord ? first : 0, total }
  }

  #forbid(logits: Float32Array, tokens: readonly number[]): void {
    const { eos_token_id: end, begin_suppress_tokens } = this.#numbers
    const first = firstTimestamp(this.#numbers)
    for (const token of this.#never) logits[token] = -Infinity
    // Languages and tasks are given in the prompt, never generated.
    logits.fill(-Infinity, end + 1, first)
    logits.fill(-Infinity, this.#lastTime + 1)
    if (tokens.length === 0) {
      for (const token of begin_suppress_tokens) logits[token] = -Infinity
      logits.fill(-Infinity, 0, first)
      logits.fill(-Infinity, first + Math.round(latestBeginning / timeStep) + 1)
      return
    }
    const last = tokens.at(-1) ?? 0
    const before = tokens.at(-2)
    const isTime = last >= first
    const isPair = before === undefined || before >= first
    if (isTime && isPair) logits.fill(-Infinity, first)
    else if (isTime) logits.fill(-Infinity, 0, end)
    const latest = tokens.findLast((token) => token >= first)
    if (latest !== undefined) logits.fill(-Infinity, first, isTime ? latest : latest + 1)
  }
}

/** Greedy decoding by these rules. */
export class WhisperChoice {
  readonly tokens: number[] = []
  /** Of the token that was chosen last. */
  lastLogProbability = 0
  readonly #rules: WhisperRules
  #sum = 0

  constructor(numbers: WhisperNumbers, seconds: number) {
    this.#rules = new WhisperRules(numbers, seconds)
  }

  /** The token that ends the text. */
  get end(): number {
    return this.#rules.end
  }

  /** Mean log probability of the tokens. */
  get confidence(): number {
    return this.tokens.length === 0 ? 0 : this.#sum / this.tokens.length
  }

  next(logits: Float32Array): number {
    const { allowed, from, total } = this.#rules.following(this.tokens, logits)
    const { token, value } = best(allowed, from, allowed.length)
    this.lastLogProbability = value - total
    this.#sum += this.lastLogProbability
    if (token !== this.#rules.end) this.tokens.push(token)
    return token
  }
}

/** Probability of a token. */
export const shareOf = (logits: Float32Array, token: number): number =>
  Math.exp((logits[token] ?? -Infinity) - logSum(logits))

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
