import { expect, test } from 'vitest'
import { afterAttempt, nextCallable, zonesOfCountry } from '../../src/domain/ai-agent/campaign.ts'
import { wallClock } from '../../src/domain/opening-hours.ts'
import { nextDueRecipient, startAttempt } from '../../src/features/voice-agents/campaigns/recipients-store.ts'
import { insertOutboundCall } from '../../src/features/voice-agents/outbound-calls/store.ts'
import { onBothDatabases } from '../kit/app.ts'
import { type Office, openOffice } from '../kit/phone.ts'
import { receiver } from '../kit/receiver.ts'
import { addHook } from '../kit/webhooks.ts'
import { addAgent } from './agents.ts'

// Offices open on Monday 15 June 2026 at 12:00 UTC, 14:00 in Paris.

const yes = { lines: [{ say: 'Yes, sure', seconds: 2 }] }
const slow = {
  lines: [
    { say: 'Well', seconds: 90 },
    { say: 'yes', seconds: 1 },
  ],
}
const voicemail = { lines: [{ say: 'Please leave a message after the tone', seconds: 4 }] }
const daily = Object.fromEntries(
  ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].map((day) => [day, [['09:00', '18:00']]]),
)

async function campaignOf(office: Office, recipients: object[], settings: object = {}, lines = 1) {
  const numbers: number[] = []
  for (let n = 0; n < lines; n++) numbers.push((await office.line()).id)
  const agent_id = await addAgent(office, {
    name: 'Robin',
    first_message: 'Hello {{name}}',
    questions: [{ key: 'comes', ask: 'Will you be there?', kind: 'yes_no' }],
  })
  const body = { name: 'Visits', agent_id, number_ids: numbers, recipients, calling_hours: daily, ...settings }
  const made = await office.a.api('POST', '/v1/outbound-campaigns', body)
  if (made.status !== 201) throw new Error(made.text)
  const path = `/v1/outbound-campaigns/${made.json.id}`
  return {
    agent_id,
    path,
    read: async () => (await office.a.api('GET', path)).json,
    act: (action: string) => office.a.api('POST', `${path}/${action}`),
    results: async () => {
      const { recipients: list } = (await office.a.api('GET', `${path}/recipients?per_page=50`)).json
      // biome-ignore lint/suspicious/noExplicitAny: results of the API
      return Object.fromEntries(list.map((one: any) => [one.phone_number, one]))
    },
  }
}

const short = (results: Record<string, { status: string; attempts: number; last_outcome: string }>) =>
  Object.fromEntries(
    Object.entries(results).map(([phone, one]) => [phone, `${one.status} ${one.attempts} ${one.last_outcome}`]),
  )

test('calling hours follow daylight saving time, and all time zones of a country', () => {
  const hours = { sun: [['09:00', '18:00'] as [string, string]] }
  const next = (zones: string[], from: string) =>
    new Date(nextCallable(hours, zones, Date.parse(from)) ?? Number.NaN).toISOString()
  // The clock in Paris is set back on 25 October 2026.
  expect(next(['Europe/Paris'], '2026-10-17T20:00:00Z')).toBe('2026-10-18T07:00:00.000Z')
  expect(next(['Europe/Paris'], '2026-10-24T20:00:00Z')).toBe('2026-10-25T08:00:00.000Z')
  expect(zonesOfCountry('FR', 0)).toEqual(['Europe/Paris'])
  const zones = zonesOfCountry('US', Date.parse('2026-01-15T12:00:00Z'))
  expect(zones).toHaveLength(2)
  // 09:00 in Hawaii is 14:00 in New York.
  expect(next(zones, '2026-01-17T20:00:00Z')).toBe('2026-01-18T19:00:00.000Z')
  expect(zonesOfCountry('ZZ', 0)).toEqual([])
})

test('a country is within its calling hours in all of its time zones, in winter and in summer', () => {
  const hours = Object.fromEntries(Object.keys(daily).map((day) => [day, [['09:00', '18:00'] as [string, string]]]))
  const zones = zonesOfCountry('US', Date.parse('2026-01-15T12:00:00Z'))
  // Honolulu has the time of Adak in winter, and is an hour behind in summer.
  const summer = nextCallable(hours, zones, Date.parse('2026-07-15T14:00:00Z')) ?? 0
  expect(new Date(summer).toISOString()).toBe('2026-07-15T19:00:00.000Z')
  expect(zonesOfCountry('US', Date.parse('2026-07-15T12:00:00Z'))).toEqual(zones)
  // Simferopol has the time of Kyiv in summer only.
  expect(zonesOfCountry('UA', Date.parse('2026-07-15T12:00:00Z'))).toHaveLength(2)
})

