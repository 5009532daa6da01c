import { expect, test } from 'vitest'
import { hour, minute } from '../../src/lib/clock.ts'
import { scenarios } from '../../src/sandbox/scenarios/index.ts'
import { expectError } from '../http/raw.ts'
import { onAnyDatabase, testApp } from '../kit/app.ts'
import { type Demo, openDemo } from './demo.ts'

const path = '/sandbox/v1/scenarios'

interface Ran {
  // biome-ignore lint/suspicious/noExplicitAny: calls as the API shows them
  calls: any[]
  events: string[]
}

/** Runs a scenario until the clock is well past its end. */
async function run(demo: Demo, name: string, body: object, ms: number): Promise<Ran> {
  const from = Math.floor(demo.clock.now() / 1_000)
  const started = await demo.main('POST', `${path}/${name}`, body)
  expect([started.status, typeof started.json.run_id], started.text).toEqual([202, 'string'])
  await demo.settle()
  await demo.clock.advance(ms)
  const { json } = await demo.main('GET', `/v1/calls?per_page=50&from=${from}`)
  const rows = await demo.db
    .selectFrom('event')
    .select('name')
    .where('company_id', '=', demo.seeded.main.companyId)
    .where('occurred_at', '>=', from * 1_000)
    .orderBy('row_id')
    .execute()
  return { calls: json.calls, events: rows.map((row) => row.name) }
}

const count = (list: string[], word: string) => list.filter((one) => one === word).length
const online = async ({ main }: Demo) =>
  (await main('GET', '/v1/users/availabilities')).json.users.filter(
    ({ availability }: { availability: string }) => availability !== 'offline',
  )

onAnyDatabase('a scenario', (open) => {
  test('busy-morning: agents answer, tag and wrap up; all are disconnected afterwards', async () => {
    const demo = await openDemo(open)

    const { calls, events } = await run(demo, 'busy-morning', { callers: 12, minutes: 10 }, hour)

    expect(calls).toHaveLength(12)
    expect(calls.every(({ status }) => status === 'done')).toBe(true)
    const answered = calls.filter(({ answered_at }) => answered_at !== null)
    expect(answered.length).toBeGreaterThan(3)
    expect(answered.every(({ user }) => user !== null)).toBe(true)
    expect(count(events, 'call.created')).toBe(12)
    expect(count(events, 'call.ended')).toBe(12)
    expect(await online(demo)).toEqual([])
  })

  test('transfer-chain: one call is transferred several times', async () => {
    const demo = await openDemo(open)

    const { calls, events } = await run(demo, 'transfer-chain', { transfers: 3 }, 20 * minute)

    expect(calls).toHaveLength(1)
    expect(count(events, 'call.transferred')).toBe(3)
    expect(count(events, 'call.unsuccessful_transfer')).toBe(0)
    expect(calls[0]).toMatchObject({ tags: [expect.anything()], comments: [expect.anything()] })
    expect(calls[0].transferred_to.id).toBe(calls[0].user.id)
    expect(await online(demo)).toEqual([])
  })
})

test('a scenario that the previous release planned runs to its end', async () => {
  const demo = await openDemo(testApp)
  const startedAt = demo.clock.now()
  await demo.main('POST', `${path}/voicemail-flood`, { callers: 4, minutes: 2 })
  const jobs = await demo.db.selectFrom('job').select(['id', 'payload']).where('kind', '=', 'sandbox.step').execute()
  for (const { id, payload } of jobs) {
    const { step, ...rest } = JSON.parse(payload)
    const stored = { kind: 'sandbox.scene', payload: JSON.stringify({ ...rest, deed: step }) }
    await demo.db.updateTable('job').set(stored).where('id', '=', id).execute()
  }

  await demo.settle()
  await demo.clock.advance(hour)

  expect(jobs.length).toBeGreaterThanOrEqual(4)
  const left = await demo.db.selectFrom('job').select('id').where('kind', '=', 'sandbox.scene').execute()
  const voicemails = await demo.db
    .selectFrom('event')
    .select('name')
    .where('name', '=', 'call.voicemail_left')
    .where('occurred_at', '>=', startedAt)
    .execute()
  expect([left.length, voicemails.length]).toEqual([0, 4])
})

