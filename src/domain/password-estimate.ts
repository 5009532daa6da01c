import type { PasswordProblem } from './password-strength.ts'

/** The highest score that accepts two words such as `correct horse`. */
const minScore = 3

export interface Estimate {
  /** 0 (guessed at once) to 4. */
  score: number
  /** Keys of @zxcvbn-ts/core. */
  warning: string | null
  suggestions: readonly string[]
}

/** Why an estimated password is refused; undefined when it is accepted. */
export function estimateProblem({ score, warning, suggestions }: Estimate): PasswordProblem | undefined {
  if (score >= minScore) return undefined
  const problem = warning === null ? undefined : problems[warning]
  return problem ?? (suggestions.includes('l33t') ? 'substituted' : 'weak')
}

const problems: Record<string, PasswordProblem> = {
  topTen: 'common',
  topHundred: 'common',
  common: 'common',
  similarToCommon: 'similar',
  userInputs: 'personal',
  straightRow: 'pattern',
  keyPattern: 'pattern',
  simpleRepeat: 'pattern',
  extendedRepeat: 'pattern',
  sequences: 'pattern',
  recentYears: 'dated',
  dates: 'dated',
}
