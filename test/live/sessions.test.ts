import { expect, test } from 'vitest'
import { hour, minute } from '../../src/lib/clock.ts'
import { onAnyDatabase, testApp } from '../kit/app.ts'
import { openOffice } from '../kit/phone.ts'
import { type Colleague, colleague, password, visitor } from '../kit/visitor.ts'
import { openPhone, refusal } from './phone-app.ts'

// Phone apps of signed-in users: each acts as its own user, as long as the session lasts.

const at = ({ id, headers }: Colleague, session: string) => {
  const sent: Record<string, string> = { ...headers(), authorization: '' }
  return { userId: id, query: { session }, headers: sent }
}

onAnyDatabase('a phone app with a session', (open) => {
  test('opens with the cookie and our own Origin, for its own user only', async () => {
    const app = await open()
    const me = await colleague(app, app.a, 'agent')
    const options = at(me, 'tab')
    const { origin: _origin, ...noOrigin } = options.headers

    const phone = await openPhone(app, options)
    const refused = [
      await refusal(app, { ...options, headers: noOrigin }),
      await refusal(app, { ...options, headers: { ...options.headers, origin: 'https://evil.test' } }),
      await refusal(app, { ...options, headers: { ...options.headers, cookie: '' } }),
      await refusal(app, { ...options, userId: app.a.ownerId }),
      await refusal(app, { ...options, headers: { ...options.headers, 'x-user-id': String(app.b.ownerId) } }),
    ]

    expect(phone.received[0]).toMatchObject({ type: 'hello', user_id: me.id, session: 'tab' })
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403])
  })

  test('is closed when its session ends, and only then', async () => {
    const app = await open()
    const desk = await colleague(app, app.a, 'agent')
    const home = { ...visitor(app), id: desk.id, email: desk.email }
    await home.signIn(desk.email, password)
    const atDesk = await openPhone(app, at(desk, 'desk'))
    const atHome = await openPhone(app, at(home, 'home'))

    await home.ask('DELETE', '/v1/session')

    expect(await atHome.over).toEqual({ code: 1008, why: 'not allowed any more' })
    expect(await atDesk.ask({ type: 'active' })).toMatchObject({ ok: true })
    expect(
      (await refusal(app, at({ ...home, headers: () => ({ origin: app.base, cookie: 'hookswitch_session=x' }) }, 'x')))
        .status,
    ).toBe(403)
    await desk.ask('DELETE', '/v1/sessions')
    expect((await atDesk.over).code).toBe(1008)
  })

  test('is closed with a new password elsewhere, a new role and the end of the account', async () => {
    const app = await open()
    const { a } = app
    const me = await colleague(app, a, 'agent')
    const elsewhere = { ...visitor(app), id: me.id, email: me.email }
    await elsewhere.signIn(me.email, password)
    const here = await openPhone(app, at(me, 'here'))
    const there = await openPhone(app, at(elsewhere, 'there'))

    await me.ask('PUT', '/v1/session/password', { password, new_password: 'another long password' })
    expect((await there.over).code).toBe(1008)
    expect(await here.ask({ type: 'active' })).toMatchObject({ ok: true })
    await a.api('PUT', `/v2/users/${me.id}`, { role_ids: ['supervisor'] })
    expect((await here.over).code).toBe(1008)
    await me.signIn(me.email, 'another long password')
    const again = await openPhone(app, at(me, 'again'))
    await a.api('DELETE', `/v1/users/${me.id}`)

    expect((await again.over).code).toBe(1008)
  })

  test('cannot act as another user or request what the role does not allow', async () => {
    const office = await openOffice(open)
    const { a, ada } = office
    const me = await colleague(office, a, 'agent')
    const line = await office.line()
    await office.connect(ada)
    const call = await office.call(line)
    await office.does(ada, { kind: 'answer' })
    const { sid } = await office.show(call)
    const forged = [
      { type: 'subscribe', user_id: ada },
      { type: 'subscribe', company_id: office.b.id },
      { type: 'listen', key: sid },
      { type: 'hang_up', key: sid, user_id: ada },
      { type: 'active', company_id: office.b.id },
      { type: '__proto__' },
      {},
    ]

    for (const [i, message] of forged.entries()) {
      const phone = await openPhone(office, at(me, `tab-${i}`))
      phone.send(JSON.stringify({ id: 1, ...message }))
      expect(await phone.over, JSON.stringify(message)).toMatchObject({ code: 1008 })
    }
    const phone = await openPhone(office, at(me, 'honest'))
    for (const type of ['hang_up', 'hold', 'answer', 'pause_recording', 'complete_transfer']) {
      expect(await phone.ask({ type, key: sid, by: ada }), type).toMatchObject({ ok: false })
    }
    expect(await phone.ask({ type: 'active', user_id: me.id })).toMatchObject({ ok: true })
    await office.settle()

    expect((await office.show(call)).status).toBe('answered')
    const about = phone.received.filter(({ type, name }) => type === 'event' && name.startsWith('call.'))
    expect(about).toEqual([])
  })
})

test('activity in the phone app keeps the session alive; an idle app does not', async () => {
  const app = await testApp()
  const busy = await colleague(app, app.a, 'agent')
  const idle = await colleague(app, app.a, 'agent')
  const [used, untouched] = [await openPhone(app, at(busy, 'a')), await openPhone(app, at(idle, 'b'))]

  for (let i = 0; i < 3; i++) {
    app.clock.shiftMachine(5 * hour)
    expect(await used.ask({ type: 'active' })).toMatchObject({ ok: true })
    await app.settle()
  }
  app.clock.shiftMachine(minute)

  expect((await busy.ask('GET', '/v1/me')).status).toBe(200)
  untouched.send(JSON.stringify({ id: 1, type: 'calls' }))
  expect((await untouched.over).code).toBe(1008)
  expect((await idle.ask('GET', '/v1/me')).status).toBe(403)
})