test('missed-after-hours starts when a Number closes, and all its calls are missed', async () => {
  const demo = await openDemo(testApp)

  const { calls } = await run(demo, 'missed-after-hours', { callers: 6 }, 7 * hour)

  expect(calls).toHaveLength(6)
  expect(new Set(calls.map(({ missed_call_reason }) => missed_call_reason))).toEqual(new Set(['out_of_opening_hours']))
  expect(calls.some(({ voicemail }) => voicemail !== null)).toBe(true)
})

test('ivr-maze takes every path through a menu', async () => {
  const demo = await openDemo(testApp)

  const { calls, events } = await run(demo, 'ivr-maze', { callers: 10 }, hour)

  expect(calls).toHaveLength(10)
  expect(count(events, 'call.ivr_option_selected')).toBeGreaterThan(5)
  expect(calls.some(({ answered_at }) => answered_at !== null)).toBe(true)
  expect(calls.some(({ missed_call_reason }) => missed_call_reason === 'abandoned_in_ivr')).toBe(true)
})

test('power-dialing works through a list until the campaign is done', async () => {
  const demo = await openDemo(testApp)

  const { calls } = await run(demo, 'power-dialing', { numbers: 6 }, hour)

  expect(calls).toHaveLength(6)
  expect(calls.every(({ direction, user }) => direction === 'outbound' && user !== null)).toBe(true)
  expect(calls.some(({ answered_at }) => answered_at !== null)).toBe(true)
  expect(calls.some(({ answered_at }) => answered_at === null)).toBe(true)
  const rows = await demo.db.selectFrom('dialer_number').select('called').execute()
  expect(rows.map(({ called }) => called)).toEqual([1, 1, 1, 1, 1, 1])
})

test('voicemail-flood leaves a message for every caller', async () => {
  const demo = await openDemo(testApp)

  const { calls, events } = await run(demo, 'voicemail-flood', { callers: 15, minutes: 2 }, hour)

  expect(calls).toHaveLength(15)
  expect(calls.every(({ voicemail }) => voicemail !== null)).toBe(true)
  expect(count(events, 'call.voicemail_left')).toBe(15)
})

test('the same seed gives the same run, another one another', async () => {
  const stories: string[] = []
  for (const seed of [7, 7, 8]) {
    const demo = await openDemo(testApp)
    const { calls } = await run(demo, 'busy-morning', { callers: 8, minutes: 5, seed }, hour)
    stories.push(calls.map((call) => [call.raw_digits, call.started_at, call.ended_at, call.user?.id].join()).join(' '))
  }

  expect(stories[1]).toBe(stories[0])
  expect(stories[2]).not.toBe(stories[0])
})

test('a started run continues after a restart', async () => {
  const demo = await openDemo(testApp)
  await demo.main('POST', `${path}/voicemail-flood`, { callers: 5, minutes: 5 })

  const { db, clock } = await demo.restart()
  await clock.advance(hour)

  const calls = await db
    .selectFrom('call')
    .select('id')
    .where('started_at', '>', clock.now() - hour)
    .execute()
  expect(calls).toHaveLength(5)
})

test('all scenarios are listed with their parameters', async () => {
  const { a } = await testApp()

  const { status, json } = await a.api('GET', path)

  expect(status).toBe(200)
  expect(json.scenarios.map(({ name }: { name: string }) => name)).toEqual(scenarios.map(({ name }) => name))
  expect(json.scenarios.length).toBeGreaterThanOrEqual(6)
  for (const { description, parameters } of json.scenarios) {
    expect(description).not.toBe('')
    expect(parameters.seed).toEqual({
      type: 'integer',
      default: 42,
      description: expect.any(String),
      min: 0,
      max: 999_999_999,
    })
  }
})

test('unmet requirements, invalid parameters and unknown scenarios are rejected with a message', async () => {
  const { a } = await testApp()

  for (const { name } of scenarios) {
    const answer = await a.api('POST', `${path}/${name}`, {})
    expectError(answer, 400, name)
    expect(answer.json.troubleshoot).toContain('needs')
  }
  for (const body of [{ callers: 0 }, { callers: 1.5 }, { callers: 'many' }, { seed: -1 }, { minutes: 10_000 }]) {
    expectError(await a.api('POST', `${path}/busy-morning`, body), 400, JSON.stringify(body))
  }
  expectError(await a.api('POST', `${path}/world-peace`, {}), 404)
})
