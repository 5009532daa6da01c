import { Type } from 'typebox'
import { notFound } from '../../../http/errors.ts'
import { type Route, route } from '../../../http/route.ts'
import { nullable, oneOf, text } from '../../../http/schemas.ts'
import type { Services } from '../../../services.ts'
import { admins } from '../credentials/roles.ts'
import { entered, SessionView } from '../sign-in/session-view.ts'
import { signedIn } from '../sign-in/signed-in.ts'
import { changeSso, redirectUriOf, removeSso } from './settings.ts'
import { finishSso, startSso } from './sign-in.ts'
import { companiesWithSso, countLinked, findSso } from './store.ts'

// Single sign-on by OpenID Connect: authorization code flow with PKCE.

const tag = 'Sign-in'
const Secret = Type.String({ pattern: '^[0-9a-f]{64}$', examples: ['5f0c2a'.repeat(11).slice(0, 64)] })
const MappedRole = oneOf(['admin', 'supervisor', 'agent'])

const options = route({
  method: 'GET',
  path: '/v1/sign_in_options',
  summary: 'Retrieve how users can sign in',
  tag,
  access: 'app',
  anyone: true,
  reply: {
    status: 200,
    body: Type.Object({
      sso: oneOf(['none', 'direct', 'by_email'], { description: 'by_email: the address selects the company' }),
    }),
  },
  async handle({ services: { db, rules } }) {
    const { length } = await companiesWithSso(db)
    const way = rules.tenancy === 'single' && length === 1 ? ('direct' as const) : ('by_email' as const)
    return { sso: length === 0 ? ('none' as const) : way }
  },
})

const start = route({
  method: 'POST',
  path: '/v1/sso/start',
  summary: 'Start a single sign-on: returns the URL of the provider',
  description: 'The browser keeps `browser` until the provider has redirected it back, and sends it with the response.',
  tag,
  access: 'app',
  anyone: true,
  body: Type.Object({
    email: Type.Optional(text(254, { description: 'Its domain selects the company' })),
    company_id: Type.Optional(Type.Integer({ description: 'If several companies use the domain' })),
  }),
  errors: [
    { status: 400, when: 'no company with this domain has single sign-on' },
    { status: 403, when: 'the provider cannot be reached' },
    { status: 409, when: 'several companies use the domain: `errors.companies` lists them' },
  ],
  reply: { status: 200, body: Type.Object({ url: Type.String(), browser: Type.String() }) },
  handle: ({ body, services }) => startSso(services, { email: body.email, companyId: body.company_id }),
})

const finish = route({
  method: 'POST',
  path: '/v1/sso/finish',
  summary: 'Finish a single sign-on with the response of the provider',
  description: 'Sets the session cookie.',
  tag,
  access: 'app',
  anyone: true,
  body: Type.Object({
    state: Secret,
    browser: Secret,
    code: text(4_096),
    iss: Type.Optional(text(2_048)),
  }),
  errors: [{ status: 403, when: 'the response is not one to a sign-in of this browser, or the user is not admitted' }],
  reply: { status: 200, body: SessionView },
  async handle({ body, services, session, address, header }) {
    const { state, browser, code, iss: issuer } = body
    const origin = { address, userAgent: header('user-agent'), old: session.id }
    return entered({ services, session }, await finishSso(services, { state, browser, code, issuer, ...origin }))
  },
})

const fields = {
  issuer: text(2_048, { description: 'Issuer URL of the provider', examples: ['https://login.example.com'] }),
  client_id: text(255),
  domains: Type.Array(text(253), { maxItems: 50, description: 'Admitted domains of email addresses; empty: all' }),
  creates_users: Type.Boolean({ description: 'Create an account at the first sign-in' }),
  trusts_email: Type.Boolean({ description: 'Accept addresses without `email_verified`; never those with `false`' }),
  role_claim: nullable(text(255, { description: 'Claim with the roles of a user; null: roles are managed here' })),
  role_map: Type.Array(Type.Object({ value: text(255), role: MappedRole }), { maxItems: 100 }),
  default_role: nullable(MappedRole),
  forced: Type.Boolean({ description: 'Only owners can sign in with a password' }),
}

const Settings = Type.Object({
  configured: Type.Boolean(),
  redirect_uri: Type.String({ description: 'Register it at the provider' }),
  has_client_secret: Type.Boolean(),
  linked_users: Type.Integer({ description: 'Users who have signed in at the provider' }),
  ...fields,
  issuer: Type.String({ description: 'Empty: not set up' }),
  client_id: Type.String({ description: 'Empty: not set up' }),
})

const get = route({
  method: 'GET',
  path: '/v1/company/sso',
  summary: 'Retrieve the single sign-on settings of the company',
  tag: 'Company',
  access: 'app',
  roles: admins,
  reply: { status: 200, body: Settings },
  handle: ({ caller, services }) => settingsView(services, caller.companyId),
})

const put = route({
  method: 'PUT',
  path: '/v1/company/sso',
  summary: 'Set up single sign-on',
  description: 'Owners only: who controls the provider controls every account. The provider is contacted first.',
  tag: 'Company',
  access: 'app',
  roles: ['owner'],
  edits: { object: 'sso', view: ({ caller, services }) => settingsView(services, caller.companyId) },
  body: Type.Object({
    ...fields,
    client_secret: Type.Optional(nullable(text(1_024, { description: 'Absent: unchanged; null: none' }))),
  }),
  errors: [{ status: 400, when: 'the provider cannot be used, or no user has signed in before it is forced' }],
  reply: { status: 200, body: Settings },
  async handle({ body, caller, services, session, address }) {
    await changeSso(services, signedIn({ caller, session, address }), {
      issuer: body.issuer,
      clientId: body.client_id,
      clientSecret: body.client_secret,
      domains: body.domains,
      createsUsers: body.creates_users,
      trustsEmail: body.trusts_email,
      roleClaim: body.role_claim ?? '',
      roleMap: body.role_map,
      defaultRole: body.default_role,
      forced: body.forced,
    })
    return settingsView(services, caller.companyId)
  },
})

const remove = route({
  method: 'DELETE',
  path: '/v1/company/sso',
  summary: 'Remove single sign-on; users sign in with their passwords',
  tag: 'Company',
  access: 'app',
  roles: ['owner'],
  errors: [{ status: 404, when: 'it is not set up' }],
  reply: { status: 204 },
  async handle({ caller, services, session, address }) {
    if (!(await findSso(services.db, caller.companyId))) throw notFound()
    await removeSso(services, signedIn({ caller, session, address }))
    return {}
  },
})

async function settingsView(services: Services, companyId: number) {
  const sso = await findSso(services.db, companyId)
  return {
    configured: sso !== undefined,
    redirect_uri: redirectUriOf(services),
    has_client_secret: (sso?.clientSecretSealed ?? null) !== null,
    linked_users: sso ? await countLinked(services.db, companyId, sso.issuer) : 0,
    issuer: sso?.issuer ?? '',
    client_id: sso?.clientId ?? '',
    domains: sso?.domains ?? [],
    creates_users: sso?.createsUsers ?? false,
    trusts_email: sso?.trustsEmail ?? false,
    role_claim: sso?.roleClaim || null,
    role_map: sso?.roleMap ?? [],
    default_role: sso?.defaultRole ?? null,
    forced: sso?.forced ?? false,
  }
}

export const ssoRoutes: Route[] = [options, start, finish, get, put, remove]
