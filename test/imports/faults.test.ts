import { expect, test } from 'vitest'
import { createKey } from '../../src/features/accounts/api-keys/actions.ts'
import { onBothDatabases } from '../kit/app.ts'
import { openDemo } from '../sandbox/demo.ts'
import { importInto, newCompany } from './companies.ts'
import { faultyProxy } from './faulty-proxy.ts'
import { companyAsShown } from './field-by-field.ts'
import { sourceStandIn } from './source-stand-in.ts'

const contact = (id: number, createdAt: number) => ({
  id,
  first_name: `Contact ${id}`,
  phone_numbers: [{ label: 'Work', value: `+331990${String(id).padStart(5, '0')}` }],
  emails: [],
  created_at: createdAt,
  updated_at: createdAt,
})
const start = 1_780_000_000
const key = { api_id: 'a', api_token: 'b' }
const namesOf = (rows: { first_name?: string; name?: string }[]) =>
  rows.map(({ first_name, name }) => first_name ?? name)

onBothDatabases('a source with faults', (open) => {
  test('429, 500, timeouts, lost connections and cut responses change nothing in the result', async () => {
    const source = await openDemo(open)
    const target = await open({ requestTimeoutMs: 700 })
    const made = await createKey(source.app.services, source.seeded.main.companyId, { name: 'Import', createdBy: null })
    const proxy = await faultyProxy(source.base, true, true)
    const company = await newCompany(target)

    const report = await importInto(target, company, { url: proxy.url, api_id: made.apiId, api_token: made.apiToken })

    expect(report).toMatchObject({ state: 'done', error: null })
    expect(report.remarks.filter(({ severity }: { severity: string }) => severity === 'rejected')).toEqual([])
    expect(Object.values(proxy.faults).filter((n) => n === 0)).toEqual([])
    const [there, here] = [await companyAsShown(source.main), await companyAsShown(company.api)]
    for (const list of ['tags', 'teams', 'contacts', 'numbers', 'calls', 'results', 'messages'] as const)
      expect(here[list], list).toEqual(there[list])
  })

  test('no request is sent before the time of Retry-After', async () => {
    const target = await open()
    const times: number[] = []
    const url = await sourceStandIn(
      { contacts: [contact(1, start)] },
      {
        onRequest(list, nth) {
          if (list !== 'contacts') return undefined
          times.push(performance.now())
          return nth === 1 ? { status: 429, headers: { 'retry-after': '1' } } : undefined
        },
      },
    )

    const report = await importInto(target, await newCompany(target), { url, ...key })

    expect(report.state).toBe('done')
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(990)
    expect(times).toHaveLength(2)
  })

  test('rows that are deleted and created during the import neither hide nor repeat others', async () => {
    const target = await open()
    const company = await newCompany(target)
    const contacts = Array.from({ length: 160 }, (_, i) => contact(i + 1, start + i))
    const tags = Array.from({ length: 120 }, (_, i) => ({ id: i + 1, name: `Tag ${i + 1}`, color: '#112233' }))
    const [deletedContacts, deletedTags] = [contacts.slice(0, 20), tags.slice(0, 30)]
    const rows = { contacts, tags }
    const url = await sourceStandIn(rows, {
      onRequest(list, nth) {
        if (nth !== 2) return undefined
        if (list === 'contacts') rows.contacts = [...contacts.slice(20), contact(500, start + 500)]
        if (list === 'tags') rows.tags = tags.slice(30)
        return undefined
      },
    })

    const report = await importInto(target, company, { url, ...key })

    expect(report.state).toBe('done')
    const shown = async (path: string, root: string) => {
      const pages = [1, 2, 3, 4].map((page) => company.api('GET', `${path}?per_page=50&page=${page}`))
      return namesOf((await Promise.all(pages)).flatMap(({ json }) => json[root])).sort()
    }
    // Those that were deleted later were read before.
    expect(await shown('/v1/contacts', 'contacts')).toEqual(namesOf([...deletedContacts, ...rows.contacts]).sort())
    expect(await shown('/v1/tags', 'tags')).toEqual(namesOf([...deletedTags, ...rows.tags]).sort())
  })

  test('a list is read beyond the limit of its pages', async () => {
    const target = await open()
    const company = await newCompany(target)
    const contacts = Array.from({ length: 430 }, (_, i) => contact(i + 1, start + Math.floor(i / 45)))
    const url = await sourceStandIn({ contacts }, { maxReachable: 100 })

    const report = await importInto(target, company, { url, ...key })

    expect(report).toMatchObject({ state: 'done', error: null })
    expect((await company.api('GET', '/v1/contacts')).json.meta.total).toBe(430)
  })

  test('an import that the source interrupts continues after the last page', async () => {
    const target = await open()
    const company = await newCompany(target)
    const contacts = Array.from({ length: 120 }, (_, i) => contact(i + 1, start + i))
    let isRevoked = true
    let reads = 0
    const url = await sourceStandIn(
      { contacts },
      {
        onRequest(list, nth) {
          if (list === 'contacts') reads++
          return list === 'contacts' && nth === 2 && isRevoked ? { status: 403 } : undefined
        },
      },
    )

    const failed = await importInto(target, company, { url, ...key })
    expect(failed).toMatchObject({ state: 'failed', error: expect.stringContaining('rejected the API key') })
    expect((await company.api('GET', '/v1/contacts')).json.meta.total).toBe(50)
    isRevoked = false
    const report = await importInto(target, company, { url, ...key })

    expect(report).toMatchObject({ id: failed.id, state: 'done', error: null })
    expect((await company.api('GET', '/v1/contacts')).json.meta.total).toBe(120)
    // Page 1, the failed page 2, then pages 2 and 3: nothing is read twice.
    expect(reads).toBe(4)
  })
})
