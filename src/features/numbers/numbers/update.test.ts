import { expect, test } from 'vitest'
import { onAnyDatabase, signedIn } from '../../../../test/kit/app.ts'
import { addNumber, addUser, eventsAbout, versionsOf } from '../../../../test/kit/flows.ts'

onAnyDatabase('updating a Number', (open) => {
  test('each field can be changed alone, and the others stay', async () => {
    const { a } = await open()
    const { id, ...before } = await addNumber(a)
    const put = async (body: object) => {
      const { status, json } = await a.api('PUT', `/v1/numbers/${id}`, body)
      return { status, ...json.number }
    }

    expect(await put({ name: 'Help desk' })).toEqual({ ...before, id, status: 200, name: 'Help desk' })
    expect(await put({ live_recording_activated: true })).toMatchObject({ live_recording_activated: true })
    expect(await put({ priority: 1 })).toMatchObject({ priority: 1 })
    expect(await put({ priority: 0 })).toMatchObject({ priority: 0 })
    expect(await put({ priority: null })).toMatchObject({ priority: null })
    expect(await put({ live_recording_activated: false })).toMatchObject({ live_recording_activated: false })
    expect(await put({})).toEqual({ ...before, id, status: 200, name: 'Help desk' })
    expect((await a.api('GET', `/v1/numbers/${id}`)).json.number).toEqual({ ...before, id, name: 'Help desk' })
  })

  test('a value that does not fit is refused with 400, and nothing changes', async () => {
    const { a } = await open()
    const { id } = await addNumber(a)
    const before = await a.api('GET', `/v1/numbers/${id}`)
    const bodies = [
      { name: '' },
      { name: '   ' },
      { name: null },
      { name: 5 },
      { name: 'a\u0000b' },
      { availability_status: 'sometimes' },
      { availability_status: null },
      { live_recording_activated: 'true' },
      { live_recording_activated: 1 },
      { live_recording_activated: null },
      { priority: 2 },
      { priority: -1 },
      { priority: 0.5 },
      { priority: '1' },
      { messages: null },
      { messages: 'welcome' },
      { messages: { welcome: null } },
      { messages: { waiting: '' } },
    ]

    for (const body of bodies) {
      const { status, json } = await a.api('PUT', `/v1/numbers/${id}`, { live_recording_activated: true, ...body })
      expect([body, status, json.error]).toEqual([body, 400, 'Bad Request'])
    }
    expect((await a.api('GET', `/v1/numbers/${id}`)).text).toBe(before.text)
  })

  test('an invalid field rejects the whole request', async () => {
    const { a } = await open()
    const { id } = await addNumber(a)
    const before = await a.api('GET', `/v1/numbers/${id}`)

    const refused = await a.api('PUT', `/v1/numbers/${id}`, {
      name: 'Half done',
      availability_status: 'closed',
      messages: { waiting: 'https://example.com/music.mp3', ringing_tone: 'https://example.com/tone.mp3' },
    })

    expect(refused.status).toBe(400)
    expect(refused.json.troubleshoot).toContain('Waiting Experience widget')
    expect((await a.api('GET', `/v1/numbers/${id}`)).text).toBe(before.text)
    expect(await versionsOf(a, id)).toHaveLength(1)
  })

  test('is_ivr and the three old messages are taken and do nothing', async () => {
    const { a } = await open()
    const { id } = await addNumber(a)
    const before = await a.api('GET', `/v1/numbers/${id}`)

    const answer = await a.api('PUT', `/v1/numbers/${id}`, {
      is_ivr: true,
      messages: { closed: 'https://example.com/a.mp3', callback_later: 7, unanswered_call: null },
    })

    expect(answer.status).toBe(200)
    expect(answer.text).toBe(before.text)
    expect(await versionsOf(a, id)).toHaveLength(1)
  })

  test('what the API does not offer cannot be written through it', async () => {
    const { a, b } = await open()
    const { id, name } = await addNumber(a)
    const before = await a.api('GET', `/v1/numbers/${id}`)
    const smuggled =
      '{"id": 1, "company_id": 1, "digits": "+33100000000", "created_at": 1, "direct_link": "x", "country": "US",' +
      ' "time_zone": "Asia/Tokyo", "open": false, "validated": true, "flow_version": 7, "users": [], "__proto__": {"name": "x"}}'

    const answer = await a.api('PUT', `/v1/numbers/${id}`, smuggled)

    expect([answer.status, answer.text]).toEqual([200, before.text])
    expect(answer.json.number.name).toBe(name)
    expect((await a.own('GET', `/v1/numbers/${id}/settings`)).json.validated).toBe(false)
    expect((await b.api('GET', '/v1/numbers')).json.meta.total).toBe(0)
  })

  test('a name comes back exactly as it was given', async () => {
    const { a } = await open()
    const { id } = await addNumber(a)
    const names = [
      `Robert'); drop table number;--`,
      'Señal 🎉',
      '\u202Eright to left',
      `e${'\u0301'.repeat(40)}`,
      '%_\\',
    ]

    for (const name of names) {
      expect((await a.api('PUT', `/v1/numbers/${id}`, { name })).json.number.name).toBe(name)
    }
  })

  test('an update is no event', async () => {
    const app = await open()
    const { id } = await addNumber(app.a)

    await app.a.api('PUT', `/v1/numbers/${id}`, { name: 'Help desk', availability_status: 'closed' })
    await app.a.api('PUT', `/v1/numbers/${id}`, { availability_status: 'open' })

    expect((await eventsAbout(app, 'number')).map(({ name }) => name)).toEqual(['number.created'])
  })

  test('an agent may neither look at Numbers in the dashboard nor change them, and a key opens no flow', async () => {
    const { a, app, base, anonymous } = await open()
    const { id } = await addNumber(a)
    const agent = await addUser(a, 'Ada')
    const headers = await signedIn(app, base, a.id, agent.id)

    const looks = await anonymous('GET', `/app/v1/numbers/${id}/flow`, undefined, headers)
    const changes = await anonymous('PUT', `/app/v1/numbers/${id}`, { name: 'Mine' }, headers)
    const outside = await a.api('GET', `/v1/numbers/${id}/flow`)

    expect([looks.status, changes.status, outside.status]).toEqual([403, 403, 404])
  })
})
