import type { WhisperResult } from './protocol.ts'
import type { Vocabulary } from './whisper-vocabulary.ts'

// Terms are passed as the text that precedes the sound: Whisper continues in its spelling.

/** The model allows 223; each one makes decoding slower. */
const maxTokens = 120

/** Tokens of as many terms as fit. */
export function promptOf(hints: readonly string[], vocabulary: Vocabulary): number[] {
  const tokens: number[] = []
  for (const hint of hints) {
    const next = vocabulary.tokensOf(`${tokens.length === 0 ? '' : ','} ${hint.trim()}`)
    if (tokens.length + next.length >= maxTokens) break
    tokens.push(...next)
  }
  return tokens.length === 0 ? [] : [...tokens, ...vocabulary.tokensOf('.')]
}

/**
 * A result that consists of the terms alone may be an echo of the prompt: it is valid only if there are words without
 * the prompt as well, and is judged by the probabilities of those.
 */
export async function withoutEcho(
  prompted: WhisperResult,
  hints: readonly string[],
  plain: () => Promise<WhisperResult>,
): Promise<WhisperResult> {
  if (!prompted.isLoop && !consistsOf(prompted.text, hints)) return prompted
  const alone = await plain()
  if (prompted.isLoop || prompted.text === '' || alone.isLoop || alone.text === '') return alone
  return { ...prompted, noSpeech: alone.noSpeech, confidence: alone.confidence }
}

const wordsIn = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]{1,60}/gu) ?? []

function consistsOf(text: string, hints: readonly string[]): boolean {
  const known = new Set(hints.flatMap(wordsIn))
  return wordsIn(text).every((word) => known.has(word))
}