test('each spelling of a time zone is the same time zone', () => {
  const at = Date.parse('2026-06-15T12:00:00Z')
  for (const zone of ['Asia/Tokyo', 'asia/tokyo', 'ASIA/TOKYO', 'Asia/TOKYO', 'aSIA/tokyo'])
    expect(new Date(wallClock(zone, at)).toISOString()).toBe('2026-06-15T21:00:00.000Z')
})

test('the outcome of a call decides about the next attempt', () => {
  const retryDelays = { no_answer: 3_600, busy: 60, voicemail: null }
  const after = (outcome: Parameters<typeof afterAttempt>[0]['outcome'], attempts = 1, hasOptedOut = false) =>
    afterAttempt({ outcome, attempts, refusals: 0, maxAttempts: 2, retryDelays, hasOptedOut, at: 0 })
  expect(after('answered')).toMatchObject({ status: 'reached' })
  expect(after('busy')).toEqual({ status: 'pending', attempts: 1, dueAt: 60_000 })
  expect(after('failed')).toEqual({ status: 'pending', attempts: 1, dueAt: 3_600_000 })
  expect(after('busy', 2)).toMatchObject({ status: 'not_reached' })
  expect(after('voicemail')).toMatchObject({ status: 'not_reached' })
  expect(after('expired', 2)).toEqual({ status: 'pending', attempts: 1, dueAt: 0 })
  expect(after('refused')).toEqual({ status: 'pending', attempts: 0, dueAt: 300_000, refusals: 1 })
  expect(after('answered', 1, true)).toMatchObject({ status: 'opted_out' })
})

