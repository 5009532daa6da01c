import { Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { type Context, problemOfContext } from '../../../domain/ai-agent/variables.ts'
import { isE164 } from '../../../domain/phone-number.ts'
import { badRequest, conflict, forbidden, unprocessable } from '../../../http/errors.ts'
import { Meta, metaOf, RangeQuery, windowOf } from '../../../http/paging.ts'
import { route } from '../../../http/route.ts'
import { text } from '../../../http/schemas.ts'
import { enqueue, enqueueOnce } from '../../../jobs/queue.ts'
import { second } from '../../../lib/clock.ts'
import { withoutTrunkZero } from '../../../lib/phone-format.ts'
import { ulid } from '../../../lib/ulid.ts'
import type { Services } from '../../../services.ts'
import { findNumber } from '../../accounts/index.ts'
import { findAgent, numbersWithAgents, type VoiceAgent } from '../agents/store.ts'
import { findCallOptOut } from '../opt-outs/store.ts'
import { contextProblem } from './context.ts'
import { findOutboundCall, insertOutboundCall, type NewOutboundCall, pageOfOutboundCalls } from './store.ts'
import { OutboundCallView, outboundCallView, QueuedCallView, queuedCallView } from './view.ts'

const defaultWaitSeconds = 3_600

const callByAgent = route({
  method: 'POST',
  path: '/v1/outbound-calls/agents/:agent_id',
  summary:
    'Start a call by an AI voice agent; it is queued while five AI agents are calling, or one from the same Number',
  tag: 'AI voice agents',
  feature: 'ai-voice-agents',
  params: Type.Object({ agent_id: Type.String() }),
  load: ({ params, caller, services }) => findAgent(services.db, caller.companyId, params.agent_id),
  body: Type.Object({
    contact_phone: text(16, { description: 'E.164', examples: ['+33123456789'] }),
    idempotency_key: text(255, { description: 'Unique in the company', examples: ['visit-4729'] }),
    context: Type.Optional(
      Type.Unsafe<unknown>({
        type: 'object',
        'x-any': true,
        description:
          'A value for each `{{ variable }}` of the first message. A UTC datetime is spoken in words and requires a `timezone`',
        examples: [{ name: 'Jo', visit: '2026-06-15T12:00:00Z', timezone: 'Europe/Paris' }],
      }),
    ),
    expiration_seconds: Type.Optional(Type.Integer({ minimum: 60, maximum: 86_400, default: defaultWaitSeconds })),
  }),
  errors: [
    { status: 400, when: 'a value is invalid, or the first message uses a variable that is missing in `context`' },
    { status: 403, when: 'the number may not be dialled or has opted out, or no speech engine is available' },
    { status: 409, when: 'the idempotency key was used before' },
    { status: 422, when: 'the agent has no Number to call from, no first message, or is not active' },
  ],
  reply: { status: 202, body: QueuedCallView },
  async check({ body, loaded: agent, caller: { companyId }, services }) {
    const phone = await calledNumber(body.contact_phone)
    const context = givenContext(body.context)
    const numberId = await readyNumber(services, companyId, agent)
    // Variables may also come from the server of the company.
    const issue = problemOfContext(agent.contextRequest ? '' : (agent.firstMessage ?? ''), context)
    if (issue !== undefined) throw badRequest(issue)
    if (agent.brain === 'llm' && !(await services.ai.llm(companyId, 'agent'))) {
      throw forbidden(
        'The AI agent uses an LLM, and none is configured; an admin can set one up under Conversation intelligence',
      )
    }
    if (await findCallOptOut(services.db, companyId, phone)) {
      throw forbidden('The phone number has opted out of calls by AI voice agents')
    }
    const why = await services.calls.whyNotDial(companyId, { numberId, to: phone, origin: 'ai_agent' })
    if (why !== undefined) throw forbidden(why)
  },
  async handle({ body, loaded: agent, caller: { companyId }, services }) {
    const { clock, db } = services
    const { expiration_seconds: waitSeconds = defaultWaitSeconds } = body
    const phone = await calledNumber(body.contact_phone)
    const context = givenContext(body.context)
    const numberId = await readyNumber(services, companyId, agent)
    const at = clock.now()
    const call: NewOutboundCall = {
      id: ulid(clock.machineNow()),
      idempotencyKey: body.idempotency_key,
      agentId: agent.id,
      numberId,
      phone,
      context,
      status: 'PENDING',
      failureReason: null,
      callId: null,
      expiresAt: at + waitSeconds * second,
      createdAt: at,
    }
    await transaction(db, async (tx) => {
      if (!(await insertOutboundCall(tx, companyId, call))) throw conflict('`idempotency_key` was used before')
      await enqueue(tx, 'agent_calls.serve', { companyId }, at, `agent-calls:${companyId}`)
      await enqueueOnce(tx, 'agent_calls.serve', { companyId }, call.expiresAt, `agent-call-expires:${call.id}`)
    })
    return queuedCallView(call)
  },
})

const listCalls = route({
  method: 'GET',
  path: '/v1/outbound-calls',
  summary: 'List outbound calls of AI voice agents',
  tag: 'AI voice agents',
  feature: 'ai-voice-agents',
  query: RangeQuery,
  reply: { status: 200, body: Type.Object({ meta: Meta, outbound_calls: Type.Array(OutboundCallView) }) },
  async handle({ query, caller: { companyId }, services, place }) {
    const window = windowOf(query)
    const { calls, total } = await pageOfOutboundCalls(services.db, companyId, window)
    return { meta: metaOf(place, window, calls.length, total), outbound_calls: calls.map(outboundCallView) }
  },
})

const getCall = route({
  method: 'GET',
  path: '/v1/outbound-calls/:id',
  summary: 'Retrieve an outbound call of an AI voice agent',
  tag: 'AI voice agents',
  feature: 'ai-voice-agents',
  params: Type.Object({ id: Type.String() }),
  load: ({ params, caller, services }) => findOutboundCall(services.db, caller.companyId, params.id),
  reply: { status: 200, body: OutboundCallView },
  async handle({ loaded }) {
    return outboundCallView(loaded)
  },
})

/** In the form in which opt-outs are stored. */
function calledNumber(phone: string): Promise<string> {
  if (!isE164(phone)) throw badRequest('`contact_phone` must be E.164, such as +33123456789')
  return withoutTrunkZero(phone)
}

function givenContext(value: unknown): Context {
  if (value === undefined || value === null) return {}
  const problem = contextProblem(value)
  if (problem !== undefined) throw badRequest(problem)
  return value as Context
}

/** The configured outbound Number, else the first Number whose flow uses the agent. */
async function readyNumber({ db }: Services, companyId: CompanyId, agent: VoiceAgent): Promise<number> {
  if (!agent.active) throw unprocessable('The AI agent is not active; activate it first')
  if (agent.firstMessage === null) throw unprocessable('The AI agent has no first message; add one first')
  const id = agent.numberId ?? (await numbersWithAgents(db, companyId)).get(agent.id)?.[0]
  const number = id === undefined ? undefined : await findNumber(db, companyId, id)
  if (!number?.validated) throw unprocessable('The AI agent has no verified Number to call from')
  return number.id
}

export const outboundAgentRoutes = [callByAgent, listCalls, getCall]
