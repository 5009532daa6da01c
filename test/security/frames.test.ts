import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { colleague, password, visitor } from '../kit/visitor.ts'

const ours = 'https://crm.a.example'
const theirs = 'https://crm.b.example'

test('the phone app can be framed by sites of the user’s own company only; dashboard and consent by none', async () => {
  const app = await testApp()
  await app.a.own('PUT', '/v1/company/settings', { embed_origins: [ours] })
  await app.b.own('PUT', '/v1/company/settings', { embed_origins: [theirs] })
  const me = await colleague(app, app.a, 'agent')
  const framesOf = async (path: string, headers: Record<string, string> = {}) =>
    /frame-ancestors ([^;]*)/.exec(
      (await app.anonymous('GET', path, undefined, headers)).headers.get('content-security-policy') ?? '',
    )?.[1]

  expect(await framesOf('/phone')).toBe(`'self' ${ours} ${theirs}`)
  expect(await framesOf('/phone', { cookie: me.cookie() })).toBe(`'self' ${ours}`)
  expect(await framesOf('/phone?integration=generic', { cookie: me.cookie() })).toBe(`'self' ${ours}`)
  for (const path of ['/dashboard', '/sign-in', '/oauth/authorize', '/download', '/dashboard/audit']) {
    expect(await framesOf(path, { cookie: me.cookie() }), path).toBe("'none'")
  }
})

test('a cookie for frames is partitioned, and takes the place of the usual one that a browser may send as well', async () => {
  const app = await testApp()
  const me = await colleague(app, app.a, 'agent')
  const inFrame = { 'x-hookswitch-frame': '1' }
  const enter = { email: me.email, password }

  const fresh = await visitor(app).ask('POST', '/v1/session', enter, inFrame)
  const again = await me.ask('POST', '/v1/session', enter, inFrame)
  const cookies = again.headers.getSetCookie()

  expect(fresh.headers.getSetCookie()).toEqual([
    expect.stringMatching(/=[0-9a-f]{64}; Max-Age=604800; Path=\/; HttpOnly; SameSite=None; Secure; Partitioned$/),
  ])
  expect(cookies).toEqual([
    expect.stringMatching(/=[0-9a-f]{64}; .*; Partitioned$/),
    expect.stringMatching(/=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax$/),
  ])
})

test('an embedded app identifies itself by a header that other sites cannot send', async () => {
  const app = await testApp()
  const asked = { origin: 'https://evil.test', 'access-control-request-headers': 'x-hookswitch-frame' }

  const answer = await app.anonymous('OPTIONS', '/app/v1/session', undefined, asked)

  expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  expect(answer.headers.get('access-control-allow-headers')).toBeNull()
})