onBothDatabases('an outbound campaign of an AI agent', (open) => {
  test('calls within the hours of each recipient, retries by outcome, and publishes its results', async () => {
    const office = await openOffice(open)
    const { a } = office
    const [paris, busy, machine, newYork] = ['+33199007001', '+33199007002', '+33199007003', '+12125550104']
    await a.own('PUT', '/v1/dial_limits', { countries: ['FR', 'US'] })
    await office.callees({ [paris]: yes, [busy]: { busy: true }, [machine]: voicemail, [newYork]: yes })
    const hook = await receiver()
    await addHook(a.api, hook, ['ai_voice_agent.campaign_started', 'ai_voice_agent.campaign_finished'])
    const results = await receiver()
    await addHook(a.api, results, ['ai_voice_agent.campaign_result'])
    const campaign = await campaignOf(
      office,
      [
        { phone_number: '+33 1 99 00 70 01', name: 'Jo' },
        { phone_number: busy, name: 'Bo' },
        { phone_number: machine, name: 'Mo' },
        { phone_number: newYork, name: 'Ny', time_zone: 'America/New_York' },
      ],
      { max_attempts: 2, retry_delays: { no_answer: 3_600, busy: 600, voicemail: null } },
    )
    expect(await campaign.read()).toMatchObject({ status: 'draft', progress: { total: 4, pending: 4 } })
    await office.pass(60)
    expect((await a.api('GET', '/v1/calls')).json.calls).toEqual([])

    expect((await campaign.act('start')).json).toMatchObject({ status: 'running' })
    expect((await campaign.act('start')).status).toBe(422)
    await office.pass(240)
    expect(short(await campaign.results())).toEqual({
      [paris]: 'reached 1 answered',
      [busy]: 'pending 1 busy',
      [machine]: 'not_reached 1 voicemail',
      [newYork]: 'pending 0 null',
    })
    await office.pass(700)
    expect(short(await campaign.results())[busy]).toBe('not_reached 2 busy')

    // 13:00 UTC is 09:00 in New York.
    await office.pass(3_300)
    const last = await campaign.results()
    expect(short(last)[newYork]).toBe('reached 1 answered')
    expect(last[newYork]).toMatchObject({
      answers: { comes: true },
      call_id: expect.any(Number),
      next_attempt_at: null,
    })
    expect(await campaign.read()).toMatchObject({
      status: 'finished',
      progress: { total: 4, reached: 2, not_reached: 2, pending: 0 },
      outcomes: { answered: 2, busy: 1, voicemail: 1 },
    })
    const { started_at } = (await a.api('GET', `/v1/calls/${last[newYork].call_id}`)).json.call
    expect(started_at).toBeGreaterThanOrEqual(Date.parse('2026-06-15T13:00:00Z') / 1_000)

    expect(hook.got.map(({ body }) => [body.event, body.data.status])).toEqual([
      ['ai_voice_agent.campaign_started', 'running'],
      ['ai_voice_agent.campaign_finished', 'finished'],
    ])
    const seen = results.got.map(({ body }) => `${body.data.phone_number} ${body.data.outcome}`).sort()
    const two = `${busy} busy`
    expect(seen).toEqual([`${newYork} answered`, `${paris} answered`, two, two, `${machine} voicemail`].sort())
    const csv = await a.api('GET', `${campaign.path}/export`)
    expect(csv.text.split('\r\n')).toHaveLength(6)
    expect(csv.text).toContain('Jo,reached,1,answered')
    const calls = (await a.api('GET', '/v1/outbound-calls?per_page=50')).json.outbound_calls
    expect(calls).toHaveLength(5)
    const id = campaign.path.split('/').at(-1)
    expect(calls.every((call: { campaign_id: string }) => call.campaign_id === id)).toBe(true)
    expect((await a.api('DELETE', campaign.path)).status).toBe(204)
    expect((await a.api('GET', campaign.path)).status).toBe(404)
  })

  test('keeps to its concurrency, and leaves active calls alone when it is paused or cancelled', async () => {
    const office = await openOffice(open)
    const phones = Array.from({ length: 5 }, (_, n) => `+3319900710${n}`)
    await office.callees(Object.fromEntries(phones.map((phone) => [phone, slow])))
    const campaign = await campaignOf(
      office,
      phones.map((phone_number) => ({ phone_number, name: 'Jo' })),
      { concurrency: 2 },
      3,
    )
    await campaign.act('start')
    await office.pass(30)
    expect((await campaign.read()).progress).toMatchObject({ calling: 2, pending: 3 })

    expect((await campaign.act('pause')).json.status).toBe('paused')
    await office.pass(300)
    expect((await campaign.read()).progress).toMatchObject({ calling: 0, reached: 2, pending: 3 })

    await office.a.api('POST', '/v1/call_opt_outs', { phone_number: phones[2] })
    await campaign.act('resume')
    await office.pass(30)
    expect((await campaign.read()).progress).toMatchObject({ opted_out: 1, calling: 2, pending: 0 })
    expect((await office.a.api('DELETE', campaign.path)).status).toBe(422)
    expect((await campaign.act('cancel')).json).toMatchObject({ status: 'cancelled', ended_at: null })
    await office.pass(300)
    expect(await campaign.read()).toMatchObject({
      status: 'cancelled',
      ended_at: expect.any(String),
      progress: { reached: 4, opted_out: 1, cancelled: 0 },
    })
    expect((await office.a.api('GET', '/v1/calls')).json.meta.total).toBe(4)
  })

  test('forgets and does not call a recipient whose contact is deleted, unless another contact has the number', async () => {
    const office = await openOffice(open)
    const [erased, shared, unknown] = ['+33199000841', '+33199000842', '+33199000843']
    const recipients = [erased, shared, unknown].map((phone_number) => ({
      phone_number,
      name: 'Zoë',
      time_zone: 'Europe/Paris',
      context: { visit: 'Monday' },
    }))
    const campaign = await campaignOf(office, recipients)
    const contact = async (...values: string[]) => {
      const phone_numbers = values.map((value) => ({ label: 'Work', value }))
      return (await office.a.api('POST', '/v1/contacts', { first_name: 'Zoë', phone_numbers })).json.contact.id
    }
    const deleted = await contact('01 99 00 08 41', shared)
    await contact(shared)

    await office.a.api('DELETE', `/v1/contacts/${deleted}`)

    const stored = await office.db
      .selectFrom('ai_campaign_recipient')
      .select(['phone', 'name', 'time_zone', 'context', 'status'])
      .orderBy('id')
      .execute()
    const kept = { name: 'Zoë', time_zone: 'Europe/Paris', context: '{"visit":"Monday"}', status: 'pending' }
    expect(stored).toEqual([
      { phone: erased, name: null, time_zone: null, context: '{}', status: 'cancelled' },
      { phone: shared, ...kept },
      { phone: unknown, ...kept },
    ])
    expect((await campaign.read()).progress).toMatchObject({ total: 3, cancelled: 1, pending: 2 })
  })

  test('gives an erased recipient no further attempt', async () => {
    const office = await openOffice(open)
    const phone_number = '+33199000841'
    const { a, pass } = office
    await office.callees({ [phone_number]: { no_answer: true } })
    const campaign = await campaignOf(office, [{ phone_number, name: 'Zoë' }])
    const phone_numbers = [{ label: 'Work', value: phone_number }]
    const { contact } = (await a.api('POST', '/v1/contacts', { phone_numbers })).json
    await campaign.act('start')
    await pass(5)
    expect((await campaign.read()).progress).toMatchObject({ calling: 1 })

    await a.api('DELETE', `/v1/contacts/${contact.id}`)
    await pass(300)

    expect((await campaign.results())[phone_number]).toMatchObject({ status: 'cancelled', attempts: 1, name: null })
    expect((await campaign.read()).status).toBe('finished')
  })

  test('is edited and gets more recipients until it has ended', async () => {
    const office = await openOffice(open)
    const { a } = office
    const [busy, late, added] = ['+33199007301', '+33199007302', '+33199007303']
    await office.callees({ [busy]: { busy: true }, [late]: yes, [added]: yes })
    // It is 14:00 in Paris, and calls are allowed in the morning only.
    const morning = Object.fromEntries(Object.keys(daily).map((day) => [day, [['09:00', '12:00']]]))
    const campaign = await campaignOf(
      office,
      [
        { phone_number: busy, name: 'Bo' },
        { phone_number: late, name: 'Jo' },
      ],
      { calling_hours: morning, retry_delays: { busy: 86_400 } },
    )
    await campaign.act('start')
    await office.pass(300)
    expect((await campaign.read()).progress).toMatchObject({ pending: 2 })

    const edited = { name: 'Visits of July', calling_hours: daily, concurrency: 2 }
    expect((await a.api('PUT', campaign.path, edited)).json).toMatchObject({ name: 'Visits of July', concurrency: 2 })
    await office.pass(120)
    expect(short(await campaign.results())).toEqual({ [busy]: 'pending 1 busy', [late]: 'reached 1 answered' })

    // A retry that is scheduled follows the new delay.
    await a.api('PUT', campaign.path, { retry_delays: { busy: 600 }, max_attempts: 2 })
    await office.pass(700)
    expect(short(await campaign.results())[busy]).toBe('not_reached 2 busy')
    expect((await campaign.read()).status).toBe('finished')
    const recipients = [{ phone_number: added, name: 'Mo' }]
    expect((await a.api('POST', `${campaign.path}/recipients`, { recipients })).status).toBe(422)
    expect((await a.api('PUT', campaign.path, { name: 'Late' })).status).toBe(422)
  })

  test('ends the retries of recipients who have had as many attempts as are still allowed', async () => {
    const office = await openOffice(open)
    const { a } = office
    const [busy, added] = ['+33199007401', '+33199007402']
    await office.callees({ [busy]: { busy: true }, [added]: yes })
    const campaign = await campaignOf(office, [{ phone_number: busy, name: 'Bo' }], { retry_delays: { busy: 600 } })
    await campaign.act('start')
    await office.pass(120)
    await a.api('PUT', campaign.path, { max_attempts: 1 })
    // Numbers that the campaign has are skipped.
    const recipients = [
      { phone_number: added, name: 'Mo' },
      { phone_number: busy, name: 'Bo' },
    ]
    const more = await a.api('POST', `${campaign.path}/recipients`, { recipients })
    expect(more.json.progress).toMatchObject({ total: 2 })
    await office.pass(900)
    expect(short(await campaign.results())).toEqual({ [busy]: 'not_reached 1 busy', [added]: 'reached 1 answered' })
  })

  test('loses no recipient and calls none twice when the server is restarted', async () => {
    const office = await openOffice(open)
    const phones = Array.from({ length: 4 }, (_, n) => `+3319900720${n}`)
    await office.callees(Object.fromEntries(phones.map((phone) => [phone, slow])))
    const campaign = await campaignOf(
      office,
      phones.map((phone_number) => ({ phone_number, name: 'Jo' })),
      { concurrency: 2, max_attempts: 1 },
      2,
    )
    await campaign.act('start')
    await office.pass(20)
    const { clock } = office
    let app = await office.restart(30_000)
    for (const seconds of [1, 45]) {
      await clock.advance(seconds * 1_000)
      app = await app.restart(30_000)
    }
    for (let n = 0; n < 180; n++) await clock.advance(10_000)
    await app.app.settle()

    const { json } = await app.a.api('GET', campaign.path)
    expect(json).toMatchObject({ status: 'finished', progress: { total: 4, pending: 0, calling: 0 } })
    const { calls } = (await app.a.api('GET', '/v1/calls?per_page=50')).json
    const called = calls.map((call: { raw_digits: string }) => call.raw_digits.replace(/\s/g, '')).sort()
    expect(called).toEqual(phones)
  })
})

