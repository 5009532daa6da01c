import { expect, test } from 'vitest'
import { onBothDatabases } from '../../../../test/kit/app.ts'
import { addNumber } from '../../../../test/kit/flows.ts'

const person = (email: string, first_name = 'Ada', last_name = 'Lovelace') => ({ email, first_name, last_name })

onBothDatabases('invitations of several users', (open) => {
  test('every address has its own result, and invited users are in their teams and numbers', async () => {
    const { a } = await open()
    const { team } = (await a.api('POST', '/v1/teams', { name: 'Sales' })).json
    const number = await addNumber(a, { name: 'Front' })
    await a.own('PUT', `/v1/numbers/${number.id}/users`, { user_ids: [a.ownerId] })
    await a.api('POST', '/v2/users', person('taken@example.test'))

    const answer = await a.own('POST', '/v1/invitations', {
      people: [
        person(' ada@example.test '),
        person('no address'),
        person('Taken@example.test'),
        person('grace@example.test', 'Grace', 'Hopper'),
        person('ADA@example.test'),
      ],
      role_ids: ['agent'],
      team_ids: [team.id],
      number_ids: [number.id],
    })

    expect(answer.status, answer.text).toBe(200)
    const { results } = answer.json
    expect(results).toMatchObject([
      { email: 'ada@example.test', user_id: expect.any(Number), problem: null },
      { email: 'no address', user_id: null, link: null, problem: 'This is not an email address' },
      { email: 'Taken@example.test', user_id: null, link: null, problem: '`email` is already used in the company' },
      { email: 'grace@example.test', user_id: expect.any(Number), problem: null },
      { email: 'ADA@example.test', user_id: null, link: null, problem: '`email` is already used in the company' },
    ])
    const ids = [results[0].user_id, results[3].user_id]
    const members = (await a.api('GET', `/v1/teams/${team.id}`)).json.team.users.map(({ id }: { id: number }) => id)
    const linked = (await a.own('GET', `/v1/numbers/${number.id}/settings`)).json.linked_user_ids
    expect(members).toEqual(ids)
    expect(linked).toEqual([a.ownerId, ...ids])
    const token = results[0].link.split('/').at(-1)
    const look = await a.own('POST', '/v1/account_links/look', { token })
    expect(look.json).toMatchObject({ kind: 'invitation', email: 'ada@example.test', first_name: 'Ada' })
  })

  test('teams and numbers of another company are refused before anyone is invited', async () => {
    const { a, b } = await open()
    const { team } = (await b.api('POST', '/v1/teams', { name: 'Theirs' })).json
    const number = await addNumber(b)
    const people = [person('ada@example.test')]
    const before = (await a.api('GET', '/v2/users')).json.meta.total

    const answers = [
      await a.own('POST', '/v1/invitations', { people, role_ids: ['agent'], team_ids: [team.id] }),
      await a.own('POST', '/v1/invitations', { people, role_ids: ['agent'], number_ids: [number.id] }),
    ]

    expect(answers.map(({ status }) => status)).toEqual([400, 400])
    expect((await a.api('GET', '/v2/users')).json.meta.total).toBe(before)
  })
})
