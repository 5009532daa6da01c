import { expect, test } from 'vitest'
import { onAnyDatabase } from '../../../../test/kit/app.ts'
import { addNumber, addUser, eventsAbout, freshDigits, liveFlow } from '../../../../test/kit/flows.ts'

onAnyDatabase('Numbers in the dashboard', (open) => {
  test('number.created has the users and the digits without spaces', async () => {
    const app = await open()

    const made = await app.a.own('POST', '/v1/numbers', { digits: '+33176360695', name: 'Main line', validated: true })

    expect(made.status).toBe(201)
    expect(made.json.number).toMatchObject({ digits: '+33 1 76 36 06 95', time_zone: 'Etc/UTC', users: [] })
    expect(made.json.number).not.toHaveProperty('e164_digits')
    expect(await eventsAbout(app, 'number')).toEqual([
      { name: 'number.created', data: { ...made.json.number, e164_digits: '+33176360695' } },
    ])
    expect(await app.events(app.b)).not.toContainEqual(expect.objectContaining({ name: 'number.created' }))
  })

  test('digits and name are mandatory and validated; a rejected Number publishes nothing', async () => {
    const app = await open()
    const post = async (body: object) => (await app.a.own('POST', '/v1/numbers', body)).status
    const good = { digits: freshDigits(), name: 'Main line' }

    expect(await post({ name: 'x' })).toBe(422)
    expect(await post({ digits: good.digits })).toBe(422)
    expect(await post({ ...good, name: ' ' })).toBe(422)
    for (const digits of ['33176360695', '+0176360695', '+33 1 76 36 06 95', '+123456', '+1234567890123456', 33]) {
      expect([digits, await post({ ...good, digits })]).toEqual([digits, 400])
    }
    for (const time_zone of ['Mars/Olympus', '+02:00', '', null]) {
      expect([time_zone, await post({ ...good, time_zone })]).toEqual([time_zone, 400])
    }
    expect(await post({ ...good, validated: 'yes' })).toBe(400)
    expect(await post({ ...good, flow_editor_enabled: 1 })).toBe(400)
    expect(await eventsAbout(app, 'number')).toEqual([])
  })

  test('a phone number belongs to one company, also when both ask at once', async () => {
    const { a, b } = await open()
    const input = { digits: freshDigits(), name: 'Main line' }

    const answers = await Promise.all([a, b, a, b].map((company) => company.own('POST', '/v1/numbers', input)))

    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400, 400, 400])
  })

  test('validation, ring times, language and time zone are settings', async () => {
    const { a, b } = await open()
    const { id } = await addNumber(a)
    const path = `/v1/numbers/${id}/settings`
    const fresh = {
      flow_editor_enabled: true,
      linked_user_ids: [],
      validated: false,
      ring_simultaneous_seconds: 30,
      ring_one_by_one_seconds: 20,
      registration_status: 'NOT_REGISTERED',
      language: 'en-US',
      time_zone: 'Etc/UTC',
      voicemail_emails: true,
      hold_music: null,
    }

    expect((await a.own('GET', path)).json).toEqual(fresh)
    const put = await a.own('PUT', path, { validated: true, ring_simultaneous_seconds: 45, language: 'fr-FR' })

    const changed = { ...fresh, validated: true, ring_simultaneous_seconds: 45, language: 'fr-FR' }
    expect([put.status, put.json]).toEqual([200, changed])
    expect((await a.own('PUT', path, { time_zone: 'Europe/Paris' })).json.time_zone).toBe('Europe/Paris')
    expect((await a.api('GET', `/v1/numbers/${id}`)).json.number.time_zone).toBe('Europe/Paris')
    for (const invalid of [
      { validated: 1 },
      { ring_simultaneous_seconds: 4 },
      { ring_one_by_one_seconds: 121 },
      { language: 'tlh' },
      { time_zone: 'Mars/Olympus' },
      { registration_status: 'MAYBE' },
    ]) {
      expect([invalid, (await a.own('PUT', path, invalid)).status]).toEqual([invalid, 400])
    }
    expect((await b.own('GET', path)).status).toBe(404)
  })

  test('number.deleted has no users, and the Number is removed for everyone', async () => {
    const app = await open()
    const { a } = app
    const ada = await addUser(a, 'Ada')
    const number = await addNumber(a, { digits: '+33176360695' })
    await a.own('PUT', `/v1/numbers/${number.id}/users`, { user_ids: [ada.id] })
    await app.db.updateTable('user').set({ default_number_id: number.id }).where('id', '=', ada.id).execute()

    const gone = await a.own('DELETE', `/v1/numbers/${number.id}`)

    expect([gone.status, gone.text]).toEqual([204, ''])
    expect((await eventsAbout(app, 'number'))[1]).toEqual({
      name: 'number.deleted',
      data: { ...number, users: [], e164_digits: '+33176360695' },
    })
    expect((await a.api('GET', `/v1/numbers/${number.id}`)).status).toBe(404)
    expect((await a.own('DELETE', `/v1/numbers/${number.id}`)).status).toBe(404)
    expect((await a.api('GET', `/v2/users/${ada.id}`)).json.user.default_number_id).toBeNull()
    expect((await addNumber(a, { digits: '+33176360695' })).id).not.toBe(number.id)
  })

  test('two deletions at once make one good-bye', async () => {
    const app = await open()
    const { id } = await addNumber(app.a)

    const answers = await Promise.all([1, 2, 3].map(() => app.a.own('DELETE', `/v1/numbers/${id}`)))

    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 404, 404])
    expect((await eventsAbout(app, 'number')).map(({ name }) => name)).toEqual(['number.created', 'number.deleted'])
  })

  test('a new flow number greets and takes messages; a new classic one has the fixed shape', async () => {
    const { a } = await open()
    const flow = await addNumber(a)
    const classic = await addNumber(a, { flow_editor_enabled: false })

    const typesOf = async (id: number) =>
      Object.values<{ type: string }>((await liveFlow(a, id)).nodes).map(({ type }) => type)

    expect(await typesOf(flow.id)).toEqual(['time_rule', 'audio', 'voicemail', 'voicemail'])
    expect(await typesOf(classic.id)).toEqual(['time_rule', 'audio', 'waiting', 'ring_to', 'voicemail', 'voicemail'])
    expect(
      (await a.api('PUT', `/v1/numbers/${classic.id}`, { messages: { ivr: 'https://example.com/a' } })).status,
    ).toBe(400)
  })
})

