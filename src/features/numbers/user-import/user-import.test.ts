import { expect, test } from 'vitest'
import { onBothDatabases } from '../../../../test/kit/app.ts'
import { addNumber } from '../../../../test/kit/flows.ts'
import { colleague } from '../../../../test/kit/visitor.ts'
import { startUserImport } from './actions.ts'
import type { UserToImport } from './check-rows.ts'

const row = (first: string, more: object = {}) => ({
  email: `${first.toLowerCase()}@example.test`,
  first_name: first,
  last_name: 'Test',
  ...more,
})

onBothDatabases('import of users', (open) => {
  const setUp = async () => {
    const app = await open()
    const { a, settle } = app
    const { team } = (await a.api('POST', '/v1/teams', { name: 'Support' })).json
    const number = await addNumber(a, { name: 'Front' })
    const start = (rows: object[], send_invitations = false) =>
      a.own('POST', '/v1/users/imports', { rows, send_invitations })
    const ended = async ({ json }: { json: { import: { id: number } } }) => {
      await settle()
      return (await a.own('GET', `/v1/users/imports/${json.import.id}`)).json.import
    }
    const undo = async (id: number) => ended(await a.own('POST', `/v1/users/imports/${id}/undo`))
    const users = async (query = '') => (await a.own('GET', `/v1/users/directory?per_page=50&${query}`)).json
    const mailed = async () => {
      const mails = await app.db.selectFrom('mail').select('recipient').where('company_id', '=', a.id).execute()
      return mails.map(({ recipient }) => recipient).filter((to) => !to.startsWith('company-'))
    }
    return { ...app, team, number, start, ended, undo, users, mailed }
  }

  test('rows are checked before anything is written, each with its own errors', async () => {
    const { a, start, users } = await setUp()
    await a.api('POST', '/v2/users', row('Taken'))
    const before = (await users()).meta.total
    const rows = [
      row('Ada'),
      { ...row('Bob'), email: 'bob at example' },
      { email: 'carl@example.test' },
      row('Dora', { roles: ['King'] }),
      row('Emil', { teams: ['Unknown'], numbers: ['+33199999999'] }),
      row('Fay', { extension: '12' }),
      row('Gus', { extension: '001', wrap_up_time: '99999' }),
      row('Hans', { first_name: 'x'.repeat(256) }),
      { ...row('Ada'), email: 'ADA@example.test' },
      { ...row('Taken'), email: 'Taken@example.test' },
      row('Ida', { extension: '777' }),
      row('Jan', { extension: '777' }),
    ]

    const { json } = await a.own('POST', '/v1/users/import_checks', { rows })
    const refused = await start(rows)

    expect(json).toMatchObject({ valid: 2, invalid: 8, duplicates: 2 })
    const fields = json.problems.map((one: { row: number; errors: { field: string }[] }) => [
      one.row,
      one.errors.map(({ field }) => field).join(),
    ])
    expect(fields).toEqual([
      [1, 'email'],
      [2, 'first_name,last_name'],
      [3, 'roles'],
      [4, 'teams,numbers'],
      [5, 'extension'],
      [6, 'wrap_up_time,extension'],
      [7, 'first_name'],
      [8, ''],
      [9, ''],
      [11, 'extension'],
    ])
    expect(json.problems.find((one: { row: number }) => one.row === 8).same_as).toBe(0)
    expect(refused.status).toBe(422)
    expect((await users()).meta.total).toBe(before)
  })

  test('users get their roles, teams, numbers and extension, then their invitation, and an undo removes them', async () => {
    const { a, team, number, start, ended, undo, users, mailed, events, settle, db } = await setUp()
    const before = (await users()).meta.total
    const published = (await events(a)).length
    const rows = [
      row('Ada', { roles: ['Agent', 'supervisor'], teams: ['SUPPORT'], numbers: [number.digits], extension: '555' }),
      row('Bob', { numbers: ['front'], wrap_up_time: '20' }),
      row('Cleo', { roles: [] }),
    ]

    const started = await start(rows, true)
    const done = await ended(started)

    expect(started.status, started.text).toBe(201)
    expect(done).toMatchObject({ state: 'done', total: 3, done: 3 })
    const [ada, bob, cleo] = (await users('state=invited&sort=name')).users.filter(
      ({ last_name }: { last_name: string }) => last_name === 'Test',
    )
    expect(ada).toMatchObject({ extension: '555', teams: [{ id: team.id }], numbers: [{ id: number.id }] })
    expect(ada.roles.toSorted()).toEqual(['agent', 'supervisor'])
    expect(bob).toMatchObject({ wrap_up_time: 20, extension: '556', numbers: [{ id: number.id }], roles: ['agent'] })
    expect(cleo).toMatchObject({ extension: '557', teams: [], numbers: [] })
    expect((await mailed()).toSorted()).toEqual(rows.map(({ email }) => email))
    const names = (await events(a)).slice(published).map(({ name }) => name)
    expect(names.filter((name) => name === 'user.created')).toHaveLength(3)

    await db.updateTable('user').set({ confirmed_at: 1 }).where('id', '=', cleo.id).execute()
    expect(await undo(done.id)).toMatchObject({ state: 'undone', done: 1 })
    await settle()
    expect((await users()).meta.total).toBe(before + 1)
    expect((await a.own('POST', `/v1/users/imports/${done.id}/undo`)).status).toBe(400)
    expect((await mailed()).filter((to) => to !== cleo.email)).toEqual([])
  })

  test('without emails the links are downloaded, and each opens its account', async () => {
    const { a, start, ended, mailed } = await setUp()
    const { id } = await ended(await start([row('Ada'), row('Bob')]))

    const { links, next } = (await a.own('POST', `/v1/users/imports/${id}/links`, {})).json

    expect(await mailed()).toEqual([])
    expect(next).toBeNull()
    expect(links.map(({ email }: { email: string }) => email)).toEqual(['ada@example.test', 'bob@example.test'])
    const token = links[1].link.split('/').at(-1)
    const look = await a.own('POST', '/v1/account_links/look', { token })
    expect(look.json).toMatchObject({ kind: 'invitation', email: 'bob@example.test' })
  })

  test('an import that cannot be completed leaves nothing behind and sends nothing', async () => {
    const { a, app, ended, users, mailed } = await setUp()
    const before = (await users()).meta.total
    // The last row names a team that was deleted after the check.
    const rows = Array.from(
      { length: 150 },
      (_, i): UserToImport => ({
        email: `user${i}@example.test`,
        firstName: 'User',
        lastName: String(i),
        roles: ['agent'],
        teamIds: i === 149 ? [999_999_999] : [],
        numberIds: [],
        extension: null,
        wrapUpTime: 0,
      }),
    )
    const { id } = await startUserImport(app.services, a.id, { userId: null, users: rows, invite: true })

    const { state, done } = await ended({ json: { import: { id } } })

    expect([state, done]).toEqual(['failed', 0])
    expect((await users()).meta.total).toBe(before)
    expect(await mailed()).toEqual([])
    expect((await a.own('POST', `/v1/users/imports/${id}/undo`)).status).toBe(400)
  })

  test('10,000 rows are checked, and more are refused', async () => {
    const { a } = await setUp()
    const rows = Array.from({ length: 10_000 }, (_, i) => row(`User${i}`))

    const { json } = await a.own('POST', '/v1/users/import_checks', { rows })

    expect(json).toMatchObject({ valid: 10_000, invalid: 0, duplicates: 0 })
    const tooMany = await a.own('POST', '/v1/users/import_checks', { rows: [...rows, row('More')] })
    expect(tooMany.status).toBe(400)
  })

  test('an admin imports no owners, and another company sees nothing of an import', async () => {
    const app = await setUp()
    const admin = await colleague(app, app.a, 'admin')
    const rows = [row('Olga', { roles: ['Owner'] })]

    const refused = await admin.ask('POST', '/v1/users/imports', { rows, send_invitations: false })
    const allowed = await app.start(rows)

    expect([refused.status, allowed.status]).toEqual([422, 201])
    await app.settle()
    const { id } = allowed.json.import
    expect((await admin.ask('POST', `/v1/users/imports/${id}/links`, {})).json.links).toEqual([])
    for (const path of [`imports/${id}`, `imports/${id}/undo`, `imports/${id}/links`])
      expect((await app.b.own(path.endsWith(String(id)) ? 'GET' : 'POST', `/v1/users/${path}`, {})).status).toBe(404)
    expect((await app.a.own('GET', `/v1/contacts/bulk_changes/${id}`)).status).toBe(404)
  })
})
