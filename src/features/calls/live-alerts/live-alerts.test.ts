import { expect, test } from 'vitest'
import { onAnyDatabase } from '../../../../test/kit/app.ts'
import { hangUp, openOffice, ringTo, toUser } from '../../../../test/kit/phone.ts'
import { colleague, password, visitor } from '../../../../test/kit/visitor.ts'
import { defaultLiveSettings } from './settings.ts'

onAnyDatabase('live alerts', (open) => {
  test('a long wait raises one alert by email and webhook, which is cleared after the answer', async () => {
    const office = await openOffice(open)
    const { a, ada, pass } = office
    const { db } = office.app.services
    await a.api('POST', '/v1/webhooks', { url: 'https://example.com/all' })
    const settings = {
      ...defaultLiveSettings,
      time_zone: 'Europe/Paris',
      thresholds: { ...defaultLiveSettings.thresholds, longest_wait: 30, waiting_calls: 5 },
      email_user_ids: [ada],
    }
    const saved = await a.own('PUT', '/v1/live/settings', settings)
    const ring = ringTo([toUser(ada)], { max_wait_seconds: 300, branches: { no_answer: 'end' } })
    const line = await office.line({ ring, end: hangUp })
    await office.call(line)
    for (let second = 0; second < 60; second += 10) await pass(10)
    const raised = (await a.own('GET', '/v1/live/alerts')).json.alerts
    await office.connect(ada)
    await office.does(ada, { kind: 'answer' })
    for (let second = 0; second < 90; second += 10) await pass(10)
    const cleared = (await a.own('GET', '/v1/live/alerts')).json.alerts

    expect([saved.status, saved.json]).toEqual([200, settings])
    expect(raised).toMatchObject([{ kind: 'longest_wait', threshold: 30, cleared_at: null }])
    expect(raised[0].value).toBeGreaterThanOrEqual(30)
    expect(cleared).toMatchObject([{ id: raised[0].id, cleared_at: expect.any(String) }])
    const events = await db
      .selectFrom('event')
      .select('name')
      .where('name', 'like', 'live_alert%')
      .orderBy('row_id')
      .execute()
    expect(events.map(({ name }) => name)).toEqual(['live_alert.raised', 'live_alert.cleared'])
    // A webhook for all events does not receive them.
    const deliveries = await db
      .selectFrom('delivery')
      .select('event_name')
      .where('event_name', 'like', 'live_alert%')
      .execute()
    expect(deliveries).toEqual([])
    const mails = await db.selectFrom('mail').select('subject').where('user_id', '=', ada).execute()
    expect(mails.map(({ subject }) => subject)).toContainEqual(expect.stringMatching(/^Live alert: a caller has been/))
    expect((await office.b.own('GET', '/v1/live/alerts')).json.alerts).toEqual([])
  })

  test('today counts answered calls within the SLA threshold and abandoned calls', async () => {
    const office = await openOffice(open)
    const { a, ada, pass } = office
    await office.connect(ada)
    const ring = ringTo([toUser(ada)], { max_wait_seconds: 300, branches: { no_answer: 'end' } })
    const line = await office.line({ ring, end: hangUp })
    for (const wait of [5, 22]) {
      await office.call(line)
      await pass(wait)
      await office.does(ada, { kind: 'answer' })
      await pass(3)
      await office.does(ada, { kind: 'hang_up' })
      await pass(60)
    }

    const { today, targets } = (await a.own('GET', '/v1/live/today')).json

    expect(targets).toEqual({ answer_seconds: 20, service_level: 80, abandoned: 5 })
    expect(today).toMatchObject({ offered: 2, answered: 2, missed: 0, answered_share: 100, service_level: 50 })
    expect(today.answered_within).toBe(1)
    expect((await office.b.own('GET', '/v1/live/today')).json.today).toMatchObject({ offered: 0, service_level: null })
  })

  test('today begins at midnight of the company, as on the home page', async () => {
    const office = await openOffice(open)
    const { a, ada, clock, pass } = office
    await office.connect(ada)
    const line = await office.line({ ring: ringTo([toUser(ada)], { branches: { no_answer: 'end' } }), end: hangUp })
    // 14 hours ahead of UTC.
    const time_zone = 'Pacific/Kiritimati'
    await a.own('PUT', '/v1/live/settings', { ...defaultLiveSettings, time_zone })
    const figures = async () => {
      const [live, home] = [await a.own('GET', '/v1/live/today'), await a.own('GET', '/v1/home')]
      expect([live.json.time_zone, home.json.time_zone]).toEqual([time_zone, time_zone])
      return [live.json.today.answered, home.json.today.answered]
    }
    const untilMidnight = () => 86_400 - ((Math.floor(clock.now() / 1_000) + 14 * 3_600) % 86_400)
    await pass(untilMidnight() - 120)
    await office.call(line)
    await office.does(ada, { kind: 'answer' })
    await pass(5)
    await office.does(ada, { kind: 'hang_up' })
    await pass(60)
    expect(await figures()).toEqual([1, 1])
    await pass(untilMidnight() + 10)
    expect(await figures()).toEqual([0, 0])
  })

  test('settings with an unknown time zone, user or value are refused', async () => {
    const app = await open()
    const put = async (change: object) =>
      (await app.a.own('PUT', '/v1/live/settings', { ...defaultLiveSettings, ...change })).status
    const foreign = await colleague(app, app.b, 'agent')

    expect(await put({})).toBe(200)
    expect(await put({ time_zone: 'Mars/Olympus' })).toBe(400)
    expect(await put({ email_user_ids: [foreign.id] })).toBe(400)
    expect(await put({ thresholds: { ...defaultLiveSettings.thresholds, waiting_calls: 0 } })).toBe(400)
    expect(await put({ targets: { answer_seconds: 20, service_level: 101, abandoned: 5 } })).toBe(400)
  })
})

