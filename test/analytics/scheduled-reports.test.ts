import { expect, test } from 'vitest'
import { day, hour, minute, second } from '../../src/lib/clock.ts'
import { onBothDatabases, type TestApp, type TestCompany } from '../kit/app.ts'
import { mailSink } from '../kit/mail-sink.ts'
import { colleague } from '../kit/visitor.ts'
import { openNight, paris } from './night.ts'

const weekly = {
  name: 'Weekly calls',
  frequency: 'weekly',
  weekday: 'mon',
  time: '08:00',
  time_zone: paris,
  period: 'previous_week',
}
const daily = { ...weekly, name: 'Daily calls', frequency: 'daily', period: 'previous_day' }
/** Noon of a Thursday in Paris. */
const thursday = Date.UTC(2026, 5, 18, 10)
const path = '/v1/analytics/scheduled_reports'

async function schedule({ own }: Pick<TestCompany, 'own'>, body: object) {
  const { status, json, text } = await own('POST', path, body)
  expect(status, text).toBe(201)
  return json.scheduled_report
}

const reportsOf = async ({ own }: Pick<TestCompany, 'own'>) => (await own('GET', path)).json.scheduled_reports

async function mailsOf({ db, app }: Pick<TestApp, 'db' | 'app'>) {
  const rows = await db.selectFrom('mail').selectAll().where('report_run_id', 'is not', null).orderBy('id').execute()
  return rows.map(({ recipient, subject, text_sealed, parts_sealed }) => ({
    recipient,
    subject,
    text: app.services.vault.open(text_sealed),
    parts: JSON.parse(app.services.vault.open(parts_sealed ?? '')),
  }))
}

const tokenIn = (text: string) => /\/unsubscribe\/([0-9a-f-]+)/.exec(text)?.[1] ?? ''

