import type { SttEngine } from '../domain/intelligence/engines.ts'

/** The engine with the terms of a company in every request. */
export function withVocabulary(engine: SttEngine, hints: readonly string[]): SttEngine {
  if (hints.length === 0) return engine
  const { stream } = engine
  return {
    ...engine,
    transcribe: (sound, options) => engine.transcribe(sound, { hints, ...options }),
    ...(stream && { stream: (options) => stream({ hints, ...options }) }),
  }
}

/** The first terms that fit into this number of characters. */
export function termsWithin(hints: readonly string[] | undefined, maxCharacters: number): string[] {
  const terms: string[] = []
  let left = maxCharacters
  for (const term of hints ?? []) {
    if (term.length > left) break
    left -= term.length
    terms.push(term)
  }
  return terms
}
