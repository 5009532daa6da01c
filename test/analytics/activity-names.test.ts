import { expect, test } from 'vitest'
import { onBothDatabases } from '../kit/app.ts'
import { hangUp, openOffice, ringTo, toTeam } from '../kit/phone.ts'

onBothDatabases('names in analytics', (open) => {
  test('name Numbers and teams with calls, also once they are deleted; deleted users have none', async () => {
    const office = await openOffice(open)
    const { a, ada, team } = office
    await office.connect(ada)
    const nodes = { ring: ringTo([toTeam(team)], { branches: { no_answer: 'end' } }), end: hangUp }
    const [kept, deleted] = [await office.line(nodes), await office.line(nodes)]
    await office.line(nodes)
    for (const line of [kept, deleted]) {
      await office.call(line)
      await office.does(ada, { kind: 'answer' })
      await office.does(ada, { kind: 'hang_up' })
      await office.pass(60)
    }
    const activity = async () => (await a.own('GET', '/v1/analytics/activity?timezone=UTC&last_days=1')).json
    const before = await activity()

    const deletions = [await a.own('DELETE', `/v1/numbers/${deleted.id}`), await a.api('DELETE', `/v1/teams/${team}`)]
    const after = await activity()
    await a.api('DELETE', `/v1/users/${ada}`)
    const { users } = await activity()

    const names = (of: { id: number; name: string | null }[]) => of.map(({ id, name }) => [id, name])
    expect(names(before.numbers)).toEqual([
      [kept.id, 'Line 1'],
      [deleted.id, 'Line 2'],
    ])
    expect(names(before.teams)).toEqual([[team, 'Support']])
    expect(deletions.map(({ status }) => status)).toEqual([204, 204])
    expect(after).toEqual(before)
    expect(names(before.users)).toEqual([[ada, expect.stringMatching(/^ada /i)]])
    expect(names(users)).toEqual([[ada, null]])
  })
})
