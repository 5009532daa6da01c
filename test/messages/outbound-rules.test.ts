import { expect, test } from 'vitest'
import { minute } from '../../src/lib/clock.ts'
import { onAnyDatabase, testApp } from '../kit/app.ts'
import { addTemplate, customer, friend, openShop, type Shop } from '../kit/messages.ts'

// The rules that keep a stolen API key, or a form that texts any number, from becoming a bill.

const somalia = '+252615551234'
const britain = '+447400123456'
const premium = '+33899701234'
const satellite = '+881612345678'

const limits = ({ a }: Shop, body: object) => a.own('PUT', '/v1/message_limits', body)
const messages = async ({ db }: Shop) => (await db.selectFrom('message').select('id').execute()).length
const text = (to: string) => ({ to, body: 'Your code is 1234' })
const refusal = (answer: Awaited<ReturnType<Shop['send']>>) => [answer.status, answer.json.troubleshoot]

onAnyDatabase('outbound rules for messages', (open) => {
  test('a text to a high-risk country is refused until an admin allows the country', async () => {
    const shop = await openShop(open)

    const refused = await shop.send(text(somalia))
    const toGroup = await shop.send(
      { participants: [customer, somalia], body: 'x' },
      `/v1/numbers/${shop.line.id}/messages/group/native/send`,
    )
    const kept = await messages(shop)
    await limits(shop, { countries: ['FR', 'SO'] })
    const allowed = await shop.send(text(somalia))
    const elsewhere = await shop.send(text(britain))

    expect(refusal(refused)).toEqual([403, expect.stringMatching(/SO.*not allowed.*Outbound rules/)])
    expect([toGroup.status, kept]).toEqual([403, 0])
    expect([allowed.status, elsewhere.status]).toEqual([200, 403])
    expect(elsewhere.json.troubleshoot).toContain('GB')
  })

  test('premium, satellite and short numbers are refused, and satellites can be allowed', async () => {
    const shop = await openShop(open)

    const refused = [
      await shop.send(text(premium)),
      await shop.send(text(satellite)),
      await shop.send(text('+3336110')),
    ]
    await limits(shop, { countries: ['FR', '001'] })
    const allowed = await shop.send(text(satellite))

    expect(refused.map(refusal)).toEqual([
      [403, expect.stringContaining('premium')],
      [403, expect.stringContaining('satellite')],
      [403, expect.stringContaining('too short')],
    ])
    expect(allowed.status).toBe(200)
    expect((await shop.send(text(premium))).status).toBe(403)
  })

  test('caps per minute and per day hold for the company and for one user, exactly', async () => {
    const shop = await openShop(open)
    const { a, clock } = shop
    const ada = a.ownerId
    await limits(shop, { per_minute: 5, per_minute_per_user: 2, per_day: 8, per_day_per_user: 3 })
    const byAda = () => shop.send({ ...text(customer), user_id: ada }).then(refusal)
    const byKey = () => shop.send(text(customer)).then(refusal)

    const user = [await byAda(), await byAda(), await byAda()]
    const together = await Promise.all(Array.from({ length: 10 }, byKey))
    await clock.advance(minute)
    const later = [await byAda(), await byAda(), await byKey(), await byKey(), await byKey()]
    await clock.advance(24 * 60 * minute)
    const tomorrow = await byKey()

    expect(user.map(([status]) => status)).toEqual([200, 200, 403])
    expect(user[2]?.[1]).toMatch(/user.*per minute/)
    expect(together.filter(([status]) => status === 200)).toHaveLength(3)
    expect(later.map(([status]) => status)).toEqual([200, 403, 200, 200, 403])
    expect(later[1]?.[1]).toMatch(/user.*per day/)
    expect(later[4]?.[1]).toMatch(/company.*per day/)
    expect(tomorrow[0]).toBe(200)
    expect(await messages(shop)).toBe(9)
  })

  test('the daily limit counts every part for every recipient', async () => {
    const shop = await openShop(open)
    const { a, line } = shop
    const rates = [
      { prefix: '33', per_part: 0.1 },
      { prefix: '44', per_part: 0.5 },
    ]
    await limits(shop, { rates, daily_spend: 1, daily_spend_per_user: 0.3 })
    const long = 'x'.repeat(161)

    const group = await shop.send(
      { participants: [customer, friend], body: long },
      `/v1/numbers/${line.id}/messages/group/native/send`,
    )
    const abroad = await shop.send({ to: britain, body: 'x' })
    const tooMuch = await shop.send({ to: customer, body: long })
    const byUser = await shop.send({ to: customer, body: 'x', user_id: a.ownerId })

    expect([group.status, abroad.status, tooMuch.status, byUser.status]).toEqual([200, 200, 403, 200])
    expect(tooMuch.json.troubleshoot).toContain('daily spend limit')
  })

  test('a rejection writes an audit entry, and admins receive one email per rule and hour', async () => {
    const shop = await openShop(open)
    const { a, clock } = shop
    const mails = async () => {
      const { mails: all } = (await a.own('GET', '/v1/mail_outbox')).json
      return all.filter(({ subject }: { subject: string }) => subject === 'Outbound messages are being rejected').length
    }

    for (let i = 0; i < 3; i++) await shop.send(text(somalia))
    const first = await mails()
    await clock.advance(61 * minute)
    await shop.send(text(somalia))

    const { audit_log: entries } = (await a.own('GET', '/v1/audit_log')).json
    const refusals = entries.filter(({ action }: { action: string }) => action === 'message.refused')
    expect(refusals.map(({ details }: { details: unknown }) => details)).toEqual(Array(4).fill({ rule: 'country' }))
    expect([first, await mails()]).toEqual([1, 2])
    expect(shop.logged()).toContain('"event":"message.refused"')
    expect(shop.logged()).not.toContain(somalia)
  })

  test('each company has its own rules', async () => {
    const shop = await openShop(open)
    const { b } = shop
    await limits(shop, { per_minute: 0 })

    const theirs = (await b.own('GET', '/v1/message_limits')).json.message_limits

    expect(theirs.per_minute).toBeNull()
    expect((await shop.send(text(customer))).status).toBe(403)
  })
})

