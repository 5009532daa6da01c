import { expect, test } from 'vitest'
import { onBothDatabases } from '../../../../test/kit/app.ts'

onBothDatabases('saved filters', (open) => {
  test('a user saves, replaces and deletes filters of their own', async () => {
    const { a } = await open()
    const save = (name: string, query: string) => a.own('POST', '/v1/me/filters', { page: 'calls', name, query })

    const first = await save('  Missed today ', 'only=missed&range=today')
    await save('Missed today', 'only=missed&range=yesterday')
    await save('Tagged', 'tag=1')

    expect(first.status).toBe(201)
    const { filters } = (await a.own('GET', '/v1/me/filters')).json
    expect(filters.map(({ name, query }: { name: string; query: string }) => [name, query])).toEqual([
      ['Missed today', 'only=missed&range=yesterday'],
      ['Tagged', 'tag=1'],
    ])
    expect((await a.own('DELETE', `/v1/me/filters/${filters[0].id}`)).status).toBe(204)
    expect((await a.own('DELETE', `/v1/me/filters/${filters[0].id}`)).status).toBe(404)
    expect((await a.own('GET', '/v1/me/filters')).json.filters).toHaveLength(1)
  })

  test('filters without a name, too long, or of an unknown page are refused', async () => {
    const { a } = await open()
    const refused = async (body: object) => (await a.own('POST', '/v1/me/filters', body)).status

    expect(await refused({ page: 'calls', name: '   ', query: '' })).toBeGreaterThanOrEqual(400)
    expect(await refused({ page: 'calls', name: 'x'.repeat(81), query: '' })).toBeGreaterThanOrEqual(400)
    expect(await refused({ page: 'calls', name: 'x', query: 'x'.repeat(2_001) })).toBeGreaterThanOrEqual(400)
    expect(await refused({ page: 'elsewhere', name: 'x', query: '' })).toBeGreaterThanOrEqual(400)
  })
})
