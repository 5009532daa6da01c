import type { App } from '../../src/app.ts'
import { insertSession } from '../../src/features/accounts/sign-in/store.ts'
import { hashOf, randomToken } from '../../src/lib/secrets.ts'
import { type Client, client } from './client.ts'

/** Two isolated companies: A has all features, B is on the essentials plan. */
export interface Pair<T> {
  a: T
  b: T
}

export interface CompanyFacts {
  id: number
  ownerId: number
  apiId: string
  apiToken: string
  session: Record<string, string>
}

export interface TestCompany extends CompanyFacts {
  /** Authenticated with the company's key. */
  api: Client
  /** Signed in as the owner, on the /app mount. */
  own: Client
}

export async function makeCompanies(app: App, base: string): Promise<Pair<CompanyFacts>> {
  const a = await makeCompany(app, base, 'Company A')
  const b = await makeCompany(app, base, 'Company B')
  await app.services.db.updateTable('company').set(everything).where('id', '=', a.id).execute()
  await app.services.db.updateTable('company').set({ plan: 'essentials' }).where('id', '=', b.id).execute()
  return { a, b }
}

const everything = {
  plan: 'custom',
  ai_package: 'assist-pro',
  whatsapp: 1,
  analytics_plus: 1,
  ai_voice_agents: 1,
} as const

interface NewCompany {
  company_id: number
  owner_id: number
  api_id: string
  api_token: string
}

/** Created as by an operator. */
async function makeCompany(app: App, base: string, name: string): Promise<CompanyFacts> {
  const command = app.commands['company.create']
  if (!command) throw new Error('the command is there')
  const email = `${name.replace(' ', '-').toLowerCase()}@example.test`
  const made = (await command({ name, owner_email: email })) as NewCompany
  return {
    id: made.company_id,
    ownerId: made.owner_id,
    apiId: made.api_id,
    apiToken: made.api_token,
    session: await signedIn(app, base, made.company_id, made.owner_id),
  }
}

/** With clients for the current address of the app. */
export function reachedAt(base: string, of: CompanyFacts): TestCompany {
  const session = { ...of.session, origin: base }
  const authorization = basic(of.apiId, of.apiToken)
  return { ...of, session, api: client(base, { authorization }), own: client(`${base}/app`, session) }
}

/** Headers of a signed-in user. */
export async function signedIn(app: App, base: string, companyId: number, userId: number) {
  const session = randomToken()
  const csrf = randomToken()
  const row = { idHash: hashOf(session), userId, csrfHash: hashOf(csrf), at: app.services.clock.machineNow() }
  await insertSession(app.services.db, companyId, row)
  return { cookie: `hookswitch_session=${session}`, origin: base, 'x-csrf-token': csrf }
}

export const basic = (id: string, token: string) => `Basic ${Buffer.from(`${id}:${token}`).toString('base64')}`
