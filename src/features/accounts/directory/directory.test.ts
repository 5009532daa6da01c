import { expect, test } from 'vitest'
import { onBothDatabases, type TestCompany } from '../../../../test/kit/app.ts'

onBothDatabases('the list of users', (open) => {
  const setUp = async () => {
    const app = await open()
    const { a, db } = app
    const add = async (first_name: string, last_name: string, ...role_ids: string[]) => {
      const email = `${first_name.toLowerCase()}@example.test`
      return (await a.api('POST', '/v2/users', { email, first_name, last_name, role_ids })).json.user.id as number
    }
    const zoe = await add('Zoe', 'Ångström', 'admin')
    const ada = await add('Ada', 'Lovelace', 'agent')
    const mia = await add('Mia', 'Moreau', 'agent', 'supervisor')
    await db.updateTable('user').set({ confirmed_at: 1 }).where('id', 'in', [ada, mia]).execute()
    await a.own('POST', `/v1/users/${mia}/deactivate`)
    const team = (await a.api('POST', '/v1/teams', { name: 'Support' })).json.team.id as number
    await a.api('POST', `/v1/teams/${team}/users/${ada}`)
    const list = async (query = '', company: TestCompany = a) =>
      (await company.own('GET', `/v1/users/directory?${query}`)).json
    const names = async (query: string): Promise<string[]> =>
      (await list(query)).users.map((user: { first_name: string }) => user.first_name)
    return { ...app, zoe, ada, mia, team, list, names }
  }

  test('is filtered by text, role, team, state and availability', async () => {
    const { names, team, list } = await setUp()
    const [owner = ''] = await names('role=owner')

    expect(await names('text=angstrom')).toEqual(['Zoe'])
    expect(await names('text=ADA%20love')).toEqual(['Ada'])
    expect(await names('text=mia%40example')).toEqual(['Mia'])
    expect(await names('role=agent')).toEqual(['Ada', 'Mia'])
    expect(await names(`team_id=${team}`)).toEqual(['Ada'])
    expect(await names('state=invited')).toContain('Zoe')
    expect(await names('state=deactivated')).toEqual(['Mia'])
    expect(await names('availability=offline')).toContain('Ada')
    expect(await names('availability=offline')).not.toContain('Mia')
    expect(await names('text=unknown')).toEqual([])
    expect((await list('text=zoe')).users[0]).toMatchObject({ roles: ['admin'], teams: [], state: 'invited' })
    expect(owner).not.toBe('')
  })

  test('is sorted by each column, with pages that do not overlap', async () => {
    const { a, names, list } = await setUp()
    for (const first_name of ['Ben', 'Cleo', 'Dora'])
      await a.api('POST', '/v2/users', { email: `${first_name}@example.test`, first_name, last_name: 'X' })

    const byName = await names('sort=name&order=asc')
    const reversed = await names('sort=name&order=desc')
    const pages = [await names('sort=team&per_page=3'), await names('sort=team&per_page=3&page=2')].flat()

    expect(byName).toEqual(byName.toSorted((x, y) => x.localeCompare(y)))
    expect(reversed).toEqual(byName.toReversed())
    expect((await names('sort=role'))[1]).toBe('Zoe')
    expect((await names('sort=team'))[0]).toBe('Ada')
    expect((await names('sort=status')).at(-1)).toBe('Mia')
    expect(new Set(pages).size).toBe(6)
    expect((await list('per_page=3')).meta).toMatchObject({ count: 3, total: byName.length, per_page: 3 })
    for (const query of ['sort=password', 'role=king', 'team_id=x', 'state=gone', 'availability=asleep'])
      expect((await a.own('GET', `/v1/users/directory?${query}`)).status).toBe(400)
  })

  test('shows nothing of another company', async () => {
    const { b, list, ada, team } = await setUp()

    const other = await list('', b)

    expect(other.users.map(({ id }: { id: number }) => id)).not.toContain(ada)
    expect((await list(`team_id=${team}`, b)).users).toEqual([])
  })

  test('several users are linked to a number at once, and the answer is what changed', async () => {
    const { a, b, ada, mia, zoe, list } = await setUp()
    const { number } = (await a.own('POST', '/v1/numbers', { digits: '+33180000077', name: 'Main' })).json
    await a.own('PUT', `/v1/numbers/${number.id}/users`, { user_ids: [ada] })
    const change = (body: object) => a.own('POST', `/v1/numbers/${number.id}/users`, body)

    expect((await change({ add_user_ids: [ada, mia, mia] })).json).toEqual({ added: [mia], removed: [] })
    expect((await change({ add_user_ids: [zoe], remove_user_ids: [ada, 999_999] })).json).toEqual({
      added: [zoe],
      removed: [ada],
    })
    const linked = (await list(`number_id=${number.id}`)).users.map(({ id }: { id: number }) => id)
    expect(linked.toSorted()).toEqual([mia, zoe].toSorted())
    expect((await change({ add_user_ids: [b.ownerId] })).status).toBe(400)
    expect((await b.own('POST', `/v1/numbers/${number.id}/users`, { add_user_ids: [] })).status).toBe(404)
  })
})
