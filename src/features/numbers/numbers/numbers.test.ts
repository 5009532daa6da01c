import { expect, test } from 'vitest'
import { monday, onAnyDatabase, testApp } from '../../../../test/kit/app.ts'
import { addNumber } from '../../../../test/kit/flows.ts'

const defaults = (base: string) => ({
  welcome: `${base}/audio/welcome.wav`,
  waiting: `${base}/audio/waiting.wav`,
  ivr: `${base}/audio/ivr.wav`,
  voicemail: `${base}/audio/voicemail.wav`,
  closed: `${base}/audio/closed.wav`,
  callback_later: `${base}/audio/callback_later.wav`,
  unanswered_call: `${base}/audio/unanswered_call.wav`,
  after_hours: `${base}/audio/after_hours.wav`,
  ringing_tone: `${base}/audio/ringing_tone.wav`,
})

onAnyDatabase('numbers', (open) => {
  test('a Number has every key, and nothing that belongs to the dashboard or to events', async () => {
    const { a, base } = await open()
    const { id } = await addNumber(a, { digits: '+33176360695', time_zone: 'Europe/Paris' })

    const answer = await a.api('GET', `/v1/numbers/${id}`)

    expect(answer.status).toBe(200)
    expect(answer.json).toEqual({
      number: {
        id,
        direct_link: `${base}/v1/numbers/${id}`,
        name: 'Main line',
        digits: '+33 1 76 36 06 95',
        created_at: '2026-06-15T12:00:00.000Z',
        country: 'FR',
        time_zone: 'Europe/Paris',
        open: true,
        availability_status: 'custom',
        is_ivr: false,
        live_recording_activated: false,
        priority: null,
        messages: defaults(base),
        users: [],
      },
    })
  })

  test('Numbers are listed by age, page by page, each page linked to its neighbours', async () => {
    const { a, b, clock, base } = await open()
    const ids: number[] = []
    for (let i = 0; i < 5; i++) {
      ids.push((await addNumber(a)).id)
      await addNumber(b)
      await clock.advance(60_000)
    }

    const first = await a.api('GET', '/v1/numbers?order=desc&per_page=2')
    const second = await a.api('GET', first.json.meta.next_page_link)
    const third = await a.api('GET', second.json.meta.next_page_link)
    const beyond = await a.api('GET', '/v1/numbers?page=9&per_page=2')

    const idsIn = (answer: typeof first) => answer.json.numbers.map(({ id }: { id: number }) => id)
    expect([idsIn(first), idsIn(second), idsIn(third)]).toEqual([[ids[4], ids[3]], [ids[2], ids[1]], [ids[0]]])
    expect(second.json.meta).toEqual({
      count: 2,
      total: 5,
      current_page: 2,
      per_page: 2,
      next_page_link: `${base}/v1/numbers?order=desc&page=3&per_page=2`,
      previous_page_link: `${base}/v1/numbers?order=desc&page=1&per_page=2`,
    })
    expect([first.json.meta.previous_page_link, third.json.meta.next_page_link]).toEqual([null, null])
    expect(idsIn(await a.api('GET', '/v1/numbers'))).toEqual(ids)
    expect([beyond.status, beyond.json.numbers, beyond.json.meta.count, beyond.json.meta.next_page_link]).toEqual([
      200,
      [],
      0,
      null,
    ])
  })

  test('from and to bound the creation date, both inclusive', async () => {
    const { a, clock } = await open()
    const made = monday / 1_000
    const early = (await addNumber(a)).id
    await clock.advance(90_500)
    const late = (await addNumber(a)).id

    const found = async (query: string) => {
      const { json } = await a.api('GET', `/v1/numbers?${query}`)
      expect(json.meta.total).toBe(json.numbers.length)
      return json.numbers.map(({ id }: { id: number }) => id)
    }

    expect(await found(`from=${made}&to=${made}`)).toEqual([early])
    expect(await found(`from=${made + 1}`)).toEqual([late])
    expect(await found(`from=${made}.9&to=${made + 89}`)).toEqual([early])
    expect(await found(`to=${made + 90}`)).toEqual([early, late])
    expect(await found(`to=${made - 1}`)).toEqual([])
  })

  test('a Number of another company is as unknown as one that never was, on every route', async () => {
    const { a, b } = await open()
    const { id } = await addNumber(a)
    const before = await a.api('GET', `/v1/numbers/${id}`)
    const routes: [client: 'api' | 'own', method: string, path: string][] = [
      ['api', 'GET', ''],
      ['api', 'PUT', ''],
      ['api', 'GET', '/registration_status'],
      ['own', 'DELETE', ''],
      ['own', 'PUT', '/users'],
      ['own', 'GET', '/settings'],
      ['own', 'PUT', '/settings'],
      ['own', 'GET', '/opening_hours'],
      ['own', 'PUT', '/opening_hours'],
      ['own', 'GET', '/flow'],
      ['own', 'PUT', '/flow'],
      ['own', 'GET', '/flow/versions'],
    ]

    for (const [client, method, path] of routes) {
      const body = method === 'PUT' ? { name: 'Mine now' } : undefined
      const foreign = await b[client](method, `/v1/numbers/${id}${path}`, body)
      const unknown = await b[client](method, `/v1/numbers/99999999${path}`, body)

      expect([method, path, foreign.status, foreign.text]).toEqual([method, path, 404, unknown.text])
      expect(foreign.json.troubleshoot).toBe('Check ID of the resource')
    }
    expect((await a.api('GET', `/v1/numbers/${id}`)).text).toBe(before.text)
  })

  test('an id that is no plain integer leads nowhere', async () => {
    const { a } = await open()
    const { id } = await addNumber(a)

    for (const odd of ['0', '-1', `${id}.0`, `${id}e0`, '9007199254740993', '18446744073709551617', `%20${id}`, 'x']) {
      expect([odd, (await a.api('GET', `/v1/numbers/${odd}`)).status]).toEqual([odd, 404])
    }
  })
})

