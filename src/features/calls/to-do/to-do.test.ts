import { expect, test } from 'vitest'
import { onBothDatabases, type TestApp } from '../../../../test/kit/app.ts'
import { addCall, addSound, type NewTestCall } from '../../../../test/kit/calls.ts'
import { colleague } from '../../../../test/kit/visitor.ts'
import { day, minute } from '../../../lib/clock.ts'

/** An agent with a linked Number, one that rings a team of the agent, and one of others. */
async function openDesk(app: TestApp) {
  const { a } = app
  const agent = await colleague(app, a, 'agent')
  const other = await colleague(app, a, 'agent')
  const numbers = []
  for (const [n, name] of ['Sales', 'Support', 'Elsewhere'].entries()) {
    const { number } = (await a.own('POST', '/v1/numbers', { digits: `+3318000010${n}`, name })).json
    numbers.push(number.id as number)
  }
  const [sales = 0, support = 0, elsewhere = 0] = numbers
  const { team } = (await a.api('POST', '/v1/teams', { name: 'Helpers' })).json
  await a.api('POST', `/v1/teams/${team.id}/users/${agent.id}`)
  await app.db.insertInto('number_user').values({ number_id: sales, user_id: agent.id, company_id: a.id }).execute()
  await app.db
    .insertInto('number_target')
    .values({ number_id: support, company_id: a.id, kind: 'team', target_id: team.id })
    .execute()
  const miss = async (numberId: number, more: Partial<NewTestCall> = {}) =>
    (await addCall(app, a, { numberId, ...more })).id
  const listed = async (query = '') => {
    const { items } = (await agent.ask('GET', `/v1/me/to_do${query}`)).json
    return items.map(({ call }: { call: { id: number } }) => call.id)
  }
  const counts = async () => (await agent.ask('GET', '/v1/me/to_do/count')).json
  return { agent, other, sales, support, elsewhere, miss, listed, counts }
}

onBothDatabases('the to-do list', (open) => {
  test('has the unanswered calls of the numbers and teams of the user, newest first, and those assigned to the user', async () => {
    const app = await open()
    const { agent, other, sales, support, elsewhere, miss, listed, counts } = await openDesk(app)
    const now = app.clock.now()
    const first = await miss(sales, { startedAt: now - 3 * minute })
    const second = await miss(support, { startedAt: now - 2 * minute })
    const theirs = await miss(elsewhere)
    await miss(sales, { userId: other.id })
    await miss(sales, { startedAt: now - 31 * day })
    const given = await miss(elsewhere, { assignedTo: agent.id, startedAt: now - 4 * minute })

    expect(await listed()).toEqual([second, first, given])
    expect(await listed('?mine=true')).toEqual([given])
    expect(await listed(`?number_id=${support}`)).toEqual([second])
    expect(await counts()).toEqual({ missed: 3, voicemails: 0, unread: 3 })
    expect((await agent.ask('GET', `/v1/calls/${second}`)).status).toBe(200)
    expect((await agent.ask('GET', `/v1/calls/${theirs}`)).status).toBe(404)
    expect((await other.ask('GET', '/v1/me/to_do')).json.items).toEqual([])
  })

  test('a call is read by one user, and done for all', async () => {
    const app = await open()
    const { agent, sales, miss, listed, counts } = await openDesk(app)
    const id = await miss(sales)
    const call = await addCall(app, app.a, { numberId: sales })
    await addSound(app, call, 'voicemail')

    expect((await agent.ask('PUT', `/v1/me/to_do/${id}`, { read: true })).status).toBe(204)
    expect((await agent.ask('PUT', `/v1/me/to_do/${id}`, { read: true })).status).toBe(204)
    expect(await counts()).toEqual({ missed: 1, voicemails: 1, unread: 1 })
    expect(await listed('?kind=voicemail')).toEqual([call.id])
    expect(await listed('?kind=missed')).toEqual([id])
    await agent.ask('PUT', `/v1/me/to_do/${id}`, { read: false })
    expect((await counts()).unread).toBe(2)

    expect((await agent.ask('PUT', `/v1/calls/${id}/archive`)).status).toBe(200)
    expect(await listed()).toEqual([call.id])
    expect(await listed('?done=true')).toEqual([id])
    await agent.ask('PUT', `/v1/calls/${id}/unarchive`)
    expect(await listed('?done=true')).toEqual([])
  })

  test('has the voicemail of a call that an agent had answered and transferred', async () => {
    const app = await open()
    const { agent, other, sales, elsewhere, listed, counts } = await openDesk(app)
    const left = await addCall(app, app.a, { numberId: sales, userId: agent.id })
    const theirs = await addCall(app, app.a, { numberId: sales, userId: other.id })
    const given = await addCall(app, app.a, { numberId: elsewhere, userId: other.id, assignedTo: agent.id })
    for (const call of [left, theirs, given]) await addSound(app, call, 'voicemail')
    const spoken = await addCall(app, app.a, { numberId: sales, userId: other.id })
    await addSound(app, spoken, 'recording')
    const home = async () => (await app.a.own('GET', '/v1/home')).json.to_do

    expect(await listed()).toEqual([given.id, left.id])
    expect(await listed('?kind=voicemail')).toEqual([given.id, left.id])
    expect(await listed('?kind=missed')).toEqual([])
    expect(await listed('?mine=true')).toEqual([given.id])
    expect(await counts()).toEqual({ missed: 0, voicemails: 2, unread: 2 })
    expect(await home()).toEqual({ calls: 3, voicemails: 3 })

    await agent.ask('PUT', `/v1/calls/${left.id}/archive`)
    expect(await listed()).toEqual([given.id])
    expect(await listed('?done=true')).toEqual([left.id])
    expect(await home()).toEqual({ calls: 2, voicemails: 2 })
    expect((await agent.ask('GET', `/v1/calls/${theirs.id}`)).status).toBe(404)
    expect((await other.ask('GET', '/v1/me/to_do/count')).json).toMatchObject({ voicemails: 2 })
  })

  test('is read page by page', async () => {
    const app = await open()
    const { agent, sales, miss } = await openDesk(app)
    const startedAt = app.clock.now() - minute
    const ids = [await miss(sales, { startedAt }), await miss(sales, { startedAt }), await miss(sales, { startedAt })]

    const page = (await agent.ask('GET', '/v1/me/to_do?limit=2')).json
    const rest = (await agent.ask('GET', `/v1/me/to_do?limit=2&before=${page.next}`)).json

    const found = [...page.items, ...rest.items].map(({ call }: { call: { id: number } }) => call.id)
    expect(found).toEqual(ids.toReversed())
    expect(rest.next).toBe(null)
    expect((await agent.ask('GET', '/v1/me/to_do?before=x')).status).toBe(400)
  })
})

