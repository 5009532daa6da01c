import { expect, test } from 'vitest'
import { onAnyDatabase } from '../../../../test/kit/app.ts'
import { colleague, password, visitor } from '../../../../test/kit/visitor.ts'
import { hour } from '../../../lib/clock.ts'

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

onAnyDatabase('sessions', (open) => {
  async function twoBrowsers() {
    const app = await open()
    const first = await colleague(app, app.a, 'agent')
    const second = visitor(app)
    const body = { email: first.email, password }
    await second.ask('POST', '/v1/session', body, { 'user-agent': firefox })
    return { app, first, second }
  }
  const listOf = async (who: Pick<ReturnType<typeof visitor>, 'ask'>) =>
    (await who.ask('GET', '/v1/sessions')).json.sessions

  test('a user sees browser, address and last use of every session', async () => {
    const { second } = await twoBrowsers()

    const sessions = await listOf(second)

    expect(sessions).toHaveLength(2)
    expect(sessions.find(({ current }: { current: boolean }) => current)).toMatchObject({
      browser: 'Firefox on Linux',
      address: '127.0.0.1',
      last_used_at: expect.stringMatching(/^\d{4}-/),
      signed_in_at: expect.stringMatching(/^\d{4}-/),
    })
  })

  test('an ended session is signed out, the others stay', async () => {
    const { app, first, second } = await twoBrowsers()
    const other = (await listOf(second)).find(({ current }: { current: boolean }) => !current)

    const ended = await second.ask('DELETE', `/v1/sessions/${other.id}`)
    const again = await second.ask('DELETE', `/v1/sessions/${other.id}`)

    expect([ended.status, again.status]).toEqual([204, 404])
    expect((await first.ask('GET', '/v1/session')).status).toBe(403)
    expect(await listOf(second)).toHaveLength(1)
    const { audit_log } = (await app.a.own('GET', '/v1/audit_log?per_page=1')).json
    expect(audit_log[0]).toMatchObject({ action: 'session.revoked', actor: { kind: 'user', id: first.id } })
  })

  test('signing out of all others keeps the current session', async () => {
    const { first, second } = await twoBrowsers()

    const ended = await second.ask('DELETE', '/v1/sessions/others')

    expect(ended.status).toBe(204)
    expect((await first.ask('GET', '/v1/session')).status).toBe(403)
    expect(await listOf(second)).toHaveLength(1)
  })

  test('sessions of a colleague and of another company are unknown', async () => {
    const { app, second } = await twoBrowsers()
    const [mine] = await listOf(second)
    const peer = await colleague(app, app.a, 'owner')
    const foreign = await colleague(app, app.b, 'owner')

    const answers = [
      await peer.ask('DELETE', `/v1/sessions/${mine.id}`),
      await foreign.ask('DELETE', `/v1/sessions/${mine.id}`),
      await foreign.ask('DELETE', `/v1/sessions/${'0'.repeat(32)}`),
      await foreign.ask('DELETE', '/v1/sessions/%25'),
    ]

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(await listOf(peer)).toHaveLength(1)
    expect((await second.ask('GET', '/v1/session')).status).toBe(200)
  })

  test('an expired session is not listed', async () => {
    const { app, first } = await twoBrowsers()

    app.clock.shiftMachine(11 * hour)
    await first.ask('GET', '/v1/session')
    app.clock.shiftMachine(2 * hour)

    expect(await listOf(first)).toHaveLength(1)
  })

  test('a changed password ends the other sessions and is reported by email', async () => {
    const { app, first, second } = await twoBrowsers()
    const change = (old: string) =>
      second.ask('PUT', '/v1/session/password', { password: old, new_password: 'another long password' })

    const wrong = await change('not my password')
    const changed = await change(password)

    expect([wrong.status, changed.status]).toEqual([400, 204])
    expect((await first.ask('GET', '/v1/session')).status).toBe(403)
    expect((await second.ask('GET', '/v1/session')).status).toBe(200)
    const mails = await app.db.selectFrom('mail').select('subject').where('recipient', '=', first.email).execute()
    expect(mails.map(({ subject }) => subject)).toContain('Your password for Company A was changed')
  })
})