test('invalid campaigns and recipients are refused, and a campaign without its AI agent pauses', async () => {
  const { testApp } = await import('../kit/app.ts')
  const office = await openOffice(testApp)
  const { a, b } = office
  const phone_number = '+33199007001'
  const campaign = await campaignOf(office, [{ phone_number, name: 'Jo' }])
  const { agent_id } = campaign
  const create = (more: object) => a.api('POST', '/v1/outbound-campaigns', { name: 'Other', agent_id, ...more })
  for (const [more, words] of [
    [{ agent_id: 'nobody' }, 'agent_id'],
    [{ number_ids: [999_999] }, '999999'],
    [{ calling_hours: { mon: [['18:00', '09:00']] } }, 'start before'],
    [{ calling_hours: {} }, 'a day with times'],
    [{ concurrency: 6 }, 'concurrency'],
    [{ expires_at: '2020-01-01T00:00:00Z' }, 'future'],
    [{ recipients: [{ phone_number: '0612' }] }, 'recipients[0]'],
    [{ recipients: [{ phone_number }] }, '`name`'],
    [{ recipients: [{ phone_number, name: 'Jo', time_zone: 'Mars/Base' }] }, 'time_zone'],
    [
      {
        recipients: [
          { phone_number, name: 'Jo' },
          { phone_number, name: 'Jo' },
        ],
      },
      'listed twice',
    ],
    // From Kaliningrad to Kamchatka there are no common hours.
    [{ recipients: [{ phone_number: '+79161234567', name: 'Jo' }] }, 'time_zone'],
  ] as const) {
    const number_ids = (await campaign.read()).number_ids
    const refused = await create({ number_ids, ...more })
    expect([refused.status, refused.json.troubleshoot]).toEqual([400, expect.stringContaining(words)])
  }
  expect((await b.api('GET', campaign.path)).status).toBe(403)

  await campaign.act('start')
  await a.own('PUT', `/v1/ai_voice_agents/${agent_id}`, { active: false })
  const changed = await a.api('PUT', campaign.path, { max_attempts: 5 })
  expect(changed.json).toMatchObject({ name: 'Visits', max_attempts: 5 })
  await office.pass(1)
  expect(await campaign.read()).toMatchObject({ status: 'paused', paused_reason: 'agent_unavailable' })
  expect((await campaign.act('resume')).status).toBe(422)
  await a.own('PUT', `/v1/ai_voice_agents/${agent_id}`, { active: true })
  await campaign.act('resume')
  await a.api('PUT', campaign.path, { expires_at: '2026-06-15T12:00:30Z' })
  await office.pass(120)
  expect(await campaign.read()).toMatchObject({ status: 'finished' })
})

