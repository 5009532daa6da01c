import { estimateProblem } from '../../../domain/password-estimate.ts'
import { accountWords, passwordAdvice, passwordProblem } from '../../../domain/password-strength.ts'
import { badRequest } from '../../../http/errors.ts'
import type { Services } from '../../../services.ts'
import type { User } from '../users/store.ts'

/** What an attacker knows about an account. */
export const knownOf = ({ email, firstName, lastName }: User, company: string): readonly string[] => [
  email,
  firstName,
  lastName,
  company,
]

/** The rules that the web apps apply at the field, too. */
export function requireRules(password: string, known: readonly string[]): void {
  const problem = passwordProblem(password, known)
  if (problem) throw badRequest(passwordAdvice[problem])
}

/** Expensive compared to the rules. Without an estimate they decide alone. */
export async function requireEstimate(
  { passwordEstimator, log }: Services,
  password: string,
  known: readonly string[],
): Promise<void> {
  const estimate = await passwordEstimator.check(password.normalize('NFKC'), accountWords(known))
  if (estimate.kind === 'unavailable') {
    const message = 'strength of a new password was decided by the rules alone'
    return log.warn({ ...estimate, event: 'password.not_estimated' }, message)
  }
  const problem = estimateProblem(estimate)
  if (problem) throw badRequest(passwordAdvice[problem])
}
