import { Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import type { CallerInput } from '../../../domain/ai-agent/dialog.ts'
import type { Caller } from '../../../http/caller.ts'
import { badRequest, notFound, unprocessable } from '../../../http/errors.ts'
import { Meta, metaOf, RangeQuery, windowOf } from '../../../http/paging.ts'
import { route } from '../../../http/route.ts'
import { nullable, oneOf, text } from '../../../http/schemas.ts'
import { second } from '../../../lib/clock.ts'
import { ulid } from '../../../lib/ulid.ts'
import type { Services } from '../../../services.ts'
import { admins, audit, userIdOf } from '../../accounts/index.ts'
import { knowledgeSearch, unhurriedEmbedTimeoutMs } from '../knowledge/search.ts'
import { deleteSuggestionSource } from '../knowledge/sources-store.ts'
import { deleteDocumentsOf } from '../knowledge/store.ts'
import { deleteTestSet } from '../tests/store.ts'
import { saveAgent } from '../versions/save.ts'
import { deleteAgentVersions, insertAgentVersion } from '../versions/store.ts'
import { agentEntry } from './audit-entry.ts'
import { toolSigningSecret } from './http-tools.ts'
import { ChangedAgent, changedBy, checkAgent, NewAgent } from './settings.ts'
import {
  countAgents,
  deleteAgent,
  findAgent,
  freshAgent,
  insertAgent,
  numbersWithAgents,
  pageOfAgents,
  type VoiceAgent,
} from './store.ts'
import { runTestChat } from './test-chat.ts'
import { planForTest } from './test-plan.ts'
import {
  agentView,
  TestChatView,
  testChatView,
  VoiceAgentSettingsView,
  VoiceAgentView,
  voiceAgentSettingsView,
} from './view.ts'

const tag = 'AI voice agents'
const feature = 'ai-voice-agents'
const maxAgents = 50
const params = Type.Object({ id: Type.String() })
const OneAgent = Type.Object({ ai_voice_agent: VoiceAgentSettingsView })

const VersionNote = {
  version_note: Type.Optional(nullable(text(500, { description: 'What was changed; shown in the list of versions' }))),
}

type Loading = { params: { id: string }; caller: Caller; services: Services }
const load = ({ params: { id }, caller, services }: Loading) => findAgent(services.db, caller.companyId, id)

const listAgents = route({
  method: 'GET',
  path: '/v1/ai_voice_agents',
  summary: 'List AI voice agents',
  tag,
  feature,
  query: RangeQuery,
  reply: { status: 200, body: Type.Object({ meta: Meta, ai_voice_agents: Type.Array(VoiceAgentView) }) },
  async handle({ query, caller: { companyId }, services: { db }, place }) {
    const window = windowOf(query)
    const { agents, total } = await pageOfAgents(db, companyId, window)
    const drawn = await numbersWithAgents(db, companyId)
    return {
      meta: metaOf(place, window, agents.length, total),
      ai_voice_agents: agents.map((agent) => agentView(agent, drawn)),
    }
  },
})

const getAgent = route({
  method: 'GET',
  path: '/v1/ai_voice_agents/:id',
  summary: 'Retrieve an AI voice agent',
  tag,
  feature,
  params,
  load,
  reply: { status: 200, body: Type.Object({ ai_voice_agent: VoiceAgentView }) },
  async handle({ loaded, caller, services }) {
    return { ai_voice_agent: agentView(loaded, await numbersWithAgents(services.db, caller.companyId)) }
  },
})

const getSettings = route({
  method: 'GET',
  path: '/v1/ai_voice_agents/:id/settings',
  summary: 'Retrieve an AI voice agent with all its settings',
  tag,
  feature,
  access: 'app',
  roles: admins,
  params,
  load,
  reply: { status: 200, body: OneAgent },
  handle: ({ loaded, caller, services }) => shown(services, caller, loaded),
})

const createAgent = route({
  method: 'POST',
  path: '/v1/ai_voice_agents',
  summary: 'Create an AI voice agent',
  tag,
  feature,
  access: 'app',
  body: Type.Object({ ...NewAgent.properties, ...VersionNote }),
  errors: [{ status: 400, when: `settings are inconsistent, or the company already has ${maxAgents} AI agents` }],
  reply: { status: 201, body: OneAgent },
  async handle({ body, caller, services, address }) {
    const { companyId } = caller
    const { clock } = services
    const settings = changedBy({ ...freshAgent, name: body.name }, body, services.vault)
    const made = await transaction(services.db, async (tx) => {
      await checkAgent(services, tx, companyId, settings)
      if ((await countAgents(tx, companyId)) >= maxAgents)
        throw badRequest(`The company already has ${maxAgents} AI voice agents; delete one first`)
      const agent = await insertAgent(tx, companyId, ulid(clock.machineNow()), settings, clock.now())
      const version = { note: body.version_note ?? null, createdBy: userIdOf(caller), at: clock.now() }
      await insertAgentVersion(tx, companyId, agent, version)
      await audit(services, tx, companyId, agentEntry(caller, 'created', agent, address))
      return agent
    })
    return shown(services, caller, made)
  },
})

const changeAgent = route({
  method: 'PUT',
  path: '/v1/ai_voice_agents/:id',
  summary: 'Update an AI voice agent; ongoing conversations keep their settings',
  tag,
  feature,
  access: 'app',
  params,
  load,
  edits: {
    object: 'ai_voice_agent',
    view: async ({ loaded, caller, services }) => (await shown(services, caller, loaded)).ai_voice_agent,
  },
  body: Type.Object({ ...ChangedAgent.properties, ...VersionNote }),
  errors: [{ status: 400, when: 'settings are inconsistent' }],
  reply: { status: 200, body: OneAgent },
  async handle({ body, loaded, caller, services, address }) {
    const { id, version: _version, createdAt: _createdAt, updatedAt: _updatedAt, ...before } = loaded
    const settings = changedBy(before, body, services.vault)
    const changed = await transaction(services.db, async (tx) => {
      await checkAgent(services, tx, caller.companyId, settings)
      const agent = await saveAgent(services, tx, caller, { id, settings, note: body.version_note ?? null })
      await audit(services, tx, caller.companyId, agentEntry(caller, 'changed', agent, address))
      return agent
    })
    return shown(services, caller, changed)
  },
})

const removeAgent = route({
  method: 'DELETE',
  path: '/v1/ai_voice_agents/:id',
  summary: 'Delete an AI voice agent; flows that use it continue as if it were unavailable',
  tag,
  feature,
  access: 'app',
  params,
  load,
  reply: { status: 204 },
  async handle({ loaded, caller, services, address }) {
    await transaction(services.db, async (tx) => {
      await deleteDocumentsOf(tx, caller.companyId, loaded.id)
      await deleteSuggestionSource(tx, caller.companyId, loaded.id)
      await deleteTestSet(tx, caller.companyId, loaded.id)
      await deleteAgentVersions(tx, caller.companyId, loaded.id)
      if (!(await deleteAgent(tx, caller.companyId, loaded.id))) throw notFound()
      await audit(services, tx, caller.companyId, agentEntry(caller, 'deleted', loaded, address))
    })
    return {}
  },
})

const maxTurn = 2_000
const maxTurns = 60
const maxTestChats = 60 * second

const testChat = route({
  method: 'POST',
  path: '/v1/ai_voice_agents/:id/test-chat',
  summary: 'Test an AI voice agent by chat, without a call',
  description:
    'Nothing is stored: each request replays the conversation from the start with the turns of the caller, so that earlier turns can be ' +
    'changed. `settings` override the saved ones. A turn with neither text nor keys is silence.',
  tag,
  feature,
  access: 'app',
  roles: admins,
  params,
  load,
  body: Type.Object({
    settings: Type.Optional(ChangedAgent),
    turns: Type.Array(
      Type.Object({
        by: Type.Optional(oneOf(['caller'])),
        text: Type.Optional(Type.String({ maxLength: maxTurn })),
        keys: Type.Optional(Type.String({ pattern: '^[0-9*#]{1,32}$', examples: ['4729#'] })),
      }),
      { maxItems: maxTurns },
    ),
  }),
  errors: [
    { status: 400, when: 'settings are inconsistent' },
    { status: 422, when: 'the AI agent uses an LLM, and none is configured' },
  ],
  reply: { status: 200, body: TestChatView },
  async handle({ body, loaded, caller: { companyId }, services }) {
    const { id, version, createdAt: _made, updatedAt: _changed, ...before } = loaded
    const draft = changedBy(before, body.settings ?? {}, services.vault)
    await checkAgent(services, services.db, companyId, draft)
    const plan = await planForTest(services.db, companyId, { ...draft, id, version })
    const llm = plan.brain === 'llm' ? await services.ai.llm(companyId, 'agent', { purpose: 'agent_test' }) : undefined
    if (plan.brain === 'llm' && !llm)
      throw unprocessable(
        'The AI agent uses an LLM, and none is configured; set one up under Conversation intelligence',
      )
    const control = new AbortController()
    const cancel = services.clock.machineAfter(maxTestChats, () =>
      control.abort(new Error('the test chat exceeded its time limit')),
    )
    try {
      return testChatView(
        await runTestChat(
          plan,
          body.turns.map(callerInput),
          {
            llm,
            search: knowledgeSearch(services, companyId, unhurriedEmbedTimeoutMs),
            now: services.clock.now(),
            steadyNow: () => services.clock.steadyNow(),
          },
          control.signal,
        ),
        plan.escalation.target,
      )
    } finally {
      cancel()
    }
  },
})

function callerInput({ text, keys }: { text?: string; keys?: string }): CallerInput {
  if (keys !== undefined) return { kind: 'keys', keys: keys.replace(/[*#]/g, '') }
  return text === undefined || text.trim() === '' ? { kind: 'silence' } : { kind: 'words', text }
}

const shown = async ({ db }: Services, { companyId }: Caller, agent: VoiceAgent) => ({
  ai_voice_agent: voiceAgentSettingsView(agent, await numbersWithAgents(db, companyId)),
})

const getSigningSecret = route({
  method: 'GET',
  path: '/v1/ai_voice_agents/:id/tool_signing_secret',
  summary: 'Retrieve the signing secret of HTTP tools',
  tag,
  feature,
  access: 'app',
  roles: admins,
  params,
  load,
  reply: { status: 200, body: Type.Object({ signing_secret: Type.String() }) },
  handle: async ({ caller, services }) => ({ signing_secret: toolSigningSecret(services, caller.companyId) }),
})

export const voiceAgentRoutes = [
  listAgents,
  getAgent,
  getSettings,
  createAgent,
  changeAgent,
  removeAgent,
  testChat,
  getSigningSecret,
]