// The store plays no part in these.

test('every default message is a public audio file', async () => {
  const { a, anonymous } = await testApp()
  const { messages } = await addNumber(a)

  const files = await Promise.all(Object.values<string>(messages).map((url) => anonymous('GET', url)))

  expect(files).toHaveLength(9)
  for (const { status, headers, text } of files) {
    expect([status, headers.get('content-type')]).toEqual([200, 'audio/wav'])
    expect(text.slice(0, 4)).toBe('RIFF')
  }
})

test('digits are grouped as the country of the Number writes them', async () => {
  const { a } = await testApp()
  const written = async (digits: string) => {
    const { digits: shown, country } = await addNumber(a, { digits })
    return [shown, country]
  }

  expect(await written('+18001234567')).toEqual(['+1 800-123-4567', 'US'])
  expect(await written('+14165550123')).toEqual(['+1 416-555-0123', 'CA'])
  expect(await written('+443308186690')).toEqual(['+44 330 818 6690', 'GB'])
  expect(await written('+4932221854719')).toEqual(['+49 32 221854719', 'DE'])
  expect(await written('+61283109650')).toEqual(['+61 2 8310 9650', 'AU'])
})

test('a list that asks for the impossible is refused', async () => {
  const { a } = await testApp()
  const queries = [
    'per_page=0',
    'per_page=-1',
    'per_page=51',
    'per_page=ten',
    'per_page=1&per_page=2',
    'page=0',
    'page=one',
    'order=up',
    'from=2&to=1',
    'from=yesterday',
    'from=Infinity',
    'to=-5',
  ]

  for (const query of queries) {
    const { status, json } = await a.api('GET', `/v1/numbers?${query}`)
    expect([query, status, json.error, json.success]).toEqual([query, 400, 'Bad Request', false])
  }
})