test('numbers without a country code are those of the company, and lists are checked against the calling hours', async () => {
  const { testApp } = await import('../kit/app.ts')
  const office = await openOffice(testApp)
  const { a } = office
  const national = [{ phone_number: '01 99 00 75 01', name: 'Jo' }]
  await a.own('PUT', '/v1/company/settings', { country: 'FR' })
  const campaign = await campaignOf(office, national)
  expect(Object.keys(await campaign.results())).toEqual(['+33199007501'])

  const { agent_id } = campaign
  const check = async (body: object) =>
    (await a.own('POST', '/v1/outbound-campaigns/checks', { agent_id, ...body })).json.problems
  const russian = [...national, { phone_number: '+79161234567', name: 'Jo' }]
  expect(await check({ recipients: russian })).toEqual([{ index: 1, issue: 'no_common_hours', variable: null }])
  const always = Object.fromEntries(Object.keys(daily).map((day) => [day, [['00:00', '24:00']]]))
  expect(await check({ recipients: russian, calling_hours: always })).toEqual([])
  const unnamed = [{ phone_number: '0199007502' }, { phone_number: '0612' }]
  expect(await check({ recipients: unnamed })).toEqual([
    { index: 0, issue: 'missing_variable', variable: 'name' },
    { index: 1, issue: 'phone_number', variable: null },
  ])
  const many = Array.from({ length: 10_000 }, (_, n) => ({ phone_number: `+33${199_100_000 + n}`, name: 'Jo' }))
  expect(await check({ recipients: many })).toEqual([])
})

