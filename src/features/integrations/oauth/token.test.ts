import { createHash } from 'node:crypto'
import * as oauth from 'oauth4webapi'
import { describe, expect, test } from 'vitest'
import { onAnyDatabase, testApp } from '../../../../test/kit/app.ts'
import { allow, codeFor, install, registerPartner } from '../../../../test/kit/partner-app.ts'
import { type Colleague, colleague } from '../../../../test/kit/visitor.ts'
import { minute, second } from '../../../lib/clock.ts'
import { hashOf } from '../../../lib/secrets.ts'

interface Entry {
  action: string
}

const form = { 'content-type': 'application/x-www-form-urlencoded' }

onAnyDatabase('the token endpoint', (open) => {
  test('the response has a valid token and must not be cached', async () => {
    const app = await open()
    const partner = await registerPartner(app, app.a)

    const { status, json, headers } = await partner.exchange(await codeFor(app.a, partner))

    const created_at = Math.floor(app.clock.now() / 1_000)
    expect(status).toBe(200)
    expect(json).toEqual({ access_token: expect.stringMatching(/^[0-9a-f]{64}$/), token_type: 'Bearer', created_at })
    expect(headers.get('cache-control')).toBe('no-store')
    expect((await app.as(`Bearer ${json.access_token}`)('GET', '/v1/ping')).json).toEqual({ ping: 'pong' })
    expect((await app.as(`bearer ${json.access_token}`)('GET', '/v1/company')).json.company.name).toBe('Company A')
  })

  test('a code is good for ten minutes', async () => {
    const app = await open()
    const partner = await registerPartner(app, app.a)
    const [early, late] = [await codeFor(app.a, partner), await codeFor(app.a, partner)]

    await app.clock.advance(9 * minute + 59 * second)
    const inTime = await partner.exchange(early)
    await app.clock.advance(2 * second)
    const tooLate = await partner.exchange(late)

    expect(inTime.status).toBe(200)
    expect([tooLate.status, tooLate.json.error]).toEqual([400, 'invalid_grant'])
  })

  test('an exchange that is repeated within a minute gets the same token', async () => {
    const app = await open()
    const partner = await registerPartner(app, app.a)
    const code = await codeFor(app.a, partner)
    const first = await partner.exchange(code)

    await app.clock.advance(59 * second)
    const repeated = await partner.exchange(code)

    expect(repeated.status).toBe(200)
    expect(repeated.json).toEqual(first.json)
    expect((await app.as(`Bearer ${first.json.access_token}`)('GET', '/v1/ping')).status).toBe(200)
    expect(await app.db.selectFrom('oauth_token').select('id').execute()).toHaveLength(1)
    const { audit_log } = (await app.a.own('GET', '/v1/audit_log')).json
    expect(audit_log.filter(({ action }: Entry) => action === 'integration.installed')).toHaveLength(1)
  })

  test('a code that comes again after a minute gives nothing, and revokes what it gave', async () => {
    const app = await open()
    const partner = await registerPartner(app, app.a)
    const code = await codeFor(app.a, partner)
    const first = await partner.exchange(code)
    const api = app.as(`Bearer ${first.json.access_token}`)
    expect((await api('GET', '/v1/ping')).status).toBe(200)

    await app.clock.advance(minute)
    const again = await partner.exchange(code)

    expect([again.status, again.json.error]).toEqual([400, 'invalid_grant'])
    expect((await api('GET', '/v1/ping')).status).toBe(403)
    const { audit_log } = (await app.a.own('GET', '/v1/audit_log')).json
    expect(audit_log.map(({ action }: Entry) => action).slice(0, 3)).toEqual([
      'integration.uninstalled',
      'integration.installed',
      'oauth.granted',
    ])
    expect(audit_log[0].details.why).toBe('code_reused')
    expect((await partner.exchange(code)).status).toBe(400)
  })

  test('a repeat with another redirect_uri is no repeat: it gives nothing, and revokes the token', async () => {
    const app = await open()
    const partner = await registerPartner(app, app.a)
    const code = await codeFor(app.a, partner)
    const first = await partner.exchange(code)

    const other = await partner.exchange(code, { redirect_uri: 'https://elsewhere.example.test/callback' })

    expect([other.status, other.json.error]).toEqual([400, 'invalid_grant'])
    expect((await app.as(`Bearer ${first.json.access_token}`)('GET', '/v1/ping')).status).toBe(403)
  })

  test('a repeat with another code_verifier, or with none, gives nothing and revokes the token', async () => {
    const app = await open()
    const partner = await registerPartner(app, app.a)
    const verifier = 'a'.repeat(50)
    const code_challenge = createHash('sha256').update(verifier).digest('base64url')
    for (const repeat of [{ code_verifier: 'b'.repeat(50) }, {}]) {
      const request = partner.query({ code_challenge, code_challenge_method: 'S256' })
      const code = (await allow(app.a, request)).searchParams.get('code') ?? ''
      const first = await partner.exchange(code, { code_verifier: verifier })
      const same = await partner.exchange(code, { code_verifier: verifier })

      const other = await partner.exchange(code, repeat)

      expect([first.status, same.json.access_token]).toEqual([200, first.json.access_token])
      expect([other.status, other.json.error]).toEqual([400, 'invalid_grant'])
      expect((await app.as(`Bearer ${first.json.access_token}`)('GET', '/v1/ping')).status).toBe(403)
    }
  })

  test('fifty exchanges at the same moment get one token', async () => {
    const app = await open()
    const partner = await registerPartner(app, app.a)
    const code = await codeFor(app.a, partner)

    const answers = await Promise.all(Array.from({ length: 50 }, () => partner.exchange(code)))

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(answers.map(({ json }) => json.access_token)).size).toBe(1)
    const tokens = await app.db.selectFrom('oauth_token').select('revoked_at').execute()
    expect(tokens).toEqual([{ revoked_at: null }])
  })

  test('a code becomes invalid when the user who granted it is demoted or deleted', async () => {
    const app = await open()
    const partner = await registerPartner(app, app.a)
    const codeOf = async (admin: Colleague) => {
      const decision = { request: partner.query(), allow: true }
      const { redirect_to } = (await admin.ask('POST', '/v1/oauth/authorizations', decision)).json
      return new URL(redirect_to).searchParams.get('code') ?? ''
    }
    const [demoted, deleted, present] = [
      await colleague(app, app.a, 'admin'),
      await colleague(app, app.a, 'admin'),
      await colleague(app, app.a, 'admin', 'agent'),
    ]
    const codes = [await codeOf(demoted), await codeOf(deleted), await codeOf(present)]

    await app.a.api('PUT', `/v2/users/${demoted.id}`, { role_ids: ['supervisor'] })
    await app.a.api('DELETE', `/v1/users/${deleted.id}`)
    await app.a.api('PUT', `/v2/users/${present.id}`, { role_ids: ['owner'] })
    const answers = []
    for (const code of codes) answers.push(await partner.exchange(code))

    expect(answers.map(({ status, json }) => [status, json.error])).toEqual([
      [400, 'invalid_grant'],
      [400, 'invalid_grant'],
      [200, undefined],
    ])
    await app.a.api('PUT', `/v2/users/${demoted.id}`, { role_ids: ['admin'] })
    expect((await partner.exchange(codes[0] ?? '')).status).toBe(400)
  })

  test('a code is for one app and one address', async () => {
    const app = await open()
    const partner = await registerPartner(app, app.a)
    const other = await registerPartner(app, app.b, { redirect_uri: 'https://other.example.com/callback' })
    const code = await codeFor(app.a, partner)
    const grant = async (answer: ReturnType<typeof partner.exchange>) => {
      const { status, json } = await answer
      return [status, json.error]
    }

    expect(await grant(other.exchange(code))).toEqual([400, 'invalid_grant'])
    expect(await grant(other.exchange(code, { redirect_uri: partner.redirectUri }))).toEqual([400, 'invalid_grant'])
    expect(await grant(partner.exchange(code, { redirect_uri: `${partner.redirectUri}/` }))).toEqual([
      400,
      'invalid_grant',
    ])
    expect(await grant(partner.exchange('nothing'))).toEqual([400, 'invalid_grant'])
    for (const field of ['client_id', 'client_secret', 'code', 'redirect_uri', 'grant_type']) {
      expect(await grant(partner.exchange(code, { [field]: undefined }))).toEqual([400, 'invalid_request'])
      expect(await grant(partner.exchange(code, { [field]: ' ' }))).toEqual([400, 'invalid_request'])
    }
    expect(await grant(partner.exchange(code))).toEqual([200, undefined])
  })

  test('with a challenge only its verifier fits, and without one none', async () => {
    const app = await open()
    const partner = await registerPartner(app, app.a)
    const verifier = 'a'.repeat(50)
    const code_challenge = createHash('sha256').update(verifier).digest('base64url')
    const request = partner.query({ code_challenge, code_challenge_method: 'S256' })
    const code = (await allow(app.a, request)).searchParams.get('code') ?? ''
    const plain = await codeFor(app.a, partner)
    const error = async (code: string, more: Record<string, string>) => (await partner.exchange(code, more)).json.error

    expect(await error(code, {})).toBe('invalid_grant')
    expect(await error(code, { code_verifier: 'b'.repeat(50) })).toBe('invalid_grant')
    expect(await error(code, { code_verifier: code_challenge })).toBe('invalid_grant')
    expect(await error(code, { code_verifier: 'short' })).toBe('invalid_grant')
    expect(await error(plain, { code_verifier: verifier })).toBe('invalid_grant')
    // Whoever has only the code cannot use it up.
    expect((await partner.exchange(code, { code_verifier: verifier })).status).toBe(200)
    expect((await partner.exchange(plain)).status).toBe(200)
  })

  test('a token ends with its integration, its app and its company', async () => {
    const app = await open()
    const partner = await registerPartner(app, app.b)
    const [one, two, three] = [
      await install(app, app.a, partner),
      await install(app, app.a, partner),
      await install(app, app.b, partner),
    ]
    const ping = async ({ api }: typeof one) => (await api('GET', '/v1/ping')).status
    const { id } = (await one.api('GET', '/v1/integrations/me')).json.integration

    expect((await app.a.own('DELETE', `/v1/integrations/${id}`)).status).toBe(204)
    expect([await ping(one), await ping(two), await ping(three)]).toEqual([403, 200, 200])
    await app.app.commands['company.set']?.({ company: app.a.id, active: 'no' })
    expect([await ping(two), await ping(three)]).toEqual([403, 200])
    await app.app.commands['company.set']?.({ company: app.a.id, active: 'yes' })
    expect((await app.b.own('DELETE', `/v1/oauth_apps/${partner.id}`)).status).toBe(204)
    expect([await ping(two), await ping(three)]).toEqual([403, 403])
    await app.settle()
    const left = await app.db.selectFrom('oauth_token').select('id').where('revoked_at', 'is', null).execute()
    expect(left).toEqual([])
  })

  test('code, token and client secret are in the store as hashes only, and in no log', async () => {
    const app = await open()
    const partner = await registerPartner(app, app.a)
    const unused = await codeFor(app.a, partner)
    const { token } = await install(app, app.a, partner)

    const rows = JSON.stringify([
      await app.db.selectFrom('oauth_app').selectAll().execute(),
      await app.db.selectFrom('oauth_code').selectAll().execute(),
      await app.db.selectFrom('oauth_token').selectAll().execute(),
      await app.db.selectFrom('audit').selectAll().execute(),
      await app.db.selectFrom('job').selectAll().execute(),
    ])
    for (const secret of [unused, token, partner.secret]) {
      expect(rows).not.toContain(secret)
      expect(rows).toContain(hashOf(secret))
      expect(app.logged()).not.toContain(secret)
    }
  })

  test('expired codes are deleted after a day', async () => {
    const app = await open()
    const partner = await registerPartner(app, app.a)
    await codeFor(app.a, partner)

    await app.clock.advance(26 * 60 * minute)

    expect(await app.db.selectFrom('oauth_code').select('hash').execute()).toEqual([])
  })
})

