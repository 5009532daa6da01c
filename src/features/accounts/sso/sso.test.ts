import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { onAnyDatabase, type TestApp } from '../../../../test/kit/app.ts'
import { type ProviderStandIn, providerStandIn } from '../../../../test/kit/hostile-provider.ts'
import { type Colleague, colleague, linkMailedTo, password, visitor } from '../../../../test/kit/visitor.ts'
import { minute } from '../../../lib/clock.ts'

const multi = { env: { TENANCY: 'multi' } }

const settings = (provider: ProviderStandIn) => ({
  issuer: provider.issuer,
  client_id: 'phone',
  client_secret: 'the secret of the client',
  domains: ['example.test'],
  creates_users: true,
  trusts_email: false,
  role_claim: null as string | null,
  role_map: [] as object[],
  default_role: null as string | null,
  forced: false,
})

async function setUp(app: TestApp, change: object = {}) {
  const provider = await providerStandIn(() => app.clock.machineNow())
  const owner = await colleague(app, app.a, 'owner')
  const put = (more: object = {}) => owner.ask('PUT', '/v1/company/sso', { ...settings(provider), ...change, ...more })
  const saved = await put()
  expect(saved.status, saved.text).toBe(200)
  return { provider, owner, put }
}

/** Goes to the provider and comes back with a code. */
async function goToProvider(app: TestApp, provider: ProviderStandIn) {
  const me = visitor(app)
  const started = await me.ask('POST', '/v1/sso/start', { email: 'ada@example.test' })
  expect(started.status, started.text).toBe(200)
  const query = new URL(started.json.url).searchParams
  provider.nonce = query.get('nonce') ?? ''
  const answer = { state: query.get('state') ?? '', browser: started.json.browser, code: 'a code' }
  return { me, query, answer, finish: (more: object = {}) => me.ask('POST', '/v1/sso/finish', { ...answer, ...more }) }
}

async function enterBySso(app: TestApp, provider: ProviderStandIn, claims: Record<string, unknown> = {}) {
  provider.claims = claims
  const { me, finish } = await goToProvider(app, provider)
  return { me, answer: await finish() }
}

const lastActions = async (owner: Colleague) => {
  const { audit_log } = (await owner.ask('GET', '/v1/audit_log?per_page=10&order=desc')).json
  return audit_log.map(({ action }: { action: string }) => action)
}

