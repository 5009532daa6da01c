import { expect, test } from 'vitest'
import { type CallFacts, callFilter } from '../../src/domain/analytics/filters.ts'
import type { Filters } from '../../src/domain/analytics/report-params.ts'
import { zoneOf } from '../../src/domain/analytics/zone.ts'
import { callsStarted } from '../../src/features/analytics/exports/report-store.ts'
import { onAnyDatabase } from '../kit/app.ts'
import { caller, hangUp, type Office, openOffice, ringTo, toUser } from '../kit/phone.ts'
import { addAgent, agentFlow, agentPayloads, storyOf } from './agents.ts'

const intake = {
  name: 'Robin',
  first_message: 'Hello, this is Robin.',
  goodbye_message: 'Goodbye.',
  questions: [
    { key: 'reason', ask: 'Why do you call?', kind: 'text' },
    { key: 'order', ask: 'What is your order number?', kind: 'number' },
  ],
}

/** All calls have ended, and all events are published. */
const evening = (office: Office) => office.pass(120)

onAnyDatabase('an AI voice agent on inbound calls', (open) => {
  test('answers, asks its questions, plays the closing message and publishes the answers', async () => {
    const office = await openOffice(open)
    const agent = await addAgent(office, intake)
    const line = await office.line(agentFlow(agent))

    const id = await office.call(line, {
      script: [
        { say: 'My parcel is broken', seconds: 2 },
        { say: 'four seven two nine', seconds: 3 },
        { say: 'yes', seconds: 1 },
      ],
    })
    await evening(office)

    expect(await storyOf(office, id)).toEqual([
      'call.created',
      'call.answered',
      'ai_voice_agent.started',
      'ai_voice_agent.ended',
      'call.hungup',
      'ai_voice_agent.summary',
      'call.ended',
    ])
    const [answered] = await office.payloads(id, 'answered')
    expect(answered).toMatchObject({ status: 'answered', user: null, answered_at: answered.started_at })
    const call = await office.show(id, '?fetch_aiva_conv=true')
    const common = {
      id,
      call_id: id,
      call_uuid: call.sid,
      ai_voice_agent_id: agent,
      ai_voice_agent_name: 'Robin',
      ai_voice_agent_session_id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      number_id: line.id,
    }
    const numbers = { external_caller_number: caller, company_number: line.digits, started_at: call.started_at }
    expect(await agentPayloads(office, id)).toEqual({
      started: { ...common, ...numbers, created_at: call.started_at },
      ended: {
        ...common,
        ...numbers,
        created_at: call.ended_at,
        ended_at: call.ended_at,
        call_end_reason: 'answered',
      },
      summary: { ...common, created_at: call.ended_at, extracted_data: { reason: 'My parcel is broken', order: 4729 } },
    })
    expect(call).toMatchObject({ status: 'done', user: null, missed_call_reason: null, answered_at: call.started_at })
    expect(call.ai_voice_agents).toEqual([
      {
        agent_id: agent,
        agent_name: 'Robin',
        agent_version: 1,
        end_reason: 'answered',
        started_at: call.started_at,
        ended_at: call.ended_at,
        escalation_reason: null,
        escalation_target: null,
        structured_data: null,
        structured_data_problem: null,
      },
    ])
    expect(await office.show(id)).not.toHaveProperty('ai_voice_agents')
    const facts: CallFacts[] = []
    for await (const some of callsStarted(office.db, office.a.id, { from: 0, to: Number.MAX_SAFE_INTEGER }, 10)) {
      facts.push(...some)
    }
    expect(facts).toMatchObject([{ id, agentIds: [agent] }])
    const counted = (filters: Filters) => facts.filter(callFilter(filters, zoneOf('Etc/UTC'))).length
    expect(counted({ withAiIntervention: true })).toBe(1)
    expect(counted({ withAiIntervention: false })).toBe(0)
    expect(counted({ virtualVoiceAgentIDs: [agent] })).toBe(1)
    expect(counted({ virtualVoiceAgentIDs: ['another'] })).toBe(0)
  })

  test('accepts keys as an answer, also during a prompt', async () => {
    const office = await openOffice(open)
    const agent = await addAgent(office, { ...intake, questions: intake.questions.slice(1) })
    const line = await office.line(agentFlow(agent))

    const id = await office.call(line, { script: [{ wait: 1 }, { press: '4471#' }] })
    await evening(office)

    const { ended, summary } = await agentPayloads(office, id)
    expect(summary.extracted_data).toEqual({ order: 4471 })
    expect(ended.ended_at - ended.started_at).toBeLessThan(4)
  })

  test('escalates the call to a branch of the flow, where an agent answers it', async () => {
    const office = await openOffice(open)
    const { ada, pass } = office
    await office.connect(ada)
    const agent = await addAgent(office, intake)
    const line = await office.line(agentFlow(agent, ringTo([toUser(ada)], { branches: { no_answer: 'away' } })))

    const id = await office.call(line, { script: [{ say: 'Give me a real person', seconds: 2 }] })
    await pass(12)
    await office.does(ada, { kind: 'answer' })
    await pass(5)
    await office.does(ada, { kind: 'hang_up' })
    await evening(office)

    expect(await storyOf(office, id)).toEqual([
      'call.created',
      'call.answered',
      'ai_voice_agent.started',
      'ai_voice_agent.escalated',
      'ai_voice_agent.ended',
      'ai_voice_agent.summary',
      'call.ringing_on_agent',
      'call.assigned',
      'call.hungup',
      'call.ended',
    ])
    const { escalated, ended } = await agentPayloads(office, id)
    expect(escalated).toMatchObject({ call_id: id, escalation_reason: 'The caller asked for a person' })
    expect(escalated).not.toHaveProperty('started_at')
    expect(ended).toMatchObject({ call_end_reason: 'escalated' })
    const [ringing] = await office.payloads(id, 'ringing_on_agent')
    expect(ringing).toMatchObject({ status: 'answered' })
    const call = await office.show(id, '?fetch_aiva_conv=true')
    expect(call).toMatchObject({ user: { id: ada }, assigned_to: { id: ada }, missed_call_reason: null })
    expect(call.ai_voice_agents).toMatchObject([
      {
        end_reason: 'escalated',
        escalation_reason: 'The caller asked for a person',
        escalation_target: { type: 'branch', destination: 'escalated' },
      },
    ])
  })

  test('escalates the call to a team, as a transfer without a user', async () => {
    const office = await openOffice(open)
    const { ada, bea, team, pass } = office
    await office.connect(ada)
    const escalation = { target: { type: 'team', id: team }, after_misunderstandings: 1 }
    const agent = await addAgent(office, { ...intake, questions: intake.questions.slice(1), escalation })
    const line = await office.line(agentFlow(agent))

    const id = await office.call(line, { script: [{ say: 'I do not know', seconds: 2 }] })
    await pass(15)
    await office.does(ada, { kind: 'answer' })
    await office.does(ada, { kind: 'hang_up' })
    await evening(office)

    expect((await storyOf(office, id)).slice(3)).toEqual([
      'ai_voice_agent.escalated',
      'ai_voice_agent.ended',
      'ai_voice_agent.summary',
      'call.transferred',
      'call.ringing_on_agent',
      'call.assigned',
      'call.hungup',
      'call.ended',
    ])
    const [transferred] = await office.payloads(id, 'transferred')
    expect(transferred).toMatchObject({ transferred_by: null, transferred_to: { id: Math.min(ada, bea) } })
    const { escalated } = await agentPayloads(office, id)
    expect(escalated.escalation_reason).toBe('The caller was not understood once')
  })

  test('escalates the call to an external number', async () => {
    const office = await openOffice(open)
    const escalation = { target: { type: 'external', number: '+33199001111' } }
    const agent = await addAgent(office, { ...intake, escalation })
    const line = await office.line(agentFlow(agent))

    const id = await office.call(line, {
      script: [{ say: 'An agent, please', seconds: 2 }, { wait: 30 }, { hang_up: true }],
    })
    await evening(office)

    expect((await storyOf(office, id)).slice(3)).toEqual([
      'ai_voice_agent.escalated',
      'ai_voice_agent.ended',
      'ai_voice_agent.summary',
      'call.transferred',
      'call.external_transferred',
      'call.hungup',
      'call.ended',
    ])
  })

  test('detects a hang-up and silence of the caller', async () => {
    const office = await openOffice(open)
    const agent = await addAgent(office, intake)
    const line = await office.line(agentFlow(agent))

    const hasty = await office.call(line, { script: [{ wait: 2 }, { hang_up: true }] })
    const mute = await office.call(line, { script: [] })
    await evening(office)

    expect((await agentPayloads(office, hasty)).ended).toMatchObject({ call_end_reason: 'caller_hung_up' })
    expect((await agentPayloads(office, mute)).ended).toMatchObject({ call_end_reason: 'disconnected' })
    expect(await office.show(hasty)).toMatchObject({ missed_call_reason: null, duration: 2 })
  })

  test('ends the conversation at the time limit', async () => {
    const office = await openOffice(open)
    const intents = [{ name: 'hours', phrases: ['open'], reply: 'From nine to six.' }]
    const agent = await addAgent(office, { ...intake, intents, max_seconds: 30 })
    const line = await office.line(agentFlow(agent))
    const script = Array.from({ length: 30 }, () => ({ say: 'When are you open?', seconds: 2 }))

    const id = await office.call(line, { script })
    await evening(office)

    const { ended } = await agentPayloads(office, id)
    expect(ended.call_end_reason).toBe('disconnected')
    expect(ended.ended_at - ended.started_at).toBeLessThan(35)
  })

  test('that is inactive, deleted or not in the plan lets the call continue on the fallback branch', async () => {
    const office = await openOffice(open)
    const { a, db } = office
    const agent = await addAgent(office, intake)
    const line = await office.line(agentFlow(agent))
    const away = ['call.created', 'call.hungup', 'call.ended']
    const call = async () => {
      const id = await office.call(line)
      await evening(office)
      return storyOf(office, id)
    }

    await a.own('PUT', `/v1/ai_voice_agents/${agent}`, { active: false })
    expect(await call()).toEqual(away)
    await a.own('PUT', `/v1/ai_voice_agents/${agent}`, { active: true })
    await db.updateTable('company').set({ ai_voice_agents: 0 }).where('id', '=', a.id).execute()
    expect(await call()).toEqual(away)
    await db.updateTable('company').set({ ai_voice_agents: 1 }).where('id', '=', a.id).execute()
    await a.own('DELETE', `/v1/ai_voice_agents/${agent}`)
    expect(await call()).toEqual(away)
  })

  test('is replaced by a transfer through the API', async () => {
    const office = await openOffice(open)
    const { a, ada, pass } = office
    await office.connect(ada)
    const agent = await addAgent(office, intake)
    const line = await office.line({ ...agentFlow(agent), away: hangUp })

    const id = await office.call(line)
    await pass(2)
    const moved = await a.api('POST', `/v1/calls/${id}/transfers`, { user_id: ada })
    await evening(office)

    expect(moved.status, moved.text).toBe(204)
    expect((await storyOf(office, id)).slice(2, 6)).toEqual([
      'ai_voice_agent.started',
      'ai_voice_agent.ended',
      'ai_voice_agent.summary',
      'call.transferred',
    ])
  })
})
