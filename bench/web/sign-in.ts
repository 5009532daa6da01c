import type { timingClient } from '../client.ts'
import type { Demo } from '../servers.ts'

/** The cookie of a new session. */
export async function signIn(
  client: ReturnType<typeof timingClient>,
  url: string,
  login: Demo['users'][number] | undefined,
): Promise<string> {
  const { email, password } = login ?? { email: '', password: '' }
  const headers = { origin: url, 'content-type': 'application/json' }
  const asked = { method: 'POST', path: '/app/v1/session', headers, body: JSON.stringify({ email, password }) }
  const answer = await client(asked)
  const cookie = answer.headers['set-cookie']?.map((one) => one.split(';', 1)[0]).join('; ')
  if (!cookie) throw new Error(`sign-in failed: ${answer.status} ${answer.text}`)
  return cookie
}
