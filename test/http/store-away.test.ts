import { expect, inject, onTestFinished, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { wireTo } from '../kit/database-wire.ts'
import { startPostgres } from '../kit/postgres.ts'
import { expectError } from './raw.ts'

const isThere = inject('postgres') !== null

test.skipIf(!isThere)(
  'without its database the API responds 503 with Retry-After, and recovers by itself',
  async () => {
    const postgres = await startPostgres()
    if (!postgres) throw new Error('PostgreSQL is not there')
    onTestFinished(() => postgres.stop())
    const wire = await wireTo(postgres.url)
    onTestFinished(() => wire.cut().catch(() => {}))
    const { a, anonymous, app } = await testApp({ env: { DATABASE_URL: wire.url, DATABASE_POOL_SIZE: '4' } })
    const asks: [string, string, unknown?][] = [
      ['GET', '/v1/teams'],
      ['POST', '/v1/teams', { name: 'While away' }],
      ['GET', '/v2/users'],
      ['DELETE', '/v1/teams/1'],
    ]
    const all = () => Promise.all([...asks, ...asks].map(([method, path, body]) => a.api(method, path, body)))
    expect((await a.api('POST', '/v1/teams', { name: 'Before' })).status).toBe(201)

    // During requests, and for a while.
    const inFlight = all()
    await wire.cut()
    const cutOff = await inFlight
    for (let round = 0; round < 3; round++) {
      for (const answer of await all()) {
        expectError(answer, 503)
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      }
    }

    for (const answer of cutOff) expect(answer.status < 500 || answer.status === 503, answer.text).toBe(true)
    expect((await anonymous('GET', '/readyz')).status).toBe(503)
    expect((await anonymous('GET', '/healthz')).status).toBe(200)
    expect((await anonymous('GET', '/v1')).status).toBe(200)
    expectError(await a.own('GET', '/v1/ping'), 503)
    expectError(await a.api('GET', '/v1/nothing'), 404)

    await wire.join()
    expect((await a.api('GET', '/v1/company')).status).toBe(200)
    expect((await anonymous('GET', '/readyz')).status).toBe(200)
    expect((await a.api('POST', '/v1/teams', { name: 'After' })).status).toBe(201)

    await postgres.stop()
    for (const answer of await all()) expectError(answer, 503)
    await app.stop()
  },
)
