import type { Attention } from './whisper-attention.ts'
import type { WhisperRules } from './whisper-choice.ts'

/** A decoder after some tokens: the logits of the next one, and how to continue. */
export interface DecoderState {
  logits: Float32Array
  /** Where in the sound the next token is, if the model reports it. */
  attention?: Attention | undefined
  after(token: number): Promise<DecoderState>
}

/** What is known of a token beside its number. */
export interface TokenEvidence {
  logProbability: number
  attention: Attention | undefined
}

export interface Hypothesis {
  tokens: readonly number[]
  /** Of each token. */
  evidence: readonly TokenEvidence[]
  /** Mean log probability of the tokens. */
  confidence: number
  /** The last words repeat themselves; the search has ended there. */
  isLoop: boolean
}

interface Search {
  rules: WhisperRules
  width: number
  /** Of tokens. */
  limit: number
  /** Tokens that were decided before, with what is known of them; the state follows them. */
  given?: Pick<Hypothesis, 'tokens' | 'evidence'>
  /** No three words in sequence occur twice. */
  withoutRepetition?: boolean
}

interface Beam extends Pick<Hypothesis, 'tokens' | 'evidence'> {
  sum: number
  state: DecoderState
}

/**
 * Follows the likeliest sequences of tokens together. As soon as the likeliest one repeats itself, it is returned up to
 * there. Each sequence keeps the state of its own decoder, so that one may be continued in several ways.
 */
export async function searchBeams(state: DecoderState, search: Search): Promise<Hypothesis> {
  const { rules, width, limit, given = { tokens: [], evidence: [] } } = search
  const decided = given.tokens.length
  const isLoopIn = (tokens: readonly number[]) => loopStart(tokens.slice(decided), rules) !== undefined
  let beams: Beam[] = [{ ...given, sum: 0, state }]
  const ended: Hypothesis[] = []
  const hypothesis = ({ tokens, evidence, sum }: Omit<Beam, 'state'>, isLoop = false): Hypothesis => ({
    tokens,
    evidence,
    confidence: sum / (tokens.length - decided + 1),
    isLoop,
  })
  for (let length = decided; length < limit && beams.length > 0 && ended.length < width; length++) {
    const next = beams.flatMap((beam) => continuations(beam, search)).toSorted((a, b) => b.sum - a.sum)
    const kept: typeof next = []
    for (const one of next) {
      if (kept.length === width) break
      if (one.token === rules.end) ended.push(hypothesis({ ...one.from, sum: one.sum }))
      else kept.push(one)
    }
    if (ended.length >= width) break
    beams = []
    for (const { from, token, sum } of kept) {
      const known = { logProbability: sum - from.sum, attention: from.state.attention }
      const longer = { tokens: [...from.tokens, token], evidence: [...from.evidence, known] }
      beams.push({ ...longer, sum, state: await from.state.after(token) })
    }
    const [first] = beams
    if (first && isLoopIn(first.tokens)) return hypothesis(first, true)
  }
  const found = ended.length > 0 ? ended : beams.map((beam) => hypothesis(beam))
  return found.reduce((a, b) => (b.confidence > a.confidence ? b : a))
}

/** The likeliest tokens that may follow, one more than sequences are kept: one of them may be the end. */
function continuations(from: Beam, { rules, width, withoutRepetition = false }: Search) {
  const { allowed, from: first, total } = rules.following(from.tokens, from.state.logits)
  if (withoutRepetition) for (const token of repeatingTokens(from.tokens, rules)) allowed[token] = -Infinity
  const found: { from: Beam; token: number; sum: number }[] = []
  for (let token = first; token < allowed.length; token++) {
    const value = allowed[token] ?? -Infinity
    const sum = from.sum + value - total
    if (value === -Infinity || (found.length > width && sum <= (found.at(-1)?.sum ?? -Infinity))) continue
    const place = found.findIndex((one) => one.sum < sum)
    found.splice(place < 0 ? found.length : place, 0, { from, token, sum })
    if (found.length > width + 1) found.pop()
  }
  return found
}

const repeatedLength = 3

/** What would complete a sequence of words that has occurred before. */
function repeatingTokens(tokens: readonly number[], rules: WhisperRules): number[] {
  const words = tokens.filter((token) => !rules.isTime(token))
  const last = words.slice(words.length - repeatedLength + 1)
  if (last.length < repeatedLength - 1) return []
  return words.filter(
    (_, place) => place >= last.length && last.every((token, index) => words[place - last.length + index] === token),
  )
}

const minRepetitions = 4
const maxPhraseTokens = 24

/**
 * The place in the tokens at which the phrase starts with which they end, if that phrase occurs four times in sequence.
 * Timestamps do not count.
 */
export function loopStart(tokens: readonly number[], rules: WhisperRules): number | undefined {
  const places = [...tokens.keys()].filter((place) => !rules.isTime(tokens[place] ?? 0))
  const word = (index: number) => tokens[places[index] ?? -1]
  for (let length = 1; length <= maxPhraseTokens && length * minRepetitions <= places.length; length++) {
    let from = places.length - length
    while (from > 0 && word(from - 1) === word(from - 1 + length)) from--
    if (places.length - from >= length * minRepetitions) return places[from]
  }
  return undefined
}

/** The complete utterances before the loop, and the timestamp at which the next one starts. */
export function beforeLoop(tokens: readonly number[], rules: WhisperRules): number[] {
  const until = loopStart(tokens, rules) ?? tokens.length
  const isBoundary = (place: number) =>
    place > 1 && rules.isTime(tokens[place] ?? 0) && rules.isTime(tokens[place - 1] ?? 0)
  const start = [...tokens.keys()].findLast((place) => place < until && isBoundary(place))
  return start === undefined ? [] : tokens.slice(0, start + 1)
}
