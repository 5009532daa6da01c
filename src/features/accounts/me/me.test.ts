import { expect, test } from 'vitest'
import { onAnyDatabase, signedIn } from '../../../../test/kit/app.ts'
import { client } from '../../../../test/kit/client.ts'
import { type Office, openOffice } from '../../../../test/kit/phone.ts'
import { hasOpus } from '../../../media/opus.ts'

/** As that person, in the browser. */
async function at({ app, base, a }: Office, userId: number) {
  return client(`${base}/app`, await signedIn(app, base, a.id, userId))
}

onAnyDatabase('me', (open) => {
  test('returns the user, their status and the numbers they can call from', async () => {
    const office = await openOffice(open)
    const { a, ada, bea } = office
    const line = await office.line()
    const spare = await a.own('POST', '/v1/numbers', {
      digits: '+33180000009',
      name: 'Spare',
      flow_editor_enabled: false,
    })
    await a.own('PUT', `/v1/numbers/${spare.json.number.id}/users`, { user_ids: [ada] })
    const ask = await at(office, ada)

    const { user } = (await a.api('GET', `/v2/users/${ada}`)).json
    const before = (await ask('GET', '/v1/me')).json
    await office.connect(ada)
    const connected = (await ask('GET', '/v1/me')).json

    expect(before).toEqual({
      user,
      presence: 'offline',
      unavailable_until: null,
      wrap_up: null,
      numbers: [
        { id: line.id, digits: '+33 1 99 00 00 01', name: 'Line 1', validated: true },
        { id: spare.json.number.id, digits: '+33 1 80 00 00 09', name: 'Spare', validated: false },
      ],
      mandatory_tagging: false,
      call_sound: 'standard',
      robust_sound_available: hasOpus(),
      call_waiting: false,
      voicemail_emails: true,
      email_available: false,
      embed_origins: [],
    })
    expect(connected.presence).toBe('available')
    const hers = (await (await at(office, bea))('GET', '/v1/me')).json
    expect([hers.user.id, hers.numbers.map(({ id }: { id: number }) => id)]).toEqual([bea, [line.id]])
    expect((await a.api('GET', '/v1/me')).status).toBe(404)
  })

  test('a user selects audio for weak networks, an admin views and changes it, and the public user object is unchanged', async () => {
    const office = await openOffice(open)
    const { a, ada } = office
    const ask = await at(office, ada)
    const before = (await a.api('GET', `/v2/users/${ada}`)).text

    const chosen = await ask('PUT', '/v1/me/sound', { call_sound: 'robust' })
    const mine = (await ask('GET', '/v1/me')).json.call_sound
    const seen = (await a.own('GET', `/v1/users/${ada}/profile`)).json
    const changed = await a.own('PUT', `/v1/users/${ada}/profile`, { call_sound: 'standard' })
    const wrong = [await ask('PUT', '/v1/me/sound', { call_sound: 'loud' }), await ask('PUT', '/v1/me/sound', {})]

    expect([chosen.status, mine, seen.profile.call_sound]).toEqual([204, 'robust', 'robust'])
    expect(seen.robust_sound_available).toBe(hasOpus())
    expect(changed.json.profile.call_sound).toBe('standard')
    expect((await ask('GET', '/v1/me')).json.call_sound).toBe('standard')
    expect(wrong.map(({ status }) => status)).toEqual([400, 422])
    expect((await a.api('GET', `/v2/users/${ada}`)).text).toBe(before)
  })

  test('a user sets whether they receive calls, and why not', async () => {
    const office = await openOffice(open)
    const { a, ada } = office
    await office.connect(ada)
    const ask = await at(office, ada)
    const put = (body: object) => ask('PUT', '/v1/me/availability', body)

    const lunch = await put({ availability_status: 'unavailable', substatus: 'out_for_lunch' })
    const away = (await ask('GET', '/v1/me')).json.presence
    const closed = await put({ availability_status: 'unavailable' })
    const back = await put({ availability_status: 'available', substatus: 'other' })
    const wrong = [
      await put({}),
      await put({ availability_status: 'away' }),
      await put({ availability_status: 'unavailable', substatus: 'fishing' }),
    ]

    expect(lunch.json.user).toMatchObject({ id: ada, availability_status: 'unavailable', substatus: 'out_for_lunch' })
    expect(away).toBe('do_not_disturb')
    expect(closed.json.user.substatus).toBe('always_closed')
    expect(back.json.user).toMatchObject({ available: true, substatus: 'always_open' })
    expect(wrong.map(({ status }) => status)).toEqual([422, 400, 400])
    const published = (await office.events(a))
      .map(({ name }) => name)
      .filter((name) => /user\.(opened|closed)$/.test(name))
    expect(published).toEqual(['user.closed', 'user.closed', 'user.closed', 'user.opened'])
  })

  test('wrap-up is shown with its end and ended early, but not before the tag that it needs', async () => {
    const office = await openOffice(open)
    const { a, ada, clock } = office
    await a.api('PUT', `/v2/users/${ada}`, { wrap_up_time: 40 })
    await office.connect(ada)
    const line = await office.line()
    const ask = await at(office, ada)
    const talk = async () => {
      const id = await office.call(line)
      await office.does(ada, { kind: 'answer' })
      await office.pass(5)
      await office.does(ada, { kind: 'hang_up' })
      return id
    }
    const finish = async () => (await ask('POST', '/v1/me/wrap_up/finish')).status

    const idle = await finish()
    const first = await talk()
    const timed = (await ask('GET', '/v1/me')).json
    const ended = [await finish(), (await ask('GET', '/v1/me')).json.wrap_up]
    const { tag } = (await a.api('POST', '/v1/tags', { name: 'Sales', color: '#FF0000' })).json
    await a.own('PUT', '/v1/company/settings', { mandatory_tagging: true })
    const second = await talk()
    const needy = (await ask('GET', '/v1/me')).json
    const refused = await ask('POST', '/v1/me/wrap_up/finish')
    await ask('POST', `/v1/calls/${second}/tags`, { tags: [tag.id] })

    expect(idle).toBe(400)
    expect(timed).toMatchObject({
      presence: 'after_call_work',
      wrap_up: { call_id: first, until: Math.floor(clock.now() / 1_000) + 40 - 5, needs_tag: false, following: 0 },
    })
    expect(ended).toEqual([204, null])
    expect(needy).toMatchObject({ mandatory_tagging: true, wrap_up: { call_id: second, needs_tag: true } })
    expect([refused.status, refused.json.troubleshoot]).toEqual([400, expect.stringContaining('tag')])
    expect(await finish()).toBe(204)
  })
})
