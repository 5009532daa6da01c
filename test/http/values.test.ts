import { expect, test } from 'vitest'
import { routes } from '../../src/features/index.ts'
import { onAnyDatabase } from '../kit/app.ts'
import { expectError } from './raw.ts'

const person = { email: 'v@example.test', first_name: 'V', last_name: 'W' }

onAnyDatabase('values', (open) => {
  test('NUL and lone surrogates are 400 wherever a String is accepted', async () => {
    const { a } = await open()
    const { user } = (await a.api('POST', '/v2/users', person)).json
    const phone = { label: 'Work', value: '+33180000001' }
    const { contact } = (await a.api('POST', '/v1/contacts', { phone_numbers: [phone] })).json
    const bad = ['a\0b', '\0', '\ud800', 'x\udc00', '\udfff\ud800']
    // JSON.stringify escapes lone surrogates, so they arrive unchanged.
    for (const text of bad) {
      for (const [method, path, body] of [
        ['POST', '/v1/teams', { name: text }],
        ['POST', '/v1/tags', { name: text, color: '#00ff00' }],
        ['POST', '/v1/tags', { name: 'fine', color: '#00ff00', extra: text }],
        ['POST', '/v1/tags', { name: 'fine', color: '#00ff00', [text]: 1 }],
        ['PUT', `/v2/users/${user.id}`, { first_name: text }],
        ['PUT', `/v1/contacts/${contact.id}`, { information: text }],
        ['POST', '/v1/contacts', { phone_numbers: [{ ...phone, label: text }] }],
        ['POST', '/v1/webhooks', { url: 'https://example.com/', custom_name: text }],
        ['POST', '/v1/webhooks', { url: 'https://example.com/', events: [text] }],
      ] as const) {
        expectError(await a.api(method, path, body), 400, `${method} ${path} ${JSON.stringify(body)}`)
      }
      expectError(await a.own('PUT', `/v1/users/${user.id}/working_hours`, { hours: { mon: [text] } }), 400)
    }
    expectError(await a.api('GET', '/v1/contacts/search?email=a%00b'), 400)
    expectError(await a.api('GET', '/v2/users/a%00b%40example.test'), 404)
  })

  test('the error for a value out of a list names the values, and null where it is one of them', async () => {
    const { a } = await open()
    const message = { from: '+33612345678', to: '+33199000101', body: 'Hello', channel: 'fax' }

    const one = await a.api('POST', '/sandbox/v1/messages', message)
    const several = await a.api('GET', '/v1/tags?order=up')

    expect(one.json.troubleshoot).toBe('`channel` must be whatsapp or null')
    expect(several.json.troubleshoot).toBe('`order` must be one of asc, desc')
  })

  test('every other text is returned as it was sent', async () => {
    const { a } = await open()
    const texts = [
      '\u202egnp.exe',
      '👩‍👩‍👧 family',
      `Z${'\u0300'.repeat(40)}`,
      '\u0007bell',
      'é',
      'e\u0301',
      '"\\/\b\f.',
      'x  y',
    ]
    for (const text of texts) {
      const made = await a.api('POST', '/v1/teams', { name: text })
      expect(made.json.team?.name, JSON.stringify(text)).toBe(text)
      expect((await a.api('GET', `/v1/teams/${made.json.team.id}`)).json.team.name).toBe(text)
    }
  })

  test('an id of any strange form is an unknown id, on every route with one', async () => {
    const { a } = await open()
    const strange = [
      ...['0', '-1', '1.5', '1.0', '1e3', '0x1', '01', '+1', '9007199254740992', '9223372036854775808'],
      ...[
        '99999999999999999999999999',
        '%201',
        '1%20',
        '%31%00',
        'abc',
        'null',
        'undefined',
        'NaN',
        '[object%20Object]',
      ],
      ...["1'%20or%20'1'='1", '1;drop%20table%20team', '*', '%25', '1,2', '١', '２', 'true', '{id}', ':id', '$1'],
    ]
    const withId = routes.filter(({ path }) => path.includes(':'))
    let asked = 0

    expect(withId.length).toBeGreaterThan(20)
    for (const { method, path, access, document } of withId) {
      const client = access === 'app' ? a.own : a.api
      const answers = await Promise.all(
        strange.map((id) => client(method, path.replace(/:\w+/g, id), method === 'GET' ? undefined : {})),
      )
      asked += answers.length
      for (const [i, answer] of answers.entries()) {
        // Conversation results define it as invalid.
        expectError(answer, document.wrongParams ?? 404, `${method} ${path} with ${strange[i]}`)
        const words = document.wrongParams ? '`call_id` must be an Integer id' : 'Check ID of the resource'
        expect(answer.json.troubleshoot).toBe(words)
      }
    }
    console.log(`${asked} requests with strange ids, all 404`)
  })

  test('metacharacters of SQL, LIKE and JSON are matched literally', async () => {
    const { a } = await open()
    const emails = ['a%@example.test', 'a_@example.test', "a'--@example.test", 'ab@example.test']
    for (const value of emails) {
      const phones = [{ label: 'Work', value: '+33180000001' }]
      expect(
        (await a.api('POST', '/v1/contacts', { phone_numbers: phones, emails: [{ label: 'x', value }] })).status,
        value,
      ).toBe(201)
    }
    const found = async (query: string) => (await a.api('GET', `/v1/contacts/search?${query}`)).json.meta.total

    for (const value of emails) expect(await found(`email=${encodeURIComponent(value)}`), value).toBe(1)
    for (const value of ['%', '_', '%25', "' or 1=1 --", '"', '\\', 'a%', '{"$ne":null}', '*', '^a']) {
      expect(await found(`email=${encodeURIComponent(value)}`), value).toBe(0)
    }
    for (const value of ['%', '_', '%2B%', '+33%', "'", '+3318000000_']) {
      expect(await found(`phone_number=${encodeURIComponent(value)}`), value).toBe(0)
    }
    expect(await found(`phone_number=${encodeURIComponent('+33180000001')}`)).toBe(4)
  })

  test('very long values are refused', async () => {
    const { a } = await open()
    const long = 'a'.repeat(50_000)
    const detail = (value: string) => ({ phone_numbers: [{ label: 'x', value }] })

    expectError(await a.api('POST', '/v2/users', { ...person, email: `${long}@example.test` }), 422)
    expectError(await a.api('POST', '/v2/users', { ...person, email: `a@${'a.'.repeat(20_000)}test` }), 422)
    expectError(await a.api('POST', '/v1/contacts', detail(`+${'1'.repeat(50_000)}`)), 400)
    expectError(await a.own('POST', '/v1/numbers', { digits: `+${'1'.repeat(50_000)}`, name: 'x' }), 400)
    const number = { digits: '+33180000009', name: 'x' }
    expectError(await a.own('POST', '/v1/numbers', { ...number, time_zone: `Europe/${long}` }), 400)
    expectError(await a.api('POST', '/v1/webhooks', { url: `https://example.com/${long}` }), 400)
    expectError(await a.own('PUT', '/v1/company/settings', { countries: [long] }), 400)
  })
})
