import { expect, test } from 'vitest'
import { type Client, onBothDatabases, signedIn, type TestApp, type TestCompany } from '../../../../test/kit/app.ts'
import { addCall } from '../../../../test/kit/calls.ts'
import { client } from '../../../../test/kit/client.ts'
import { addNumber } from '../../../../test/kit/flows.ts'
import type { Db } from '../../../db/database.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { minute } from '../../../lib/clock.ts'

const find = async (own: Client, text: string) => {
  const { status, json, text: body } = await own('GET', `/v1/search?q=${encodeURIComponent(text)}`)
  if (status !== 200) throw new Error(body)
  return json
}
const names = (found: { name: string }[]) => found.map(({ name }) => name)
const ids = (found: { id: number }[]) => found.map(({ id }) => id)

async function addContact({ api }: TestCompany, first_name: string, last_name: string, value: string): Promise<number> {
  const { json } = await api('POST', '/v1/contacts', {
    first_name,
    last_name,
    phone_numbers: [{ label: 'Work', value }],
  })
  return json.contact.id
}

const partsOf = async (db: Db, companyId: number) =>
  (await db.selectFrom('phone_part').select('part').where('company_id', '=', companyId).execute()).map(
    ({ part }) => part,
  )

async function addUser(company: TestCompany, first_name: string, last_name: string): Promise<number> {
  const email = `${first_name.toLowerCase().replace(/[^a-z]/g, '')}@example.test`
  const made = await company.api('POST', '/v2/users', { email, first_name, last_name })
  if (made.status !== 201) throw new Error(made.text)
  return made.json.user.id
}

async function addAgent(app: TestApp, company: TestCompany) {
  const id = await addUser(company, 'Agnes', 'Agent')
  const session = await signedIn(app.app, app.base, company.id, id)
  return { id, own: client(`${app.base}/app`, session) }
}

