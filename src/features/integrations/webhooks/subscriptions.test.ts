import { expect, test } from 'vitest'
import { onAnyDatabase, type TestCompany } from '../../../../test/kit/app.ts'
import { eventNames, serviceEventNames } from '../../../domain/events.ts'

const url = 'https://example.com/hook'
const all = [...eventNames].sort()

/** A webhook, and how to change it; events come back sorted, since their order means nothing. */
async function subscribed(company: TestCompany, events?: string[]) {
  const made = await company.api('POST', '/v1/webhooks', { url, events })
  if (made.status !== 201) throw new Error(made.text)
  const path = `/v1/webhooks/${made.json.webhook.webhook_id}`
  return {
    first: made.json.webhook.events.toSorted(),
    async put(query: string, body: object) {
      const { status, json } = await company.api('PUT', `${path}${query}`, body)
      return status === 200 ? json.webhook.events.toSorted() : status
    },
    now: async () => (await company.api('GET', path)).json.webhook.events.toSorted(),
  }
}

onAnyDatabase('subscriptions of a webhook', (open) => {
  test('no events means all 67, named ones mean those, each once', async () => {
    const { a } = await open()

    expect((await subscribed(a)).first).toEqual(all)
    expect((await subscribed(a, [])).first).toEqual(all)
    const twice = ['call.ended', 'call.created', 'call.ended']
    expect((await subscribed(a, twice)).first).toEqual(['call.created', 'call.ended'])
    expect((await subscribed(a, [...eventNames])).first).toEqual(all)
  })

  test('service events are taken by name and are never part of all', async () => {
    const { a } = await open()
    const webhook = await subscribed(a, [...serviceEventNames])

    expect(webhook.first).toEqual([...serviceEventNames].sort())
    expect(await webhook.put('', { events: [] })).toEqual(all)
    expect(await webhook.put('?events_action=add', { events: ['webhook.test'] })).toEqual(
      [...all, 'webhook.test'].sort(),
    )
    expect(await webhook.put('?events_action=remove', { events: ['webhook.test'] })).toEqual(all)
  })

  test('events replaces the list, an empty list means all events, and a change of something else leaves it alone', async () => {
    const { a } = await open()
    const webhook = await subscribed(a, ['call.created'])

    expect(await webhook.put('', { events: ['user.created', 'user.created.v2'] })).toEqual([
      'user.created',
      'user.created.v2',
    ])
    expect(await webhook.put('', { events: ['call.ended'] })).toEqual(['call.ended'])
    for (const other of [{ active: false }, { url: 'https://example.com/other' }, { custom_name: 'ERP' }, {}]) {
      expect(await webhook.put('', other)).toEqual(['call.ended'])
    }
    expect(await webhook.put('', { events: [] })).toEqual(all)
  })

  test('add and remove change the list by name; without events it stays', async () => {
    const { a } = await open()
    const webhook = await subscribed(a, ['call.created'])

    expect(await webhook.put('?events_action=add', { events: ['call.ended', 'call.created'] })).toEqual([
      'call.created',
      'call.ended',
    ])
    expect(await webhook.put('?events_action=add', { active: false })).toEqual(['call.created', 'call.ended'])
    expect(await webhook.put('?events_action=remove', {})).toEqual(['call.created', 'call.ended'])
    expect(await webhook.put('?events_action=remove', { events: [] })).toEqual(['call.created', 'call.ended'])
    expect(await webhook.put('?events_action=remove', { events: ['call.created', 'call.hold'] })).toEqual([
      'call.ended',
    ])
  })

  test('one event taken from all leaves the other 66, and added again makes 67', async () => {
    const { a } = await open()
    const webhook = await subscribed(a)

    const left = await webhook.put('?events_action=remove', { events: ['call.created'] })
    const again = await webhook.put('?events_action=add', { events: ['call.created'] })

    expect(left).toEqual(all.filter((name) => name !== 'call.created'))
    expect(again).toEqual(all)
  })

  test('a webhook keeps at least one event', async () => {
    const { a } = await open()
    const webhook = await subscribed(a, ['call.created', 'call.ended'])

    expect(await webhook.put('?events_action=remove', { events: ['call.created', 'call.ended'] })).toBe(400)
    expect(await webhook.put('?events_action=remove', { events: [...eventNames] })).toBe(400)
    expect(await webhook.now()).toEqual(['call.created', 'call.ended'])
  })

  test('unknown events, unknown actions and invalid lists are rejected', async () => {
    const { a } = await open()
    const webhook = await subscribed(a, ['call.created'])

    for (const name of ['call.unarchived', 'tag.created', 'Call.created', 'call.*', '__proto__', 'constructor', '']) {
      expect([name, await webhook.put('', { events: ['call.ended', name] })]).toEqual([name, 400])
      expect([name, (await a.api('POST', '/v1/webhooks', { url, events: [name] })).status]).toEqual([name, 400])
      expect([name, await webhook.put('?events_action=remove', { events: [name] })]).toEqual([name, 400])
    }
    for (const action of ['replace', 'ADD', '', 'add,remove']) {
      expect([action, await webhook.put(`?events_action=${action}`, { events: ['call.ended'] })]).toEqual([action, 400])
    }
    for (const events of ['call.ended', null, [7], { 0: 'call.ended' }]) {
      expect([events, await webhook.put('', { events })]).toEqual([events, 400])
    }
    expect(await webhook.now()).toEqual(['call.created'])
  })

  test('additions at the same moment are all kept', async () => {
    const { a } = await open()
    const webhook = await subscribed(a, ['call.created'])
    const more = eventNames.slice(1, 9)

    await Promise.all(more.map((name) => webhook.put('?events_action=add', { events: [name] })))

    expect(await webhook.now()).toEqual(['call.created', ...more].sort())
  })
})
