import { expect, test } from 'vitest'
import { monday, onAnyDatabase } from '../../../../test/kit/app.ts'

const noon = monday / 1_000
const phone = { label: 'Work', value: '+33 1 76 36 06 95' }
const email = { label: 'Home', value: 'Ada@Example.test' }

onAnyDatabase('contacts', (open) => {
  test('a new contact has every key, and its numbers stay as they were written', async () => {
    const { a, base } = await open()

    const made = await a.api('POST', '/v1/contacts', {
      first_name: 'Ada',
      last_name: 'Lovelace',
      company_name: 'Engines Ltd',
      information: 'First of all',
      phone_numbers: [phone, { label: 'Mobile', value: '(06) 12.34.56.78' }],
      emails: [email],
    })

    expect(made.status).toBe(201)
    const { id, phone_numbers, emails } = made.json.contact
    expect(made.json).toEqual({
      contact: {
        id,
        direct_link: `${base}/v1/contacts/${id}`,
        first_name: 'Ada',
        last_name: 'Lovelace',
        company_name: 'Engines Ltd',
        information: 'First of all',
        is_shared: true,
        created_at: noon,
        updated_at: noon,
        emails: [{ id: emails[0].id, ...email }],
        phone_numbers: [
          { id: phone_numbers[0].id, ...phone },
          { id: phone_numbers[1].id, label: 'Mobile', value: '(06) 12.34.56.78' },
        ],
      },
    })
    expect((await a.api('GET', `/v1/contacts/${id}`)).json).toEqual(made.json)
  })

  test('a phone number is all a contact needs; the same payload twice makes two contacts', async () => {
    const { a } = await open()

    const first = await a.api('POST', '/v1/contacts', { phone_numbers: [phone] })
    const second = await a.api('POST', '/v1/contacts', { phone_numbers: [phone] })

    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.json.contact.id).not.toBe(first.json.contact.id)
    const nothing = { first_name: null, last_name: null, company_name: null, information: null, emails: [] }
    expect(first.json.contact).toMatchObject(nothing)
  })

  test('what is missing is 422, what does not fit is 400, and with both it is 422', async () => {
    const { a } = await open()
    const post = async (body: object) => (await a.api('POST', '/v1/contacts', body)).status
    const phones = [phone]

    for (const phone_numbers of [
      undefined,
      null,
      [],
      [{ label: 'Work' }],
      [{ value: '1' }],
      [phone, { ...phone, value: ' ' }],
    ]) {
      expect([phone_numbers, await post({ phone_numbers })]).toEqual([phone_numbers, 422])
    }
    expect(await post({ phone_numbers: phones, emails: [{ label: 'Home' }] })).toBe(422)
    expect(await post({ first_name: 7 })).toBe(422)
    for (const value of ['n/a', '+', '1-800-FLOWERS', '0612 доб 3', 33, `+${'1'.repeat(80)}`]) {
      expect([value, await post({ phone_numbers: [{ label: 'Work', value }] })]).toEqual([value, 400])
    }
    for (const value of ['ada', 'ada@', '@example.test', 'ada@example', 'a b@example.test', 'ada@exa@mple.test', 5]) {
      expect([value, await post({ phone_numbers: phones, emails: [{ label: 'Home', value }] })]).toEqual([value, 400])
    }
    for (const invalid of [{ phone_numbers: '1' }, { phone_numbers: ['1'] }, { emails: null }, { emails: 'x' }]) {
      expect([invalid, await post({ phone_numbers: phones, ...invalid })]).toEqual([invalid, 400])
    }
    expect(await post({ phone_numbers: phones, first_name: null })).toBe(201)
    for (const first_name of ['', '  ', 5, ['Ada'], 'a\u0000b', '\ud800']) {
      expect([first_name, await post({ phone_numbers: phones, first_name })]).toEqual([first_name, 400])
    }
    expect((await a.api('GET', '/v1/contacts')).json.meta.total).toBe(1)
  })

  test('POST and PUT change the four text fields alone, and updated_at moves', async () => {
    const { a, clock } = await open()
    const { contact } = (await a.api('POST', '/v1/contacts', { phone_numbers: [phone], emails: [email] })).json

    for (const [method, first_name] of [
      ['POST', 'Ada'],
      ['PUT', 'Augusta'],
    ] as const) {
      await clock.advance(60_000)
      const changed = await a.api(method, `/v1/contacts/${contact.id}`, {
        first_name,
        phone_numbers: [],
        emails: 'none',
      })
      const updated_at = clock.now() / 1_000
      expect([changed.status, changed.json.contact]).toEqual([200, { ...contact, first_name, updated_at }])
    }
    const rest = { last_name: 'King', company_name: 'Engines', information: 'Countess' }
    expect((await a.api('PUT', `/v1/contacts/${contact.id}`, rest)).json.contact).toMatchObject({
      first_name: 'Augusta',
      ...rest,
    })
  })

  test('a field that is changed may not become blank or null', async () => {
    const { a } = await open()
    const made = await a.api('POST', '/v1/contacts', { first_name: 'Ada', phone_numbers: [phone] })
    const path = `/v1/contacts/${made.json.contact.id}`

    for (const field of ['first_name', 'last_name', 'company_name', 'information']) {
      for (const value of ['', ' ', null, 1]) {
        const answer = await a.api('PUT', path, { last_name: 'King', [field]: value })
        expect([field, value, answer.status]).toEqual([field, value, 400])
      }
    }
    expect((await a.api('GET', path)).text).toBe(made.text)
  })

  test('a deleted contact is gone, and total is exact after every deletion', async () => {
    const { a, b, clock } = await open()
    const ids: number[] = []
    for (let i = 0; i < 4; i++) {
      ids.push((await a.api('POST', '/v1/contacts', { phone_numbers: [phone] })).json.contact.id)
      await b.api('POST', '/v1/contacts', { phone_numbers: [phone] })
      await clock.advance(13 * 3_600_000)
    }
    const total = async () => (await a.api('GET', '/v1/contacts')).json.meta.total

    const [first, second] = ids
    const answers = await Promise.all([first, first, second, first].map((id) => a.api('DELETE', `/v1/contacts/${id}`)))

    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 204, 404, 404])
    expect(answers.find(({ status }) => status === 204)?.text).toBe('')
    expect((await a.api('GET', `/v1/contacts/${first}`)).status).toBe(404)
    expect(await total()).toBe(2)
    for (const id of ids.slice(2)) await a.api('DELETE', `/v1/contacts/${id}`)
    expect(await total()).toBe(0)
    expect((await b.api('GET', '/v1/contacts')).json.meta.total).toBe(4)
  })

  test('a contact of another company is as unknown as one that never was, on every route', async () => {
    const { a, b } = await open()
    const made = await a.api('POST', '/v1/contacts', { phone_numbers: [phone], emails: [email] })
    const { id, phone_numbers, emails } = made.json.contact
    const mine = (await b.api('POST', '/v1/contacts', { phone_numbers: [phone], emails: [email] })).json.contact
    const routes: [method: string, path: string][] = [
      ['GET', `${id}`],
      ['POST', `${id}`],
      ['PUT', `${id}`],
      ['DELETE', `${id}`],
      ['POST', `${id}/phone_details`],
      ['POST', `${id}/email_details`],
      ['PUT', `${id}/phone_details/${phone_numbers[0].id}`],
      ['PUT', `${id}/email_details/${emails[0].id}`],
      ['DELETE', `${id}/phone_details/${phone_numbers[0].id}`],
      ['DELETE', `${id}/email_details/${emails[0].id}`],
      ['PUT', `${mine.id}/phone_details/${phone_numbers[0].id}`],
      ['DELETE', `${mine.id}/email_details/${emails[0].id}`],
      ['GET', '0'],
      ['GET', '-1'],
      ['GET', `${mine.id}.0`],
      ['GET', '1e1'],
      ['GET', '9007199254740993'],
      ['GET', 'me'],
    ]

    for (const [method, path] of routes) {
      const body = method === 'GET' || method === 'DELETE' ? undefined : { first_name: 'x', ...phone }
      const { status, json } = await b.api(method, `/v1/contacts/${path}`, body)
      expect([method, path, status, json?.troubleshoot]).toEqual([method, path, 404, 'Check ID of the resource'])
    }
    expect((await a.api('GET', `/v1/contacts/${id}`)).text).toBe(made.text)
  })

  test('what the API does not offer cannot be written through it', async () => {
    const { a, b, base } = await open()
    const smuggled = { id: 1, company_id: b.id, created_at: 1, updated_at: 1, direct_link: 'x', is_shared: false }

    const made = await a.api('POST', '/v1/contacts', {
      ...smuggled,
      phone_numbers: [{ ...phone, id: 1, contact_id: 1 }],
    })
    const changed = await a.api('PUT', `/v1/contacts/${made.json.contact.id}`, { ...smuggled, last_name: 'King' })

    const { id } = made.json.contact
    const truth = { created_at: noon, updated_at: noon, direct_link: `${base}/v1/contacts/${id}`, is_shared: true }
    expect([made.json.contact, changed.json.contact]).toMatchObject([truth, { ...truth, id, last_name: 'King' }])
    expect((await b.api('GET', '/v1/contacts')).json.meta.total).toBe(0)
  })

  test('a text comes back exactly as it was given', async () => {
    const { a } = await open()
    const texts = [
      `Robert'); drop table contact;--`,
      'Zoë 🎉👩‍🚀',
      '\u202Eright to left',
      `e${'\u0301'.repeat(60)}`,
      '{"a":1}',
    ]

    for (const information of texts) {
      const { json } = await a.api('POST', '/v1/contacts', {
        information,
        phone_numbers: [{ ...phone, label: information }],
      })
      expect(json.contact).toMatchObject({ information, phone_numbers: [{ label: information }] })
    }
  })
})
