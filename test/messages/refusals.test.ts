import { expect, test } from 'vitest'
import { type TestApp, testApp } from '../kit/app.ts'
import { addTemplate, approved, customer, openShop, type Shop } from '../kit/messages.ts'

// Every refusal of the contract, and that nothing changes by it.

type Case = [title: string, body: object, status: number, word?: RegExp]

const tooLong = 'x'.repeat(1_601)
const texts: Case[] = [
  ['no recipient', { body: 'x' }, 422, /`to`/],
  ['no words', { to: customer }, 422, /`body`/],
  ['words that are blank', { to: customer, body: ' ' }, 422],
  ['1601 characters', { to: customer, body: tooLong }, 400, /`body`/],
  ['a national number', { to: '0612345678', body: 'x' }, 400, /`to`/],
  ['a number with an extension', { to: '+33612345678;ext=5', body: 'x' }, 400],
  ['full-width digits', { to: '+３３612345678', body: 'x' }, 400],
  ['eleven files', { to: customer, body: 'x', mediaUrl: Array(11).fill('https://files.example/a.png') }, 400],
  ['a file that is no address', { to: customer, body: 'x', mediaUrl: ['cat.png'] }, 400, /mediaUrl/],
  ['a file in a private network', { to: customer, body: 'x', mediaUrl: ['http://10.0.0.1/a.png'] }, 400],
  ['a file by another scheme', { to: customer, body: 'x', mediaUrl: ['file:///etc/passwd'] }, 400],
  ['no Array of files', { to: customer, body: 'x', mediaUrl: 'https://files.example/a.png' }, 400],
]
const groups: Case[] = [
  ['nobody', { body: 'x' }, 422, /participants/],
  ['an empty group', { participants: [], body: 'x' }, 422],
  ['one who is no number', { participants: [customer, 'Ada'], body: 'x' }, 400],
]
const skippingGroups: Case[] = [
  ...groups,
  ['neither words nor files', { participants: [customer] }, 422],
  ['both words and files', { participants: [customer], body: 'x', mediaUrl: ['https://files.example/a.png'] }, 400],
]

const isRight = (answer: Awaited<ReturnType<Shop['send']>>, [title, , status, word]: Case) => {
  expect([title, answer.status]).toEqual([title, status])
  expect(answer.json.troubleshoot, title).toMatch(word ?? /./)
}

const nothing = async ({ db }: TestApp) => expect(await db.selectFrom('message').select('id').execute()).toEqual([])

test('texts', async () => {
  const shop = await openShop(testApp)
  const { a, line } = shop
  await a.api('POST', `/v1/numbers/${line.id}/messages/configuration`, { callbackUrl: 'https://crm.example.com/' })
  for (const kind of ['native/send', 'send']) {
    for (const one of texts) isRight(await shop.send(one[1], `/v1/numbers/${line.id}/messages/${kind}`), one)
  }
  for (const one of [...groups, ['no words', { participants: [customer] }, 422] as Case]) {
    isRight(await shop.send(one[1], `/v1/numbers/${line.id}/messages/group/native/send`), one)
  }
  for (const one of skippingGroups) {
    isRight(await shop.send(one[1], `/v1/numbers/${line.id}/messages/group/send`), one)
  }
  expect((await shop.send({ to: customer, body: 'x' }, '/v1/numbers/99999/messages/native/send')).status).toBe(404)
  await nothing(shop)
})

test('a Number without messaging, or that is not validated', async () => {
  const shop = await openShop(testApp)
  const { db, line } = shop
  const send = () => shop.send({ to: customer, body: 'x' })
  await db.updateTable('message_line').set({ texts: 0 }).where('number_id', '=', line.id).execute()
  expect((await send()).status).toBe(400)
  await db.updateTable('number').set({ validated: 0 }).where('id', '=', line.id).execute()
  expect((await send()).status).toBe(403)
  await nothing(shop)
})

