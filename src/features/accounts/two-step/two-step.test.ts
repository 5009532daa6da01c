import { expect, test } from 'vitest'
import { onAnyDatabase, type TestApp } from '../../../../test/kit/app.ts'
import { type Colleague, colleague, linkMailedTo, password, visitor } from '../../../../test/kit/visitor.ts'
import { hour } from '../../../lib/clock.ts'
import { totpCode, totpStep } from '../../../lib/totp.ts'

/** An authenticator app with the secret of a user; each code is that of a later time step. */
function authenticator({ clock }: TestApp, secret: string) {
  return {
    now: () => totpCode(secret, totpStep(clock.machineNow())),
    next() {
      clock.shiftMachine(30_000)
      return totpCode(secret, totpStep(clock.machineNow()))
    },
  }
}

async function enrol(app: TestApp, me: Colleague) {
  const { secret } = (await me.ask('POST', '/v1/session/two_step', { password })).json
  const codes = authenticator(app, secret)
  const confirmed = await me.ask('POST', '/v1/session/two_step/confirm', { code: codes.now() })
  expect(confirmed.status, confirmed.text).toBe(200)
  return { secret, codes, recovery: confirmed.json.recovery_codes as string[] }
}

onAnyDatabase('two-step verification', (open) => {
  const signIn = (app: TestApp, email: string, code?: string) =>
    visitor(app).ask('POST', '/v1/session', { email, password, ...(code !== undefined && { code }) })

  test('it is on after the first code, and the sign-in then asks for one', async () => {
    const app = await open()
    const me = await colleague(app, app.a, 'agent')

    const { codes, recovery } = await enrol(app, me)
    const without = await signIn(app, me.email)
    const withCode = await signIn(app, me.email, codes.next())

    expect(new Set(recovery).size).toBe(10)
    expect([without.status, without.json.errors]).toEqual([409, { two_step: ['code'] }])
    expect(without.headers.get('set-cookie')).toBe(null)
    expect([withCode.status, withCode.json.two_step]).toEqual([200, 'on'])
    const state = (await me.ask('GET', '/v1/session/two_step')).json
    expect(state).toEqual({ enabled: true, required: false, recovery_codes_left: 10 })
  })

  test('it is not on before a code confirms the secret', async () => {
    const app = await open()
    const me = await colleague(app, app.a, 'agent')

    const stolen = await me.ask('POST', '/v1/session/two_step', { password: 'a stolen session knows none' })
    const tooEarly = await me.ask('POST', '/v1/session/two_step/confirm', { code: '123456' })
    await me.ask('POST', '/v1/session/two_step', { password })
    const wrong = await me.ask('POST', '/v1/session/two_step/confirm', { code: 'abcdef' })

    expect([stolen.status, tooEarly.status, wrong.status]).toEqual([400, 400, 400])
    expect((await signIn(app, me.email)).status).toBe(200)
  })

  test('a code works once, and none before it works after it', async () => {
    const app = await open()
    const me = await colleague(app, app.a, 'agent')
    const { codes, secret } = await enrol(app, me)
    const old = totpCode(secret, totpStep(app.clock.machineNow()) - 1)
    const code = codes.next()

    const tries = [
      await signIn(app, me.email, code),
      await signIn(app, me.email, code),
      await signIn(app, me.email, old),
    ]
    const atOnce = codes.next()
    const race = await Promise.all([1, 2, 3, 4].map(() => signIn(app, me.email, atOnce)))

    expect(tries.map(({ status }) => status)).toEqual([200, 403, 403])
    expect(race.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403])
  })

  test('a recovery code works once, in any notation', async () => {
    const app = await open()
    const me = await colleague(app, app.a, 'agent')
    const { recovery } = await enrol(app, me)
    const [first = '', second = ''] = recovery

    const tries = [
      await signIn(app, me.email, first),
      await signIn(app, me.email, first),
      await signIn(app, me.email, ` ${second.replace('-', ' ').toUpperCase()} `),
    ]

    expect(tries.map(({ status }) => status)).toEqual([200, 403, 200])
    expect((await me.ask('GET', '/v1/session/two_step')).json.recovery_codes_left).toBe(8)
  })

  test('codes of another user and of another company open nothing', async () => {
    const app = await open()
    const me = await colleague(app, app.a, 'agent')
    const peer = await colleague(app, app.a, 'owner')
    const foreign = await colleague(app, app.b, 'owner')
    await enrol(app, me)
    const ofPeer = await enrol(app, peer)
    const ofForeign = await enrol(app, foreign)

    const tries = [
      await signIn(app, me.email, ofPeer.codes.next()),
      await signIn(app, me.email, ofPeer.recovery[0]),
      await signIn(app, me.email, ofForeign.recovery[0]),
    ]
    const reset = await foreign.ask('DELETE', `/v1/users/${me.id}/two_step`)
    const unknown = await foreign.ask('DELETE', '/v1/users/999999991/two_step')

    expect(tries.map(({ status }) => status)).toEqual([403, 403, 403])
    expect([reset.status, reset.text]).toEqual([404, unknown.text])
    expect((await signIn(app, me.email)).status).toBe(409)
  })

  test('ten wrong codes end the attempts for an hour, and an email reports it', async () => {
    const app = await open()
    const me = await colleague(app, app.a, 'agent')
    const { codes } = await enrol(app, me)

    const wrong: number[] = []
    for (let i = 0; i < 11; i++) wrong.push((await signIn(app, me.email, 'wrong-wrong')).status)
    const blocked = await signIn(app, me.email, codes.next())
    app.clock.shiftMachine(hour)
    const later = await signIn(app, me.email, codes.next())

    expect(wrong).toEqual([...Array(10).fill(403), 429])
    expect(blocked.status).toBe(429)
    expect(Number(blocked.headers.get('retry-after'))).toBeGreaterThan(60)
    expect(later.status).toBe(200)
    const mails = await app.db.selectFrom('mail').select('subject').where('recipient', '=', me.email).execute()
    const subjects = mails.map(({ subject }) => subject)
    expect(subjects.filter((subject) => subject.startsWith('Wrong verification codes'))).toHaveLength(1)
    const { audit_log } = (await app.a.own('GET', '/v1/audit_log?per_page=50')).json
    const failed = audit_log.filter(({ action }: { action: string }) => action === 'two_step.failed')
    expect(failed).toHaveLength(10)
  })

  test('a password reset does not skip the second step', async () => {
    const app = await open()
    const me = await colleague(app, app.a, 'agent')
    const { codes } = await enrol(app, me)
    const guest = visitor(app)
    await guest.ask('POST', '/v1/password_resets', { email: me.email })
    const token = await linkMailedTo(app, me.email, 'password')
    const use = (code?: string) =>
      guest.ask('POST', '/v1/account_links/use', { token, password: 'another long password', ...(code && { code }) })

    const looked = await guest.ask('POST', '/v1/account_links/look', { token })
    const answers = [await use(), await use('000-000-no'), await use(codes.next())]

    expect(looked.json.two_step).toBe(true)
    expect(answers.map(({ status }) => status)).toEqual([409, 403, 200])
  })

  test('password and code disable it and replace the recovery codes', async () => {
    const app = await open()
    const me = await colleague(app, app.a, 'agent')
    const { codes, recovery } = await enrol(app, me)
    const renew = (body: object) => me.ask('POST', '/v1/session/two_step/recovery_codes', body)
    const disable = (body: object) => me.ask('POST', '/v1/session/two_step/disable', body)

    const refused = [
      await renew({ password: 'wrong', code: codes.next() }),
      await disable({ password, code: '000000x' }),
    ]
    const renewed = await renew({ password, code: codes.next() })
    const old = await signIn(app, me.email, recovery[0])
    const disabled = await disable({ password, code: codes.next() })

    expect(refused.map(({ status }) => status)).toEqual([400, 403])
    expect(renewed.json.recovery_codes).toHaveLength(10)
    expect([old.status, disabled.status]).toEqual([403, 204])
    expect((await signIn(app, me.email)).status).toBe(200)
  })

  test('an owner resets it for a user who has lost the phone; an admin may not', async () => {
    const app = await open()
    const me = await colleague(app, app.a, 'agent')
    const admin = await colleague(app, app.a, 'admin')
    const owner = await colleague(app, app.a, 'owner')
    await enrol(app, me)

    const byAdmin = await admin.ask('DELETE', `/v1/users/${me.id}/two_step`)
    const seen = await admin.ask('GET', `/v1/users/${me.id}/two_step`)
    const byOwner = await owner.ask('DELETE', `/v1/users/${me.id}/two_step`)
    const again = await owner.ask('DELETE', `/v1/users/${me.id}/two_step`)
    const own = await owner.ask('DELETE', `/v1/users/${owner.id}/two_step`)

    expect([byAdmin.status, byOwner.status, again.status, own.status]).toEqual([403, 204, 400, 400])
    expect(seen.json).toEqual({ enabled: true })
    expect((await me.ask('GET', '/v1/session')).status).toBe(403)
    expect((await signIn(app, me.email)).status).toBe(200)
  })

  test('the operator resets it, too', async () => {
    const app = await open()
    const me = await colleague(app, app.a, 'owner')
    await enrol(app, me)
    const reset = app.app.commands['users.reset_two_step']

    const done = await reset?.({ company: String(app.a.id), email: me.email.toUpperCase() })
    const again = reset?.({ company: String(app.a.id), email: me.email })

    expect(done).toEqual({ user_id: me.id })
    await expect(again).rejects.toThrow('has not enabled')
    expect((await signIn(app, me.email)).status).toBe(200)
  })

  test('a company that requires it admits users without it to the set-up only', async () => {
    const app = await open()
    const owner = await colleague(app, app.a, 'owner')
    const agent = await colleague(app, app.a, 'agent')
    const require = (isRequired: boolean) => owner.ask('PUT', '/v1/company/security', { two_step_required: isRequired })

    const tooEarly = await require(true)
    await enrol(app, owner)
    const required = await require(true)
    const refused = [await agent.ask('GET', '/v1/me'), await agent.ask('GET', '/v1/sessions')]
    const session = await agent.ask('GET', '/v1/session')
    const { recovery } = await enrol(app, agent)
    const admitted = await agent.ask('GET', '/v1/me')
    const off = await agent.ask('POST', '/v1/session/two_step/disable', { password, code: recovery[0] })

    expect(tooEarly.json.troubleshoot).toContain('your own account first')
    expect(required.json).toMatchObject({ two_step_required: true, users_with_two_step: 1 })
    expect(refused.map(({ status }) => status)).toEqual([403, 403])
    expect(refused[0]?.json.troubleshoot).toBe('Set up two-step verification first')
    expect([session.status, session.json.two_step]).toEqual([200, 'required'])
    expect([admitted.status, off.status]).toEqual([200, 403])
    expect((await app.b.own('GET', '/v1/sessions')).status).toBe(200)
  })

  test('secrets are encrypted and recovery codes hashed in the database', async () => {
    const app = await open()
    const me = await colleague(app, app.a, 'agent')

    const { secret, recovery } = await enrol(app, me)

    const stored = JSON.stringify([
      await app.db.selectFrom('two_step').selectAll().execute(),
      await app.db.selectFrom('recovery_code').selectAll().execute(),
    ])
    expect(stored).not.toContain(secret)
    for (const code of recovery) expect(stored).not.toContain(code.replace('-', ''))
  })
})
