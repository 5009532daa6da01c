import { expect } from 'vitest'
import type { TestApp, TestCompany } from './app.ts'
import type { Answer } from './client.ts'

// A browser user: keeps the cookie, sends the Origin of our own pages and the CSRF token.

export interface Visitor {
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  signIn(email: string, password: string): Promise<Answer>
  /** The cookie header; empty without a session. */
  cookie(): string
  headers(): Record<string, string>
}

export function visitor({ anonymous, base }: TestApp): Visitor {
  let cookie = ''
  let csrf = ''
  const headers = () => ({ origin: base, ...(cookie && { cookie }), ...(csrf && { 'x-csrf-token': csrf }) })

  async function ask(method: string, path: string, body?: unknown, more: Record<string, string> = {}) {
    const answer = await anonymous(method, `/app${path}`, body, { ...headers(), ...more })
    const given = answer.headers.get('set-cookie')?.split(';', 1)[0]
    if (given !== undefined) cookie = given.endsWith('=') ? '' : given
    if (answer.json?.csrf_token) csrf = answer.json.csrf_token
    return answer
  }

  return {
    ask,
    signIn: (email, password) => ask('POST', '/v1/session', { email, password }),
    cookie: () => cookie,
    headers,
  }
}

/** Token of the newest e-mailed link of a kind. */
export async function linkMailedTo({ app, db }: TestApp, email: string, kind: 'invitation' | 'password') {
  if (kind === 'password') await app.settle()
  const mails = await db.selectFrom('mail').selectAll().where('recipient', '=', email).orderBy('id', 'desc').execute()
  const texts = mails.map((mail) => app.services.vault.open(mail.text_sealed))
  const [, token] = texts.map((text) => new RegExp(`/${kind}/([0-9a-f]{64})`).exec(text)).find((found) => found) ?? []
  if (!token) throw new Error(`no ${kind} was mailed to ${email}`)
  return token
}

export const password = 'correct horse battery'

export interface Colleague extends Visitor {
  id: number
  email: string
}

let next = 0

/** A signed-in user of the company with these roles, by invitation. */
export async function colleague(app: TestApp, company: TestCompany, ...roles: string[]): Promise<Colleague> {
  const email = `${roles.join('-')}-${++next}@example.test`
  const made = await company.api('POST', '/v2/users', { email, first_name: 'C', last_name: roles[0], role_ids: roles })
  expect(made.status, made.text).toBe(201)
  const browser = visitor(app)
  const token = await linkMailedTo(app, email, 'invitation')
  expect((await browser.ask('POST', '/v1/account_links/use', { token, password })).status).toBe(200)
  return { ...browser, id: made.json.user.id, email }
}
