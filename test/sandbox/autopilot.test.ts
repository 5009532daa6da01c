import { expect, test } from 'vitest'
import { minute } from '../../src/lib/clock.ts'
import { expectError } from '../http/raw.ts'
import { onAnyDatabase, testApp } from '../kit/app.ts'
import { type Office, openOffice } from '../kit/phone.ts'

const customer = '+33199000777'
const autopilot = (user: number | string) => `/sandbox/v1/users/${user}/autopilot`

async function inbound(office: Office, to: string) {
  const { json } = await office.a.api('POST', '/sandbox/v1/calls', { from: customer, to })
  await office.settle()
  return json.call_id as number
}

onAnyDatabase('users on autopilot', (open) => {
  test('answer, tag, comment, talk, hang up and finish their wrap-up by themselves', async () => {
    const office = await openOffice(open)
    const { ada, a, clock, eventNames, show, availability } = office
    const line = await office.line()
    const tag = (await a.api('POST', '/v1/tags', { name: 'Order', color: '#27AE60' })).json.tag.id
    await a.api('PUT', `/v2/users/${ada}`, { wrap_up_time: 300 })
    await office.connect(ada)

    const put = await a.api('PUT', autopilot('ada@example.test'), {
      answer_after_seconds: 4,
      talk_seconds: 20,
      tag,
      comment: 'By itself',
      finish_wrap_up_after_seconds: 7,
    })
    const call = await inbound(office, line.digits)
    await clock.advance(25_000)
    const wrapping = await availability(ada)
    await clock.advance(2 * minute)

    expect([put.status, put.json]).toEqual([
      200,
      {
        autopilot: {
          enabled: true,
          answer_after_seconds: 4,
          talk_seconds: 20,
          decline_rate: 0,
          tag,
          comment: 'By itself',
          finish_wrap_up_after_seconds: 7,
          says: [],
        },
      },
    ])
    expect(await eventNames(call)).toEqual([
      'created',
      'ringing_on_agent',
      'answered',
      'tagged',
      'hungup',
      'ended',
      'commented',
    ])
    expect(await show(call)).toMatchObject({ duration: 24, tags: [{ id: tag }], comments: [{ content: 'By itself' }] })
    expect([wrapping, await availability(ada)]).toEqual(['after_call_work', 'available'])
  })

  test('decline, ignore or stop acting, as configured', async () => {
    const office = await openOffice(open)
    const { ada, a, clock, eventNames } = office
    const line = await office.line()
    await office.connect(ada)

    await a.api('PUT', autopilot(ada), { decline_rate: 1 })
    const declined = await inbound(office, line.digits)
    await clock.advance(minute)
    await a.api('PUT', autopilot(ada), { answer_after_seconds: null })
    const ignored = await inbound(office, line.digits)
    await clock.advance(minute)
    await a.api('PUT', autopilot(ada), { enabled: false })
    const unheard = await inbound(office, line.digits)
    await clock.advance(minute)

    expect(await eventNames(declined)).toContain('agent_declined')
    for (const call of [ignored, unheard]) {
      expect(await eventNames(call)).toContain('ringing_on_agent')
      expect(await eventNames(call)).not.toContain('answered')
    }
  })

  test('also end outbound and internal calls', async () => {
    const office = await openOffice(open)
    const { ada, bea, a, clock, show, availability } = office
    const line = await office.line()
    await office.connect(ada, bea)
    await a.api('PUT', autopilot(ada), { talk_seconds: 20 })
    await a.api('PUT', autopilot(bea), { answer_after_seconds: 1 })

    const started = await office.dials(ada, line, customer)
    await clock.advance(minute)
    const { extension } = (await a.api('GET', `/v2/users/${bea}`)).json.user
    await a.api('POST', `/sandbox/v1/users/${ada}/actions`, { action: 'dial', to: extension })
    await clock.advance(10_000)
    const during = await availability(bea)
    await clock.advance(minute)

    if (!started.ok || started.callId === null) throw new Error('the call begins')
    expect((await show(started.callId)).duration).toBe(23)
    expect([during, await availability(bea)]).toEqual(['in_call', 'available'])
  })

  test('external callees behave as configured for their number', async () => {
    const office = await openOffice(open)
    const { ada, a, clock, show, eventNames } = office
    const line = await office.line()
    await office.connect(ada)

    const put = await a.api('PUT', '/sandbox/v1/callees', {
      default: { answer_after_seconds: 2, talk_seconds: 10 },
      numbers: { '+33199000001': { busy: true }, '+33199000002': { no_answer: true } },
    })
    const results: string[] = []
    for (const to of ['+33199000001', '+33199000002', '+33199000003']) {
      const started = await office.dials(ada, line, to)
      await clock.advance(2 * minute)
      if (!started.ok || started.callId === null) throw new Error('the call begins')
      const { duration, status } = await show(started.callId)
      const words = await eventNames(started.callId)
      results.push(`${status} ${duration} ${words.includes('answered')}`)
    }

    expect([put.status, put.json]).toEqual([
      200,
      {
        default: { answer_after_seconds: 2, talk_seconds: 10 },
        numbers: { '+33199000001': { busy: true }, '+33199000002': { no_answer: true } },
      },
    ])
    expect(results).toEqual(['done 1 false', 'done 60 false', 'done 12 true'])
  })
})

test('invalid autopilots and callees are rejected', async () => {
  const office = await openOffice(testApp)
  const { ada, a, b } = office

  for (const body of [
    { enabled: 'yes' },
    { answer_after_seconds: -1 },
    { talk_seconds: 90_000 },
    { decline_rate: 1.5 },
    { decline_rate: null },
    { tag: 999_999 },
    { comment: 5 },
    { finish_wrap_up_after_seconds: '3' },
  ]) {
    expectError(await a.api('PUT', autopilot(ada), body), 400, JSON.stringify(body))
  }
  for (const user of [999_999, 'nobody@example.test']) expectError(await a.api('PUT', autopilot(user), {}), 404)
  expectError(await b.api('PUT', autopilot(ada), {}), 404)
  for (const body of [
    { default: 'kind' },
    { default: { busy: 1 } },
    { default: { lines: [{ say: 'Hello', seconds: -1 }] } },
    { default: { message_status: 'eaten' } },
    { default: { error_code: '30005' } },
    { default: { error_code: 1.5 } },
    { numbers: [] },
    { numbers: { '0123': {} } },
    { numbers: { '+33199000001': { no_answer: 'true' } } },
    { numbers: { '+33199000001': null } },
  ]) {
    expectError(await a.api('PUT', '/sandbox/v1/callees', body), 400, JSON.stringify(body))
  }
  const failing = { message_status: 'failed', error_code: 30005 }
  const codes = await a.api('PUT', '/sandbox/v1/callees', {
    default: failing,
    numbers: { '+33199000001': { ...failing, error_code: 63016 }, '+33199000002': { error_code: null } },
  })
  expect(codes.json).toEqual({
    default: failing,
    numbers: { '+33199000001': { ...failing, error_code: 63016 }, '+33199000002': { error_code: null } },
  })
  const nothing = await a.api('PUT', '/sandbox/v1/callees', {})
  expect(nothing.json).toEqual({ default: {}, numbers: {} })
})
