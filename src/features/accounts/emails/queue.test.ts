import { expect, test } from 'vitest'
import { onAnyDatabase, testApp } from '../../../../test/kit/app.ts'
import { mailSink } from '../../../../test/kit/mail-sink.ts'
import { second } from '../../../lib/clock.ts'

const ada = { email: 'ada.lovelace@example.test', first_name: 'Ada', last_name: 'Lovelace' }
const linkIn = (text: string) => /https?:\S+/.exec(text)?.[0] ?? ''

onAnyDatabase('mail', (open) => {
  test('an invitation is sent by the mail server, and the e-mail log shows when', async () => {
    const { received, env } = await mailSink()
    const { a, b, app } = await open({ env: { ...env, DASHBOARD_URL: 'https://phones.acme.test' } })
    await app.settle()
    received.length = 0

    await a.api('POST', '/v1/users', { ...ada, inviter_user_id: a.ownerId })
    await app.settle()

    expect(received).toMatchObject([{ from: 'phones@acme.test', to: [ada.email] }])
    const [{ headers, text } = { headers: '', text: '' }] = received
    expect(headers).toMatch(/^Subject: You are invited to Company A$/m)
    expect(headers).toMatch(/^Content-Type: text\/plain; charset=utf-8$/m)
    expect(text).toContain('Hello Ada')
    expect(text).toContain('You have been invited to the phone system of Company A')
    expect(linkIn(text)).toMatch(/^https:\/\/phones\.acme\.test\/invitation\/[\w-]{20,}$/)
    const outbox = (await a.own('GET', '/v1/mail_outbox?order=desc')).json
    expect(outbox.meta).toMatchObject({ count: 2, total: 2 })
    expect(outbox.mails[0]).toEqual({
      id: expect.any(Number),
      to: ada.email,
      subject: 'You are invited to Company A',
      text: text.replaceAll('\r\n', '\n'),
      created_at: '2026-06-15T12:00:00.000Z',
      sent_at: '2026-06-15T12:00:00.000Z',
      error: null,
    })
    const found = async (query: string) => (await a.own('GET', `/v1/mail_outbox?${query}`)).json.meta.total
    expect(
      await Promise.all(
        [`search=${encodeURIComponent(ada.email.toUpperCase())}`, 'search=invited', 'search=%25', 'search=100%'].map(
          found,
        ),
      ),
    ).toEqual([1, outbox.meta.total, 0, 0])
    expect(await Promise.all(['state=sent', 'state=failed', 'to=1', 'from=1'].map(found))).toEqual([
      (outbox.mails as { sent_at: unknown }[]).filter(({ sent_at: at }) => at !== null).length,
      0,
      0,
      2,
    ])
    expect((await a.own('GET', '/v1/mail_outbox?state=lost')).status).toBe(400)
    expect(JSON.stringify((await b.own('GET', '/v1/mail_outbox')).json)).not.toContain('ada@')
    expect((await a.api('GET', '/v1/mail_outbox')).status).toBe(404)
  })

  test('without a mail server the invitation stays queued, encrypted in the database, and the log reports it', async () => {
    const { a, app, db, logged } = await open()

    await a.api('POST', '/v2/users', ada)
    await app.settle()

    const mail = (await a.own('GET', '/v1/mail_outbox?order=desc&per_page=1')).json.mails[0]
    expect(mail).toMatchObject({ to: ada.email, sent_at: null, error: null })
    const token = linkIn(mail.text).split('/').at(-1) ?? ''
    expect(token.length).toBeGreaterThan(20)
    const tables = [
      await db.selectFrom('mail').selectAll().execute(),
      await db.selectFrom('invitation').selectAll().execute(),
    ]
    expect(JSON.stringify(tables)).not.toContain(token)
    expect(logged()).toContain('email not sent: SMTP_URL is not set')
    expect(logged()).not.toContain(token)
    expect(logged()).not.toContain(ada.email)
    expect(await db.selectFrom('job').select('kind').where('kind', '=', 'mail.send').execute()).toEqual([])
  })

  test('a mail that is refused is tried again; its address stays out of log and jobs, and one copy arrives', async () => {
    let away = true
    const { received, env } = await mailSink((address) => (away ? `mailbox ${address} is busy` : undefined))
    const { a, app, clock, db, logged } = await open({ env })
    await a.api('POST', '/v2/users', ada)

    await app.settle()
    const refused = (await a.own('GET', '/v1/mail_outbox?order=desc&per_page=1')).json.mails[0]
    const waiting = JSON.stringify(await db.selectFrom('job').selectAll().execute())
    await clock.advance(2 * second)
    away = false
    await clock.advance(4 * second)

    expect(refused).toMatchObject({ sent_at: null, error: expect.stringContaining('is busy') })
    expect(waiting).toContain('550')
    expect(waiting).not.toContain(ada.email)
    expect(logged()).toContain('job failed')
    expect(logged()).not.toContain(ada.email)
    expect(received.filter(({ to }) => to.includes(ada.email))).toHaveLength(1)
    const sent = (await a.own('GET', '/v1/mail_outbox?order=desc&per_page=1')).json.mails[0]
    expect(sent).toMatchObject({ sent_at: '2026-06-15T12:00:06.000Z', error: null })
  })

  test('an e-mail to a user deleted in the meantime is not sent', async () => {
    let away = true
    const { received, env } = await mailSink(() => (away ? 'try later' : undefined))
    const { a, app, clock, db } = await open({ env })
    const { user } = (await a.api('POST', '/v2/users', ada)).json
    await app.settle()

    await a.api('DELETE', `/v1/users/${user.id}`)
    away = false
    await clock.advance(60 * second)

    expect(received.flatMap(({ to }) => to)).not.toContain(ada.email)
    expect(await db.selectFrom('job').select('kind').where('kind', '=', 'mail.send').execute()).toEqual([])
  })
})

