import { type Answer, type Client, signedIn, type TestApp, type TestCompany } from './app.ts'
import { must } from './webhooks.ts'

// A partner: an OAuth app with its secret.

export interface PartnerApp {
  id: number
  clientId: string
  secret: string
  redirectUri: string
  /** The query of its /oauth/authorize link. */
  query(more?: Record<string, string>): string
  exchange(code: string, more?: Record<string, string | undefined>): Promise<Answer>
}

export const redirectUri = 'https://partner.example.com/callback'

export async function registerPartner(
  { anonymous }: TestApp,
  company: TestCompany,
  more: Record<string, unknown> = {},
): Promise<PartnerApp> {
  const input = { name: 'Desk', install_uri: 'https://partner.example.com/install', redirect_uri: redirectUri, ...more }
  const { oauth_app } = must(await company.own('POST', '/v1/oauth_apps', input), 201).json
  const clientId: string = oauth_app.client_id
  const secret: string = oauth_app.client_secret
  const back: string = oauth_app.redirect_uri
  return {
    id: oauth_app.id,
    clientId,
    secret,
    redirectUri: back,
    query: (extra = {}) =>
      new URLSearchParams({
        client_id: clientId,
        redirect_uri: back,
        response_type: 'code',
        scope: 'public_api',
        ...extra,
      }).toString(),
    exchange(code, extra = {}) {
      const grant_type = 'authorization_code'
      const body = { client_id: clientId, client_secret: secret, code, redirect_uri: back, grant_type, ...extra }
      return anonymous('POST', '/v1/oauth/token', body)
    },
  }
}

/** An admin consents: the URL the browser is redirected to. */
export async function allow(company: TestCompany, request: string, numberIds?: number[]): Promise<URL> {
  const input = { request, allow: true, ...(numberIds && { number_ids: numberIds }) }
  return new URL(must(await company.own('POST', '/v1/oauth/authorizations', input), 200).json.redirect_to)
}

export async function codeFor(company: TestCompany, app: PartnerApp, numberIds?: number[]): Promise<string> {
  return (await allow(company, app.query(), numberIds)).searchParams.get('code') ?? ''
}

/** From consent to a client with a token. */
export async function install(
  { as }: TestApp,
  company: TestCompany,
  app: PartnerApp,
  numberIds?: number[],
): Promise<{ api: Client; token: string }> {
  const code = await codeFor(company, app, numberIds)
  const token: string = must(await app.exchange(code), 200).json.access_token
  return { api: as(`Bearer ${token}`), token }
}

/** Another user with a session. */
export async function colleague({ app, base }: TestApp, company: TestCompany, role: string) {
  const person = { email: `${role}@example.test`, first_name: role, last_name: 'Colleague', role_ids: [role] }
  const { user } = must(await company.api('POST', '/v2/users', person), 201).json
  return signedIn(app, base, company.id, user.id)
}
