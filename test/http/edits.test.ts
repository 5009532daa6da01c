import { expect, test } from 'vitest'
import { routes } from '../../src/features/index.ts'
import type { Route } from '../../src/http/route.ts'
import { onBothDatabases } from '../kit/app.ts'
import { validBody } from '../security/bodies.ts'
import { idsInPath, type SeededCompany, seedCompany } from '../security/companies.ts'

// Two users edit the same object: the second one is informed instead of overwriting the first.

const keyOf = ({ method, path }: Route) => `${method} ${path}`

/** Routes whose values only one user edits, or where each request is one choice of the user: the last one counts. */
const lastCounts = new Set([
  'PUT /v1/calls/:id/archive',
  'PUT /v1/calls/:id/unarchive',
  'PUT /v1/me/to_do/:id',
  'PUT /v1/contacts/:id/owner',
  'PUT /v1/intelligence/action_items/:id',
  'PUT /v1/intelligence/coaching/:id',
  'PUT /v1/conversations/:id',
  'PUT /v1/session/passkeys/:id',
  'PUT /v1/session/password',
  'PUT /v1/me/availability',
  'PUT /v1/me/direct_messages/:user_id',
  'PUT /v1/me/sound',
  'PUT /v1/me/call_waiting',
  'PUT /v1/me/voicemail_emails',
  'PUT /v1/me/push_subscription',
  'PUT /v1/users/:id/status',
  'PUT /v1/company/plan',
  'PUT /v1/analytics/scheduled_reports/:id/active',
  'PUT /v1/analytics/report_settings',
  'PUT /v1/report_subscription',
  'PUT /v1/company/security',
  'PUT /v1/api_keys/:id',
  'PUT /v1/calls/:call_id/custom_summary_result',
  'PUT /v1/calls/:call_id/playbook_result',
  'PUT /v1/calls/:call_id/evaluations',
])

const pathOf = (route: Route, mine: SeededCompany) =>
  idsInPath(route.path).reduce((path, { name, kind }) => path.replace(`:${name}`, mine[kind][0]), route.path)

test('every form of the apps learns that its object was changed', () => {
  const updates = routes.filter(({ method, access }) => method === 'PUT' && access !== 'key')

  const unprotected = updates.filter((route) => !route.edits && !lastCounts.has(keyOf(route))).map(keyOf)

  expect(unprotected).toEqual([])
})

onBothDatabases('edits', (open) => {
  test('a form with outdated values is refused, and one with the values of now is saved', async () => {
    const testApp = await open()
    const { a } = testApp
    const mine = await seedCompany(testApp, a, 'edited', '+1415555010')
    // Single sign-on refuses a domain that is none before it compares.
    const edited = routes.filter((route) => route.edits && route.access !== 'key' && route.path !== '/v1/company/sso')
    expect(edited.length).toBeGreaterThan(30)

    for (const route of edited) {
      const path = pathOf(route, mine)
      const body = validBody(route, mine) as Record<string, unknown>
      const outdated = Object.fromEntries(Object.keys(body).map((name) => [name, 'outdated']))

      const refused = await a.own(route.method, path, { ...body, edited_from: outdated })

      expect([keyOf(route), refused.status, refused.json?.error]).toEqual([keyOf(route), 409, 'Conflict'])
      const { current } = refused.json.conflict
      expect([keyOf(route), Object.keys(current).length > 0]).toEqual([keyOf(route), true])
      const saved = await a.own(route.method, path, { ...body, edited_from: current })
      expect([keyOf(route), saved.status, saved.json?.troubleshoot]).toEqual([keyOf(route), 200, undefined])
      // Without the loaded values the last one counts, as before.
      const again = await a.own(route.method, path, body)
      expect([keyOf(route), again.status]).toEqual([keyOf(route), 200])
    }
  })

  test('of two simultaneous edits with the same loaded values one is saved', async () => {
    const { a } = await open()
    const { tag } = (await a.api('POST', '/v1/tags', { name: 'Sales', color: '#00B388' })).json
    const edit = (name: string) =>
      a.own('PUT', `/v1/tags/${tag.id}`, { name, color: tag.color, edited_from: { name: 'Sales', color: tag.color } })

    const answers = await Promise.all(['One', 'Two', 'Three', 'Four', 'Five'].map(edit))

    const winner = answers.find(({ status }) => status === 200)
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409])
    const now = (await a.api('GET', `/v1/tags/${tag.id}`)).json.tag
    expect(now).toEqual(winner?.json.tag)
    for (const { status, json } of answers) {
      if (status === 409) expect(json.conflict).toMatchObject({ via: 'user', current: { name: now.name } })
    }
  })

  test('the conflict says who saved, when, and which values differ; other fields are free', async () => {
    const { a, clock } = await open()
    const { tag } = (await a.api('POST', '/v1/tags', { name: 'Sales', color: '#00B388' })).json
    const put = (body: object) => a.own('PUT', `/v1/tags/${tag.id}`, body)
    const owner = (await a.api('GET', `/v2/users/${a.ownerId}`)).json.user
    await put({ name: 'Leads' })
    const at = new Date(clock.now()).toISOString()

    const refused = await put({ name: 'Deals', color: '#ffffff', edited_from: { name: 'Sales', color: tag.color } })

    expect(refused.status).toBe(409)
    expect(refused.json).toEqual({
      error: 'Conflict',
      troubleshoot: `${owner.name} changed \`name\` after you opened this; review the changes and save again`,
      success: false,
      conflict: { by: { id: a.ownerId, name: owner.name }, via: 'user', at, current: { name: 'Leads' } },
    })
    expect((await put({ color: '#ffffff', edited_from: { color: tag.color } })).json.tag).toMatchObject({
      name: 'Leads',
      color: '#ffffff',
    })
    await a.api('PUT', `/v1/tags/${tag.id}`, { name: 'By API' })
    const byApi = await put({ name: 'Deals', edited_from: { name: 'Leads' } })
    expect(byApi.json.conflict).toMatchObject({ by: null, via: 'api', current: { name: 'By API' } })
  })

  test('the public API ignores the loaded values, and a wrong type is refused', async () => {
    const { a } = await open()
    const { tag } = (await a.api('POST', '/v1/tags', { name: 'Sales', color: '#00B388' })).json
    const path = `/v1/tags/${tag.id}`

    expect((await a.api('PUT', path, { name: 'Leads', edited_from: { name: 'Other' } })).status).toBe(200)
    for (const wrong of ['Sales', 7, null, ['Sales'], true]) {
      expect([wrong, (await a.own('PUT', path, { name: 'Deals', edited_from: wrong })).status]).toEqual([wrong, 400])
    }
    // A field that the object does not show, such as a password, is not compared.
    expect((await a.own('PUT', path, { name: 'Deals', edited_from: { secret: 'x' } })).status).toBe(200)
  })

  test('a refused change leaves no trace of an edit', async () => {
    const { a } = await open()
    const { tag } = (await a.api('POST', '/v1/tags', { name: 'Sales', color: '#00B388' })).json
    await a.api('POST', '/v1/tags', { name: 'Taken', color: '#00B388' })
    await a.api('PUT', `/v1/tags/${tag.id}`, { name: 'Leads' })

    await a.own('PUT', `/v1/tags/${tag.id}`, { name: 'Taken', edited_from: { name: 'Leads' } })

    const refused = await a.own('PUT', `/v1/tags/${tag.id}`, { name: 'Deals', edited_from: { name: 'Sales' } })
    expect(refused.json.conflict.via).toBe('api')
  })
})
