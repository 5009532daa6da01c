import { expect, test } from 'vitest'
import { onBothDatabases, type TestCompany } from '../../../../test/kit/app.ts'

const row = (first_name: string, ...values: string[]) => ({
  first_name,
  phone_numbers: values.map((value) => ({ label: 'Work', value })),
})

onBothDatabases('bulk changes of contacts', (open) => {
  const setUp = async () => {
    const app = await open()
    const { a, settle } = app
    await a.own('PUT', '/v1/company/settings', { country: 'FR' })
    const contacts = async () => (await a.api('GET', '/v1/contacts?order=asc')).json.contacts
    const names = async () => (await contacts()).map((one: { first_name: string | null }) => one.first_name)
    const ended = async ({ json }: { json: { change: { id: number } } }) => {
      await settle()
      return (await a.own('GET', `/v1/contacts/bulk_changes/${json.change.id}`)).json.change
    }
    const run = (company: TestCompany, rows: object[], duplicates = 'skip') =>
      company.own('POST', '/v1/contacts/imports', { rows, duplicates })
    const undo = async ({ json }: { json: { change: { id: number } } }) =>
      ended(await a.own('POST', `/v1/contacts/bulk_changes/${json.change.id}/undo`))
    return { ...app, contacts, names, ended, run, undo }
  }

  test('rows are checked before anything is written, and national numbers are understood', async () => {
    const { a, run, contacts } = await setUp()
    const before = (await contacts()).length
    const rows = [
      row(' Ada ', '06 12 34 56 78'),
      row('Bob'),
      row('Carl', 'call me'),
      row('Dora', '123'),
      { ...row('Eve', '+33 6 12 34 56 79'), emails: [{ value: 'nope' }] },
      row('x'.repeat(256), '+33612345670'),
      row('Ada again', '+33612345678'),
    ]

    const { json } = await a.own('POST', '/v1/contacts/import_checks', { rows })
    const refused = await run(a, rows)

    expect(json).toMatchObject({ valid: 1, invalid: 5, duplicates: 1 })
    expect(json.sample[0]).toMatchObject({ first_name: 'Ada', phone_numbers: ['+33612345678'] })
    expect(
      json.problems.map((one: { row: number; errors: { field: string }[] }) => [one.row, one.errors[0]?.field]),
    ).toEqual([
      [1, 'phone_numbers'],
      [2, 'phone_numbers'],
      [3, 'phone_numbers'],
      [4, 'emails'],
      [5, 'first_name'],
      [6, undefined],
    ])
    expect(json.problems.at(-1).same_as).toBe(0)
    expect(refused.status).toBe(422)
    expect(await contacts()).toHaveLength(before)
  })

  test('an import creates contacts, updates duplicates, publishes events and can be undone', async () => {
    const { a, run, ended, undo, contacts, events } = await setUp()
    await a.api('POST', '/v1/contacts', { ...row('Zoe', '0612345678'), last_name: 'Old' })
    const before = await contacts()
    const rows = [
      { ...row('Zelda', '+33612345678', '+33612345699'), emails: [{ value: 'z@example.test' }] },
      row('New', '+33611111111'),
    ]

    const started = await run(a, rows, 'update')
    const change = await ended(started)

    expect(change).toMatchObject({ state: 'done', total: 2, done: 2 })
    const after = await contacts()
    expect(after).toHaveLength(before.length + 1)
    const zelda = after.find((one: { first_name: string }) => one.first_name === 'Zelda')
    expect(zelda.last_name).toBe('Old')
    expect(zelda.emails).toHaveLength(1)
    expect((await events(a)).map(({ name }) => name).slice(-2)).toEqual(['contact.updated', 'contact.created'])

    expect(await undo(started)).toMatchObject({ state: 'undone', done: 0 })
    const plain = (list: { first_name: string; phone_numbers: { value: string }[] }[]) =>
      list.map((one) => [one.first_name, one.phone_numbers.map(({ value }) => value)])
    expect(plain(await contacts())).toEqual(plain(before))
    expect((await a.own('POST', `/v1/contacts/bulk_changes/${change.id}/undo`)).status).toBe(400)
  })

  test('hundreds of rows keep their own numbers and addresses, and each has its event', async () => {
    const { a, run, ended, events } = await setUp()
    await a.api('POST', '/v1/contacts', row('Zoe', '+33611000120'))
    const rows = Array.from({ length: 230 }, (_, i) => ({
      ...row(`Person${i}`, `+3361100${String(i).padStart(4, '0')}`, `+3361200${String(i).padStart(4, '0')}`),
      emails: [{ value: `person${i}@example.test` }],
    }))
    const before = (await events(a)).length

    const change = await ended(await run(a, rows, 'update'))

    expect(change).toMatchObject({ state: 'done', total: 230, done: 230 })
    const names = (await events(a)).slice(before).map(({ name }) => name)
    expect(names.filter((name) => name === 'contact.created')).toHaveLength(229)
    expect(names[120]).toBe('contact.updated')
    for (const i of [0, 99, 119, 120, 121, 229]) {
      const { json } = await a.api('GET', `/v1/contacts/search?email=person${i}@example.test`)
      expect(json.contacts).toHaveLength(1)
      expect(json.contacts[0].first_name).toBe(`Person${i}`)
      expect(json.contacts[0].phone_numbers.map(({ value }: { value: string }) => value)).toEqual(
        rows[i]?.phone_numbers.map(({ value }) => value),
      )
    }
  })

  test('an undo of hundreds of rows removes them all, and their data from every event', async () => {
    const { a, run, undo, names, events, clock, settle, db, ended } = await setUp()
    const base = await names()
    const rows = Array.from({ length: 230 }, (_, i) => row(`Secret${i}`, `+3361100${String(i).padStart(4, '0')}`))
    const published = (await events(a)).length

    const started = await run(a, rows)
    await ended(started)
    const undone = await undo(started)
    await settle()
    await clock.advance(60_000)
    await settle()

    expect(undone).toMatchObject({ state: 'undone', done: 0 })
    expect(await names()).toEqual(base)
    const after = (await events(a)).slice(published).map(({ name }) => name)
    expect(after.filter((name) => name === 'contact.deleted')).toHaveLength(230)
    const payloads = await db.selectFrom('event').select('data').where('company_id', '=', a.id).execute()
    expect(payloads.filter(({ data }) => data.includes('Secret') || data.includes('3361100'))).toEqual([])
    const jobs = await db.selectFrom('job').select('payload').execute()
    expect(jobs.filter(({ payload }) => payload.includes('contactIds'))).toEqual([])
  })

  test('an undo keeps contacts that were changed after the import', async () => {
    const { a, run, undo, clock, contacts, settle } = await setUp()
    const started = await run(a, [row('One', '+33611111111'), row('Two', '+33622222222')])
    await settle()
    await clock.advance(60_000)
    const one = (await contacts()).find((found: { first_name: string }) => found.first_name === 'One')
    await a.api('PUT', `/v1/contacts/${one.id}`, { first_name: 'Edited' })

    expect(await undo(started)).toMatchObject({ state: 'undone', done: 1 })
    const names = (await contacts()).map((found: { first_name: string }) => found.first_name)
    expect(names).toContain('Edited')
    expect(names).not.toContain('Two')
  })

  test('duplicates are skipped, several contacts are deleted together and come back', async () => {
    const { a, run, ended, undo, names, contacts } = await setUp()
    const base = await names()
    await ended(await run(a, [row('One', '+33611111111'), row('Two', '+33622222222'), row('Three', '+33633333333')]))
    expect((await ended(await run(a, [row('Twin', '+33611111111')]))).total).toBe(0)

    const ids = (await contacts()).slice(-2).map(({ id }: { id: number }) => id)
    const deleted = await a.own('POST', '/v1/contacts/deletions', { ids })
    expect(await ended(deleted)).toMatchObject({ state: 'done', done: 2 })
    expect(await names()).toEqual([...base, 'One'])

    await undo(deleted)
    expect((await names()).toSorted()).toEqual([...base, 'One', 'Two', 'Three'].toSorted())
  })

  test('an owner is kept by merges and restored by undoing them, unless the user was deleted', async () => {
    const app = await setUp()
    const { a, settle, undo } = app
    const create = async (first: string, value: string) =>
      (await a.api('POST', '/v1/contacts', row(first, value))).json.contact.id as number
    const owner = (id: number) => `/v1/contacts/${id}/owner`
    const [into, from] = [await create('Ada', '+33612345601'), await create('Augusta', '+33612345602')]
    const invite = async (first_name: string) =>
      (await a.api('POST', '/v1/users', { email: `${first_name}@example.test`, first_name, last_name: 'Owner' })).json
        .user.id as number
    const [ines, omar] = [await invite('Ines'), await invite('Omar')]
    const set = await a.own('PUT', owner(from), { user_id: ines })
    const unknown = await a.own('PUT', owner(from), { user_id: 999_999_999 })

    const merged = await a.own('POST', `/v1/contacts/${into}/merge`, { contact_id: from })
    const kept = (await a.own('GET', owner(into))).json
    await undo(merged)
    const restored = (await app.contacts()).find((one: { first_name: string }) => one.first_name === 'Augusta')
    const [first, second] = [await a.own('GET', owner(into)), await a.own('GET', owner(restored.id))]
    await a.own('PUT', owner(into), { user_id: omar })
    const again = await a.own('POST', `/v1/contacts/${into}/merge`, { contact_id: restored.id })
    await a.api('DELETE', `/v1/users/${ines}`)
    await settle()
    const undone = await undo(again)
    const last = (await app.contacts()).find((one: { first_name: string }) => one.first_name === 'Augusta')

    expect([set.json, kept]).toEqual([{ owner: { id: ines, name: 'Ines Owner' } }, set.json])
    expect([unknown.status, unknown.json.troubleshoot]).toEqual([400, '`user_id` is not a user of the company'])
    expect([first.json, second.json]).toEqual([{ owner: null }, set.json])
    expect(undone.state).toBe('undone')
    expect((await a.own('GET', owner(last.id))).json).toEqual({ owner: null })
    expect((await a.own('GET', owner(into))).json.owner).toMatchObject({ id: omar })
  })

  test('two contacts are merged with the chosen fields, and separated again', async () => {
    const { a, contacts, undo, names } = await setUp()
    const base = await names()
    const add = async (body: object) => (await a.api('POST', '/v1/contacts', body)).json.contact.id
    const into = await add({ ...row('Ada', '+33611111111'), last_name: 'Lovelace' })
    const from = await add({ ...row('Augusta', '+33611111111', '+33622222222'), company_name: 'Engines' })

    const merged = await a.own('POST', `/v1/contacts/${into}/merge`, { contact_id: from, first_name: 'other' })

    expect(merged.json.contact).toMatchObject({ first_name: 'Augusta', last_name: 'Lovelace', company_name: 'Engines' })
    expect(merged.json.contact.phone_numbers).toHaveLength(2)
    expect((await a.api('GET', `/v1/contacts/${from}`)).status).toBe(404)
    expect((await a.own('POST', `/v1/contacts/${into}/merge`, { contact_id: into })).status).toBe(400)
    expect((await a.own('POST', `/v1/contacts/${into}/merge`, { contact_id: from })).status).toBe(404)

    await undo(merged)
    expect((await names()).toSorted()).toEqual([...base, 'Ada', 'Augusta'].toSorted())
    expect((await contacts()).find(({ id }: { id: number }) => id === into).phone_numbers).toHaveLength(1)
  })

  test('recent changes are listed with their user, and the audit log has their size', async () => {
    const { a, run, ended, undo } = await setUp()
    const started = await run(a, [row('Ada', '+33612345678'), row('Bob', '+33612345679')])
    await ended(started)
    await undo(started)

    const { json } = await a.own('GET', '/v1/contacts/bulk_changes')
    const { audit_log: log } = (await a.own('GET', '/v1/audit_log')).json

    expect(json.changes).toMatchObject([{ kind: 'import', state: 'undone', total: 2 }])
    expect(json.changes[0].user_name).toEqual(expect.stringMatching(/\w/))
    expect(log.slice(0, 2)).toMatchObject([
      { action: 'contacts.change_undone', details: { change: 'import', contacts: 2 } },
      { action: 'contacts.imported', details: { contacts: 2 } },
    ])
  })

  test('other companies see nothing of it, and after a day it cannot be undone', async () => {
    const { a, b, run, clock, ended } = await setUp()
    const started = await run(a, [row('One', '+33611111111')])
    const { id } = await ended(started)

    expect((await b.own('GET', `/v1/contacts/bulk_changes/${id}`)).status).toBe(404)
    expect((await b.own('POST', `/v1/contacts/bulk_changes/${id}/undo`)).status).toBe(404)

    await clock.advance(26 * 3_600_000)
    expect((await a.own('GET', `/v1/contacts/bulk_changes/${id}`)).status).toBe(404)
  })
})
