import { expect, test } from 'vitest'
import { afterCommit, afterRollback, enclosingTransaction, undoneIfFailed } from '../../src/db/database.ts'
import { onBothDatabases } from '../kit/app.ts'

// Requests of the web apps whose response was lost: Retry sends them again, with the same Idempotency-Key.

onBothDatabases('a request that a web app repeats', (open) => {
  test('invites each user once, and one address that is taken does not stop the others', async () => {
    const { a, db, events } = await open()
    const { team } = (await a.api('POST', '/v1/teams', { name: 'Sales' })).json
    const { number } = (await a.own('POST', '/v1/numbers', { digits: '+33199000801', name: 'Reception' })).json
    const person = (name: string) => ({ email: `${name}@example.test`, first_name: name, last_name: 'Byron' })
    await a.own('POST', '/v1/invitations', { people: [person('taken')], role_ids: ['agent'] })
    const body = {
      people: [person('ada'), person('taken'), { ...person('x'), email: 'x' }, person('ben')],
      role_ids: ['agent'],
      team_ids: [team.id],
      number_ids: [number.id],
    }
    const invite = () => a.own('POST', '/v1/invitations', body, { 'idempotency-key': 'people' })

    const created = async () => (await events(a)).filter(({ name }) => name === 'user.created').length
    const before = await created()

    const first = await invite()
    const again = await invite()

    expect(first.status, first.text).toBe(200)
    expect(again.text).toBe(first.text)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const { results } = first.json
    expect(results.map((one: { problem: string | null }) => one.problem)).toEqual([
      null,
      expect.stringContaining('already'),
      'This is not an email address',
      null,
    ])
    const [ada, , , ben] = results
    expect([ada.link, ben.link]).toEqual([expect.stringMatching(/^http/), expect.stringMatching(/^http/)])
    const emails = (await a.api('GET', '/v2/users?per_page=50')).json.users.map((one: { email: string }) => one.email)
    expect(
      emails.filter((email: string) => email.endsWith('@example.test') && !email.startsWith('company')),
    ).toHaveLength(3)
    const members = (await a.api('GET', `/v1/teams/${team.id}`)).json.team.users
    expect(members.map(({ id }: { id: number }) => id).toSorted()).toEqual([ada.user_id, ben.user_id].toSorted())
    const linked = (await a.api('GET', `/v1/numbers/${number.id}`)).json.number.users
    expect(linked.map(({ id }: { id: number }) => id)).toEqual(expect.arrayContaining([ada.user_id, ben.user_id]))
    expect(await created()).toBe(before + 2)
    expect(await mailsTo(db, 'ada@example.test')).toBe(1)

    const resend = () =>
      a.own('POST', `/v1/users/${ada.user_id}/invitation`, undefined, { 'idempotency-key': 'resend' })
    expect([(await resend()).status, (await resend()).status]).toEqual([204, 204])
    expect(await mailsTo(db, 'ada@example.test')).toBe(2)
    const link = () =>
      a.own('POST', `/v1/users/${ada.user_id}/invitation_link`, undefined, { 'idempotency-key': 'link' })
    expect((await link()).text).toBe((await link()).text)
  })

  test('schedules one report', async () => {
    const { a } = await open()
    const report = {
      name: 'Weekly calls',
      frequency: 'weekly',
      weekday: 'mon',
      time: '08:00',
      time_zone: 'Europe/Paris',
      period: 'previous_week',
      recipient_user_ids: [a.ownerId],
    }
    const schedule = () => a.own('POST', '/v1/analytics/scheduled_reports', report, { 'idempotency-key': 'weekly' })

    const first = await schedule()
    const again = await schedule()

    expect([first.status, again.status], first.text).toEqual([201, 201])
    expect(again.text).toBe(first.text)
    const { scheduled_reports: reports } = (await a.own('GET', '/v1/analytics/scheduled_reports')).json
    expect(reports).toHaveLength(1)
  })

  test('imports contacts and users once, and undoes an import once', async () => {
    const { a, settle } = await open()
    const twice = async (path: string, body: object | undefined, key: string) => {
      const answers = [
        await a.own('POST', path, body, { 'idempotency-key': key }),
        await a.own('POST', path, body, { 'idempotency-key': key }),
      ]
      expect(
        answers.map(({ status }) => status),
        answers[0]?.text,
      ).toEqual([201, 201])
      expect(answers[1]?.text).toBe(answers[0]?.text)
      expect(answers[1]?.headers.get('idempotent-replayed')).toBe('true')
      await settle()
      return answers[0]?.json
    }
    const phones = ['+33199000831', '+33199000832'].map((value) => ({ phone_numbers: [{ value }] }))
    const { change } = await twice('/v1/contacts/imports', { rows: phones, duplicates: 'skip' }, 'contacts')
    const people = {
      rows: [{ email: 'new@example.test', first_name: 'New', last_name: 'One' }],
      send_invitations: false,
    }
    await twice('/v1/users/imports', people, 'users')

    const changes = async () => (await a.own('GET', '/v1/contacts/bulk_changes')).json.changes
    expect((await a.api('GET', '/v1/contacts')).json.meta.total).toBe(2)
    expect(await changes()).toHaveLength(1)

    await twice(`/v1/contacts/bulk_changes/${change.id}/undo`, undefined, 'undo')
    expect((await a.api('GET', '/v1/contacts')).json.meta.total).toBe(0)
    expect(await changes()).toMatchObject([{ state: 'undone' }])
  })

  test('continues after a part that fails, as if that had not begun', async () => {
    const { a, db } = await open()
    const ran: string[] = []
    await enclosingTransaction(db, async (tx) => {
      const rename = (name: string) => tx.updateTable('company').set({ name }).where('id', '=', a.id).execute()
      await undoneIfFailed(tx, async () => {
        afterCommit(tx, () => ran.push('kept'))
        await rename('Kept')
      })
      const failed = undoneIfFailed(tx, async () => {
        afterCommit(tx, () => ran.push('never'))
        afterRollback(tx, () => ran.push('undone'))
        await rename('Undone')
        await tx
          .insertInto('company')
          .values({ id: a.id } as never)
          .execute()
      })
      await expect(failed).rejects.toThrow()
      expect(ran).toEqual(['undone'])
    })
    expect(ran).toEqual(['undone', 'kept'])
    const { name } = await db.selectFrom('company').select('name').where('id', '=', a.id).executeTakeFirstOrThrow()
    expect(name).toBe('Kept')
  })
})

async function mailsTo(db: Parameters<typeof enclosingTransaction>[0], recipient: string): Promise<number> {
  const rows = await db.selectFrom('mail').select('id').where('recipient', '=', recipient).execute()
  return rows.length
}
