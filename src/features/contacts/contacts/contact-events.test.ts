import { expect, test } from 'vitest'
import { onAnyDatabase } from '../../../../test/kit/app.ts'
import { eventsAbout } from '../../../../test/kit/flows.ts'

const phone = { label: 'Work', value: '+33 1 76 36 06 95' }
const email = { label: 'Home', value: 'ada@example.test' }

onAnyDatabase('contact events', (open) => {
  test('contact.created has formatted dates and its keys in the documented order', async () => {
    const app = await open()

    const { contact } = (await app.a.api('POST', '/v1/contacts', { first_name: 'Ada', phone_numbers: [phone] })).json

    const [created] = await eventsAbout(app, 'contact')
    expect(created).toEqual({
      name: 'contact.created',
      data: { ...contact, created_at: '2026-06-15T12:00:00Z', updated_at: '2026-06-15T12:00:00Z' },
    })
    expect(Object.keys(created?.data)).toEqual([
      'id',
      'direct_link',
      'first_name',
      'last_name',
      'company_name',
      'information',
      'is_shared',
      'created_at',
      'updated_at',
      'emails',
      'phone_numbers',
    ])
  })

  test('whatever changes of a contact is one contact.updated, as the contact is then', async () => {
    const app = await open()
    const { a, clock } = app
    const made = await a.api('POST', '/v1/contacts', { phone_numbers: [phone], emails: [email] })
    const { id, phone_numbers, emails } = made.json.contact
    const at = `/v1/contacts/${id}`
    const changes: [method: string, path: string, body?: object][] = [
      ['POST', at, { first_name: 'Ada' }],
      ['PUT', at, { last_name: 'King' }],
      ['POST', `${at}/phone_details`, { label: 'Mobile', value: '06' }],
      ['PUT', `${at}/phone_details/${phone_numbers[0].id}`, { label: 'Desk' }],
      ['DELETE', `${at}/phone_details/${phone_numbers[0].id}`],
      ['POST', `${at}/email_details`, { label: 'Work', value: 'ada@work.test' }],
      ['PUT', `${at}/email_details/${emails[0].id}`, { value: 'ada@home.test' }],
      ['DELETE', `${at}/email_details/${emails[0].id}`],
    ]

    for (const [index, [method, path, body]] of changes.entries()) {
      await clock.advance(1_000)
      await a.api(method, path, body)

      const events = await eventsAbout(app, 'contact')
      const now = (await a.api('GET', at)).json.contact
      const dates = { created_at: '2026-06-15T12:00:00Z', updated_at: `2026-06-15T12:00:0${index + 1}Z` }
      expect(events).toHaveLength(index + 2)
      expect(events.at(-1)).toEqual({ name: 'contact.updated', data: { ...now, ...dates } })
    }
  })

  test('contact.deleted has the contact without its numbers and addresses', async () => {
    const app = await open()
    const body = { first_name: 'Ada', phone_numbers: [phone], emails: [email] }
    const { contact } = (await app.a.api('POST', '/v1/contacts', body)).json
    await app.clock.advance(5_000)

    await app.a.api('DELETE', `/v1/contacts/${contact.id}`)

    const dates = { created_at: '2026-06-15T12:00:00Z', updated_at: '2026-06-15T12:00:00Z' }
    expect((await eventsAbout(app, 'contact')).at(-1)).toEqual({
      name: 'contact.deleted',
      data: { ...contact, ...dates, emails: [], phone_numbers: [] },
    })
  })

  test('rejected changes publish nothing, and a company receives only its own events', async () => {
    const app = await open()
    const { contact } = (await app.a.api('POST', '/v1/contacts', { phone_numbers: [phone] })).json
    const at = `/v1/contacts/${contact.id}`

    await app.a.api('PUT', at, { first_name: '' })
    await app.a.api('PUT', at, {})
    await app.a.api('POST', `${at}/phone_details`, { label: 'x', value: 'x' })
    await app.a.api('DELETE', `${at}/phone_details/99999999`)
    await app.b.api('DELETE', at)

    expect((await eventsAbout(app, 'contact')).map(({ name }) => name)).toEqual(['contact.created'])
    expect((await app.events(app.b)).filter(({ name }) => name.startsWith('contact.'))).toEqual([])
  })
})
