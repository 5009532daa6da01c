import { expect, test } from 'vitest'
import { onAnyDatabase, type TestApp } from '../../../../test/kit/app.ts'
import { addCall } from '../../../../test/kit/calls.ts'
import { addNumber, addUser } from '../../../../test/kit/flows.ts'

async function aCall(app: TestApp) {
  const number = await addNumber(app.a)
  return (await addCall(app, app.a, { numberId: number.id })).id
}

const callEvents = async ({ events, a }: TestApp) => (await events(a)).filter(({ name }) => name.startsWith('call.'))

onAnyDatabase('notes on calls', (open) => {
  test('a comment is stored without emojis and published at once, without an author for the API', async () => {
    const app = await open()
    const { a, clock } = app
    const id = await aCall(app)

    const posted = await a.api('POST', `/v1/calls/${id}/comments`, { content: 'Rings back 🎉' })
    await a.own('POST', `/v1/calls/${id}/comments`, { content: 'On Friday' })

    const at = Math.floor(clock.now() / 1_000)
    const first = { id: expect.any(Number), content: 'Rings back', posted_by: null, posted_at: at }
    expect(posted.status).toBe(201)
    expect(posted.json.call).toMatchObject({ id, comments: [first] })
    const [one, two] = await callEvents(app)
    expect([one?.name, two?.name]).toEqual(['call.commented', 'call.commented'])
    expect(one?.data.comments).toEqual([first])
    expect(two?.data.comments).toMatchObject([first, { content: 'On Friday', posted_by: { id: a.ownerId } }])
  })

  test('at most five comments; invalid comments are rejected and publish nothing', async () => {
    const app = await open()
    const { a } = app
    const id = await aCall(app)
    const post = (body: unknown) => a.api('POST', `/v1/calls/${id}/comments`, body)

    for (const body of [{}, { content: ' ' }, { content: null }, { content: '🎉 🎉' }]) {
      expect((await post(body)).status, JSON.stringify(body)).toBe(422)
    }
    for (const content of [5, ['x'], 'x'.repeat(10_001)]) expect((await post({ content })).status).toBe(400)
    expect(await callEvents(app)).toEqual([])
    for (let n = 1; n <= 5; n++) expect((await post({ content: `Note ${n}` })).status).toBe(201)

    const sixth = await post({ content: 'Note 6' })

    expect([sixth.status, sixth.json.troubleshoot]).toEqual([400, 'Maximum of 5 notes can be added to a call at once'])
    expect(await callEvents(app)).toHaveLength(5)
    expect((await a.api('POST', '/v1/calls/999999/comments', { content: 'x' })).status).toBe(404)
  })

  test('two comments at the same moment do not pass the limit together', async () => {
    const app = await open()
    const { a } = app
    const id = await aCall(app)
    const post = () => a.api('POST', `/v1/calls/${id}/comments`, { content: 'Again' })

    const answers = await Promise.all(Array.from({ length: 8 }, post))

    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5)
    expect((await a.api('GET', `/v1/calls/${id}`)).json.call.comments).toHaveLength(5)
  })

  test('tags are added to those that are there; one event each time, with all of them', async () => {
    const app = await open()
    const { a, clock } = app
    const id = await aCall(app)
    const add = async (name: string) => (await a.api('POST', '/v1/tags', { name, color: '#0a7' })).json.tag.id
    const [order, urgent] = [await add('Order'), await add('Urgent')]
    const put = (tags: unknown) => a.api('POST', `/v1/calls/${id}/tags`, { tags })
    const at = Math.floor(clock.now() / 1_000)

    const first = await put([order, String(order)])
    const second = await put([urgent, order])

    const direct_link = `${app.base}/v1/tags/${order}`
    const tag = { id: order, name: 'Order', color: '#0a7', direct_link, tagged_by: null, created_at: at }
    expect([first.status, first.json.call.tags]).toEqual([201, [tag]])
    expect(second.json.call.tags.map((one: { id: number }) => one.id)).toEqual([order, urgent])
    const published = await callEvents(app)
    expect(published.map(({ name }) => name)).toEqual(['call.tagged', 'call.tagged'])
    expect(published[0]?.data.tags).toEqual([{ ...tag, tagged_at: at }])
    expect(published[1]?.data.tags).toHaveLength(2)
    for (const bad of [[order, 999_999], 'Order', order, ['Order'], [order, null]]) {
      expect((await put(bad)).status, JSON.stringify(bad)).toBe(400)
    }
    for (const missing of [[], null, undefined]) expect((await put(missing)).status).toBe(422)
    expect(await callEvents(app)).toHaveLength(2)
  })

  test('a tag is removed in the app only, and the event has the remaining tags', async () => {
    const app = await open()
    const { a } = app
    const id = await aCall(app)
    const { tag } = (await a.api('POST', '/v1/tags', { name: 'Order', color: '#0a7' })).json
    await a.own('POST', `/v1/calls/${id}/tags`, { tags: [tag.id] })
    const path = `/v1/calls/${id}/tags/${tag.id}`

    expect((await a.api('DELETE', path)).status).toBe(404)
    expect((await a.own('DELETE', path)).status).toBe(204)
    expect((await a.own('DELETE', path)).status).toBe(404)

    const [put, taken] = await callEvents(app)
    expect(put?.data.tags).toMatchObject([{ id: tag.id, tagged_by: { id: a.ownerId } }])
    expect([taken?.name, taken?.data.tags]).toEqual(['call.untagged', []])
  })

  test('archiving is published once; unarchiving is not published', async () => {
    const app = await open()
    const { a } = app
    const id = await aCall(app)
    const put = async (word: string) => {
      const { status, json } = await a.api('PUT', `/v1/calls/${id}/${word}`)
      return [status, json.call.archived]
    }

    expect(await put('archive')).toEqual([200, true])
    expect(await put('archive')).toEqual([200, true])
    expect(await put('unarchive')).toEqual([200, false])
    expect(await put('unarchive')).toEqual([200, false])
    const published = await callEvents(app)
    expect(published.map(({ name, data }) => [name, data.archived])).toEqual([['call.archived', true]])
  })

  test('a call that is over is assigned in the app', async () => {
    const app = await open()
    const { a } = app
    const id = await aCall(app)
    const grace = await addUser(a, 'Grace')

    const assigned = await a.own('POST', `/v1/calls/${id}/assign`, { user_id: grace.id })

    expect([assigned.status, assigned.json.call.assigned_to.id]).toEqual([200, grace.id])
    const [published] = await callEvents(app)
    expect([published?.name, published?.data.assigned_to.id]).toEqual(['call.assigned', grace.id])
    expect((await a.own('POST', `/v1/calls/${id}/assign`, { user_id: 999_999 })).status).toBe(400)
    expect((await a.own('POST', `/v1/calls/${id}/assign`, {})).status).toBe(422)
    expect((await a.api('POST', `/v1/calls/${id}/assign`, { user_id: grace.id })).status).toBe(404)
  })
})