onAnyDatabase('agents on the live page', (open) => {
  test('a supervisor sets the status of an agent, with an end', async () => {
    const app = await open()
    const sam = await colleague(app, app.a, 'supervisor')
    const dario = await colleague(app, app.a, 'agent')
    const body = { availability_status: 'unavailable', substatus: 'in_training', duration: '30_minutes' }

    const set = await sam.ask('PUT', `/v1/users/${dario.id}/status`, body)
    const me = (await dario.ask('GET', '/v1/me')).json

    expect(set.status).toBe(204)
    expect(me.user).toMatchObject({ availability_status: 'unavailable', substatus: 'in_training' })
    expect(me.unavailable_until).toEqual(expect.any(Number))
    const { audit_log } = (await app.a.own('GET', '/v1/audit_log?per_page=1')).json
    expect(audit_log[0]).toMatchObject({ action: 'user.status_set', actor: { kind: 'user', id: sam.id } })
  })

  test('a supervisor signs out an agent, but no admin', async () => {
    const app = await open()
    const sam = await colleague(app, app.a, 'supervisor')
    const ines = await colleague(app, app.a, 'admin')
    const dario = await colleague(app, app.a, 'agent')
    const second = visitor(app)
    await second.ask('POST', '/v1/session', { email: dario.email, password })

    const out = await sam.ask('POST', `/v1/users/${dario.id}/sign_out`)
    const refused = await sam.ask('POST', `/v1/users/${ines.id}/sign_out`)
    const byAgent = await dario.ask('POST', `/v1/users/${sam.id}/sign_out`)

    expect([out.status, refused.status, byAgent.status]).toEqual([204, 403, 403])
    expect((await dario.ask('GET', '/v1/session')).status).toBe(403)
    expect((await second.ask('GET', '/v1/session')).status).toBe(403)
    expect((await ines.ask('GET', '/v1/session')).status).toBe(200)
    const { audit_log } = (await app.a.own('GET', '/v1/audit_log?per_page=1')).json
    expect(audit_log[0]).toMatchObject({ action: 'user.signed_out', target: `user:${dario.id}` })
  })
})