onBothDatabases('the calls of a user', (open) => {
  test('are searched by a part of a name or number, and filtered', async () => {
    const app = await open()
    const { agent, sales } = await openDesk(app)
    const phone_numbers = [{ label: 'Work', value: '+33 6 12 34 56 78' }]
    await app.a.api('POST', '/v1/contacts', { first_name: 'Inès', last_name: 'Bond', phone_numbers })
    const add = async (external: string, more: Partial<NewTestCall> = {}) =>
      (await addCall(app, app.a, { numberId: sales, userId: agent.id, external, ...more })).id
    const known = await add('+33612345678')
    const unknown = await add('+33699000001', { direction: 'outbound' })
    const found = async (query: string) => {
      const { calls } = (await agent.ask('GET', `/v1/me/calls?${query}`)).json
      return calls.map(({ id }: { id: number }) => id)
    }

    expect(await found('text=ines')).toEqual([known])
    expect(await found('text=bon')).toEqual([known])
    expect(await found('text=3456')).toEqual([known])
    expect(await found(`text=${encodeURIComponent('06 99')}`)).toEqual([unknown])
    expect(await found('text=nobody')).toEqual([])
    expect(await found('direction=outbound')).toEqual([unknown])
    expect(await found('missed=true')).toEqual([])
    expect(await found('voicemail=true')).toEqual([])
    expect(await found('')).toEqual([known, unknown])
  })
})

onBothDatabases('the thread with a customer', (open) => {
  test('has the calls of the numbers of the user and the own calls, with tags and notes', async () => {
    const app = await open()
    const { agent, other, sales, elsewhere } = await openDesk(app)
    const external = '+33612345678'
    const now = app.clock.now()
    const add = (numberId: number, userId: number, ago: number) =>
      addCall(app, app.a, { numberId, userId, external, startedAt: now - ago * minute })
    const call = await add(sales, other.id, 5)
    const hidden = await add(elsewhere, other.id, 4)
    const own = await add(elsewhere, agent.id, 3)
    await app.a.api('POST', `/v1/calls/${call.id}/comments`, { content: 'Wants an offer' })
    const { tag } = (await app.a.api('POST', '/v1/tags', { name: 'Invoice', color: '#ff0000' })).json
    await app.a.api('POST', `/v1/calls/${call.id}/tags`, { tags: [tag.id] })
    const timeline = (who: typeof agent, more = '') =>
      who.ask('GET', `/v1/customers/timeline?phone_number=${encodeURIComponent(external)}${more}`)

    const { items } = (await timeline(agent)).json
    expect(items.map(({ key }: { key: string }) => key)).toEqual([`call:${own.id}`, `call:${call.id}`])
    expect(items[1]).toMatchObject({
      number: { id: sales, name: 'Sales' },
      call: { answered: true, user: { id: other.id } },
      details: { notes: [{ content: 'Wants an offer' }], tags: [{ name: 'Invoice' }], summary: null },
    })
    const supervisor = await colleague(app, app.a, 'supervisor')
    const page = (await timeline(supervisor, '&limit=1')).json
    const rest = (await timeline(supervisor, `&limit=5&before=${page.earlier}`)).json
    const all = [...page.items, ...rest.items].map(({ key }: { key: string }) => key)
    expect(all).toEqual([`call:${own.id}`, `call:${hidden.id}`, `call:${call.id}`])
    expect((await agent.ask('GET', '/v1/customers/timeline?phone_number=nobody')).status).toBe(400)
  })
})
