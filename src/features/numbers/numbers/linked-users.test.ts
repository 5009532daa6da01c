import { expect, test } from 'vitest'
import { onAnyDatabase, type TestCompany } from '../../../../test/kit/app.ts'
import {
  addNumber,
  addTeam,
  addUser,
  box,
  drawing,
  hangUp,
  liveFlow,
  ringTo,
  team,
  user,
  versionsOf,
} from '../../../../test/kit/flows.ts'

const linked = async (company: TestCompany, id: number) =>
  (await company.api('GET', `/v1/numbers/${id}`)).json.number.users.map((one: { id: number }) => one.id)

const link = (company: TestCompany, id: number, users: { id: number }[]) =>
  company.own('PUT', `/v1/numbers/${id}/users`, { user_ids: users.map((one) => one.id) })

onAnyDatabase('users of a Number', (open) => {
  test('are the explicit list, who the flow rings, and the members of the teams it rings, each once', async () => {
    const { a } = await open()
    const ada = await addUser(a, 'Ada')
    const bob = await addUser(a, 'Bob')
    const cleo = await addUser(a, 'Cleo')
    const dora = await addUser(a, 'Dora')
    await addUser(a, 'Eve')
    const support = await addTeam(a, 'Support', [bob, cleo])
    const nodes = { ring: ringTo([team(support), user(bob)], 'again'), again: ringTo([user(ada)], 'box'), box: box() }
    const { id } = await addNumber(a, {}, drawing(nodes))

    const answer = await link(a, id, [dora, bob])

    expect(answer.status).toBe(200)
    expect(await linked(a, id)).toEqual([ada.id, bob.id, cleo.id, dora.id])
    expect(answer.json.number.users[0]).not.toHaveProperty('numbers')
    const [listed] = (await a.api('GET', '/v1/numbers')).json.numbers
    expect(listed.users).toEqual(answer.json.number.users)
  })

  test('come and go with the team, without a new version of the flow', async () => {
    const { a } = await open()
    const ada = await addUser(a, 'Ada')
    const support = await addTeam(a, 'Support')
    const { id } = await addNumber(a, {}, drawing({ ring: ringTo([team(support)], 'box'), box: box() }))

    await a.api('POST', `/v1/teams/${support.id}/users/${ada.id}`)
    const during = await linked(a, id)
    await a.api('DELETE', `/v1/teams/${support.id}/users/${ada.id}`)

    expect([during, await linked(a, id)]).toEqual([[ada.id], []])
    expect(await versionsOf(a, id)).toHaveLength(2)
  })

  test('a deleted user leaves every ring step of every flow, each time as a new version', async () => {
    const { a, app } = await open()
    const ada = await addUser(a, 'Ada')
    const bob = await addUser(a, 'Bob')
    const two = await addNumber(
      a,
      {},
      drawing({ ring: ringTo([user(ada), user(bob)], 'alone'), alone: ringTo([user(ada)], 'box'), box: box() }),
    )
    const none = await addNumber(a, {}, drawing({ ring: ringTo([user(bob)], 'box'), box: box() }))
    await link(a, none.id, [ada, bob])

    expect((await a.api('DELETE', `/v1/users/${ada.id}`)).status).toBe(204)
    await app.settle()

    const { version, nodes } = await liveFlow(a, two.id)
    expect([version, nodes.ring.targets, nodes.alone.targets]).toEqual([3, [user(bob)], []])
    expect((await versionsOf(a, two.id))[1].flow.nodes.alone.targets).toEqual([user(ada)])
    expect([await linked(a, two.id), await linked(a, none.id)]).toEqual([[bob.id], [bob.id]])
    expect(await versionsOf(a, none.id)).toHaveLength(2)
  })

  test('a deleted team leaves the flows that ring it, and its members are linked no longer', async () => {
    const { a } = await open()
    const ada = await addUser(a, 'Ada')
    const support = await addTeam(a, 'Support', [ada])
    const { id } = await addNumber(a, {}, drawing({ ring: ringTo([team(support)], 'box'), box: box() }))
    const before = await linked(a, id)

    expect((await a.api('DELETE', `/v1/teams/${support.id}`)).status).toBe(204)

    expect([before, await linked(a, id)]).toEqual([[ada.id], []])
    expect((await liveFlow(a, id)).nodes.ring.targets).toEqual([])
    expect(await versionsOf(a, id)).toHaveLength(3)
  })

  test('a classic number rings its explicit users: linking them redraws its flow', async () => {
    const { a, app } = await open()
    const ada = await addUser(a, 'Ada')
    const bob = await addUser(a, 'Bob')
    const { id } = await addNumber(a, { flow_editor_enabled: false })
    await a.api('PUT', `/v1/numbers/${id}`, { messages: { welcome: 'https://example.com/hello.mp3' } })

    await link(a, id, [bob, ada, bob])

    const { version, nodes } = await liveFlow(a, id)
    expect([version, nodes.ring.targets, nodes.ring.strategy]).toEqual([3, [user(ada), user(bob)], 'simultaneous'])
    expect(nodes.welcome.media).toBe('https://example.com/hello.mp3')
    await a.api('DELETE', `/v1/users/${bob.id}`)
    await app.settle()
    expect((await liveFlow(a, id)).nodes.ring.targets).toEqual([user(ada)])
    await link(a, id, [])
    expect(await linked(a, id)).toEqual([])
  })

  test('users of another company cannot be linked or rung', async () => {
    const { a, b } = await open()
    const { id } = await addNumber(a)
    const flow = (target: object) => ({
      start: 'ring',
      nodes: { ring: { ...ringTo([], 'end'), targets: [target] }, end: hangUp },
    })
    const stranger = await addUser(b, 'Stranger')
    const strangers = await addTeam(b, 'Strangers', [stranger])

    const linkedStranger = await link(a, id, [stranger])
    const rungStranger = await a.own('PUT', `/v1/numbers/${id}/flow`, flow(user(stranger)))
    const rungStrangers = await a.own('PUT', `/v1/numbers/${id}/flow`, flow(team(strangers)))

    expect([linkedStranger.status, rungStranger.status, rungStrangers.status]).toEqual([400, 400, 400])
    expect(await linked(a, id)).toEqual([])
    expect((await b.api('GET', `/v2/users/${stranger.id}/numbers`)).json.numbers).toEqual([])
  })

  test('the list of users is mandatory and holds ids', async () => {
    const { a } = await open()
    const ada = await addUser(a, 'Ada')
    const { id } = await addNumber(a)
    const put = async (body: object) => (await a.own('PUT', `/v1/numbers/${id}/users`, body)).status

    expect(await put({})).toBe(422)
    expect(await put({ user_ids: null })).toBe(422)
    expect(await put({ user_ids: ada.id })).toBe(400)
    expect(await put({ user_ids: ['ada'] })).toBe(400)
    expect(await put({ user_ids: [99999999] })).toBe(400)
    expect(await put({ user_ids: [String(ada.id)] })).toBe(200)
    expect(await linked(a, id)).toEqual([ada.id])
  })

  test('linking users while they are deleted is consistent in either order', async () => {
    const { a, app } = await open()
    const users = [await addUser(a, 'Ada'), await addUser(a, 'Bob'), await addUser(a, 'Cleo')]
    const { id } = await addNumber(a, { flow_editor_enabled: false })
    await link(a, id, users)

    const answers = await Promise.all(
      users.flatMap((one) => [link(a, id, users), a.api('DELETE', `/v1/users/${one.id}`), link(a, id, [one])]),
    )
    await app.settle()

    for (const { status } of answers) expect([200, 204, 400]).toContain(status)
    expect(await linked(a, id)).toEqual([])
    expect((await liveFlow(a, id)).nodes.ring.targets).toEqual([])
  })
})
