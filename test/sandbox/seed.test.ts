import { expect, test } from 'vitest'
import { createKey } from '../../src/features/accounts/api-keys/actions.ts'
import { checkChain } from '../../src/features/accounts/audit/record.ts'
import { agentNamed } from '../../src/features/voice-agents/agents/store.ts'
import { planForTest } from '../../src/features/voice-agents/agents/test-plan.ts'
import { readAgentTests } from '../../src/features/voice-agents/tests/file.ts'
import { newTestFile, testOfConversation, withTest } from '../../src/features/voice-agents/tests/from-call.ts'
import { runAgentTests, testedAgent } from '../../src/features/voice-agents/tests/run.ts'
import { conversationOfCall } from '../../src/features/voice-agents/tests/store.ts'
import { ensureRows, ensureSounds, readSeeded, seedVersion, writeSeeded } from '../../src/sandbox/seed.ts'
import { basic, onAnyDatabase, testApp } from '../kit/app.ts'
import { openDemo } from './demo.ts'

onAnyDatabase('the demo company', (open) => {
  test('has thirty days of calls, which can be searched', async () => {
    const { main } = await openDemo(open)

    const all = (await main('GET', '/v1/calls?per_page=50&order=desc')).json
    const missed = (await main('GET', '/v1/calls/search?direction=inbound&per_page=50&order=desc')).json
    const outbound = (await main('GET', '/v1/calls/search?direction=outbound')).json

    expect(all.meta.total).toBeGreaterThan(250)
    expect(missed.meta.total + outbound.meta.total).toBe(all.meta.total)
    expect(all.calls.every(({ status }: { status: string }) => status === 'done')).toBe(true)
    expect(all.calls.some(({ tags }: { tags: unknown[] }) => tags.length > 0)).toBe(true)
  })

  test('has events of its last calls, delivered to a paused webhook, and nothing that is still to be sent', async () => {
    const { main, db, seeded, settle } = await openDemo(open)
    await settle()

    const { webhooks } = (await main('GET', '/v1/webhooks')).json
    const { events } = (await main('GET', '/v1/events?per_page=50')).json
    const [webhook] = webhooks
    const { deliveries } = (await main('GET', `/v1/webhooks/${webhook.webhook_id}/deliveries?per_page=50`)).json
    const [delivery] = deliveries
    const { attempts } = (await main('GET', `/v1/webhooks/${webhook.webhook_id}/deliveries/${delivery.id}`)).json
      .delivery

    expect(webhooks).toEqual([expect.objectContaining({ custom_name: 'CRM', active: false })])
    const names = new Set(events.map(({ event }: { event: string }) => event))
    for (const name of ['call.created', 'call.answered', 'call.hungup', 'call.ended']) expect(names).toContain(name)
    expect(new Set(deliveries.map(({ state }: { state: string }) => state))).toEqual(new Set(['delivered']))
    expect(attempts.at(-1)).toMatchObject({ status: 200, error: null })
    const unsent = await db
      .selectFrom('delivery')
      .select('id')
      .where('company_id', '=', seeded.main.companyId)
      .where('state', '<>', 'delivered')
      .execute()
    expect(unsent).toEqual([])
  })

  test('has calls of its AI agent that pass as tests', async () => {
    const { app, db, seeded } = await openDemo(open)
    const { companyId } = seeded.main
    const agent = await agentNamed(db, companyId, 'Robin')
    if (!agent) throw new Error('The demo company has no AI agent.')
    const sessions = await db
      .selectFrom('ai_agent_session')
      .select('call_id')
      .where('company_id', '=', companyId)
      .where('agent_id', '=', agent.id)
      .orderBy('call_id')
      .execute()
    const plan = await planForTest(db, companyId, agent)

    let source = ''
    for (const { call_id } of sessions) {
      const conversation = await conversationOfCall(db, companyId, agent.id, call_id)
      if (!conversation) continue
      const made = testOfConversation(call_id, conversation, agent)
      source = source === '' ? newTestFile(agent.name, made) : withTest(source, made)
    }
    const results = await runAgentTests(readAgentTests('demo.yaml', source, testedAgent(plan)), {
      plan,
      llm: undefined,
      clock: app.services.clock,
      signal: new AbortController().signal,
      nameOfTarget: async () => '',
    })

    expect(results.flatMap(({ name, failures }) => failures.map(({ message }) => `${name}: ${message}`))).toEqual([])
    expect(results.length).toBe(sessions.length)
    expect(results.length).toBeGreaterThan(5)
  })

  test('gets its audio files after the rows, also when the first attempt was interrupted', async () => {
    const { app, base, as } = await open()
    const { services } = app
    const { main } = await ensureRows(services)
    const key = await createKey(services, main.companyId, { name: 'Demo', createdBy: null })
    const { calls } = (await as(basic(key.apiId, key.apiToken))('GET', '/v1/calls?per_page=50&order=desc')).json
    const recording = new URL(calls.find((call: { recording: string | null }) => call.recording).recording)
    const statusOf = async () => (await fetch(new URL(recording.pathname + recording.search, base))).status
    const before = await statusOf()
    const put = () => Promise.reject(new Error('disk full'))
    const failing = Object.assign(Object.create(services), {
      files: Object.assign(Object.create(services.files), { put }),
    })
    await expect(ensureSounds(failing)).rejects.toThrow('disk full')

    await ensureSounds(services)

    expect([before, await statusOf()]).toEqual([404, 200])
  })

  test('has an audit log with an intact chain, and a report that its job creates without an event', async () => {
    const { app, db, seeded, settle } = await openDemo(open)
    const { companyId } = seeded.main

    await settle()

    const entries = await db.selectFrom('audit').select(['action', 'at']).where('company_id', '=', companyId).execute()
    expect(entries.length).toBeGreaterThan(10)
    expect(await checkChain(app.services, companyId)).toMatchObject({ brokenAt: undefined })
    const reports = await db
      .selectFrom('analytics_export')
      .select('status')
      .where('company_id', '=', companyId)
      .execute()
    expect(reports).toEqual([{ status: 'COMPLETED' }])
    expect(await db.selectFrom('event').select('id').where('name', 'like', 'analytics.%').execute()).toEqual([])
  })

  test('has users whose default Number is one that they are linked to and may call from', async () => {
    const { main, second } = await openDemo(open)

    for (const company of [main, second]) {
      const { users } = (await company('GET', '/v1/users?per_page=50')).json
      expect(users.length).toBeGreaterThan(1)
      for (const { name, default_number_id, numbers } of users) {
        expect(
          numbers.map(({ id }: { id: number }) => id),
          name,
        ).toContain(default_number_id)
      }
    }
  })

  test('has playable recordings of its newest calls', async () => {
    const { main, base } = await openDemo(open)

    const { calls } = (await main('GET', '/v1/calls?per_page=50&order=desc')).json
    const urls = calls.flatMap(({ recording, voicemail }: { recording: string | null; voicemail: string | null }) =>
      [recording, voicemail].filter((url) => url !== null),
    )

    expect(urls.length).toBeGreaterThan(3)
    for (const url of urls) {
      const answer = await fetch(url.replace(/^https?:\/\/[^/]+/, base))
      expect([answer.status, answer.headers.get('content-type')], url).toEqual([200, 'audio/mpeg'])
      expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(1_000)
    }
  })

  test('of an older release is upgraded once, and keeps its other data', async () => {
    const demo = await openDemo(open)
    const { db, seeded, main } = demo
    // An upgrade writes past calls, but no campaign.
    const campaign = await db.selectFrom('ai_campaign_recipient').select('attempts').execute()
    const campaignCalls = campaign.reduce((sum, { attempts }) => sum + attempts, 0)
    const before = (await main('GET', '/v1/calls?per_page=50')).json
    const calls = ['ring_attempt', 'call', 'call_count', 'missed_call_count'] as const
    for (const table of [...calls, 'message', 'conversation', 'sms_template'] as const) {
      await db.deleteFrom(table).where('company_id', '=', seeded.main.companyId).execute()
    }
    await writeSeeded(db, { ...seeded, version: 1 })

    const again = await openDemo(async () => demo)
    const twice = await openDemo(async () => demo)

    expect([again.seeded.version, twice.seeded]).toEqual([seedVersion, again.seeded])
    expect(await readSeeded(db)).toEqual({ ...seeded, version: seedVersion })
    const after = (await main('GET', '/v1/calls?per_page=50')).json
    expect(after.meta.total).toBe(before.meta.total - campaignCalls)
    const digits = (list: { raw_digits: string }[]) => list.map(({ raw_digits }) => raw_digits)
    expect(digits(after.calls)).toEqual(digits(before.calls))
  })
})

test('the same seed gives the same calls in another installation', async () => {
  const stories = []
  for (const seed of [7, 7, 8]) {
    const { main } = await openDemo(testApp, seed)
    const { calls } = (await main('GET', '/v1/calls?per_page=50&order=desc')).json
    stories.push(
      JSON.stringify(
        calls.map(({ raw_digits, started_at }: { raw_digits: string; started_at: number }) => [raw_digits, started_at]),
      ),
    )
  }

  expect(stories[1]).toBe(stories[0])
  expect(stories[2]).not.toBe(stories[0])
})