/** The AI agent can also place single calls. */
async function callsFromItsNumber({ a }: Office, { agent_id, read }: Awaited<ReturnType<typeof campaignOf>>) {
  const [outbound_number_id] = (await read()).number_ids
  await a.own('PUT', `/v1/ai_voice_agents/${agent_id}`, { outbound_number_id })
}

test('calls only from numbers that are still verified', async () => {
  const { testApp } = await import('../kit/app.ts')
  const office = await openOffice(testApp)
  const { a, db } = office
  const phones = ['+33199007601', '+33199007602']
  await office.callees(Object.fromEntries(phones.map((phone) => [phone, yes])))
  const recipients = phones.map((phone_number) => ({ phone_number, name: 'Jo' }))
  const campaign = await campaignOf(office, recipients, {}, 2)
  const [lost, verified] = (await campaign.read()).number_ids
  await db.updateTable('number').set({ validated: 0 }).where('id', '=', lost).execute()
  await campaign.act('start')
  await office.pass(240)
  expect((await campaign.read()).progress).toMatchObject({ reached: 2 })
  const { outbound_calls: calls } = (await a.api('GET', '/v1/outbound-calls')).json
  expect(calls.map((call: { number_id: number }) => call.number_id)).toEqual([verified, verified])
})

test('stops when the plan no longer includes AI agents, and when the company is deactivated', async () => {
  const { testApp } = await import('../kit/app.ts')
  for (const change of [{ ai_voice_agents: 0 as const }, { active: 0 as const }]) {
    const office = await openOffice(testApp)
    const { a, db } = office
    const phones = ['+33199007611', '+33199007612', '+33199007613']
    await office.callees(Object.fromEntries(phones.map((phone) => [phone, slow])))
    const recipients = phones.map((phone_number) => ({ phone_number, name: 'Jo' }))
    const campaign = await campaignOf(office, recipients)
    await callsFromItsNumber(office, campaign)
    const single = { contact_phone: '+33199007614', idempotency_key: 'one', context: { name: 'Jo' } }
    await campaign.act('start')
    await office.pass(20)
    expect((await a.api('POST', `/v1/outbound-calls/agents/${campaign.agent_id}`, single)).status).toBe(202)

    await db.updateTable('company').set(change).where('id', '=', a.id).execute()
    await office.pass(600)
    await db.updateTable('company').set({ ai_voice_agents: 1, active: 1 }).where('id', '=', a.id).execute()

    expect(await campaign.read()).toMatchObject({ status: 'paused', paused_reason: 'agent_unavailable' })
    const { calls } = (await a.api('GET', '/v1/calls')).json
    expect(calls).toHaveLength(1)
    const { outbound_calls: queued } = (await a.api('GET', '/v1/outbound-calls')).json
    const reasons = queued.map((call: { failure_reason: string | null }) => call.failure_reason)
    expect(reasons.toSorted()).toEqual(['agent_unavailable', null])
  }
})

test('a change of the calling hours applies to calls that are queued already', async () => {
  const { testApp } = await import('../kit/app.ts')
  const office = await openOffice(testApp)
  const { a, db, clock } = office
  const morning = Object.fromEntries(Object.keys(daily).map((day) => [day, [['09:00', '12:00']]]))
  const recipients = [{ phone_number: '+33199007621', name: 'Jo' }]
  const campaign = await campaignOf(office, recipients, { calling_hours: morning })
  await campaign.act('start')
  await office.pass(10)
  // As if no process had been able to place it yet.
  const [campaignId, { number_ids: numbers }] = [campaign.path.split('/').at(-1) ?? '', await campaign.read()]
  const at = clock.now()
  await db.updateTable('ai_campaign_recipient').set({ due_at: at }).where('company_id', '=', a.id).execute()
  const recipient = await nextDueRecipient(db, a.id, campaignId, at)
  if (!recipient) throw new Error('there is a recipient')
  await insertOutboundCall(db, a.id, {
    id: 'queued',
    idempotencyKey: 'queued',
    agentId: campaign.agent_id,
    numberId: numbers[0],
    phone: recipient.phone,
    context: {},
    status: 'PENDING',
    failureReason: null,
    callId: null,
    campaignId,
    recipientId: recipient.id,
    expiresAt: at + 3_600_000,
    createdAt: at,
  })
  await startAttempt(db, a.id, recipient, 'queued', at)

  await a.api('PUT', campaign.path, { calling_hours: { mon: [['07:00', '08:00']] } })
  await office.pass(60)
  expect((await a.api('GET', '/v1/outbound-calls')).json.outbound_calls).toEqual([])
  expect(short(await campaign.results())).toEqual({ '+33199007621': 'pending 0 null' })
})

