import { expect, test } from 'vitest'
import { createKey } from '../../src/features/accounts/api-keys/actions.ts'
import { basic, type Client, onAnyDatabase, onBothDatabases, type TestApp } from '../kit/app.ts'

type Document = Record<string, unknown>

const owner = { email: 'company-a@example.test' }
const ada = { email: 'ada@example.test', first_name: 'Ada', last_name: 'Byron' }
const alan = { email: 'alan@example.test', first_name: 'Alan', last_name: 'Turing' }

const read = async (api: Client): Promise<Document> => (await api('GET', '/v1/admin/configuration')).json.configuration

const plan = async (api: Client, configuration: Document) => {
  const answer = await api('POST', '/v1/admin/configuration/plan', { configuration })
  expect(answer.status, answer.text).toBe(200)
  return summary(answer.json.changes)
}

const apply = (api: Client, configuration: Document, more: object = {}) =>
  api('POST', '/v1/admin/configuration/apply', { configuration, ...more })

const summary = (changes: { action: string; section: string; name: string }[]) =>
  changes.map(({ action, section, name }) => `${action} ${section} ${name}`.trim()).sort()

const userIn = (document: Document, { email }: { email: string }) =>
  (document.users as Document[]).find((one) => one.email === email)

const mailsTo = async ({ db }: TestApp, { email }: { email: string }) =>
  (await db.selectFrom('mail').select('id').where('recipient', '=', email).execute()).length

onBothDatabases('users in the configuration document', (open) => {
  test('a new user is invited, with everything that the dashboard configures', async () => {
    const world = await open()
    const { a } = world
    const hours = { mon: [['09:00', '17:00']], tue: [], wed: [], thu: [], fri: [], sat: [], sun: [] }
    const digits = '+33199000801'
    const wanted = {
      users: [
        {
          ...ada,
          roles: ['supervisor', 'agent'],
          availability_status: 'custom',
          working_hours: { hours, closed_dates: ['2027-01-01'] },
          wrap_up_time: 30,
          time_zone: 'Europe/Paris',
          language: 'fr-FR',
          extension: '405',
          call_sound: 'robust',
          default_number: digits,
        },
        alan,
      ],
      teams: [{ name: 'Sales', users: ['ADA@example.test', alan.email] }],
      numbers: [{ digits, name: 'Reception', flow_editor_enabled: false, users: [ada.email] }],
    }

    expect(await plan(a.api, wanted)).toEqual([
      `create numbers ${digits}`,
      'create teams Sales',
      'create users ada@example.test',
      'create users alan@example.test',
    ])
    expect([await mailsTo(world, ada), (await read(a.api)).teams]).toEqual([0, []])
    const applied = await apply(a.api, wanted)

    expect(applied.status, applied.text).toBe(200)
    const document = await read(a.api)
    expect(userIn(document, ada)).toMatchObject({
      ...wanted.users[0],
      roles: ['agent', 'supervisor'],
      active: true,
      working_hours: { hours: { mon: hours.mon }, closed_dates: ['2027-01-01'] },
    })
    expect(document.teams).toEqual([{ name: 'Sales', users: [ada.email, alan.email] }])
    expect(await plan(a.api, document)).toEqual([])
    expect(await plan(a.api, wanted)).toEqual([])
    expect(await mailsTo(world, ada)).toBe(1)
    const { profiles } = (await a.own('GET', '/v1/profiles')).json
    expect(profiles).toContainEqual(expect.objectContaining({ email: ada.email, confirmed: false, extension: '405' }))
  })

  test('users who are no longer named are deleted with allow_deletes only; owners and the owner of the key stay', async () => {
    const world = await open()
    const { a, db, settle } = world
    expect((await apply(a.api, { users: [ada, { ...alan, roles: ['admin'] }] })).status).toBe(200)
    const { id } = (await a.api('GET', `/v2/users/${alan.email}`)).json.user
    const key = await createKey(world.app.services, a.id, { name: 'Deploy', createdBy: id })
    const api = world.as(basic(key.apiId, key.apiToken))

    expect(await plan(api, { users: [] })).toEqual(['delete users ada@example.test'])
    const refused = await apply(api, { users: [] })
    expect([refused.status, refused.json.troubleshoot]).toEqual([400, expect.stringContaining('allow_deletes')])
    expect(userIn(await read(api), ada)).toBeDefined()
    expect((await apply(api, { users: [] }, { allow_deletes: true })).status).toBe(200)
    await settle()
    expect((await read(api)).users).toMatchObject([owner, { email: alan.email }])
    expect(await db.selectFrom('user').select('id').where('email', '=', ada.email).execute()).toEqual([])
    // Another key: nothing protects this user.
    expect(await plan(a.api, { users: [] })).toEqual(['delete users alan@example.test'])
  })

  test('owners and the owner of the key are neither demoted nor deactivated', async () => {
    const world = await open()
    const { a } = world
    expect(
      (
        await apply(a.api, {
          users: [
            { ...ada, roles: ['owner'] },
            { ...alan, roles: ['admin'] },
          ],
        })
      ).status,
    ).toBe(200)
    const { id } = (await a.api('GET', `/v2/users/${alan.email}`)).json.user
    const key = await createKey(world.app.services, a.id, { name: 'Deploy', createdBy: id })
    const api = world.as(basic(key.apiId, key.apiToken))
    const before = await read(api)
    const refusal = async (user: Document) =>
      (await apply(api, { users: [user] }, { allow_deletes: true })).json.troubleshoot

    for (const one of [owner, ada]) {
      expect(await refusal({ ...one, roles: ['admin'] })).toBe(
        'users[0].roles: must contain owner for an owner; change it in the dashboard',
      )
      expect(await refusal({ ...one, active: false })).toContain('users[0].active: must stay true for an owner')
    }
    expect(await refusal({ ...alan, roles: ['agent'] })).toContain('must contain admin for the user who created')
    expect(await refusal({ ...alan, active: false })).toContain('users[0].active: must stay true for the user who')
    expect(await read(api)).toEqual(before)
  })

  test('the export of one company makes another one its equal, with deactivated users and extensions in use', async () => {
    const world = await open()
    const { a, b } = world
    const users = [
      { ...ada, extension: '002' },
      { ...alan, extension: '001', active: false },
    ]
    expect((await apply(a.api, { users: [{ ...owner, extension: '010' }, ...users] })).status).toBe(200)
    const { users: exported } = await read(a.api)
    expect(exported).toMatchObject([owner, ...users])

    const applied = await apply(b.api, { users: exported })
    expect(applied.status, applied.text).toBe(200)
    expect(await plan(b.api, { users: exported })).toEqual([])
    const [own, ...others] = (await read(b.api)).users as Document[]
    expect(own).toMatchObject({ email: 'company-b@example.test', roles: ['owner'], extension: '005' })
    expect(others).toEqual(exported)
    // The one of company A was not invited either.
    expect(await mailsTo(world, alan)).toBe(0)
    expect((await apply(b.api, { users: [{ ...alan, active: true }, ada] })).status).toBe(200)
    expect(await mailsTo(world, alan)).toBe(1)
  })
})

