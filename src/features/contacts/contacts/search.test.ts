import { expect, test } from 'vitest'
import { monday, onBothDatabases, type TestApp, type TestCompany } from '../../../../test/kit/app.ts'
import { day } from '../../../lib/clock.ts'

const noon = monday / 1_000

async function add(company: TestCompany, value: string, ...emails: string[]): Promise<number> {
  const body = {
    phone_numbers: [{ label: 'Work', value }],
    emails: emails.map((one) => ({ label: 'Home', value: one })),
  }
  const made = await company.api('POST', '/v1/contacts', body)
  if (made.status !== 201) throw new Error(made.text)
  return made.json.contact.id
}

/** The ids found, and a check that the total says the same. */
async function found(company: TestCompany, path: string): Promise<number[]> {
  const { status, json, text } = await company.api('GET', path)
  if (status !== 200) throw new Error(text)
  expect(json.meta).toMatchObject({ count: json.contacts.length, total: json.contacts.length })
  return json.contacts.map(({ id }: { id: number }) => id)
}

onBothDatabases('searching contacts', (open) => {
  test('a phone number is found in whatever form it was written or is asked for', async () => {
    const { a } = await open()
    const paris = await add(a, '+33 (0)1 76-36.06 95')
    const again = await add(a, '0033176360695')
    await add(a, '+33176360696')
    const forms = [
      '+33176360695',
      '33176360695',
      '%2B33176360695',
      '0033 1 76 36 06 95',
      '%2B33%20(0)1%2076%2036%2006%2095',
    ]

    for (const form of forms) {
      for (const path of ['/v1/contacts/search', '/v1/contacts']) {
        expect([form, await found(a, `${path}?phone_number=${form}`)]).toEqual([form, [paris, again]])
      }
    }
    expect(await found(a, '/v1/contacts/search?phone_number=176360695')).toEqual([])
    expect(await found(a, '/v1/contacts/search?phone_number=nobody')).toEqual([])
  })

  test('an e-mail address is found in whatever case, and only as a whole', async () => {
    const { a } = await open()
    const ada = await add(a, '1', 'Ada.L@Example.test', 'other@example.test')
    const bob = await add(a, '2', 'bob@example.test')

    for (const path of ['/v1/contacts/search', '/v1/contacts']) {
      expect(await found(a, `${path}?email=ada.l@example.TEST`)).toEqual([ada])
      expect(await found(a, `${path}?email=bob%40example.test`)).toEqual([bob])
      expect(await found(a, `${path}?email=example.test`)).toEqual([])
    }
  })

  test('both fields mean both; neither means everyone; a name is no field', async () => {
    const { a } = await open()
    const ada = await add(a, '+33100000001', 'ada@example.test')
    const bob = await add(a, '+33100000001', 'bob@example.test')

    expect(await found(a, '/v1/contacts/search?phone_number=33100000001&email=bob@example.test')).toEqual([bob])
    expect(await found(a, '/v1/contacts/search?phone_number=33100000002&email=bob@example.test')).toEqual([])
    expect(await found(a, '/v1/contacts/search')).toEqual([ada, bob])
    expect(await found(a, '/v1/contacts/search?first_name=Nobody&q=x')).toEqual([ada, bob])
  })

  test('signs that mean something to a database are plain signs here', async () => {
    const { a } = await open()
    const odd = await add(a, '+331', `o'hara_%@example.test`)
    await add(a, '+332', 'plain@example.test')

    expect(await found(a, `/v1/contacts/search?email=${encodeURIComponent(`o'hara_%@example.test`)}`)).toEqual([odd])
    for (const email of ['%', '_', '%@example.test', `' or 1=1 --`, '*', '{"$ne":1}']) {
      expect([email, await found(a, `/v1/contacts/search?email=${encodeURIComponent(email)}`)]).toEqual([email, []])
    }
    for (const phone of ['%25', `'%20or%201=1`, '*']) {
      expect([phone, await found(a, `/v1/contacts/search?phone_number=${phone}`)]).toEqual([phone, []])
    }
  })

  test('the same outside number belongs to each company on its own', async () => {
    const { a, b } = await open()
    const ofA = await add(a, '+33176360695', 'ada@example.test')
    const ofB = await add(b, '+33176360695', 'ada@example.test')

    for (const query of ['phone_number=33176360695', 'email=ada@example.test', '']) {
      expect([await found(a, `/v1/contacts/search?${query}`), await found(b, `/v1/contacts?${query}`)]).toEqual([
        [ofA],
        [ofB],
      ])
    }
  })

  test('a changed or deleted number is found by its new form only', async () => {
    const { a } = await open()
    const id = await add(a, '+33176360695', 'ada@example.test')
    const { phone_numbers, emails } = (await a.api('GET', `/v1/contacts/${id}`)).json.contact

    await a.api('PUT', `/v1/contacts/${id}/phone_details/${phone_numbers[0].id}`, { value: '+44 20 7946 0018' })
    await a.api('DELETE', `/v1/contacts/${id}/email_details/${emails[0].id}`)

    expect(await found(a, '/v1/contacts/search?phone_number=33176360695')).toEqual([])
    expect(await found(a, '/v1/contacts/search?phone_number=442079460018')).toEqual([id])
    expect(await found(a, '/v1/contacts/search?email=ada@example.test')).toEqual([])
  })

  test('order, from and to apply to created_at, or to updated_at with order_by', async () => {
    const { a, clock } = await open()
    const first = await add(a, '1')
    await clock.advance(100_000)
    const second = await add(a, '2')
    await clock.advance(100_000)
    await a.api('PUT', `/v1/contacts/${first}`, { first_name: 'Changed' })

    expect(await found(a, '/v1/contacts')).toEqual([first, second])
    expect(await found(a, '/v1/contacts?order=desc')).toEqual([second, first])
    expect(await found(a, '/v1/contacts?order_by=updated_at')).toEqual([second, first])
    expect(await found(a, '/v1/contacts?order_by=updated_at&order=desc')).toEqual([first, second])
    expect(await found(a, `/v1/contacts?from=${noon}&to=${noon}`)).toEqual([first])
    expect(await found(a, `/v1/contacts?from=${noon + 100}.7`)).toEqual([second])
    expect(await found(a, `/v1/contacts/search?order_by=updated_at&from=${noon + 101}`)).toEqual([first])
    expect(await found(a, `/v1/contacts/search?order_by=updated_at&to=${noon + 199}`)).toEqual([second])
    expect(await found(a, `/v1/contacts?to=${noon - 1}`)).toEqual([])
  })

  test('pages have the size they report, and their links keep the query', async () => {
    const { a, base } = await open()
    for (let i = 0; i < 5; i++) await add(a, '+33176360695')
    await add(a, '+33176360696')

    const first = await a.api('GET', '/v1/contacts/search?phone_number=%2B33176360695&per_page=2&order=desc')
    const second = await a.api('GET', first.json.meta.next_page_link)
    const third = await a.api('GET', second.json.meta.next_page_link)

    expect(second.json.meta).toEqual({
      count: 2,
      total: 5,
      current_page: 2,
      per_page: 2,
      next_page_link: `${base}/v1/contacts/search?phone_number=%2B33176360695&order=desc&page=3&per_page=2`,
      previous_page_link: `${base}/v1/contacts/search?phone_number=%2B33176360695&order=desc&page=1&per_page=2`,
    })
    expect([third.json.meta.count, third.json.meta.next_page_link]).toEqual([1, null])
    const ids = [first, second, third].flatMap(({ json }) => json.contacts.map(({ id }: { id: number }) => id))
    expect(ids).toEqual(ids.toSorted((x, y) => y - x))
    expect(new Set(ids).size).toBe(5)
  })

  test('a question that makes no sense is refused', async () => {
    const { a } = await open()

    for (const query of [
      'order_by=name',
      'order=up',
      'from=2&to=1',
      'from=x',
      'page=0',
      'per_page=51',
      'email=',
      'phone_number=%00',
    ]) {
      for (const path of ['/v1/contacts', '/v1/contacts/search']) {
        expect([query, (await a.api('GET', `${path}?${query}`)).status]).toEqual([query, 400])
      }
    }
  })
})

const many = 10_050

/** One contact a second, put into the store as it is: making them through the API would take minutes. */
async function fill({ db, a }: TestApp) {
  for (let from = 0; from < many; from += 1_000) {
    const times = Array.from({ length: Math.min(1_000, many - from) }, (_, i) => monday + (from + i) * 1_000)
    const blank = { first_name: null, last_name: null, company_name: null, information: null }
    const rows = times.map((at) => ({ company_id: a.id, ...blank, created_at: at, updated_at: at }))
    await db.insertInto('contact').values(rows).execute()
  }
  await db
    .insertInto('contact_count')
    .values({ company_id: a.id, day: Math.floor(monday / day), n: many, changed: many })
    .execute()
}

onBothDatabases('the wall at 10,000 contacts', (open) => {
  test('pages end at the 10,000th contact, and from leads behind it', async () => {
    const app = await open()
    await fill(app)
    const get = (query: string) => app.a.api('GET', `/v1/contacts${query}`)

    const last = await get('?per_page=50&page=200')
    const across = await get('?per_page=30&page=334')
    const before = await get('?per_page=50&page=199')
    expect(last.json.meta).toMatchObject({ count: 50, total: many, next_page_link: null })
    expect(across.json.meta).toMatchObject({ count: 10, total: many, next_page_link: null })
    expect(before.json.meta.next_page_link).toContain('page=200')
    expect(last.json.contacts.at(-1).created_at).toBe(noon + 9_999)
    expect(across.json.contacts.at(-1)).toEqual(last.json.contacts.at(-1))

    for (const query of [
      '?per_page=50&page=201',
      '?per_page=1&page=10001',
      '/search?per_page=50&page=500',
      '?per_page=30&page=335',
    ]) {
      const refused = await get(query)
      expect([query, refused.status]).toEqual([query, 400])
      expect(refused.json.troubleshoot).toContain('from')
    }
    expect((await get('?per_page=1&page=10000')).json.meta).toMatchObject({ count: 1, next_page_link: null })
    expect((await get('?per_page=1&page=10000&order=desc')).json.contacts[0].created_at).toBe(noon + 50)

    const behind = await get(`/search?from=${noon + 10_000}&per_page=50`)
    expect(behind.json.meta).toMatchObject({ count: 50, total: 50, next_page_link: null })
    expect(behind.json.contacts[0].created_at).toBe(noon + 10_000)
    expect((await get(`?to=${noon + 10_009}`)).json.meta.total).toBe(10_010)

    const { id } = behind.json.contacts[0]
    await app.a.api('DELETE', `/v1/contacts/${id}`)
    await app.a.api('POST', '/v1/contacts', { phone_numbers: [{ label: 'Work', value: '1' }] })
    await app.a.api('DELETE', `/v1/contacts/${behind.json.contacts[1].id}`)
    expect((await get('')).json.meta.total).toBe(many - 1)
    expect((await app.b.api('GET', '/v1/contacts')).json.meta.total).toBe(0)
  })
})
