import type { SpokenWord } from '../domain/intelligence/engines.ts'
import { startsOf } from './whisper-alignment.ts'
import type { Hypothesis } from './whisper-beams.ts'
import type { Vocabulary } from './whisper-vocabulary.ts'

/** A token with its time in the sound; undefined if the model does not report its attention. */
export interface PlacedToken {
  token: number
  probability: number
  start: number | undefined
  /** The start of the next token. */
  end: number | undefined
}

/** Timestamps are aligned with the words: they take up the silence between them. */
export function placedTokens({ tokens, evidence }: Pick<Hypothesis, 'tokens' | 'evidence'>): PlacedToken[] {
  const attentions = evidence.flatMap(({ attention }) => (attention ? [attention] : []))
  const starts = attentions.length === tokens.length ? startsOf(attentions) : []
  return tokens.map((token, place) => ({
    token,
    probability: Math.exp(evidence[place]?.logProbability ?? 0),
    start: starts[place],
    end: starts[place + 1] ?? starts[place],
  }))
}

/** The words of a text, as separated by its spaces; undefined if a time is unknown. */
export function wordsOfTokens(
  tokens: readonly PlacedToken[],
  text: string,
  vocabulary: Vocabulary,
): SpokenWord[] | undefined {
  const groups: PlacedToken[][] = []
  for (const one of tokens) {
    const startsWord = vocabulary.textOf([one.token]).startsWith(' ')
    const group = startsWord ? undefined : groups.at(-1)
    if (group) group.push(one)
    else groups.push([one])
  }
  const words = groups.flatMap((group) => wordIn(group, vocabulary) ?? [])
  return words.map((word) => word.text).join(' ') === text && words.length > 0 ? words : undefined
}

const isPunctuation = (text: string) => !/[\p{L}\p{N}]/u.test(text)

function wordIn(tokens: readonly PlacedToken[], vocabulary: Vocabulary): SpokenWord | undefined {
  const texts = tokens.map(({ token }) => vocabulary.textOf([token]))
  const text = vocabulary.textOf(tokens.map(({ token }) => token)).trim()
  // A pause follows the word, not its punctuation.
  const last = texts.findLastIndex((part) => !isPunctuation(part))
  const spoken = last < 0 ? tokens : tokens.slice(0, last + 1)
  const start = spoken[0]?.start
  const end = spoken.at(-1)?.end
  if (text === '' || start === undefined || end === undefined) return undefined
  const confidence = Math.min(...spoken.map(({ probability }) => probability))
  return { text, start, end, confidence }
}
