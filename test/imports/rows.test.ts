import { expect, test } from 'vitest'
import { onBothDatabases } from '../kit/app.ts'
import { importInto, newCompany } from './companies.ts'
import { sourceStandIn } from './source-stand-in.ts'

const contact = (id: number, more: object = {}) => ({
  id,
  first_name: `Contact ${id}`,
  phone_numbers: [{ label: 'Work', value: `+331990${String(id).padStart(5, '0')}` }],
  emails: [],
  created_at: 1_780_000_000,
  updated_at: 1_780_000_000,
  ...more,
})

onBothDatabases('the rows of a source', (open) => {
  test('invalid rows are reported, and all others are imported', async () => {
    const target = await open()
    const company = await newCompany(target)
    const call = {
      direction: 'inbound',
      status: 'done',
      raw_digits: '+33 1 99 00 11 22',
      number: { id: 1, digits: '+33 1 99 00 09 99' },
    }
    const url = await sourceStandIn({
      users: [
        { id: 1, name: 'No address' },
        { id: 2, name: 'Ada L', email: 'ada@source.test' },
        'nothing',
        { email: 'x@y.test' },
      ] as object[],
      tags: [
        { id: 1, name: '' },
        { id: 2, name: 'Nul\u0000character', color: 'red' },
      ],
      contacts: [contact(1, { phone_numbers: [] }), contact(2), contact(3, { phone_numbers: [{ value: 'none' }] })],
      calls: [
        { ...call, id: 7, started_at: target.clock.now() / 1_000 - 60 },
        { ...call, id: 8, started_at: target.clock.now() / 1_000 - 60, ended_at: target.clock.now() / 1_000 - 30 },
        { ...call, id: 9, started_at: 'yesterday', ended_at: 5 },
        { ...call, id: 10, status: 'answered', started_at: target.clock.now() / 1_000 - 60, ended_at: null },
      ],
    })

    const report = await importInto(target, company, { url, api_id: 'a', api_token: 'b' })

    expect(report.state).toBe('done')
    const rejected = report.remarks
      .filter(({ severity }: { severity: string }) => severity === 'rejected')
      .map(({ kind, source_id }: { kind: string; source_id: string }) => `${kind} ${source_id}`)
    expect(rejected).toEqual(['users 1', 'users ', 'tags 1', 'contacts 1', 'contacts 3', 'calls 7', 'calls 9'])
    expect(report.remarks.at(-1)).toMatchObject({
      kind: 'messages',
      severity: 'check',
      reason: expect.stringContaining('404'),
    })
    expect((await company.api('GET', '/v1/tags')).json.tags).toMatchObject([{ name: 'Nulcharacter', color: '#828282' }])
    expect((await company.api('GET', '/v1/contacts')).json.meta.total).toBe(1)
    // A call in progress is brought by the next import; its Number was deleted at the source.
    expect((await company.api('GET', '/v1/calls')).json.calls).toMatchObject([
      { number: { digits: '+33 1 99 00 09 99' } },
    ])
  })

  test('more rows than a list shows are read by time, also those of one second', async () => {
    const target = await open()
    const company = await newCompany(target)
    const rows = Array.from({ length: 430 }, (_, i) =>
      contact(i + 1, { created_at: 1_780_000_000 + Math.floor(i / 70) }),
    )
    const url = await sourceStandIn({ contacts: rows })

    const report = await importInto(target, company, { url, api_id: 'a', api_token: 'b' })

    expect(report.progress.find(({ kind }: { kind: string }) => kind === 'contacts')).toMatchObject({
      created: 430,
      existing: 0,
      rejected: 0,
    })
    expect((await company.api('GET', '/v1/contacts')).json.meta.total).toBe(430)
  })
})
