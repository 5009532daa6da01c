import { expect, test } from 'vitest'
import { routes } from '../../src/features/index.ts'
import { sandboxRoutes } from '../../src/sandbox/index.ts'
import { testApp } from '../kit/app.ts'
import { validBody } from './bodies.ts'
import { unknown } from './companies.ts'

// Cross-site requests never change anything.

const mutations = [...routes, ...sandboxRoutes].filter(
  ({ access, method }) => (access === 'api' || access === 'app') && method !== 'GET',
)

test('every change under /app is refused from a foreign page, without an Origin and without the right token', async () => {
  const { a, b, anonymous, base } = await testApp()
  const { origin: _origin, ...noOrigin } = a.session
  const { 'x-csrf-token': _token, ...noToken } = a.session
  const foreign = [
    noOrigin,
    { ...a.session, origin: 'null' },
    { ...a.session, origin: 'https://evil.test' },
    { ...a.session, origin: `${base}.evil.test` },
  ]
  const unproven = [noToken, { ...a.session, 'x-csrf-token': b.session['x-csrf-token'] ?? '' }]
  let asked = 0

  for (const route of mutations) {
    const path = `/app${route.path.replace(/:\w+/g, '999999991')}`
    const headers = route.document.anyone ? foreign : [...foreign, ...unproven]
    for (const sent of headers) {
      const answer = await anonymous(route.method, path, validBody(route, unknown), sent)
      expect(answer.status, `${route.method} ${path} ${JSON.stringify(sent)} ${answer.text}`).toBe(403)
      asked++
    }
  }

  console.log(`${asked} forged requests to ${mutations.length} routes`)
  expect(asked).toBeGreaterThan(400)
  expect((await a.own('GET', '/v1/teams')).json.meta.total).toBe(0)
})

test('a body that a form of another site could send is rejected', async () => {
  const { a, anonymous } = await testApp()

  for (const route of mutations) {
    const path = `/app${route.path.replace(/:\w+/g, '999999991')}`
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const answer = await anonymous(route.method, path, '{"name":"a"}', { ...a.session, 'content-type': type })
      // An unknown resource in the path is reported first.
      expect([400, 404], `${route.method} ${path} ${type} ${answer.text}`).toContain(answer.status)
    }
  }
})
