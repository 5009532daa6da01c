import { expect, test } from 'vitest'
import { signedIn, type TestApp, testApp } from '../../../../test/kit/app.ts'
import { client } from '../../../../test/kit/client.ts'

const dario = { email: 'dario@example.test', first_name: 'Dario', last_name: 'Ortega', role_ids: ['agent'] }

async function invited({ a }: TestApp): Promise<number> {
  return (await a.api('POST', '/v2/users', dario)).json.user.id
}

test('a profile has fields that the public user object lacks', async () => {
  const world = await testApp()
  const id = await invited(world)

  const { json } = await world.a.own('GET', `/v1/users/${id}/profile`)
  const list = (await world.a.own('GET', '/v1/profiles')).json

  expect(json.profile).toMatchObject({ id, first_name: 'Dario', roles: ['agent'], confirmed: false, extension: '002' })
  expect(list.profiles.map((profile: { roles: string[] }) => profile.roles)).toEqual([['owner'], ['agent']])
  expect(list.meta.total).toBe(2)
})

test('an admin changes time zone, language and extension, and an extension is unique', async () => {
  const world = await testApp()
  const { a } = world
  const id = await invited(world)

  const input = { time_zone: 'Europe/Madrid', language: 'es-ES', extension: '077' }
  const changed = await a.own('PUT', `/v1/users/${id}/profile`, input)
  const taken = await a.own('PUT', `/v1/users/${id}/profile`, { extension: '001' })
  const nowhere = await a.own('PUT', `/v1/users/${id}/profile`, { time_zone: 'Nowhere/Land' })
  const unknown = await a.own('PUT', `/v1/users/${id}/profile`, { default_number_id: 999 })

  expect(changed.json.profile).toMatchObject(input)
  expect([taken.status, nowhere.status, unknown.status]).toEqual([422, 400, 400])
  expect((await a.api('GET', `/v2/users/${id}`)).json.user).toMatchObject(input)
})

test('an invitation is mailed again until it is accepted', async () => {
  const world = await testApp()
  const { a, anonymous, base } = world
  const id = await invited(world)

  expect((await a.own('POST', `/v1/users/${id}/invitation`)).status).toBe(204)
  const { mails } = (await a.own('GET', '/v1/mail_outbox')).json
  const tokens = mails.flatMap((mail: { to: string; text: string }) =>
    mail.to === dario.email ? (/(?<=invitation\/)\w+/.exec(mail.text) ?? []) : [],
  )
  expect(new Set(tokens).size).toBe(2)

  const accepted = { token: tokens[0], password: 'correct horse battery' }
  expect((await anonymous('POST', '/app/v1/account_links/use', accepted, { origin: base })).status).toBe(200)
  expect((await a.own('POST', `/v1/users/${id}/invitation`)).status).toBe(422)
})

test('profiles are for the dashboard: not for agents, not for other companies, not for keys', async () => {
  const world = await testApp()
  const { a, b, app, base, anonymous } = world
  const id = await invited(world)
  const agent = await signedIn(app, base, a.id, id)

  expect((await anonymous('GET', '/app/v1/profiles', undefined, agent)).status).toBe(403)
  expect((await anonymous('PUT', `/app/v1/users/${id}/profile`, { extension: '123' }, agent)).status).toBe(403)
  expect((await b.own('GET', `/v1/users/${id}/profile`)).status).toBe(404)
  expect((await b.own('POST', `/v1/users/${id}/invitation`)).status).toBe(404)
  expect((await a.api('GET', '/v1/profiles')).status).toBe(404)
})

test('an invitation link is copied instead of mailed, works once, and leads to no account that is confirmed', async () => {
  const world = await testApp()
  const { a, anonymous } = world
  const id = await invited(world)
  const create = () => a.own('POST', `/v1/users/${id}/invitation_link`)
  const mails = async () => (await a.own('GET', '/v1/mail_outbox')).json.meta.total
  const before = await mails()

  const made = await create()
  const token = made.json.link.split('/').at(-1)
  const looked = await anonymous('POST', '/app/v1/account_links/look', { token }, { origin: world.base })
  await world.db.updateTable('user').set({ confirmed_at: world.clock.now() }).where('id', '=', id).execute()
  const late = await create()

  expect(made.status).toBe(201)
  expect(made.json.link).toMatch(/\/invitation\/[0-9a-f]{64}$/)
  expect(await mails()).toBe(before)
  expect(looked.json).toMatchObject({ kind: 'invitation', email: dario.email })
  expect(late.status).toBe(422)
})

test('only an owner creates a link to the account of an owner, and an agent creates none', async () => {
  const world = await testApp()
  const { a, app, base } = world
  const agent = await invited(world)
  const admin = (await a.api('POST', '/v2/users', { ...dario, email: 'admin@example.test', role_ids: ['admin'] })).json
    .user.id
  const owner = (await a.api('POST', '/v2/users', { ...dario, email: 'owner@example.test', role_ids: ['owner'] })).json
    .user.id
  const asUser = async (userId: number) => client(`${base}/app`, await signedIn(app, base, a.id, userId))
  const statusFor = async (who: number, whose: number) =>
    (await (await asUser(who))('POST', `/v1/users/${whose}/invitation_link`)).status

  expect([await statusFor(admin, agent), await statusFor(admin, owner), await statusFor(agent, agent)]).toEqual([
    201, 403, 403,
  ])
  expect((await a.own('POST', `/v1/users/${owner}/invitation_link`)).status).toBe(201)
})
