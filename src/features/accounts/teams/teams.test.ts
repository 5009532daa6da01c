import { expect, test } from 'vitest'
import { onAnyDatabase } from '../../../../test/kit/app.ts'

onAnyDatabase('teams', (open) => {
  test('a new team has a name, a link and no members', async () => {
    const { a, base } = await open()

    const made = await a.api('POST', '/v1/teams', { name: 'Support' })

    expect(made.status).toBe(201)
    const { id } = made.json.team
    expect(made.json.team).toEqual({
      id,
      name: 'Support',
      direct_link: `${base}/v1/teams/${id}`,
      created_at: '2026-06-15T12:00:00.000Z',
      users: [],
    })
    expect((await a.api('GET', `/v1/teams/${id}`)).json).toEqual(made.json)
  })

  test('a team name is mandatory, unique and at most 64 characters long', async () => {
    const { a, b } = await open()
    await a.api('POST', '/v1/teams', { name: 'Support' })

    expect((await a.api('POST', '/v1/teams', {})).status).toBe(422)
    expect((await a.api('POST', '/v1/teams', { name: '  ' })).status).toBe(422)
    expect((await a.api('POST', '/v1/teams', { name: null })).status).toBe(422)
    expect((await a.api('POST', '/v1/teams', { name: 7 })).status).toBe(400)
    expect((await a.api('POST', '/v1/teams', { name: 'x'.repeat(65) })).status).toBe(400)
    expect((await a.api('POST', '/v1/teams', { name: 'Support' })).status).toBe(400)
    expect((await a.api('POST', '/v1/teams', { name: 'x'.repeat(64) })).status).toBe(201)
    expect((await b.api('POST', '/v1/teams', { name: 'Support' })).status).toBe(201)
    expect((await a.api('POST', '/v1/teams', { name: ' SUPPORT ' })).status).toBe(400)
    expect((await a.api('POST', '/v1/teams', { name: `  Sales ${' '.repeat(64)}` })).json.team.name).toBe('Sales')
  })

  test('the essentials plan has room for three teams, also when ten are asked for at once', async () => {
    const { b } = await open()

    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => b.api('POST', '/v1/teams', { name: `Team ${i}` })),
    )

    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3)
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(7)
    expect((await b.api('GET', '/v1/teams')).json.meta.total).toBe(3)
  })

  test('a user joins and leaves a team by id or e-mail address', async () => {
    const { a } = await open()
    const { team } = (await a.api('POST', '/v1/teams', { name: 'Support' })).json
    const { user } = (await a.api('POST', '/v2/users', { email: 'ada@example.test', first_name: 'A', last_name: 'B' }))
      .json

    const joined = await a.api('POST', `/v1/teams/${team.id}/users/${user.id}`)
    const again = await a.api('POST', `/v1/teams/${team.id}/users/${user.id}`)
    const left = await a.api('DELETE', `/v1/teams/${team.id}/users/${encodeURIComponent('ADA@example.test')}`)
    const gone = await a.api('DELETE', `/v1/teams/${team.id}/users/${user.id}`)

    expect([joined.status, again.status, left.status, gone.status]).toEqual([201, 422, 200, 422])
    expect(joined.json.team.users).toHaveLength(1)
    expect(joined.json.team.users[0]).not.toHaveProperty('available')
    expect(left.json.team.users).toEqual([])
  })

  test('a team of another company is as unknown as one that never was', async () => {
    const { a, b } = await open()
    const { team } = (await a.api('POST', '/v1/teams', { name: 'Support' })).json

    const foreign = await b.api('GET', `/v1/teams/${team.id}`)
    const unknown = await b.api('GET', '/v1/teams/99999999')

    expect(foreign.status).toBe(404)
    expect(foreign.text).toBe(unknown.text)
    expect(foreign.json.troubleshoot).toBe('Check ID of the resource')
  })
})