test('a test email goes to the own address, and the reply or error of the mail server is shown', async () => {
  let refused = false
  const { received, env } = await mailSink(() => (refused ? 'relaying denied' : undefined))
  const { a, app } = await testApp({ env })
  await app.settle()
  received.length = 0

  const accepted = await a.own('POST', '/v1/mail_test')
  refused = true
  const denied = await a.own('POST', '/v1/mail_test')

  expect(accepted.json).toMatchObject({ accepted: true, reply: expect.stringMatching(/^250 /) })
  expect(received.flatMap(({ to }) => to)).toEqual([accepted.json.to])
  expect(denied.json).toMatchObject({ accepted: false, reply: expect.stringContaining('relaying denied') })
})

test('without a mail server a test email is not claimed to be sent', async () => {
  const { a } = await testApp()

  expect((await a.own('POST', '/v1/mail_test')).json).toMatchObject({ accepted: false, reply: null })
})

test('no name becomes a header, a recipient or markup', async () => {
  const { received, env } = await mailSink()
  const { a, app } = await testApp({ env })
  const evil = 'X\r\nBcc: victim@example.test\r\nContent-Type: text/html\r\n\r\n<script>alert(1)</script>'
  await a.own('PUT', '/v1/company/settings', { name: evil })
  await a.api('PUT', `/v1/users/${a.ownerId}`, { first_name: evil, last_name: '\u2028Cc: victim@example.test' })
  await app.settle()
  received.length = 0

  const body = { email: ada.email, first_name: evil, last_name: evil, inviter_user_id: a.ownerId }
  const invited = await a.api('POST', '/v1/users', body)
  await app.settle()

  expect(invited.status).toBe(201)
  expect(received).toHaveLength(1)
  const [{ to, headers } = { to: [], headers: '' }] = received
  expect(to).toEqual([ada.email])
  expect(headers).not.toMatch(/^(bcc|cc):/im)
  expect(headers.match(/^content-type:.*$/gim)).toEqual(['Content-Type: text/plain; charset=utf-8'])
  expect(headers.match(/^to:.*$/gim)).toEqual([`To: ${ada.email}`])
  const subject = (await a.own('GET', '/v1/mail_outbox?order=desc&per_page=1')).json.mails[0].subject
  expect(subject).not.toMatch(/[\r\n]/)
})

test('an address that would reach another recipient is rejected before an e-mail is queued', async () => {
  const { a } = await testApp()

  for (const email of [
    'a@example.test\r\nBcc: victim@example.test',
    'a@example.test,victim@example.test',
    '"Ada" <victim@example.test>',
    'a@example.test>',
    'victim@example.test\u0000@example.test',
  ]) {
    expect([400, 422]).toContain((await a.api('POST', '/v2/users', { ...ada, email })).status)
  }
  expect((await a.own('GET', '/v1/mail_outbox')).json.meta.total).toBe(1)
})