test('WhatsApp: templates follow the rules, answers within the window go to any country', async () => {
  const shop = await openShop(testApp)
  const template = await addTemplate(shop)
  await shop.writes(somalia, 'Hello', { channel: 'whatsapp' })
  const send = (more: object) =>
    shop.send({ lineId: shop.line.id, externalNumber: somalia, ...more }, '/v1/messages/send/whatsapp/native')
  const values = {
    header: { type: 'text', text: '7' },
    body: [
      { key: '{{1}}', value: 'A' },
      { key: '{{2}}', value: 'B' },
    ],
    buttons: [{ index: 0, type: 'url', value: '7' }],
  }

  const answer = await send({ text: 'Hello back' })
  const templated = await send({ templateParams: { id: String(template), ...values } })

  expect(answer.status).toBe(200)
  expect(refusal(templated)).toEqual([403, expect.stringContaining('SO')])
})

test('the rules are read and changed by admins only, and wrong values are refused', async () => {
  const shop = await openShop(testApp)
  const path = '/v1/message_limits'

  const before = (await shop.a.own('GET', path)).json.message_limits
  const changed = await shop.a.own('PUT', path, { per_day: 100, countries: ['FR'] })
  const wrong = [{ countries: ['France'] }, { per_day: -1 }, { rates: [{ prefix: '+33', per_part: 1 }] }]

  for (const body of wrong) expect((await shop.a.own('PUT', path, body)).status, JSON.stringify(body)).toBe(400)
  expect(changed.json.message_limits).toEqual({ ...before, per_day: 100, countries: ['FR'] })
  expect((await shop.a.own('GET', path)).json.message_limits).toEqual(changed.json.message_limits)
  expect((await shop.a.api('GET', path)).status).toBe(404)
})
