import { describe, expect, test } from 'vitest'
import { type OpenApp, onAnyDatabase, testApp } from '../../../../test/kit/app.ts'
import { client } from '../../../../test/kit/client.ts'
import { allow, colleague, redirectUri, registerPartner } from '../../../../test/kit/partner-app.ts'

const page = '/oauth/authorize'

async function opened(open: OpenApp) {
  const app = await open()
  const partner = await registerPartner(app, app.a)
  const visit = (query: string, headers: Record<string, string> = {}) =>
    app.anonymous('GET', `${page}?${query}`, undefined, headers)
  return { app, partner, visit }
}

describe('the authorization page', () => {
  const tricks: Record<string, string> = {
    'an extra path': `${redirectUri}/more`,
    'a trailing slash': `${redirectUri}/`,
    'another case': 'https://Partner.example.com/callback',
    'another case of the path': 'https://partner.example.com/Callback',
    'an added query': `${redirectUri}?a=1`,
    'an encoded dot': 'https://partner%2eexample.com/callback',
    'a walk up': 'https://partner.example.com/x/../callback',
    userinfo: 'https://partner.example.com@evil.example/callback',
    'a port': 'https://partner.example.com:444/callback',
    'the usual port': 'https://partner.example.com:443/callback',
    http: 'http://partner.example.com/callback',
    'a subdomain': 'https://evil.partner.example.com/callback',
    'a fragment': `${redirectUri}#x`,
    'a longer name': 'https://partner.example.com.evil.example/callback',
    javascript: 'javascript:alert(1)',
    localhost: 'https://localhost/callback',
    nothing: '',
  }

  test.each(Object.entries(tricks))('redirect_uri with %s is an error page, no redirect', async (_what, uri) => {
    const { visit, partner } = await opened(testApp)

    const shown = await visit(partner.query({ redirect_uri: uri }))

    expect([shown.status, shown.headers.get('location')]).toEqual([400, null])
    expect(shown.headers.get('content-type')).toContain('text/html')
    expect(shown.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(shown.text).toContain('This app cannot be connected')
    expect(shown.text).not.toContain('evil.example')
  })

  test('redirect_uri given twice, or not at all, is an error page', async () => {
    const { visit, partner } = await opened(testApp)
    const twice = `${partner.query()}&redirect_uri=${encodeURIComponent(redirectUri)}`
    const plainTwice = `redirect_uri=${redirectUri}&${partner.query()}`
    const never = `client_id=${partner.clientId}&response_type=code&scope=public_api`

    for (const query of [twice, plainTwice, never]) {
      const shown = await visit(query)
      expect([query, shown.status, shown.headers.get('location')]).toEqual([query, 400, null])
    }
  })

  test('a redirect_uri may come without percent-encoding, with an & of its own too', async () => {
    const { app } = await opened(testApp)
    const uri = 'https://partner.example.com/callback?tenant=1&mode=a+b'
    const partner = await registerPartner(app, app.a, { redirect_uri: uri })
    const rest = `client_id=${partner.clientId}&response_type=code&scope=public_api&state=s`

    for (const query of [`redirect_uri=${uri}&${rest}`, `${rest}&redirect_uri=${uri}`, partner.query({ state: 's' })]) {
      const { href } = await allow(app.a, query)
      expect(href).toMatch(/^https:\/\/partner\.example\.com\/callback\?tenant=1&mode=a\+b&code=[0-9a-f]{64}&state=s$/)
    }
  })

  test('an unknown client is an error page', async () => {
    const { visit, partner } = await opened(testApp)

    for (const query of [partner.query({ client_id: 'nobody' }), `${partner.query()}&client_id=x`, '']) {
      const shown = await visit(query)
      expect([shown.status, shown.headers.get('location')]).toEqual([400, null])
    }
  })

  test('the name of an app is text, whatever it holds', async () => {
    const { app, visit } = await opened(testApp)
    const name = '<img src=x onerror=alert(1)>'
    const partner = await registerPartner(app, app.a, { name })

    const { text } = await visit(partner.query({ redirect_uri: 'https://evil.example/' }))

    expect(text).not.toContain(name)
    expect(text).toContain('&lt;img src=x')
  })

  test('an unsupported request is reported to the app, with its state', async () => {
    const { visit, partner } = await opened(testApp)
    const redirectFor = async (more: Record<string, string>) => {
      const { status, headers } = await visit(partner.query({ state: 'kept', ...more }))
      expect(status).toBe(302)
      return headers.get('location')
    }

    expect(await redirectFor({ response_type: 'token' })).toBe(
      `${redirectUri}?error=unsupported_response_type&state=kept`,
    )
    expect(await redirectFor({ scope: 'everything' })).toBe(`${redirectUri}?error=invalid_scope&state=kept`)
    expect(await redirectFor({ scope: 'public_api everything' })).toBe(`${redirectUri}?error=invalid_scope&state=kept`)
    expect(await redirectFor({ response_type: '' })).toBe(`${redirectUri}?error=invalid_request&state=kept`)
    expect(await redirectFor({ code_challenge: 'x'.repeat(43) })).toBe(
      `${redirectUri}?error=invalid_request&state=kept`,
    )
    expect(await redirectFor({ code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' })).toBe(
      `${redirectUri}?error=invalid_request&state=kept`,
    )
  })

  test('a state of any content comes back as it was, and into no header of its own', async () => {
    const { app, partner, visit } = await opened(testApp)
    const states = ['x'.repeat(4_096), '&code=x', 'a\r\nSet-Cookie: a=b', `"'<script>`, 'a b+c%20d', 'ä€😀', '', '%zz']

    for (const state of states) {
      const query = partner.query({ state })
      const refused = await visit(query.replace('public_api', 'other'))
      expect(new URL(refused.headers.get('location') ?? '').searchParams.getAll('state')).toEqual([state])
      expect(refused.headers.get('set-cookie')).toBe(null)
      const { searchParams } = await allow(app.a, query)
      expect(searchParams.getAll('state')).toEqual([state])
      expect(searchParams.getAll('code').map((code) => code.length)).toEqual([64])
    }
    expect((await allow(app.a, partner.query())).searchParams.has('state')).toBe(false)
    expect((await allow(app.a, `${partner.query()}&state=a+b%2Bc`)).search).toMatch(/&state=a\+b%2Bc$/)
  })

  test('supervisors and agents are sent to the download page, and may not consent', async () => {
    const { app, partner, visit } = await opened(testApp)

    for (const role of ['supervisor', 'agent']) {
      const session = await colleague(app, app.a, role)
      const shown = await visit(partner.query(), session)
      expect([shown.status, shown.headers.get('location')]).toEqual([302, `${app.base}/download`])
      const own = client(`${app.base}/app`, session)
      const decision = { request: partner.query(), allow: true }
      expect((await own('POST', '/v1/oauth/authorizations', decision)).status).toBe(403)
      expect((await own('POST', '/v1/oauth/authorizations/look', { request: partner.query() })).status).toBe(403)
    }
    expect((await visit(partner.query(), app.a.session)).headers.get('location')).toBe(null)
  })

  test('consent needs the CSRF token of the session and our own Origin', async () => {
    const { app, partner } = await opened(testApp)
    const decision = { request: partner.query(), allow: true }
    const post = async (headers: Record<string, string>) =>
      (await client(`${app.base}/app`, headers)('POST', '/v1/oauth/authorizations', decision)).status
    const { session } = app.a

    expect(await post({ cookie: session.cookie ?? '', origin: app.base })).toBe(403)
    expect(await post({ ...session, 'x-csrf-token': app.b.session['x-csrf-token'] ?? '' })).toBe(403)
    expect(await post({ ...session, origin: 'https://evil.example' })).toBe(403)
    expect(await post(session)).toBe(200)
  })

  test('the page is in no frame, sends no Referer and is not kept', async () => {
    const { app, partner, visit } = await opened(testApp)

    const { headers, status } = await visit(partner.query(), app.a.session)

    // 503 where the web apps are not built.
    expect([200, 503]).toContain(status)
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(headers.get('referrer-policy')).toBe('no-referrer')
  })
})

onAnyDatabase('consent', (open) => {
  test('an admin sees who asks, and allows or denies it', async () => {
    const { app, partner } = await opened(open)
    const request = partner.query({ state: 'kept' })

    const { json } = await app.a.own('POST', '/v1/oauth/authorizations/look', { request })
    const denied = await app.a.own('POST', '/v1/oauth/authorizations', { request, allow: false })

    expect(json).toEqual({
      app: { name: 'Desk', description: '', logo_url: null, maker: 'Company A' },
      redirect_host: 'partner.example.com',
    })
    expect(denied.json).toEqual({ redirect_to: `${redirectUri}?error=access_denied&state=kept` })
    expect((await allow(app.a, request)).searchParams.get('code')).toMatch(/^[0-9a-f]{64}$/)
  })

  test('only Numbers of the company can be chosen', async () => {
    const { app, partner } = await opened(open)
    const { number } = (await app.b.own('POST', '/v1/numbers', { digits: '+14155550101', name: 'B' })).json
    const choose = (number_ids: unknown) =>
      app.a.own('POST', '/v1/oauth/authorizations', { request: partner.query(), allow: true, number_ids })

    const answers = [await choose([number.id]), await choose([999_999]), await choose([])]

    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400])
  })

  test('addresses of an app are public HTTPS; this machine may be named in a sandbox', async () => {
    const { app } = await opened(open)
    const register = async (more: object) =>
      (
        await app.a.own('POST', '/v1/oauth_apps', {
          name: 'Desk',
          install_uri: 'https://partner.example.com/',
          redirect_uri: redirectUri,
          ...more,
        })
      ).status

    for (const field of ['install_uri', 'redirect_uri']) {
      expect(await register({ [field]: 'http://partner.example.com/' })).toBe(400)
      expect(await register({ [field]: `${redirectUri}#part` })).toBe(400)
      expect(await register({ [field]: 'https://a:b@partner.example.com/' })).toBe(400)
      expect(await register({ [field]: 'https://10.0.0.1/' })).toBe(400)
      expect(await register({ [field]: 'https://partner.example.com/ä' })).toBe(400)
      expect(await register({ [field]: undefined })).toBe(422)
      expect(await register({ [field]: 'http://127.0.0.1:4999/back' })).toBe(201)
    }
  })
})