onBothDatabases('scheduled reports', (open) => {
  test('a report is sent at its time with figures, changes, links and a CSV file', async () => {
    const night = await openNight(open)
    const { a, clock, app, line1 } = night
    await schedule(a, {
      ...weekly,
      recipient_user_ids: [a.ownerId],
      number_ids: [line1.id],
      attach_csv: true,
    })
    const [before] = await reportsOf(a)

    await clock.advance(day + 4 * hour)
    await app.settle()

    expect(before).toMatchObject({ active: true, next_run_at: '2026-03-30T06:00:00.000Z', last_run: null })
    const mails = await mailsOf(night)
    expect(mails).toHaveLength(1)
    const [{ subject, text, parts }] = mails as [(typeof mails)[0]]
    expect(subject).toBe('Weekly calls: 23 to 29 March 2026')
    expect(text).toContain('Compared with 16 to 22 March 2026, which had no calls')
    expect(text).toContain('Numbers: Line 1')
    expect(text).toMatch(/Inbound calls: 3, 67 % answered/)
    expect(text).toMatch(/Missed calls: 1, 33 % of inbound/)
    expect(text).toMatch(/Missed calls by reason\n {2}[A-Z].*: 1/)
    expect(text).toMatch(/By number \(Inbound, Missed, Outbound, Talk time\)\n {2}Line 1: 3, 1, 1, /)
    expect(text).toContain('By agent (Inbound answered, Outbound, Talk time)')
    expect(text).toContain(
      `/dashboard/analytics/overview?range=custom&from=2026-03-23&to=2026-03-29&zone=Europe%2FParis&number=${line1.id}&sla=20`,
    )
    expect(text).toContain('You receive this email because you are a recipient of the scheduled report “Weekly calls”')
    expect(parts.html).toContain('<h1')
    expect(parts.attachment.name).toBe('Weekly-calls-2026-03-23-to-2026-03-29.csv')
    expect(parts.attachment.content).toMatch(/^Section,Name,Inbound,.*\r\nTotal,,3,2,1,1,/)
    const [after] = await reportsOf(a)
    expect(after).toMatchObject({
      next_run_at: '2026-04-06T06:00:00.000Z',
      last_run: { cause: 'schedule', from_date: '2026-03-23', state: 'logged', recipients: 1, sent: 0, reason: null },
    })
  })

  test('of the runs missed during an outage only the latest is sent', async () => {
    const app = await open({ start: thursday })
    await schedule(app.a, { ...daily, recipient_user_ids: [app.a.ownerId] })

    const later = await app.restart(3 * day + 2 * hour)
    await later.settle()

    expect((await mailsOf(later)).map(({ subject }) => subject)).toEqual(['Daily calls: Saturday 20 June 2026'])
    expect(await reportsOf(later.a)).toMatchObject([{ next_run_at: '2026-06-22T06:00:00.000Z' }])
    const again = await later.restart()
    await again.settle()
    expect(await mailsOf(again)).toHaveLength(1)
  })

  test('the local time stays the same when clocks change', async () => {
    const app = await open({ start: Date.UTC(2026, 9, 24, 12) })
    const made = await schedule(app.a, { ...daily, recipient_user_ids: [app.a.ownerId] })

    await app.clock.advance(day)
    await app.settle()

    expect(made.next_run_at).toBe('2026-10-25T07:00:00.000Z')
    expect((await mailsOf(app)).map(({ subject }) => subject)).toEqual(['Daily calls: Saturday 24 October 2026'])
  })

  test('a paused report is not sent, and a resumed one skips the pause', async () => {
    const { a, clock, ...app } = await open({ start: thursday })
    const { id } = await schedule(a, { ...daily, recipient_user_ids: [a.ownerId] })
    const paused = await a.own('PUT', `${path}/${id}/active`, { active: false })
    await clock.advance(3 * day)
    await app.settle()
    const during = await mailsOf(app)
    const resumed = await a.own('PUT', `${path}/${id}/active`, { active: true })
    await clock.advance(day)
    await app.settle()

    expect(paused.json.scheduled_report).toMatchObject({ active: false, next_run_at: null })
    expect(during).toEqual([])
    expect(resumed.json.scheduled_report.next_run_at).toBe('2026-06-22T06:00:00.000Z')
    expect((await mailsOf(app)).map(({ subject }) => subject)).toEqual(['Daily calls: Sunday 21 June 2026'])
    expect((await a.own('DELETE', `${path}/${id}`)).status).toBe(204)
    await clock.advance(2 * day)
    await app.settle()
    expect(await mailsOf(app)).toHaveLength(1)
    expect(await reportsOf(a)).toEqual([])
  })

  test('a test goes to the user who sends it, and a manual run to the recipients', async () => {
    const app = await open({ start: thursday })
    const sam = await colleague(app, app.a, 'supervisor')
    const { id } = await schedule(app.a, { ...weekly, recipient_user_ids: [app.a.ownerId] })

    const tested = await sam.ask('POST', `${path}/${id}/send`, { to: 'me' })
    await app.settle()
    const sent = await sam.ask('POST', `${path}/${id}/send`, { to: 'recipients' })
    await app.settle()

    expect([tested.status, sent.status]).toEqual([202, 202])
    const mails = await mailsOf(app)
    expect(mails.map(({ subject }) => subject)).toEqual([
      'Test: Weekly calls: 8 to 14 June 2026',
      'Weekly calls: 8 to 14 June 2026',
    ])
    expect(mails[0]).toMatchObject({ recipient: sam.email })
    expect(mails[0]?.text).not.toContain('/unsubscribe/')
    const { runs } = (await sam.ask('GET', `${path}/${id}/runs`)).json
    expect(runs).toMatchObject([{ cause: 'manual' }, { cause: 'test' }])
    for (let n = 0; n < 8; n++) await sam.ask('POST', `${path}/${id}/send`, { to: 'me' })
    expect((await sam.ask('POST', `${path}/${id}/send`, { to: 'me' })).status).toBe(422)
    expect(await reportsOf(app.a)).toMatchObject([{ next_run_at: '2026-06-22T06:00:00.000Z' }])
  })

  test('a recipient unsubscribes by the link without signing in, and stays so when added again', async () => {
    const app = await open({ start: thursday })
    const { a, clock, anonymous, base } = app
    await a.own('PUT', '/v1/analytics/report_settings', { external_recipients: true })
    const body = { ...daily, recipient_user_ids: [a.ownerId], recipient_emails: ['Board@Example.test'] }
    const { id } = await schedule(a, body)
    await clock.advance(day)
    await app.settle()
    const mail = (await mailsOf(app)).find(({ recipient }) => recipient === 'board@example.test')
    const token = tokenIn(mail?.text ?? '')
    const ask = (method: string, to: string, sent: object) =>
      anonymous(method, `/app/v1/report_subscription${to}`, sent, { origin: base })

    const look = await ask('POST', '/look', { token })
    const forged = await ask('PUT', '', { token: `${token.slice(0, -1)}x`, subscribed: false })
    const opened = await anonymous('GET', `/unsubscribe/${token}`)
    const still = (await reportsOf(a))[0].recipients
    const left = await ask('PUT', '', { token, subscribed: false })
    await a.own('PUT', `${path}/${id}`, { ...body, recipient_emails: [] })
    await a.own('PUT', `${path}/${id}`, body)
    await clock.advance(day)
    await app.settle()

    expect(look.json).toEqual({
      report_name: 'Daily calls',
      company_name: expect.any(String),
      email: 'board@example.test',
      subscribed: true,
    })
    expect(forged.status).toBe(404)
    expect(opened.status).toBeLessThan(500)
    expect(still).toMatchObject([{ state: 'receives' }, { state: 'receives' }])
    expect(left.json.subscribed).toBe(false)
    expect((await reportsOf(a))[0].recipients).toMatchObject([
      { user_id: a.ownerId, state: 'receives' },
      { user_id: null, email: 'board@example.test', state: 'unsubscribed' },
    ])
    expect(await mailsOf(app)).toHaveLength(3)
    expect((await ask('PUT', '', { token, subscribed: true })).json.subscribed).toBe(true)
  })

  test('a deactivated user and a forbidden address no longer receive', async () => {
    const app = await open({ start: thursday })
    const { a, clock } = app
    const sam = await colleague(app, a, 'supervisor')
    await a.own('PUT', '/v1/analytics/report_settings', { external_recipients: true })
    await schedule(a, { ...daily, recipient_user_ids: [sam.id], recipient_emails: ['board@example.test'] })
    await app.db.updateTable('user').set({ deactivated_at: clock.now() }).where('id', '=', sam.id).execute()
    await a.own('PUT', '/v1/analytics/report_settings', { external_recipients: false })

    await clock.advance(day)
    await app.settle()

    expect(await mailsOf(app)).toEqual([])
    const [report] = await reportsOf(a)
    expect(report.recipients).toMatchObject([{ state: 'deactivated' }, { state: 'not_allowed' }])
    expect(report.last_run).toMatchObject({ state: 'failed', reason: expect.stringContaining('No recipient') })
  })

  test('the mail server receives HTML, text, file and headers, and its refusal is shown', async () => {
    const { received, env } = await mailSink((address) =>
      address.startsWith('gone') ? 'mailbox does not exist' : undefined,
    )
    const app = await open({ start: thursday, env })
    const { a, clock, anonymous } = app
    await a.own('PUT', '/v1/analytics/report_settings', { external_recipients: true })
    const recipients = { recipient_user_ids: [a.ownerId], recipient_emails: ['gone@example.test'] }
    await schedule(a, { ...daily, ...recipients, attach_csv: true })
    await app.settle()
    received.length = 0

    await clock.advance(20 * hour + 5 * second)
    await app.settle()

    expect(received).toHaveLength(1)
    const source = received[0]?.source.replaceAll('=\r\n', '') ?? ''
    expect(source).toContain('Content-Type: text/html')
    expect(source).toContain('Content-Type: text/plain')
    expect(source).toMatch(/filename=Daily-calls-2026-06-18\.csv/)
    expect(source).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click')
    const [report] = await reportsOf(a)
    expect(report.last_run).toMatchObject({ state: 'retrying', recipients: 2, sent: 1 })
    expect(report.last_run.reason).toContain('mailbox does not exist')
    const token = tokenIn(source)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await anonymous('POST', `/unsubscribe/${token}`, 'List-Unsubscribe=One-Click', form)).status).toBe(200)
    expect((await reportsOf(a))[0].recipients[0]).toMatchObject({ state: 'unsubscribed' })
    await clock.advance(minute)
  })

  test('invalid reports are refused, and agents see none', async () => {
    const app = await open({ start: thursday })
    const { a, b } = app
    const agent = await colleague(app, a, 'agent')
    const supervisor = await colleague(app, a, 'supervisor')
    const recipients = { recipient_user_ids: [a.ownerId] }
    const status = async (body: object) => (await a.own('POST', path, body)).status

    expect(await status({ ...weekly })).toBe(400)
    expect(await status({ ...weekly, ...recipients, weekday: undefined })).toBe(400)
    expect(await status({ ...weekly, ...recipients, time: '24:00' })).toBe(400)
    expect(await status({ ...weekly, ...recipients, time_zone: 'Mars/Olympus' })).toBe(400)
    expect(await status({ ...weekly, recipient_user_ids: [b.ownerId] })).toBe(400)
    expect(await status({ ...weekly, ...recipients, number_ids: [999_999] })).toBe(400)
    expect(await status({ ...weekly, ...recipients, recipient_emails: ['board@example.test'] })).toBe(400)
    await a.own('PUT', '/v1/analytics/report_settings', { external_recipients: true })
    expect(await status({ ...weekly, ...recipients, recipient_emails: ['board'] })).toBe(400)
    expect(await status({ ...weekly, ...recipients, recipient_emails: ['board@example.test'] })).toBe(201)
    expect((await agent.ask('GET', path)).status).toBe(403)
    expect((await agent.ask('POST', path, { ...weekly, ...recipients })).status).toBe(403)
    expect((await supervisor.ask('POST', path, { ...weekly, ...recipients })).status).toBe(201)
    expect((await supervisor.ask('PUT', '/v1/analytics/report_settings', { external_recipients: false })).status).toBe(
      403,
    )
    expect(await reportsOf(b)).toEqual([])
  })
})

onBothDatabases('a report that is due', (open) => {
  test('is sent once by two processes', async () => {
    const app = await open({ start: thursday })
    if (!app.databaseUrl) return
    await schedule(app.a, { ...daily, recipient_user_ids: [app.a.ownerId] })
    await app.beside()

    await app.clock.advance(3 * day)
    await app.settle()

    expect((await mailsOf(app)).map(({ subject }) => subject)).toEqual([
      'Daily calls: Thursday 18 June 2026',
      'Daily calls: Friday 19 June 2026',
      'Daily calls: Saturday 20 June 2026',
    ])
  })
})
