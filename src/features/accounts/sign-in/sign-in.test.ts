import { expect, test } from 'vitest'
import { basic, monday, onAnyDatabase, testApp } from '../../../../test/kit/app.ts'
import { heldClock } from '../../../../test/kit/clocks.ts'
import { colleague, linkMailedTo, password, visitor } from '../../../../test/kit/visitor.ts'
import { day, hour, minute } from '../../../lib/clock.ts'
import { createSignIns } from './throttle.ts'

const other = 'another long password'

onAnyDatabase('signing in', (open) => {
  test('an invitation leads to a password, a session and a confirmed account', async () => {
    const app = await open()
    const { a } = app
    const body = { email: 'nora@example.test', first_name: 'Nora', last_name: 'Quist', role_ids: ['agent'] }
    const { user } = (await a.api('POST', '/v2/users', body)).json
    const token = await linkMailedTo(app, body.email, 'invitation')
    const nora = visitor(app)

    const looked = await nora.ask('POST', '/v1/account_links/look', { token })
    const used = await nora.ask('POST', '/v1/account_links/use', { token, password, time_zone: 'Asia/Tokyo' })
    const seen = await nora.ask('GET', '/v1/session')

    const invited = {
      kind: 'invitation',
      email: body.email,
      first_name: 'Nora',
      company_name: 'Company A',
      two_step: false,
    }
    expect(looked.json).toEqual(invited)
    expect(used.json).toMatchObject({
      user: { id: user.id, email: body.email, name: 'Nora Quist', roles: ['agent'], time_zone: 'Asia/Tokyo' },
      company: { id: a.id, name: 'Company A', plan: 'custom', country: null },
      mode: 'sandbox',
      tenancy: 'single',
      mail_server: false,
    })
    expect(seen.json).toEqual(used.json)
    const { confirmed_at } = await app.db
      .selectFrom('user')
      .select('confirmed_at')
      .where('id', '=', user.id)
      .executeTakeFirstOrThrow()
    expect(confirmed_at).toBe(app.clock.now())
  })

  test('a link works once and for 24 hours, and a new password ends the links of before', async () => {
    const app = await open()
    const { email, ask } = await colleague(app, app.a, 'agent')
    const guest = visitor(app)
    const use = (token: string) => guest.ask('POST', '/v1/account_links/use', { token, password: other })
    const askReset = () => guest.ask('POST', '/v1/password_resets', { email })

    const known = await askReset()
    const unknown = await guest.ask('POST', '/v1/password_resets', { email: 'nobody@example.test' })
    const first = await linkMailedTo(app, email, 'password')
    await askReset()
    const second = await linkMailedTo(app, email, 'password')
    const looked = await guest.ask('POST', '/v1/account_links/look', { token: second })
    const answers = [await use(second), await use(second), await use(first)]
    await askReset()
    const late = await linkMailedTo(app, email, 'password')
    await app.clock.advance(day)
    const expired = [await guest.ask('POST', '/v1/account_links/look', { token: late }), await use(late)]

    expect([known.status, known.text]).toEqual([unknown.status, unknown.text])
    expect(looked.json.kind).toBe('reset')
    expect(new Set([first, second, late]).size).toBe(3)
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 400])
    expect(expired.map(({ status }) => status)).toEqual([400, 400])
    expect(expired[1]?.json.troubleshoot).toContain('request a new one')
    expect((await ask('GET', '/v1/session')).status).toBe(403)
    expect((await visitor(app).signIn(email, password)).status).toBe(403)
    expect((await visitor(app).signIn(email, other)).status).toBe(200)
  })

  test('of many who use a link at the same moment one gets in', async () => {
    const app = await open()
    const person = { email: 'race@example.test', first_name: 'R', last_name: 'R' }
    await app.a.api('POST', '/v2/users', person)
    const token = await linkMailedTo(app, person.email, 'invitation')

    const use = (i: number) =>
      visitor(app).ask('POST', '/v1/account_links/use', { token, password: `${password} ${i}` })
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(use))

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400])
    const sessions = await app.db.selectFrom('session').select('id_hash').where('company_id', '=', app.a.id).execute()
    expect(sessions).toHaveLength(2)
  })

  test('wrong passwords, unknown addresses and users without a password get the same response', async () => {
    const app = await open()
    const { email } = await colleague(app, app.a, 'agent')
    await app.a.api('POST', '/v2/users', { email: 'new@example.test', first_name: 'N', last_name: 'N' })

    const tries = [
      await visitor(app).signIn(email, 'wrong'),
      await visitor(app).signIn('nobody@example.test', password),
      await visitor(app).signIn('new@example.test', password),
    ]

    expect(tries.map(({ status }) => status)).toEqual([403, 403, 403])
    expect(new Set(tries.map(({ text }) => text)).size).toBe(1)
    expect((await visitor(app).signIn(email.toUpperCase(), password)).status).toBe(200)
    for (const body of [{}, { email }, { password }, { email: '', password }, { email, password: 5 }]) {
      const answer = await visitor(app).ask('POST', '/v1/session', body)
      expect([400, 422], JSON.stringify(body)).toContain(answer.status)
    }
  })

  test('a user with accounts in two companies and one password is asked which company', async () => {
    const app = await open()
    const person = { email: 'both@example.test', first_name: 'B', last_name: 'B', role_ids: ['admin'] }
    for (const company of [app.a, app.b]) {
      await company.api('POST', '/v2/users', person)
      const token = await linkMailedTo(app, person.email, 'invitation')
      await visitor(app).ask('POST', '/v1/account_links/use', { token, password })
    }
    const guest = visitor(app)

    const asked = await guest.signIn(person.email, password)
    const input = { email: person.email, password, company_id: app.b.id }
    const entered = await guest.ask('POST', '/v1/session', input)

    expect(asked.status).toBe(409)
    expect(asked.json.errors.companies).toEqual([`${app.a.id} Company A`, `${app.b.id} Company B`])
    expect([entered.status, entered.json.company.name]).toEqual([200, 'Company B'])
    expect((await guest.ask('GET', '/v1/company')).json.company.name).toBe('Company B')
  })

  test('a sign-in gives a new session and ends the one the browser had', async () => {
    const app = await open()
    const me = await colleague(app, app.a, 'admin')
    const before = me.headers()

    await me.signIn(me.email, password)

    expect(me.cookie()).not.toBe(before.cookie)
    expect((await me.ask('GET', '/v1/session')).status).toBe(200)
    expect((await app.anonymous('GET', '/app/v1/session', undefined, before)).status).toBe(403)
  })

  test('the session the browser had ends in whichever company it was, by a mailed link too', async () => {
    const app = await open()
    const mine = await colleague(app, app.a, 'agent')
    const { email } = await colleague(app, app.b, 'agent')
    const first = mine.headers()
    const status = async (headers: Record<string, string>) =>
      (await app.anonymous('GET', '/app/v1/session', undefined, headers)).status

    await mine.signIn(email, password)
    const second = mine.headers()
    await app.a.api('POST', '/v2/users', { email: 'link@example.test', first_name: 'L', last_name: 'L' })
    const token = await linkMailedTo(app, 'link@example.test', 'invitation')
    await mine.ask('POST', '/v1/account_links/use', { token, password })

    expect([await status(first), await status(second), await status(mine.headers())]).toEqual([403, 403, 200])
  })

  test('a session ends after 12 idle hours and after 7 days, however much it is used', async () => {
    const app = await open()
    const { ask, signIn, email } = await colleague(app, app.a, 'agent')
    const status = async () => (await ask('GET', '/v1/session')).status

    app.clock.shiftMachine(12 * hour - minute)
    const used = await status()
    app.clock.shiftMachine(12 * hour - minute)
    const usedAgain = await status()
    app.clock.shiftMachine(12 * hour + minute)
    const idle = await status()
    await signIn(email, password)
    const seen = []
    for (let i = 0; i < 14; i++) {
      app.clock.shiftMachine(12 * hour - minute)
      seen.push(await status())
    }
    app.clock.shiftMachine(hour)

    expect([used, usedAgain, idle]).toEqual([200, 200, 403])
    expect(new Set(seen)).toEqual(new Set([200]))
    expect(await status()).toBe(403)
  })

  test('signing out ends this session, signing out everywhere all of them', async () => {
    const app = await open()
    const desk = await colleague(app, app.a, 'agent')
    const home = visitor(app)
    const train = visitor(app)
    for (const one of [home, train]) await one.signIn(desk.email, password)
    const old = home.headers()
    const status = async () => [(await desk.ask('GET', '/v1/me')).status, (await train.ask('GET', '/v1/me')).status]

    const out = await home.ask('DELETE', '/v1/session')
    const afterOne = await status()
    const everywhere = await desk.ask('DELETE', '/v1/sessions')
    const afterAll = await status()

    expect([out.status, everywhere.status]).toEqual([204, 204])
    expect(out.headers.get('set-cookie')).toContain('Max-Age=0')
    expect((await app.anonymous('GET', '/app/v1/me', undefined, old)).status).toBe(403)
    expect([afterOne, afterAll]).toEqual([
      [200, 200],
      [403, 403],
    ])
    expect((await app.a.own('GET', '/v1/company')).status).toBe(200)
  })

  test('a changed password ends the other sessions, deletion and a new role all', async () => {
    const app = await open()
    const { a } = app
    const me = await colleague(app, a, 'agent')
    const elsewhere = visitor(app)
    await elsewhere.signIn(me.email, password)
    const change = (old: string, wanted: string) =>
      me.ask('PUT', '/v1/session/password', { password: old, new_password: wanted })

    const refused = [await change('wrong', other), await change(password, 'short'), await change(password, me.email)]
    const changed = await change(password, other)
    const after = [(await me.ask('GET', '/v1/me')).status, (await elsewhere.ask('GET', '/v1/me')).status]
    await a.api('PUT', `/v2/users/${me.id}`, { role_ids: ['agent', 'supervisor'] })
    const promoted = (await me.ask('GET', '/v1/me')).status
    await me.signIn(me.email, other)
    const back = (await me.ask('GET', '/v1/me')).status
    await a.api('DELETE', `/v1/users/${me.id}`)
    const deleted = (await me.ask('GET', '/v1/me')).status

    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400])
    expect([changed.status, ...after, promoted, back, deleted]).toEqual([204, 200, 403, 403, 200, 403])
    expect((await visitor(app).signIn(me.email, other)).status).toBe(403)
  })

  test('passwords, sessions, their tokens and mailed links stand nowhere in what is stored', async () => {
    const app = await open()
    const me = await colleague(app, app.a, 'agent')
    await visitor(app).ask('POST', '/v1/password_resets', { email: me.email })
    const link = await linkMailedTo(app, me.email, 'password')
    const { cookie = '', 'x-csrf-token': csrf = '' } = me.headers()

    const dump = JSON.stringify(
      await Promise.all(
        (['user', 'session', 'invitation', 'mail', 'audit', 'event', 'job'] as const).map((table) =>
          app.db.selectFrom(table).selectAll().execute(),
        ),
      ),
    )

    expect(dump).toContain(me.email)
    expect(dump).toContain('$argon2id$v=19$m=19456,t=2,p=1$')
    for (const secret of [password, cookie.split('=')[1], csrf, link]) {
      expect(secret).toBeTruthy()
      expect(dump).not.toContain(secret)
      expect(app.logged()).not.toContain(secret)
    }
  })

  test('users of an inactive company cannot sign in', async () => {
    const app = await open()
    const { email, ask } = await colleague(app, app.a, 'admin')
    await app.db.updateTable('company').set({ active: 0 }).where('id', '=', app.a.id).execute()

    expect((await ask('GET', '/v1/company')).status).toBe(403)
    expect((await visitor(app).signIn(email, password)).status).toBe(403)
  })
})

