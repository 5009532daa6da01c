import { rename } from 'node:fs/promises'
import { request } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { makeCertificate } from '../kit/certificate.ts'
import { freePort, temporaryFolder } from '../kit/databases.ts'
import { expectError } from './raw.ts'

const secure = { 'x-forwarded-proto': 'https' }
const production = async (more: Record<string, string> = {}) => {
  const adminPort = await freePort()
  const env = {
    HOOKSWITCH_MODE: 'production',
    PUBLIC_URL: 'https://phone.example.test',
    ADMIN_PORT: String(adminPort),
    ...more,
  }
  return { env, admin: `http://127.0.0.1:${adminPort}` }
}

const hidden = [
  '/.git/config',
  '/.env',
  '/package.json',
  '/src/main.ts',
  '/main.js.map',
  '/debug',
  '/admin',
  '/sandbox',
]
const operational = ['/healthz', '/readyz', '/metrics']

test('the sandbox shows its health on the main port, and no file of ours', async () => {
  const { anonymous } = await testApp()

  for (const path of operational) expect((await anonymous('GET', path)).status, path).toBe(200)
  for (const path of hidden) expectError(await anonymous('GET', path), 404, path)
})

test('in production health and metrics are on the private listener and nowhere else', async () => {
  const { env, admin } = await production({ TRUSTED_PROXIES: '127.0.0.1' })
  const { anonymous, app } = await testApp({ env })

  for (const path of [...operational, ...hidden, '/sandbox/clock']) {
    expectError(await anonymous('GET', path, undefined, secure), 404, path)
  }
  for (const path of operational) expect((await anonymous('GET', admin + path)).status, path).toBe(200)
  expect((await anonymous('GET', `${admin}/readyz`)).json).toMatchObject({
    status: 'ready',
    checks: { store: 'ok', schema: 'ok', disk: 'ok' },
  })
  expectError(await anonymous('GET', `${admin}/v1/ping`), 404)
  void app.drain()
  expect((await anonymous('GET', `${admin}/readyz`)).status).toBe(503)
  expect((await anonymous('GET', `${admin}/healthz`)).status).toBe(200)
})

test('in production plain HTTP is refused, unless a trusted proxy received HTTPS', async () => {
  const { env } = await production({ TRUSTED_PROXIES: '127.0.0.1' })
  const { a, anonymous } = await testApp({ env })

  for (const headers of [{}, { 'x-forwarded-proto': 'http' }, { 'x-forwarded-proto': 'https,http' }]) {
    for (const path of ['/v1', '/v1/ping', '/nothing']) {
      expectError(await a.api('GET', path, undefined, headers), 403, `${path} ${JSON.stringify(headers)}`)
    }
  }
  const answer = await a.api('GET', '/v1/ping', undefined, secure)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('strict-transport-security')).toMatch(/max-age=\d{7,}/)
  for (const path of ['/v1', '/nothing', '/openapi.json', '/v1/%zz']) {
    const { headers } = await anonymous('GET', path, undefined, secure)
    expect(headers.get('strict-transport-security'), path).toMatch(/max-age/)
  }
})

test('in production only the trusted proxy can claim HTTPS', async () => {
  const { env } = await production({ TRUSTED_PROXIES: '10.99.99.99' })
  const { a } = await testApp({ env })

  expectError(await a.api('GET', '/v1/ping', undefined, secure), 403)
  expectError(await a.api('GET', '/v1/ping', undefined, { ...secure, 'x-forwarded-for': '10.99.99.99' }), 403)
})

test('in production the session cookie has the __Host- prefix', async () => {
  const { env } = await production({ TRUSTED_PROXIES: '127.0.0.1' })
  const { a, anonymous } = await testApp({ env })
  const { cookie = '' } = a.session
  const ask = (value: string) => anonymous('GET', '/app/v1/ping', undefined, { ...secure, cookie: value })

  expectError(await ask(cookie), 403)
  expect((await ask(`__Host-${cookie}`)).status).toBe(200)
})

/** Status of a new connection, and the subject of its certificate. */
function overTls(port: string, pathname: string, maxVersion?: 'TLSv1.1') {
  return new Promise<{ status: number; name: string; hsts: unknown }>((resolve, reject) => {
    const options = { port, host: '127.0.0.1', path: pathname, agent: false as const, rejectUnauthorized: false }
    const legacy = maxVersion && { maxVersion, minVersion: 'TLSv1' as const, ciphers: 'DEFAULT@SECLEVEL=0' }
    const asked = request({ ...options, ...legacy }, (response) => {
      const name = String((response.socket as TLSSocket).getPeerCertificate().subject.CN)
      const hsts = response.headers['strict-transport-security']
      response.resume().on('end', () => resolve({ status: response.statusCode ?? 0, name, hsts }))
    })
    asked.on('error', reject).end()
  })
}

test('with its own certificate the server accepts TLS 1.2 and later only, and loads a renewed one without a restart', async () => {
  const folder = await temporaryFolder()
  const old = await makeCertificate(folder, 'old')
  const renewed = await makeCertificate(folder, 'renewed')
  const { env } = await production({ TLS_CERT: old.cert, TLS_KEY: old.key })
  const { base } = await testApp({ env })
  const { port } = new URL(base)

  expect(await overTls(port, '/v1')).toMatchObject({ status: 200, name: 'old.test', hsts: expect.any(String) })
  expect(await overTls(port, '/healthz')).toMatchObject({ status: 404 })
  await expect(overTls(port, '/v1', 'TLSv1.1')).rejects.toThrow()
  await rename(renewed.cert, old.cert)
  await rename(renewed.key, old.key)

  await expect.poll(async () => (await overTls(port, '/v1')).name, { timeout: 30_000 }).toBe('renewed.test')
})
