import { expect, test } from 'vitest'
import { onAnyDatabase, type TestCompany } from '../../../../test/kit/app.ts'

const kinds = [
  { path: 'phone_details', list: 'phone_numbers', good: '+33 1 76 36 06 95', better: '+33176360696', bad: 'nobody' },
  { path: 'email_details', list: 'emails', good: 'ada@example.test', better: 'Ada@work.test', bad: 'ada@' },
] as const

const phone = { label: 'First', value: '1' }
const email = { label: 'First', value: 'first@example.test' }

async function newContact(company: TestCompany) {
  return (await company.api('POST', '/v1/contacts', { phone_numbers: [phone], emails: [email] })).json.contact
}

onAnyDatabase('phone numbers and e-mails of a contact', (open) => {
  for (const { path, list, good, better, bad } of kinds) {
    test(`${path}: one is added, changed and deleted, and updated_at moves each time`, async () => {
      const { a, clock } = await open()
      const contact = await newContact(a)
      const base = `/v1/contacts/${contact.id}/${path}`
      const later = async () => {
        await clock.advance(1_000)
        return clock.now() / 1_000
      }

      let updated_at = await later()
      const added = await a.api('POST', base, { label: 'Work', value: good })
      const [first, second] = added.json.contact[list]
      expect([added.status, added.json.contact]).toEqual([
        201,
        { ...contact, updated_at, [list]: [first, { id: second.id, label: 'Work', value: good }] },
      ])

      updated_at = await later()
      const labelled = await a.api('PUT', `${base}/${second.id}`, { label: 'Desk' })
      expect([labelled.status, labelled.json.contact]).toMatchObject([
        200,
        { updated_at, [list]: [first, { label: 'Desk', value: good }] },
      ])

      updated_at = await later()
      const valued = await a.api('PUT', `${base}/${second.id}`, { value: better })
      expect([valued.status, valued.json.contact]).toMatchObject([
        200,
        { updated_at, [list]: [first, { label: 'Desk', value: better }] },
      ])

      updated_at = await later()
      const deleted = await a.api('DELETE', `${base}/${first.id}`)
      expect([deleted.status, deleted.text]).toEqual([204, ''])
      const left = (await a.api('GET', `/v1/contacts/${contact.id}`)).json.contact
      expect(left).toMatchObject({ updated_at, created_at: contact.created_at, [list]: [{ id: second.id }] })
      expect((await a.api('DELETE', `${base}/${first.id}`)).status).toBe(404)
    })

    test(`${path}: label and value are both needed for a new one, and one of them for a change`, async () => {
      const { a } = await open()
      const contact = await newContact(a)
      const base = `/v1/contacts/${contact.id}/${path}`
      const post = async (body: object) => (await a.api('POST', base, body)).status
      const put = async (body: object) => (await a.api('PUT', `${base}/${contact[list][0].id}`, body)).status

      expect(await post({})).toBe(422)
      expect(await post({ label: 'Work' })).toBe(422)
      expect(await post({ value: good })).toBe(422)
      expect(await post({ label: ' ', value: bad })).toBe(422)
      expect(await post({ label: 'Work', value: null })).toBe(422)
      expect(await post({ label: 'Work', value: bad })).toBe(400)
      expect(await post({ label: 7, value: good })).toBe(400)
      expect(await put({})).toBe(422)
      expect(await put({ other: 1 })).toBe(422)
      expect(await put({ value: bad })).toBe(400)
      expect(await put({ label: '' })).toBe(400)
      expect(await put({ label: 'Work', value: null })).toBe(400)
      expect((await a.api('GET', `/v1/contacts/${contact.id}`)).json.contact).toEqual(contact)
    })

    test(`${path}: one of another contact is unknown here`, async () => {
      const { a } = await open()
      const mine = await newContact(a)
      const other = await newContact(a)
      const target = `/v1/contacts/${mine.id}/${path}/${other[list][0].id}`

      expect((await a.api('PUT', target, { label: 'Stolen' })).status).toBe(404)
      expect((await a.api('DELETE', target)).status).toBe(404)
      expect((await a.api('PUT', `/v1/contacts/${mine.id}/${path}/x`, { label: 'x' })).status).toBe(404)
      expect((await a.api('GET', `/v1/contacts/${other.id}`)).json.contact).toEqual(other)
    })

    test(`${path}: twenty is the most, also when many are added at once`, async () => {
      const { a } = await open()
      const contact = await newContact(a)
      const base = `/v1/contacts/${contact.id}/${path}`

      const answers = await Promise.all(
        Array.from({ length: 24 }, (_, i) => a.api('POST', base, { label: `n${i}`, value: good })),
      )

      expect(answers.filter(({ status }) => status === 201)).toHaveLength(19)
      expect(answers.filter(({ status }) => status === 400)).toHaveLength(5)
      const full = (await a.api('GET', `/v1/contacts/${contact.id}`)).json.contact
      expect(full[list]).toHaveLength(20)
      await a.api('DELETE', `${base}/${full[list][3].id}`)
      expect((await a.api('POST', base, { label: 'Room again', value: good })).status).toBe(201)
    })
  }

  test('a contact is made with at most twenty of each', async () => {
    const { a } = await open()
    const many = (n: number, one: object) => Array.from({ length: n }, () => one)
    const post = async (phones: number, emails: number) =>
      (await a.api('POST', '/v1/contacts', { phone_numbers: many(phones, phone), emails: many(emails, email) })).status

    expect([await post(20, 20), await post(21, 0), await post(1, 21)]).toEqual([201, 400, 400])
  })

  test('the last phone number may be deleted', async () => {
    const { a } = await open()
    const { id, phone_numbers } = await newContact(a)

    const deleted = await a.api('DELETE', `/v1/contacts/${id}/phone_details/${phone_numbers[0].id}`)

    expect(deleted.status).toBe(204)
    expect((await a.api('GET', `/v1/contacts/${id}`)).json.contact.phone_numbers).toEqual([])
  })
})