test('after ten wrong passwords for a person from one address even the right one waits, others never notice', async () => {
  const app = await testApp({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
  const { email } = await colleague(app, app.a, 'agent')
  const from = (address: string, who: string, word: string) =>
    visitor(app).ask('POST', '/v1/session', { email: who, password: word }, { 'x-forwarded-for': address })

  const wrong = []
  for (let i = 0; i < 10; i++) wrong.push((await from('192.0.2.1', email, `guess ${i}`)).status)
  const eleventh = await from('192.0.2.1', email.toUpperCase(), password)
  const elsewhere = await from('192.0.2.2', email, password)
  const neighbour = await from('192.0.2.1', 'company-a@example.test', 'wrong')
  app.clock.shiftMachine(15 * minute)
  const later = await from('192.0.2.1', email, password)

  expect(new Set(wrong)).toEqual(new Set([403]))
  expect(eleventh.status).toBe(429)
  expect(Number(eleventh.headers.get('retry-after'))).toBeGreaterThan(800)
  expect([elsewhere.status, neighbour.status, later.status]).toEqual([200, 403, 200])
})

test('a hundred wrong passwords from one network slow it down, and a user there still gets in', async () => {
  const clock = heldClock(monday)
  const app = await testApp({ env: { TRUSTED_PROXIES: '127.0.0.1' }, clock })
  const { email } = await colleague(app, app.a, 'agent')
  const from = (address: string, who: string, word: string) =>
    visitor(app).ask('POST', '/v1/session', { email: who, password: word }, { 'x-forwarded-for': address })
  const first = await Promise.all(
    Array.from({ length: 100 }, (_, i) => from('198.51.100.7', `person-${i}@example.test`, 'guess')),
  )

  const slowed = from('198.51.100.7', email, password)
  const elsewhere = await from('203.0.113.9', email, password)
  const timer = await clock.nextHeld(1_000)
  clock.advanceMachine(1_000)
  const entered = await slowed

  expect(new Set(first.map(({ status }) => status))).toEqual(new Set([403]))
  expect(timer).toBe(true)
  expect([elsewhere.status, entered.status]).toEqual([200, 200])
})

test('an account that is attacked from many networks is slowed down, not blocked, and the network elsewhere is not', async () => {
  const clock = heldClock(monday)
  const app = await testApp({ env: { TRUSTED_PROXIES: '127.0.0.1' }, clock })
  const { email } = await colleague(app, app.a, 'agent')
  const { email: neighbour } = await colleague(app, app.a, 'agent')
  const from = (address: string, who: string, word: string) =>
    visitor(app).ask('POST', '/v1/session', { email: who, password: word }, { 'x-forwarded-for': address })
  await Promise.all(Array.from({ length: 100 }, (_, i) => from(`198.51.100.${i}`, email, 'guess')))

  const slowed = from('203.0.113.9', email, password)
  const other = await from('203.0.113.9', neighbour, password)
  await clock.nextHeld(1_000)
  clock.advanceMachine(1_000)

  expect([(await slowed).status, other.status]).toEqual([200, 200])
})

test('addresses of one IPv6 network count as one client for the throttle', async () => {
  const app = await testApp({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
  const { email } = await colleague(app, app.a, 'agent')
  const from = (address: string, word: string) =>
    visitor(app).ask('POST', '/v1/session', { email, password: word }, { 'x-forwarded-for': address })

  for (let i = 1; i <= 10; i++) await from(`2001:db8:0:1::${i}`, `guess ${i}`)

  expect((await from('2001:db8:0:1:ffff::9', password)).status).toBe(429)
  expect((await from('2001:db8:0:2::1', password)).status).toBe(200)
})

onAnyDatabase('several processes', (open) => {
  test('count tries together, forget them on success, and keep no address', async () => {
    const app = await open()
    const [one, two] = [createSignIns(app.db, app.clock), createSignIns(app.db, app.clock)]
    const tries = (n: number) =>
      Promise.all(Array.from({ length: n }, (_, i) => (i % 2 ? one : two).tried('192.0.2.1', 'ann@example.test')))

    const first = await tries(6)
    await two.succeeded('192.0.2.1', 'ANN@example.test')
    const again = await tries(14)
    const rows = await app.db.selectFrom('sign_in_try').selectAll().execute()
    app.clock.shiftMachine(15 * minute)
    const later = await one.tried('192.0.2.1', 'ann@example.test')

    expect(first.every((wait) => wait === undefined)).toBe(true)
    expect(again.filter((wait) => wait === undefined)).toHaveLength(10)
    expect(JSON.stringify(rows)).not.toMatch(/ann@|192\.0/)
    expect(later).toBeUndefined()
  })

  test('at most five links an hour are sent to an address, from any number of clients', async () => {
    const app = await open()
    const { email } = await colleague(app, app.a, 'agent')
    const mails = async () =>
      (await app.db.selectFrom('mail').select('id').where('recipient', '=', email).execute()).length - 1

    for (let i = 0; i < 8; i++) await visitor(app).ask('POST', '/v1/password_resets', { email })
    await app.settle()
    const inTheHour = await mails()
    app.clock.shiftMachine(hour)
    const answer = await visitor(app).ask('POST', '/v1/password_resets', { email })
    await app.settle()

    expect([inTheHour, answer.status, await mails()]).toEqual([5, 202, 6])
  })
})

test('requests for links and guesses at the present password are counted as well', async () => {
  const app = await testApp()
  const me = await colleague(app, app.a, 'agent')
  const requests = []
  for (let i = 0; i < 11; i++) {
    requests.push((await visitor(app).ask('POST', '/v1/password_resets', { email: me.email })).status)
  }
  const guesses = []
  for (let i = 0; i < 11; i++) {
    const body = { password: `guess ${i}`, new_password: other }
    guesses.push((await me.ask('PUT', '/v1/session/password', body)).status)
  }

  expect(requests).toEqual([...Array(10).fill(202), 429])
  expect(guesses).toEqual([...Array(10).fill(400), 429])
})

test('the cookie is for no script and no other site; in production for no other host and HTTPS only', async () => {
  const sandbox = await testApp()
  const production = await testApp({
    env: { HOOKSWITCH_MODE: 'production', PUBLIC_URL: 'https://phone.example.test', TRUSTED_PROXIES: '127.0.0.1' },
  })
  const cookieOf = async (app: typeof sandbox, origin: string) => {
    const secure = { origin, 'x-forwarded-proto': 'https' }
    const person = { email: 'p@example.test', first_name: 'P', last_name: 'P' }
    expect((await app.a.api('POST', '/v2/users', person, secure)).status).toBe(201)
    const token = await linkMailedTo(app, person.email, 'invitation')
    const { anonymous } = app
    const answer = await anonymous('POST', '/app/v1/account_links/use', { token, password }, secure)
    expect(answer.status, answer.text).toBe(200)
    return answer.headers.get('set-cookie')
  }

  expect(await cookieOf(sandbox, sandbox.base)).toMatch(
    /^hookswitch_session=[0-9a-f]{64}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/,
  )
  expect(await cookieOf(production, 'https://phone.example.test')).toMatch(
    /^__Host-hookswitch_session=[0-9a-f]{64}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  )
})

test('a session opens nothing outside /app, and a key nothing inside', async () => {
  const app = await testApp()
  const me = await colleague(app, app.a, 'owner')
  const key = { authorization: basic(app.a.apiId, app.a.apiToken), origin: app.base }
  const { anonymous } = app

  for (const path of ['/v1/ping', '/v1/calls', '/v2/users', '/v1/company', '/v1/webhooks']) {
    expect((await anonymous('GET', path, undefined, me.headers())).status, path).toBe(403)
    expect((await anonymous('GET', `/app${path}`, undefined, key)).status, path).toBe(403)
    expect((await anonymous('GET', `/app${path}`, undefined, me.headers())).status, path).toBe(200)
  }
  expect((await anonymous('POST', '/v1/teams', { name: 'A' }, me.headers())).status).toBe(403)
  expect((await anonymous('POST', '/app/v1/teams', { name: 'A' }, key)).status).toBe(403)
})

test('what leads to a session is taken from our own pages only, and JSON only', async () => {
  const app = await testApp()
  const { email, headers } = await colleague(app, app.a, 'admin')
  const post = (path: string, body: unknown, more: Record<string, string>) =>
    app.anonymous('POST', `/app${path}`, body, more)
  const own = { origin: app.base }
  const paths = ['/v1/session', '/v1/password_resets', '/v1/account_links/look', '/v1/account_links/use']

  for (const path of paths) {
    for (const origin of [
      {},
      { origin: 'null' },
      { origin: 'https://evil.test' },
      { origin: `${app.base}.evil.test` },
    ]) {
      expect((await post(path, { email, password }, origin as Record<string, string>)).status, path).toBe(403)
    }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const answer = await post(path, `email=${email}&password=x`, { ...own, 'content-type': type })
      expect(answer.status, `${path} ${type}`).toBe(400)
      expect(answer.headers.get('set-cookie')).toBeNull()
    }
  }
  for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
    const answer = await post('/v1/teams', '{"name":"A"}', { ...headers(), 'content-type': type })
    expect(answer.status, type).toBe(400)
  }
  expect((await app.a.api('GET', '/v1/teams')).json.meta.total).toBe(0)
})

test('a forged or truncated cookie is no session', async () => {
  const app = await testApp()
  const me = await colleague(app, app.a, 'owner')
  const [name, value = ''] = me.cookie().split('=')
  const forged = [
    `${name}=`,
    `${name}=${'0'.repeat(64)}`,
    `${name}=${value.slice(1)}`,
    `${name}=${value}x`,
    `x${me.cookie()}`,
  ]

  for (const cookie of forged) {
    expect((await app.anonymous('GET', '/app/v1/me', undefined, { ...me.headers(), cookie })).status, cookie).toBe(403)
  }
  const among = { ...me.headers(), cookie: `a=b; ${me.cookie()}; c=d` }
  expect((await app.anonymous('GET', '/app/v1/me', undefined, among)).status).toBe(200)
})
