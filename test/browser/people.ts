import { setPassword } from '../../src/features/accounts/sign-in/store.ts'
import { hashPassword } from '../../src/lib/passwords.ts'
import type { TestApp } from '../kit/app.ts'

export interface Person {
  id: number
  email: string
  password: string
}

// One hash for all: making it takes longer than most requests.
const password = 'correct horse battery'
let hash: Promise<string> | undefined

/** Creates a user of company A who can sign in. */
export async function createTestUser(
  { a, app }: Pick<TestApp, 'a' | 'app'>,
  firstName: string,
  ...roles: string[]
): Promise<Person> {
  const email = `${firstName.toLowerCase()}@example.test`
  const body = { email, first_name: firstName, last_name: 'Test', role_ids: roles }
  const { user } = (await a.api('POST', '/v2/users', body)).json
  return withPassword({ a, app }, user.id, email)
}

/** Sets the password of an existing user. */
export async function withPassword({ a, app }: Pick<TestApp, 'a' | 'app'>, id: number, email: string): Promise<Person> {
  hash ??= hashPassword(password)
  await setPassword(app.services.db, a.id, id, await hash)
  return { id, email, password }
}
