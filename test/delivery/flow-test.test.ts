import { expect, test } from 'vitest'
import { onAnyDatabase } from '../kit/app.ts'
import { addNumber, addTeam, addUser } from '../kit/flows.ts'
import { receiver } from '../kit/receiver.ts'
import { addHook, must } from '../kit/webhooks.ts'

// The events of a test of the flow editor, sent to webhooks on request.

const startedAt = 1_790_000_000

onAnyDatabase('the test of a flow', (open) => {
  test('sends its events to the subscribed webhooks in their order, once, marked as a test', async () => {
    const world = await open()
    const { a, b } = world
    const [all, some, theirs] = [await receiver(), await receiver(500), await receiver()]
    const hook = await addHook(a.api, all)
    all.verifyWith(hook.secret)
    const failing = await addHook(a.api, some, ['call.answered', 'contact.created'])
    await addHook(b.api, theirs)
    const bea = await addUser(a, 'Bea')
    const team = await addTeam(a, 'Sales', [bea])
    const line = await addNumber(a, { flow_editor_enabled: true })
    await world.settle()
    const before = [all.got.length, some.got.length]
    const flow = {
      start: 'menu',
      nodes: {
        menu: {
          type: 'ivr',
          media: null,
          options: [{ key: '1', title: 'Sales' }],
          timeout_seconds: 5,
          tries: 2,
          branches: { 1: 'ring', fallback: 'end' },
        },
        ring: {
          type: 'ring_to',
          targets: [{ type: 'team', id: team.id }],
          max_wait_seconds: 30,
          branches: { no_answer: 'end' },
        },
        end: { type: 'hang_up', media: null },
      },
    }
    const path = `/v1/numbers/${line.id}/flow/test_events`
    const body = { ...flow, started_at: startedAt, agents: 'answer' }
    const actions = [
      { kind: 'wait', seconds: 2 },
      { kind: 'key', digit: '1' },
      { kind: 'wait', seconds: 10 },
      { kind: 'hang_up' },
    ]

    const first = must(await a.own('POST', path, { ...body, actions: actions.slice(0, 1) }), 200).json
    const { call_uuid } = first
    const second = must(await a.own('POST', path, { ...body, call_uuid, actions }), 200).json
    const again = must(await a.own('POST', path, { ...body, call_uuid, actions }), 200).json
    await world.settle()

    expect(first.events).toEqual([{ event: 'call.created', webhooks: 1 }])
    const events = [
      'call.created',
      'call.ivr_option_selected',
      'call.ringing_on_agent',
      'call.answered',
      'call.hungup',
      'call.ended',
    ]
    expect(second.events).toEqual(
      events.slice(1).map((event) => ({ event, webhooks: event === 'call.answered' ? 2 : 1 })),
    )
    expect(again.events).toEqual([])
    const got = all.got.slice(before[0])
    expect(got.map(({ body, headers }) => [body.event, headers['webhook-test'], headers['webhook-sequence']])).toEqual(
      events.map((event, index) => [event, 'true', String(index + 1)]),
    )
    const data = got.map(({ body }) => body.data)
    expect(new Set(data.map(({ call_uuid }) => call_uuid))).toEqual(new Set([call_uuid]))
    expect(data[3]).toMatchObject({
      status: 'answered',
      number: { id: line.id },
      user: { id: bea.id },
      started_at: startedAt,
    })
    // One attempt; the call exists nowhere else.
    expect(some.got.length - (before[1] ?? 0)).toBe(1)
    expect(await failing.log()).toMatchObject([{ kind: 'test', state: 'exhausted', attempts_made: 1 }])
    expect(theirs.got.map(({ body }) => body.event)).not.toContain('call.created')
    expect((await a.api('GET', '/v1/calls')).json.calls).toEqual([])
    const logged = must(await a.api('GET', '/v1/events?events=call.*'), 200).json.events
    expect(logged.map(({ event, test }: { event: string; test: boolean }) => [event, test])).toEqual(
      events.map((event) => [event, true]),
    )
  })

  test('refuses an invalid flow, and sends nothing', async () => {
    const world = await open()
    const { a } = world
    const customer = await receiver()
    await addHook(a.api, customer, ['call.created'])
    const line = await addNumber(a, { flow_editor_enabled: true })
    const path = `/v1/numbers/${line.id}/flow/test_events`
    const body = { started_at: startedAt, agents: 'unavailable', actions: [] }
    const nodes = { ring: { type: 'ring_to', targets: [], branches: { no_answer: 'gone' } } }
    const end = { start: 'end', nodes: { end: { type: 'hang_up', media: null } } }

    expect((await a.own('POST', path, { ...body, start: 'ring', nodes })).status).toBe(400)
    expect((await a.own('POST', path, { ...body, ...end, actions: [{ kind: 'key' }] })).status).toBe(400)
    expect((await a.own('POST', path, { ...body, ...end, actions: [{ kind: 'wait', seconds: 601 }] })).status).toBe(400)
    await world.settle()

    expect(customer.got).toEqual([])
  })
})