onAnyDatabase('single sign-on', (open) => {
  test('creates the account at the first sign-in, with PKCE and the secret of the client', async () => {
    const app = await open()
    const { provider, owner } = await setUp(app)

    const { me, query, finish } = await goToProvider(app, provider)
    const answer = await finish()

    expect(answer.status, answer.text).toBe(200)
    expect(answer.json.user).toMatchObject({ email: 'ada@example.test', name: 'Ada Byron', roles: ['agent'] })
    expect((await me.ask('GET', '/v1/session')).json.two_step).toBe('off')
    const [exchange] = provider.exchanges
    const verifier = exchange?.body.get('code_verifier') ?? ''
    expect(createHash('sha256').update(verifier).digest('base64url')).toBe(query.get('code_challenge'))
    expect(query.get('redirect_uri')).toBe(`${app.base}/sso/callback`)
    expect(Buffer.from(exchange?.authorization?.slice(6) ?? '', 'base64').toString()).toBe(
      'phone:the%20secret%20of%20the%20client',
    )
    expect(await lastActions(owner)).toEqual(expect.arrayContaining(['user.created_by_sso', 'sso.changed']))
    const stored = JSON.stringify(await app.db.selectFrom('sso').selectAll().execute())
    expect(stored).not.toContain('the secret')
    expect((await owner.ask('GET', '/v1/company/sso')).json).toMatchObject({ linked_users: 1, has_client_secret: true })
    // The same subject stays the same user, even with another address.
    const moved = await enterBySso(app, provider, { email: 'ada.byron@example.test' })
    expect(moved.answer.json.user.id).toBe(answer.json.user.id)
  })

  test('refuses forged, foreign, expired and replayed responses', async () => {
    const app = await open()
    const { provider, owner } = await setUp(app)
    const at = Math.floor(app.clock.machineNow() / 1_000)
    const refused = async (claims: Record<string, unknown>) => {
      const { answer } = await enterBySso(app, provider, claims)
      expect(answer.headers.get('set-cookie')).toBe(null)
      return `${answer.status} ${answer.json.troubleshoot}`
    }

    expect(await refused({ nonce: 'another' })).toBe('403 The token of the provider is for another sign-in')
    expect(await refused({ nonce: undefined })).toMatch(/^403 .*nonce/)
    expect(await refused({ iss: 'https://evil.test' })).toBe('403 The token comes from another issuer')
    expect(await refused({ aud: 'another client' })).toBe('403 The token of the provider is for another application')
    expect(await refused({ aud: ['phone', 'x'], azp: 'x' })).toBe(
      '403 The token of the provider is for another application',
    )
    expect(await refused({ exp: at - 120 })).toMatch(/^403 The token of the provider has expired/)
    expect(await refused({ email_verified: false })).toMatch(/^403 The provider has not verified your email address/)
    expect(await refused({ email_verified: undefined })).toMatch(/^403 The provider has not verified/)
    expect(await refused({ email: 'ada@other.test' })).toMatch(/^403 Addresses at other.test are not admitted/)
    expect(await refused({ email: undefined })).toMatch(/^403 The provider sent no email address/)
    provider.signsWithOtherKey = true
    expect(await refused({})).toBe('403 The signature of the token could not be verified')
    provider.signsWithOtherKey = false
    expect(await lastActions(owner)).toContain('sso.failed')
    expect((await app.a.api('GET', '/v2/users')).json.meta.total).toBe(2)
  })

  test('a response works once, in the browser that started, for its issuer, for 15 minutes', async () => {
    const app = await open()
    const { provider } = await setUp(app)
    const { finish } = await goToProvider(app, provider)
    const wrong = '0'.repeat(64)

    const answers = [
      await finish({ state: wrong }),
      await finish({ browser: wrong }),
      await (await goToProvider(app, provider)).finish({ iss: 'https://evil.test' }),
    ]
    const late = await goToProvider(app, provider)
    app.clock.shiftMachine(16 * minute)
    answers.push(await late.finish())
    const good = await goToProvider(app, provider)
    answers.push(await good.finish(), await good.finish())

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 200, 403])
  })

  test('maps roles from a claim, leaves owners alone, and refuses users without a role', async () => {
    const app = await open()
    const map = [
      { value: 'phone-admins', role: 'admin' },
      { value: 'phone', role: 'agent' },
    ]
    const { provider, owner, put } = await setUp(app, { role_claim: 'groups', role_map: map })

    const none = await enterBySso(app, provider, { groups: ['other'] })
    const both = await enterBySso(app, provider, { groups: ['phone', 'phone-admins'] })
    const changed = await enterBySso(app, provider, { groups: 'phone' })
    const asOwner = await enterBySso(app, provider, { sub: 'owner', email: owner.email, groups: ['phone'] })
    await put({ default_role: 'supervisor' })
    const standard = await enterBySso(app, provider, { groups: [] })

    expect([none.answer.status, none.answer.json.troubleshoot]).toEqual([403, expect.stringContaining('groups')])
    expect(both.answer.json.user.roles.toSorted()).toEqual(['admin', 'agent'])
    expect(changed.answer.json.user.roles).toEqual(['agent'])
    expect(asOwner.answer.json.user).toMatchObject({ id: owner.id, roles: ['owner'] })
    expect(standard.answer.json.user.roles).toEqual(['supervisor'])
    expect((await both.me.ask('GET', '/v1/session')).status).toBe(403)
  })

  test('admits existing users only, confirms an invitation, and refuses a deactivated user', async () => {
    const app = await open()
    const { provider } = await setUp(app, { creates_users: false })

    const unknown = await enterBySso(app, provider)
    const invited = await app.a.api('POST', '/v2/users', { email: 'Ada@example.test', first_name: 'A', last_name: 'B' })
    const known = await enterBySso(app, provider)
    await app.a.own('POST', `/v1/users/${invited.json.user.id}/deactivate`)
    const deactivated = await enterBySso(app, provider)

    expect([unknown.answer.status, unknown.answer.json.troubleshoot]).toEqual([403, expect.stringContaining('invite')])
    expect(known.answer.json.user.id).toBe(invited.json.user.id)
    expect([deactivated.answer.status, deactivated.answer.json.troubleshoot]).toEqual([
      403,
      expect.stringContaining('deactivated'),
    ])
  })

  test('forced: passwords and links of all but owners are refused, once a user has signed in by it', async () => {
    const app = await open()
    const { provider, owner, put } = await setUp(app)
    const agent = await colleague(app, app.a, 'agent')

    const early = await put({ forced: true })
    await enterBySso(app, provider)
    const forced = await put({ forced: true })
    const refused = await visitor(app).signIn(agent.email, password)
    await visitor(app).ask('POST', '/v1/password_resets', { email: agent.email })
    const invitation = { email: 'new@example.test', first_name: 'N', last_name: 'W' }
    await app.a.api('POST', '/v2/users', invitation)
    const token = await linkMailedTo(app, invitation.email, 'invitation')
    const used = await visitor(app).ask('POST', '/v1/account_links/use', { token, password })

    expect([early.status, forced.status]).toEqual([400, 200])
    expect([refused.status, refused.json.troubleshoot]).toEqual([403, expect.stringContaining('single sign-on')])
    expect((await agent.ask('GET', '/v1/session')).status).toBe(403)
    expect(used.status).toBe(403)
    await expect(linkMailedTo(app, agent.email, 'password')).rejects.toThrow('no password was mailed')
    expect((await visitor(app).signIn(owner.email, password)).status).toBe(200)
    expect((await owner.ask('DELETE', '/v1/company/sso')).status).toBe(204)
    expect((await visitor(app).signIn(agent.email, password)).status).toBe(200)
  })

  test('its settings are checked against the provider, and changed by owners only', async () => {
    const app = await open()
    const { provider, put } = await setUp(app)
    const admin = await colleague(app, app.a, 'admin')

    const answers = [
      await put({ issuer: 'http://127.0.0.1:9' }),
      await put({ issuer: 'ftp://example.com' }),
      await put({ domains: ['not a domain'] }),
      await put({ domains: [] }),
      await put({ role_claim: 'groups' }),
      await put({ role_map: [{ value: 'x', role: 'owner' }] }),
      await admin.ask('PUT', '/v1/company/sso', settings(provider)),
      await admin.ask('GET', '/v1/company/sso'),
    ]
    provider.namedIssuer = 'https://evil.test'
    const posing = await put()

    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 400, 403, 200])
    expect(answers[7]?.text).not.toContain('the secret')
    expect([posing.status, posing.json.troubleshoot]).toEqual([400, expect.stringContaining('names another issuer')])
  })

  test('with several companies, the company is found by domain, not by account', async () => {
    const app = await open(multi)
    await setUp(app)
    const start = (email?: string) => visitor(app).ask('POST', '/v1/sso/start', email === undefined ? {} : { email })

    const answers = [await start('unknown@example.test'), await start('ada@other.test'), await start()]

    expect(answers.map(({ status }) => status)).toEqual([200, 400, 400])
    expect((await visitor(app).ask('GET', '/v1/sign_in_options')).json).toEqual({ sso: 'by_email' })
  })
})