onAnyDatabase('users in the configuration document', (open) => {
  test('extensions can be swapped, and an extension is given once', async () => {
    const { a } = await open()
    const users = (first: string, second: string) => [
      { ...ada, extension: first },
      { ...alan, extension: second },
    ]
    expect((await apply(a.api, { users: users('201', '202') })).status).toBe(200)
    expect((await apply(a.api, { users: users('202', '201') })).status).toBe(200)
    expect((await read(a.api)).users).toMatchObject([owner, ...users('202', '201')])
    const twice = await apply(a.api, { users: users('203', '203') })
    expect(twice.json.troubleshoot).toBe('users[1].extension: is that of users[0]')
  })

  test('a user who is away stays away, and being away is no difference', async () => {
    const { a } = await open()
    await apply(a.api, { users: [{ ...ada, availability_status: 'available' }] })
    const before = await read(a.api)
    const away = { availability_status: 'unavailable', substatus: 'out_for_lunch' }
    expect((await a.api('PUT', `/v2/users/${ada.email}`, away)).status).toBe(200)

    expect(await plan(a.api, before)).toEqual([])
    expect(await plan(a.api, { users: [{ ...ada, availability_status: 'custom' }] })).toEqual([])
    const { user } = (await a.api('GET', `/v2/users/${ada.email}`)).json
    expect(user).toMatchObject(away)
    const set = await apply(a.api, { users: [{ ...ada, availability_status: 'unavailable' }] })
    expect(set.json.troubleshoot).toContain('users[0].availability_status: must be available or custom')
  })

  test('a deactivated user is reactivated, and the time zone of the document outlives the first sign-in', async () => {
    const { a, anonymous, base, db } = await open()
    await apply(a.api, { users: [{ ...ada, time_zone: 'Asia/Tokyo' }] })
    const { id } = (await a.api('GET', `/v2/users/${ada.email}`)).json.user
    const { link } = (await a.own('POST', `/v1/users/${id}/invitation_link`)).json
    const token = link.split('/').at(-1)
    const password = 'a long and quiet afternoon'
    const body = { token, password, time_zone: 'Europe/Paris' }
    const accepted = await anonymous('POST', '/app/v1/account_links/use', body, { origin: base })
    expect(accepted.status, accepted.text).toBeLessThan(300)

    expect(await plan(a.api, { users: [{ ...ada, time_zone: 'Asia/Tokyo' }] })).toEqual([])
    for (const active of [false, true]) {
      expect(await plan(a.api, { users: [{ ...ada, active }] })).toEqual(['change users ada@example.test'])
      expect((await apply(a.api, { users: [{ ...ada, active }] })).status).toBe(200)
      const { profile } = (await a.own('GET', `/v1/users/${id}/profile`)).json
      expect(profile.active).toBe(active)
    }
    expect(await db.selectFrom('mail').select('id').where('recipient', '=', ada.email).execute()).toHaveLength(1)
  })

  test('passwords are no part of a user, and misspelled names and unknown users are refused with their place', async () => {
    const { a } = await open()
    const refusal = async (configuration: Document) => (await apply(a.api, configuration)).json.troubleshoot

    expect(await refusal({ users: [{ ...ada, password: 'quiet' }] })).toContain('users[0].password: is unknown')
    expect(await refusal({ users: [{ ...ada, role: ['agent'] }] })).toContain('did you mean roles?')
    expect(await refusal({ users: [{ ...ada, roles: ['king'] }] })).toContain('users[0].roles[0]: must be one of')
    expect(await refusal({ users: [ada, alan, { ...ada, email: 'ADA@example.test' }] })).toBe(
      'users[2].email: ada@example.test is that of users[0], too',
    )
    expect(await refusal({ users: [{ ...ada, email: 'ada' }] })).toBe('users[0].email: must be a valid email address')
    expect(await refusal({ users: [{ email: ada.email }] })).toContain('users[0].first_name: is mandatory')
    expect(await refusal({ users: [{ ...ada, default_number: '+33199000899' }] })).toBe(
      'users[0].default_number: there is no Number +33199000899',
    )
    expect(await refusal({ users: [{ ...ada, working_hours: { hours: 7 } }] })).toContain(
      'users[0].working_hours: hours must be an object',
    )
    expect((await read(a.api)).users).toMatchObject([owner])
  })
})
