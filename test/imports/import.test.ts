import { expect, test } from 'vitest'
import { createKey } from '../../src/features/accounts/api-keys/actions.ts'
import { type OpenApp, onBothDatabases } from '../kit/app.ts'
import { openDemo } from '../sandbox/demo.ts'
import { importInto, newCompany } from './companies.ts'
import { companyAsShown } from './field-by-field.ts'

async function twoServers(open: OpenApp) {
  const source = await openDemo(open)
  const target = await open()
  const key = await createKey(source.app.services, source.seeded.main.companyId, { name: 'Import', createdBy: null })
  const access = { url: source.base, api_id: key.apiId, api_token: key.apiToken }
  return { source, target, company: await newCompany(target), access }
}

onBothDatabases('an import between two servers', (open) => {
  test('the company has the same fields there and here', async () => {
    const { source, target, company, access } = await twoServers(open)

    const report = await importInto(target, company, access)

    expect(report).toMatchObject({ state: 'done', error: null })
    expect(report.remarks.filter(({ severity }: { severity: string }) => severity === 'rejected')).toEqual([])
    const there = await companyAsShown(source.main)
    const here = await companyAsShown(company.api)
    expect(here.tags).toEqual(there.tags)
    expect(here.contacts).toEqual(there.contacts)
    expect(here.teams).toEqual(there.teams)
    expect(here.users.filter((user) => !user.includes('owner@imported.test'))).toEqual(there.users)
    expect(here.numbers).toEqual(there.numbers)
    expect(here.calls).toEqual(there.calls)
    expect(here.results).toEqual(there.results)
    expect(Object.keys(there.results).length).toBeGreaterThan(10)
    expect(here.messages).toEqual(there.messages)
    expect(there.messages.length).toBeGreaterThan(10)
    // Nothing is sent again, and the inbox has no unread conversations of the past.
    const { companyId } = company
    const rows = await target.db.selectFrom('message').select('queued').where('company_id', '=', companyId).execute()
    expect(new Set(rows.map(({ queued }) => queued))).toEqual(new Set([0]))
    const conversations = await target.db
      .selectFrom('conversation')
      .select(['unread', 'last_message'])
      .where('company_id', '=', companyId)
      .execute()
    expect(conversations.filter(({ unread, last_message }) => unread > 0 || last_message === null)).toEqual([])
    for (const call of there.rawCalls.filter(({ recording }) => recording !== null).slice(0, 5)) {
      const copy = here.rawCalls.find(({ sid }) => sid === call.sid)
      expect((await source.main('GET', copy.recording)).text).toBe((await source.main('GET', call.recording)).text)
    }
    // The history of another server is no news.
    expect((await target.events({ ...target.a, id: company.companyId })).map(({ name }) => name)).toEqual([
      'user.created',
      'user.created.v2',
    ])
  })

  test('a second import brings only what is new, and changes nothing that exists', async () => {
    const { source, target, company, access } = await twoServers(open)
    await company.api('POST', '/v1/tags', { name: 'complaint', color: '#123456' })
    await importInto(target, company, access)
    await source.main('POST', '/v1/contacts', {
      first_name: 'New',
      phone_numbers: [{ label: 'Work', value: '+33755990011' }],
    })

    const report = await importInto(target, company, access)

    const created = report.progress.filter(({ created }: { created: number }) => created > 0)
    expect(created.map(({ kind, created }: { kind: string; created: number }) => [kind, created])).toEqual([
      ['contacts', 1],
    ])
    const tags = (await company.api('GET', '/v1/tags')).json.tags
    expect(tags.filter(({ name }: { name: string }) => /complaint/i.test(name))).toMatchObject([{ color: '#123456' }])

    await importInto(target, company, { ...access, merge: true })
    const merged = (await company.api('GET', '/v1/tags')).json.tags
    expect(merged.find(({ name }: { name: string }) => /complaint/i.test(name))).toMatchObject({ color: '#EB5757' })
  })
})