describe('how the token endpoint is spoken to', () => {
  test('a wrong secret is 401, and guessing ends in 429', async () => {
    const app = await testApp()
    const partner = await registerPartner(app, app.a)
    const code = await codeFor(app.a, partner)

    const answers = []
    for (let i = 0; i < 20; i++) answers.push(await partner.exchange(code, { client_secret: `wrong${i}` }))
    const blocked = await partner.exchange(code)

    for (const { status, json } of answers) {
      expect([status, json.error, typeof json.error_description, json.success]).toEqual([
        401,
        'invalid_client',
        'string',
        false,
      ])
    }
    expect([blocked.status, blocked.json.error]).toEqual([429, 'Too Many Requests'])
    expect(Number(blocked.headers.get('retry-after'))).toBeGreaterThan(0)
    app.clock.shiftMachine(minute + second)
    expect((await partner.exchange(code)).status).toBe(200)
    expect((await partner.exchange(code, { client_id: 'nobody' })).status).toBe(401)
  })

  test('JSON and forms are understood here, and parameters in the address are refused', async () => {
    const app = await testApp()
    const partner = await registerPartner(app, app.a)
    const fields = async () => ({
      client_id: partner.clientId,
      client_secret: partner.secret,
      code: await codeFor(app.a, partner),
      redirect_uri: partner.redirectUri,
      grant_type: 'authorization_code',
    })
    const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
      app.anonymous('POST', path, body, headers)
    const asForm = async () => new URLSearchParams(await fields()).toString()

    expect((await post('/v1/oauth/token', await fields())).status).toBe(200)
    expect((await post('/v1/oauth/token', await asForm(), form)).status).toBe(200)
    const charset = { 'content-type': 'Application/x-www-form-urlencoded; charset=UTF-8' }
    expect((await post('/v1/oauth/token', await asForm(), charset)).status).toBe(200)
    for (const [path, body, headers] of [
      [`/v1/oauth/token?${await asForm()}`, undefined, {}],
      [`/v1/oauth/token?client_secret=${partner.secret}`, await fields(), {}],
      ['/v1/oauth/token', `${await asForm()}&code=again`, form],
      ['/v1/oauth/token', '{"client_id":', {}],
      ['/v1/oauth/token', { ...(await fields()), code: 5 }, {}],
      ['/v1/oauth/token', await asForm(), { 'content-type': 'text/plain' }],
    ] as const) {
      const { status, json } = await post(path, body, headers)
      expect([path, status, json.error]).toEqual([path, 400, 'invalid_request'])
      expect(Object.keys(json)).toEqual(['error', 'error_description', 'troubleshoot', 'success'])
    }
    expect((await app.a.api('POST', '/v1/tags', 'name=x&color=%23fff', form)).status).toBe(400)
    expect((await app.anonymous('GET', '/v1/oauth/token')).status).toBe(405)
    const strict = await testApp({ env: { STRICT_CONTENT_TYPE: '1' } })
    expect((await strict.anonymous('POST', '/v1/oauth/token', 'grant_type=password', form)).json.error).toBe(
      'unsupported_grant_type',
    )
  })

  test('there is one grant type', async () => {
    const app = await testApp()
    const partner = await registerPartner(app, app.a)

    for (const grant_type of ['client_credentials', 'password', 'refresh_token', 'urn:x']) {
      const { status, json } = await partner.exchange('x', { grant_type })
      expect([status, json.error]).toEqual([400, 'unsupported_grant_type'])
    }
    const bare = await app.anonymous('POST', '/v1/oauth/token', { grant_type: 'client_credentials' })
    expect(bare.json.error).toBe('unsupported_grant_type')
  })

  test('an independent client gets its token, with PKCE and state', async () => {
    const app = await testApp()
    const partner = await registerPartner(app, app.a)
    const server: oauth.AuthorizationServer = {
      issuer: app.base,
      authorization_endpoint: `${app.base}/oauth/authorize`,
      token_endpoint: `${app.base}/v1/oauth/token`,
    }
    const me: oauth.Client = { client_id: partner.clientId }
    const insecure = { [oauth.allowInsecureRequests]: true }
    const verifier = oauth.generateRandomCodeVerifier()
    const state = oauth.generateRandomState()
    const address = new URL(server.authorization_endpoint ?? '')
    address.search = partner.query({
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })

    const back = await allow(app.a, address.search.slice(1))
    const parameters = oauth.validateAuthResponse(server, me, back, state)
    const secret = oauth.ClientSecretPost(partner.secret)
    const answer = await oauth.authorizationCodeGrantRequest(
      server,
      me,
      secret,
      parameters,
      partner.redirectUri,
      verifier,
      insecure,
    )
    const { access_token, token_type } = await oauth.processAuthorizationCodeResponse(server, me, answer)

    expect(token_type).toBe('bearer')
    const ping = await oauth.protectedResourceRequest(
      access_token,
      'GET',
      new URL(`${app.base}/v1/ping`),
      undefined,
      undefined,
      insecure,
    )
    expect(await ping.json()).toEqual({ ping: 'pong' })
  })

  test('the independent client understands a denial, and an error of the token endpoint', async () => {
    const app = await testApp()
    const partner = await registerPartner(app, app.a)
    const server: oauth.AuthorizationServer = { issuer: app.base, token_endpoint: `${app.base}/v1/oauth/token` }
    const me: oauth.Client = { client_id: partner.clientId }
    const request = partner.query({ state: 'mine' })
    const denied = (await app.a.own('POST', '/v1/oauth/authorizations', { request, allow: false })).json.redirect_to

    expect(() => oauth.validateAuthResponse(server, me, new URL(denied), 'mine')).toThrow(
      expect.objectContaining({ error: 'access_denied' }),
    )
    const parameters = oauth.validateAuthResponse(server, me, new URL(`${partner.redirectUri}?code=stale`))
    const answer = await oauth.authorizationCodeGrantRequest(
      server,
      me,
      oauth.ClientSecretPost(partner.secret),
      parameters,
      partner.redirectUri,
      oauth.nopkce,
      { [oauth.allowInsecureRequests]: true },
    )
    await expect(oauth.processAuthorizationCodeResponse(server, me, answer)).rejects.toMatchObject({
      error: 'invalid_grant',
      status: 400,
    })
  })
})