test('a number that has opted out is not called in another spelling', async () => {
  const { testApp } = await import('../kit/app.ts')
  const office = await openOffice(testApp)
  const { a } = office
  await a.api('POST', '/v1/call_opt_outs', { phone_number: '+33612345678' })
  const campaign = await campaignOf(office, [{ phone_number: '+33 06 12 34 56 78', name: 'Jo' }])
  await campaign.act('start')
  await office.pass(60)
  expect(short(await campaign.results())).toEqual({ '+33612345678': 'opted_out 0 null' })
  await callsFromItsNumber(office, campaign)
  const single = { contact_phone: '+330612345678', idempotency_key: 'one', context: { name: 'Jo' } }
  const path = `/v1/outbound-calls/agents/${campaign.agent_id}`
  expect((await a.api('POST', path, single)).status).toBe(403)
  const other = await a.api('POST', '/v1/call_opt_outs', { phone_number: '+330698765432' })
  expect(other.json.phone_number).toBe('+33698765432')
})

test('the check names and counts recipients who have opted out, and a campaign that is not running has no next attempt', async () => {
  const { testApp } = await import('../kit/app.ts')
  const office = await openOffice(testApp)
  const { a, b } = office
  const [jo, mo] = ['+33199007641', '+33199007642']
  await a.api('POST', '/v1/call_opt_outs', { phone_number: mo })
  await b.own('POST', '/v1/call_opt_outs', { phone_number: jo })
  const recipients = [jo, mo].map((phone_number) => ({ phone_number, name: 'Jo' }))
  const campaign = await campaignOf(office, recipients)
  const { agent_id } = campaign
  const nextAttempts = async () => Object.values(await campaign.results()).map((one) => one.next_attempt_at)

  const list = [...recipients, { phone_number: '0612', name: 'Bo' }, { phone_number: '+33 01 99 00 76 42', name: 'Mo' }]
  const checked = await a.own('POST', '/v1/outbound-campaigns/checks', { agent_id, recipients: list })

  expect(checked.json).toEqual({
    problems: [
      { index: 1, issue: 'opted_out', variable: null },
      { index: 2, issue: 'phone_number', variable: null },
      { index: 3, issue: 'listed_twice', variable: null },
    ],
    opted_out: 1,
  })
  expect(await nextAttempts()).toEqual([null, null])
  const morning = Object.fromEntries(Object.keys(daily).map((day) => [day, [['09:00', '12:00']]]))
  await a.api('PUT', campaign.path, { calling_hours: morning })
  await campaign.act('start')
  await office.pass(10)
  expect(await nextAttempts()).toEqual(['2026-06-16T07:00:00.000Z', '2026-06-16T07:00:00.000Z'])
  await campaign.act('pause')
  expect(await nextAttempts()).toEqual([null, null])
})

test('finishes although hundreds of recipients have opted out', async () => {
  const { testApp } = await import('../kit/app.ts')
  const office = await openOffice(testApp)
  const { a, db, clock } = office
  const phones = Array.from({ length: 450 }, (_, n) => `+33199${300_000 + n}`)
  await office.callees({ '+33199007631': yes })
  const rows = phones.map((phone) => ({
    company_id: a.id,
    phone,
    source: 'api' as const,
    call_id: null,
    created_at: clock.now(),
  }))
  await db.insertInto('call_opt_out').values(rows).execute()
  const recipients = [...phones, '+33199007631'].map((phone_number) => ({ phone_number, name: 'Jo' }))
  const campaign = await campaignOf(office, recipients)
  await campaign.act('start')
  await office.pass(120)
  expect(await campaign.read()).toMatchObject({ status: 'finished', progress: { opted_out: 450, reached: 1 } })
})
