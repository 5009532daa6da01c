// Patterns of words, as data: `still not|never work*` matches "still does not work". Tokens are words; `a|b` matches one of
// several, `work*` a beginning, `*era` an ending, `_` up to four words in between, `__` up to twelve, and a name in capitals a
// class of words. `^CLASS` matches a word that is not of the class.

export interface WordPattern {
  tokens: readonly PatternToken[]
  /** Holds in a question or condition as well; written `!` before the pattern. */
  isFirm: boolean
}

type PatternToken = { gap: number } | PatternWord

interface PatternWord {
  exact: ReadonlySet<string>
  beginnings: readonly string[]
  endings: readonly string[]
  isNumber: boolean
  isExcluded: boolean
}

/** The words of classes such as NUM or TIME. */
export type WordClasses = Readonly<Record<string, string>>

export const patternsOf = (list: readonly string[], classes: WordClasses = {}): WordPattern[] =>
  list
    .flatMap((line) => line.split(','))
    .map((text) => text.trim())
    .filter(Boolean)
    .map((text) => {
      const isFirm = text.startsWith('!')
      const tokens = text.slice(isFirm ? 1 : 0).split(' ')
      return { isFirm, tokens: tokens.map((token) => tokenOf(token, classes)) }
    })

function tokenOf(token: string, classes: WordClasses): PatternToken {
  if (token === '_') return { gap: 4 }
  if (token === '__') return { gap: 12 }
  const isExcluded = token.startsWith('^')
  const words = token
    .slice(isExcluded ? 1 : 0)
    .split('|')
    .flatMap((word) => classes[word]?.split(' ') ?? [word])
  return {
    isExcluded,
    exact: new Set(words.filter((word) => !word.includes('*'))),
    beginnings: words.filter((word) => word.endsWith('*')).map((word) => word.slice(0, -1)),
    endings: words.filter((word) => word.startsWith('*')).map((word) => word.slice(1)),
    isNumber: token.split('|').includes('NUM'),
  }
}

/** The end of the match that starts at this word; undefined if there is none. */
export function matchAt(words: readonly string[], at: number, tokens: readonly PatternToken[]): number | undefined {
  const [token, ...rest] = tokens
  if (token === undefined) return at
  if ('gap' in token) {
    for (let skip = 0; skip <= token.gap && at + skip <= words.length; skip++) {
      const end = matchAt(words, at + skip, rest)
      if (end !== undefined) return end
    }
    return undefined
  }
  const word = words[at]
  return word !== undefined && fitsToken(token, word) ? matchAt(words, at + 1, rest) : undefined
}

const fitsToken = (token: PatternWord, word: string) => isListed(token, word) !== token.isExcluded

const isListed = ({ exact, beginnings, endings, isNumber }: PatternWord, word: string) =>
  exact.has(word) ||
  beginnings.some((start) => word.startsWith(start)) ||
  endings.some((end) => word.endsWith(end)) ||
  (isNumber && /^\d+$/.test(word))

export interface PatternMatch {
  at: number
  end: number
}

/** The first match. */
export function firstMatch(
  words: readonly string[],
  patterns: readonly WordPattern[],
  onlyFirm = false,
): PatternMatch | undefined {
  for (let at = 0; at < words.length; at++) {
    for (const { tokens, isFirm } of patterns) {
      const end = onlyFirm && !isFirm ? undefined : matchAt(words, at, tokens)
      if (end !== undefined) return { at, end }
    }
  }
  return undefined
}