onAnyDatabase('messaging registration of a Number', (open) => {
  test('US and Canadian Numbers have one, and its date moves with it', async () => {
    const { a, clock } = await open()
    const us = await addNumber(a, { digits: '+12125550123' })
    const canadian = await addNumber(a, { digits: '+14165550123' })
    const tollFree = await addNumber(a, { digits: '+18005550123' })
    const status = async ({ id }: { id: number }) => (await a.api('GET', `/v1/numbers/${id}/registration_status`)).json

    const fresh = { status: 'NOT_REGISTERED', updatedAt: '2026-06-15T12:00:00.000Z' }
    expect([await status(us), await status(canadian), await status(tollFree)]).toEqual([fresh, fresh, fresh])
    await clock.advance(1_234)
    await a.own('PUT', `/v1/numbers/${us.id}/settings`, { registration_status: 'IN_REVIEW' })
    expect(await status(us)).toEqual({ status: 'IN_REVIEW', updatedAt: '2026-06-15T12:00:01.234Z' })
    expect(await status(canadian)).toEqual(fresh)
  })

  test('other Numbers have none', async () => {
    const { a } = await open()
    const { id } = await addNumber(a, { digits: '+33176360695' })

    const answer = await a.api('GET', `/v1/numbers/${id}/registration_status`, undefined, {
      'content-type': 'application/json',
    })

    expect([answer.status, answer.json.error]).toEqual([400, 'Bad Request'])
  })
})
