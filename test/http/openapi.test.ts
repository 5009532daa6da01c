import { expect, test } from 'vitest'
import { routes as always } from '../../src/features/index.ts'
import { routeTable } from '../../src/http/mounts.ts'
import { isPublic } from '../../src/http/route.ts'
import { sandboxRoutes } from '../../src/sandbox/index.ts'
import { type TestApp, testApp } from '../kit/app.ts'

/** Routes served by the test app. */
const routes = [...always, ...sandboxRoutes]
const asDocumented = (path: string) => path.replace(/:(\w+)/g, '{$1}')

test('the document lists exactly the registered routes, and each responds at its documented path', async () => {
  const { a, anonymous } = await testApp()
  const paths = await documentedPaths(anonymous)
  const documented = Object.entries(paths).flatMap(([path, verbs]) =>
    Object.keys(verbs).map((verb) => ({ method: verb.toUpperCase(), path })),
  )

  const named = documented.map(({ method, path }) => `${method} ${path}`).sort()
  const registered = routes
    .map(({ method, path, access }) => `${method} ${asDocumented(access === 'app' ? `/app${path}` : path)}`)
    .sort()

  expect(named).toEqual(registered)
  for (const { method, path, access } of routes) {
    const mounts = { api: ['/', '/app'], key: ['/'], app: ['/app'], open: ['/'] }[access]
    const url = path
    for (const mount of ['/', '/app']) {
      const full = mount === '/app' ? `/app${url}` : url
      const found = routeTable(routes).find(method, full)
      expect(found?.path === full, `${method} ${full}`).toBe(mounts.includes(mount))
    }
  }
  expect((await a.api('GET', '/v1/api_keys')).status).toBe(404)
})

test('no route outside the table changes data: pages only read', async () => {
  const { app } = await testApp()
  const tree = app.http.printRoutes({ commonPrefix: false })
  const verbs = tree.match(/(?<=\()[A-Z, ]+(?=\))/g)?.flatMap((list) => list.split(', ')) ?? []
  const registered = verbs.filter((verb) => verb !== 'GET' && verb !== 'HEAD').length

  // The route table is one wildcard with five methods. Audio pages and setup links of devices refuse four methods each; the
  // tree prints eight of them and not the wildcard below /media. Messaging providers call two more endpoints with signed requests.
  // Assistants send requests of the public API to /mcp, and the link in a report ends its subscription.
  expect(registered).toBe(5 + 8 * 4 + 2 * 4 + 4 + 1)
  for (const page of [
    '/media/x',
    '/media/sounds/x',
    '/recording/1',
    '/voicemail/1',
    '/calls/1/recording',
    '/calls/1/voicemail',
  ]) {
    for (const verb of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      expect((await app.http.inject({ method: verb as 'POST', url: page })).statusCode, page).toBeOneOf([403, 405])
    }
  }
  for (const page of ['/carriers/x/messages', '/carriers/x/reports']) {
    for (const verb of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      expect((await app.http.inject({ method: verb as 'POST', url: page })).statusCode, page).toBeOneOf([404, 405])
    }
  }
})

test('a deprecated route has deprecation and sunset dates and a successor', async () => {
  const { a, anonymous } = await testApp()
  const paths = await documentedPaths(anonymous)
  const bodies: Record<string, unknown> = { POST: {}, PUT: {} }
  let deprecated = 0

  for (const { method, path, access, document } of routes) {
    if (!isPublic(access) || 'stream' in document.reply) continue
    const marked = paths[asDocumented(path)]?.[method.toLowerCase()]?.deprecated === true
    const target = path.replace(/:\w+/g, '999999')
    const { headers } = await a.api(method, target, bodies[method])
    const what = `${method} ${path}`
    expect(headers.has('deprecation'), what).toBe(marked)
    expect(headers.has('sunset'), what).toBe(marked)
    if (!document.deprecated) continue
    deprecated++
    expect(headers.get('deprecation'), what).toBe(`@${Date.parse(document.deprecated.since) / 1_000}`)
    expect(new Date(headers.get('sunset') ?? '').toISOString(), what).toMatch(`${document.deprecated.sunset}T00:00`)
    expect(headers.get('link'), what).toContain('rel="successor-version"')
  }
  expect(deprecated).toBeGreaterThanOrEqual(4)
})

test('every operation documents its success, its errors in one format, and an id of its own', async () => {
  const { anonymous } = await testApp()
  const paths = await documentedPaths(anonymous)
  const operations = Object.entries(paths).flatMap(([path, verbs]) =>
    Object.values(verbs).map((one) => ({ path, ...one })),
  )
  const isInternal = ({ path }: { path: string }) => path.startsWith('/app/')

  for (const document of [operations.filter(isInternal), operations.filter((one) => !isInternal(one))]) {
    const ids = document.map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
  }
  for (const { operationId, responses, summary } of operations) {
    expect(summary, operationId).toMatch(/\S/)
    const successes = Object.keys(responses).filter((status) => status.startsWith('2'))
    expect(successes, operationId).toHaveLength(1)
    for (const [status, { content }] of Object.entries(responses)) {
      if (status >= '400') expect(JSON.stringify(content), operationId).toContain('#/components/schemas/Error')
    }
  }
})

/** Of the public document and of that of our own pages. */
async function documentedPaths(anonymous: TestApp['anonymous']): Promise<Record<string, Record<string, Operation>>> {
  const [open, internal] = [await anonymous('GET', '/openapi.json'), await anonymous('GET', '/app/openapi.json')]
  expect(Object.keys(open.json.paths).filter((path) => path.startsWith('/app'))).toEqual([])
  expect(Object.keys(internal.json.paths).filter((path) => !path.startsWith('/app/'))).toEqual([])
  return { ...open.json.paths, ...internal.json.paths }
}

interface Operation {
  operationId: string
  summary: string
  deprecated?: boolean
  responses: Record<string, { content?: unknown }>
}
