import { passwordHashOf, setPassword } from '../features/accounts/sign-in/store.ts'
import { hashPassword } from '../lib/passwords.ts'
import { randomId } from '../lib/secrets.ts'
import type { Services } from '../services.ts'
import type { SeededCompany } from './demo-company.ts'

/** One password for all demo users: the existing one, unless its file is gone or a user has none yet. */
export async function ensurePasswords(
  { db }: Services,
  companies: readonly SeededCompany[],
  known: string | undefined,
): Promise<string> {
  const people = companies.flatMap(({ companyId, userIds }) => userIds.map((userId) => ({ companyId, userId })))
  const without = []
  for (const person of people) {
    if (!known || (await passwordHashOf(db, person.companyId, person.userId)) === null) without.push(person)
  }
  const password = known ?? randomId().slice(0, 16)
  if (without.length === 0) return password
  const hash = await hashPassword(password)
  for (const { companyId, userId } of without) await setPassword(db, companyId, userId, hash)
  return password
}