test('WhatsApp', async () => {
  const shop = await openShop(testApp)
  const { a, b, db, line } = shop
  await a.api('POST', `/v1/numbers/${line.id}/messages/configuration`, { callbackUrl: 'https://crm.example.com/' })
  const good = await addTemplate(shop)
  const pending = await addTemplate(shop, { ...approved, name: 'waits', status: 'PENDING' })
  const picture = await addTemplate(shop, {
    ...approved,
    name: 'picture',
    components: [
      { type: 'HEADER', format: 'IMAGE' },
      { type: 'BODY', text: 'Look' },
    ],
  })
  const values = {
    header: { type: 'text', text: '1' },
    body: [
      { key: '{{1}}', value: 'a' },
      { key: '{{2}}', value: 'b' },
    ],
    buttons: [{ index: 0, type: 'url', value: '1' }],
  }
  const [one, two] = values.body
  const lineId = line.id
  for (const [path, key] of [
    ['/v1/messages/send/whatsapp/native', 'externalNumber'],
    ['/v1/messages/whatsapp/send', 'to'],
  ] as const) {
    const to = { lineId, [key]: customer }
    const template = (more: object) => ({ ...to, templateParams: { id: good, ...values, ...more } })
    const cases: Case[] = [
      ['no line', { [key]: customer, text: 'x' }, 422, /lineId/],
      ['nobody', { lineId, text: 'x' }, 422],
      ['neither text nor template', to, 422],
      ['a template without id', { ...to, templateParams: {} }, 422],
      ['both', { ...template({}), text: 'x' }, 400],
      ['an unknown line', { ...to, lineId: 99_999, text: 'x' }, 404],
      ['no number', { lineId, [key]: '12', text: 'x' }, 400],
      ['4097 characters', { ...to, text: 'x'.repeat(4_097) }, 400],
      ['an unknown template', template({ id: 99_999 }), 400, /template/],
      ['a template by name', template({ id: 'order_confirmation' }), 400],
      ['a template that waits', template({ id: pending }), 400, /PENDING/],
      ['a value too few', template({ body: [one] }), 400, /\{\{2\}\}/],
      ['a value too many', template({ body: [one, two, { key: '{{3}}', value: 'c' }] }), 400, /\{\{3\}\}/],
      ['no header', { ...to, templateParams: { id: good, body: values.body, buttons: values.buttons } }, 400, /header/],
      ['a button too few', template({ buttons: [] }), 400, /button/],
      ['a header without its picture', { ...to, templateParams: { id: picture } }, 400, /mediaUrl/],
      [
        'a picture in a private network',
        { ...to, templateParams: { id: picture, header: { type: 'image', mediaUrl: 'http://10.0.0.1/' } } },
        400,
      ],
    ]
    for (const wrong of cases) isRight(await shop.send(wrong[1], path), wrong)
    for (const status of ['OFFLINE', 'BLOCKED'] as const) {
      await db.updateTable('message_line').set({ whatsapp_status: status }).execute()
      isRight(await shop.send({ ...to, text: 'x' }, path), [status, {}, 400, new RegExp(status)])
    }
    await db.updateTable('message_line').set({ whatsapp_status: 'ONLINE', waba_id: null }).execute()
    isRight(await shop.send({ ...to, text: 'x' }, path), ['no account', {}, 400, /Business Account/])
    await db.updateTable('message_line').set({ waba_id: '123456789' }).execute()
    expect((await b.api('POST', path, { ...to, text: 'x' })).status).toBe(403)
  }
  expect((await b.api('GET', `/v1/numbers/${line.id}/templates`)).status).toBe(403)
  for (const query of ['status=GOOD', 'category=FUN', 'token=-1', 'limit=51', 'limit=0', 'sort=size']) {
    expect((await a.api('GET', `/v1/numbers/${line.id}/templates?${query}`)).status, query).toBe(400)
  }
  await db.updateTable('message_line').set({ waba_id: null }).execute()
  expect((await a.api('GET', `/v1/numbers/${line.id}/templates`)).status).toBe(400)
  expect((await a.api('GET', `/v1/numbers/${line.id}/whatsapp_status`)).status).toBe(400)
  await nothing(shop)
})

test('the configuration', async () => {
  const { a, line } = await openShop(testApp)
  const path = `/v1/numbers/${line.id}/messages/configuration`
  expect((await a.api('POST', path, {})).status).toBe(422)
  for (const callbackUrl of ['http://crm.example.com', 'https://10.0.0.1/', 'crm']) {
    expect((await a.api('POST', path, { callbackUrl })).status, callbackUrl).toBe(400)
  }
  expect(
    (await a.api('POST', '/v1/numbers/99999/messages/configuration', { callbackUrl: 'https://x.example' })).status,
  ).toBe(404)
  expect((await a.api('GET', path)).status).toBe(404)
  expect((await a.api('DELETE', path)).status).toBe(404)
})

test('SMS templates', async () => {
  const { a } = await openShop(testApp)
  for (const name of ['Hello', 'Good bye', 'ÉTÉ']) await a.own('POST', '/v1/sms/templates', { name, body: `${name}!` })
  const names = async (query: string) =>
    (await a.api('GET', `/v1/sms/templates${query}`)).json.templates.map(({ name }: { name: string }) => name)
  expect(await names('')).toEqual(['Hello', 'Good bye', 'ÉTÉ'])
  expect(await names('?search=été')).toEqual(['ÉTÉ'])
  expect(await names('?per_page=1&page=2')).toEqual(['Good bye'])
  expect((await a.api('GET', '/v1/sms/templates?per_page=51')).status).toBe(400)
})