onBothDatabases('the search of the apps', (open) => {
  test('finds calls and contacts by a part of a name, whatever its case and accents', async () => {
    const app = await open()
    const { a, clock } = app
    const number = await addNumber(a)
    const contact = await addContact(a, 'Élodie', 'Quillfeather', '+33612345678')
    const call = (startedAt: number, external: string) => addCall(app, a, { numberId: number.id, startedAt, external })
    const first = await call(clock.now() - 2 * minute, '+33612345678')
    const second = await call(clock.now() - minute, '+33612345678')
    await call(clock.now(), '+33699999999')

    for (const text of ['elodie', 'LLFEATH', 'quill élo']) {
      const found = await find(a.own, text)
      expect(found.contacts, text).toEqual([{ id: contact, name: 'Élodie Quillfeather', phone_number: '+33612345678' }])
      expect(ids(found.calls), text).toEqual([second.id, first.id])
      expect(found.calls[0]).toMatchObject({ contact: 'Élodie Quillfeather', number: number.name })
    }
    expect(await find(a.own, 'quill nobody')).toMatchObject({ contacts: [], calls: [] })
  })

  test('finds calls and contacts by any part of a number of three digits or more, also in national notation', async () => {
    const app = await open()
    const { a } = app
    const number = await addNumber(a)
    const contact = await addContact(a, 'Ines', 'Roux', '01 76 36 06 95')
    const known = await addCall(app, a, { numberId: number.id, external: '+33176360695' })
    const stranger = await addCall(app, a, { numberId: number.id, external: '+14155550123' })
    await app.db.updateTable('company').set({ country: 'FR' }).where('id', '=', a.id).execute()

    for (const text of ['3606', '017636', '+33 1 76', '0695', '01.76.36.06.95']) {
      const found = await find(a.own, text)
      expect(ids(found.calls), text).toEqual([known.id])
      expect(ids(found.contacts), text).toEqual([contact])
    }
    expect(ids((await find(a.own, '555')).calls)).toEqual([stranger.id])
    expect(ids((await find(a.own, '(415) 555')).calls)).toEqual([stranger.id])
    expect((await find(a.own, '+555')).calls).toEqual([])
    expect((await find(a.own, '55')).calls).toEqual([])
  })

  test('finds users, numbers, teams, tags and webhooks, those that begin with the text first', async () => {
    const { a } = await open()
    await addUser(a, 'Björn', 'Zyxson')
    await addUser(a, 'Zyx', 'Ada')
    const number = await addNumber(a, { name: 'Zyx hotline' })
    await a.api('POST', '/v1/teams', { name: 'The Zyx team' })
    await a.api('POST', '/v1/tags', { name: 'Zyx 100%_', color: '#00ff00' })
    await a.api('POST', '/v1/webhooks', { custom_name: 'Zyx CRM', url: 'https://example.com/zyx' })

    const found = await find(a.own, 'zyx')
    expect(names(found.users)).toEqual(['Zyx Ada', 'Björn Zyxson'])
    expect(names(found.numbers)).toEqual(['Zyx hotline'])
    expect(names(found.teams)).toEqual(['The Zyx team'])
    expect(names(found.tags)).toEqual(['Zyx 100%_'])
    expect(found.webhooks).toMatchObject([{ name: 'Zyx CRM', url: 'https://example.com/zyx' }])
    expect(names((await find(a.own, 'bjorn')).users)).toEqual(['Björn Zyxson'])
    expect(names((await find(a.own, '0%_')).tags)).toEqual(['Zyx 100%_'])
    expect((await find(a.own, '_x')).tags).toEqual([])
    expect(ids((await find(a.own, number.digits.slice(-6))).numbers)).toEqual([number.id])
  })

  test('a company finds nothing of another company', async () => {
    const app = await open()
    const { a, b } = app
    await addContact(a, 'Quentin', 'Zyx', '+33611112222')
    await addCall(app, a, { numberId: (await addNumber(a, { name: 'Zyx line' })).id, external: '+33611112222' })
    await addUser(a, 'Zyx', 'Zyx')
    await a.api('POST', '/v1/teams', { name: 'Zyx' })
    await a.api('POST', '/v1/tags', { name: 'Zyx', color: '#00ff00' })

    for (const text of ['zyx', '1111222', '+336']) {
      const found = await find(b.own, text)
      expect(Object.values(found).flat(), text).toEqual([])
    }
  })

  test('an agent finds own calls only, and no webhooks', async () => {
    const app = await open()
    const { a } = app
    const { id, own } = await addAgent(app, a)
    const number = await addNumber(a)
    await a.api('POST', '/v1/webhooks', { custom_name: '612 hook', url: 'https://example.com/612' })
    await addCall(app, a, { numberId: number.id, external: '+33612345678' })
    const mine = await addCall(app, a, { numberId: number.id, external: '+33612345678', userId: id })

    const found = await find(own, '612')
    expect(ids(found.calls)).toEqual([mine.id])
    expect(found.webhooks).toEqual([])
    expect((await find(a.own, '612')).calls).toHaveLength(2)
  })

  test('a text is required, and long or blank ones are refused', async () => {
    const { a, anonymous } = await open()
    for (const query of ['', '?q=', '?q=%20', `?q=${'x'.repeat(101)}`]) {
      expect((await a.own('GET', `/v1/search${query}`)).status, query).toBeGreaterThanOrEqual(400)
    }
    expect((await anonymous('GET', '/app/v1/search?q=anna')).status).toBe(403)
  })

  test('a number leaves the index with the last contact that has it', async () => {
    const app = await open()
    const { a, b, db } = app
    const before = await partsOf(db, a.id)
    const contact = await addContact(a, 'Ines', 'Roux', '+33611112222')
    await addContact(b, 'Ines', 'Roux', '+33611112222')
    expect(await partsOf(db, a.id)).toContain('1112222')

    const [phone] = (await a.api('GET', `/v1/contacts/${contact}`)).json.contact.phone_numbers
    await a.api('PUT', `/v1/contacts/${contact}/phone_details/${phone.id}`, { label: 'Work', value: '+33699998888' })
    expect(await partsOf(db, a.id)).not.toContain('1112222')
    expect(await partsOf(db, a.id)).toContain('9998888')
    await a.api('DELETE', `/v1/contacts/${contact}`)
    await app.settle()

    expect((await partsOf(db, a.id)).sort()).toEqual(before.sort())
    expect(await partsOf(db, b.id)).toContain('1112222')
  })

  test('numbers of an older release are indexed after the upgrade', async () => {
    const app = await open()
    const { a, db, clock } = app
    await addContact(a, 'Ines', 'Roux', '+33611112222')
    await db.deleteFrom('phone_part').where('company_id', '=', a.id).execute()

    await enqueue(db, 'contact.index_phones', { after: 0 }, clock.now())
    await app.settle()

    expect((await find(a.own, '112222')).contacts).toHaveLength(1)
  })
})
