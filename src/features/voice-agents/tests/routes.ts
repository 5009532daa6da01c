import { Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import type { EscalationTarget } from '../../../domain/ai-agent/plan.ts'
import type { Caller } from '../../../http/caller.ts'
import { badRequest, unprocessable } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { Id, nullable } from '../../../http/schemas.ts'
import { second } from '../../../lib/clock.ts'
import { InvalidFile } from '../../../lib/yaml-fields.ts'
import type { Services } from '../../../services.ts'
import { admins, audit, findTeam, findUser } from '../../accounts/index.ts'
import { agentEntry } from '../agents/audit-entry.ts'
import { findAgent, type VoiceAgent } from '../agents/store.ts'
import { planForTest } from '../agents/test-plan.ts'
import { knowledgeSearch, unhurriedEmbedTimeoutMs } from '../knowledge/search.ts'
import { type AgentTestSet, maxTestSource, readAgentTests } from './file.ts'
import { newTestFile, testOfConversation, withTest } from './from-call.ts'
import { runAgentTests, testedAgent } from './run.ts'
import { conversationOfCall, findTestSet, saveTestResults, saveTestSet } from './store.ts'
import { AgentTestRunView, AgentTestSetView, agentTestRunView, agentTestSetView } from './view.ts'

const tag = 'AI voice agents'
const feature = 'ai-voice-agents'
const params = Type.Object({ id: Type.String() })
const Source = Type.String({ maxLength: maxTestSource, description: 'Tests as YAML' })
const OneSet = Type.Object({ ai_voice_agent_tests: AgentTestSetView })

type Loading = { params: { id: string }; caller: Caller; services: Services }
const load = ({ params: { id }, caller, services }: Loading) => findAgent(services.db, caller.companyId, id)
const shared = { tag, feature, access: 'app', params, load } as const

const getTests = route({
  ...shared,
  method: 'GET',
  path: '/v1/ai_voice_agents/:id/tests',
  summary: 'Retrieve the tests of an AI voice agent and the results of their last run',
  roles: admins,
  reply: { status: 200, body: OneSet },
  handle: ({ loaded, caller, services }) => shown(services, caller, loaded),
})

const putTests = route({
  ...shared,
  method: 'PUT',
  path: '/v1/ai_voice_agents/:id/tests',
  summary: 'Replace the tests of an AI voice agent',
  description: '`source: null` removes them. Errors name the line.',
  roles: admins,
  edits: {
    object: 'ai_voice_agent_tests',
    view: async ({ loaded, caller, services }) => (await shown(services, caller, loaded)).ai_voice_agent_tests,
  },
  body: Type.Object({ source: Type.Optional(nullable(Source)) }),
  errors: [{ status: 400, when: 'the tests are invalid' }],
  reply: { status: 200, body: OneSet },
  async handle({ body, loaded, caller, services, address }) {
    const source = body.source ?? ''
    if (source.trim() !== '') parsed(source, loaded)
    await transaction(services.db, async (tx) => {
      await saveTestSet(tx, caller.companyId, loaded.id, source, services.clock.now())
      await audit(services, tx, caller.companyId, agentEntry(caller, 'tests_changed', loaded, address))
    })
    return shown(services, caller, loaded)
  },
})

const maxRunMs = 60 * second

const runTests = route({
  ...shared,
  method: 'POST',
  path: '/v1/ai_voice_agents/:id/tests/run',
  summary: 'Run the tests of an AI voice agent',
  description: 'Runs `source`, or the stored tests, whose results are stored. No call takes place.',
  roles: admins,
  body: Type.Object({ source: Type.Optional(Source) }),
  errors: [
    { status: 400, when: 'the tests are invalid' },
    { status: 422, when: 'there are no tests' },
  ],
  reply: { status: 200, body: AgentTestRunView },
  async handle({ body, loaded, caller: { companyId }, services }) {
    const { db, clock } = services
    const stored = await findTestSet(db, companyId, loaded.id)
    const source = body.source ?? stored?.source ?? ''
    if (source.trim() === '') throw unprocessable('The AI agent has no tests; add one first')
    const { createdAt: _made, updatedAt: _changed, ...agent } = loaded
    const { version } = agent
    const plan = await planForTest(db, companyId, agent)
    const set = parsed(source, plan)
    const needsLlm = plan.brain === 'llm' || set.tests.some(({ caller }) => caller.kind === 'goal')
    const llm = needsLlm ? await services.ai.llm(companyId, 'agent', { purpose: 'agent_test' }) : undefined
    const control = new AbortController()
    const cancel = clock.machineAfter(maxRunMs, () => control.abort(new Error('the tests exceeded their time limit')))
    const nameOfTarget = targetNames(services, companyId)
    try {
      const results = await runAgentTests(set, {
        plan,
        llm,
        search: knowledgeSearch(services, companyId, unhurriedEmbedTimeoutMs),
        clock,
        signal: control.signal,
        nameOfTarget,
      })
      if (body.source === undefined)
        await saveTestResults(db, companyId, loaded.id, { source, results, version, at: clock.now() })
      return agentTestRunView(results, version)
    } finally {
      cancel()
    }
  },
})

const importTest = route({
  ...shared,
  method: 'POST',
  path: '/v1/ai_voice_agents/:id/tests/import',
  summary: 'Create a test of an AI voice agent from a call it took',
  description: 'Adds the test to the stored ones; with `save: false` it is only returned.',
  roles: admins,
  body: Type.Object({ call_id: Id, save: Type.Optional(Type.Boolean({ description: 'Default: true' })) }),
  errors: [{ status: 400, when: 'the AI agent did not take the call, or the conversation has not ended' }],
  reply: {
    status: 200,
    body: Type.Object({ name: Type.String(), source: Type.String({ description: 'Tests as YAML' }) }),
  },
  async handle({ body: { call_id: callId, save = true }, loaded, caller, services, address }) {
    const { companyId } = caller
    const conversation = await conversationOfCall(services.db, companyId, loaded.id, callId)
    if (!conversation)
      throw badRequest(`\`call_id\` is not a call that ${loaded.name} has taken, or the conversation has not ended`)
    const test = testOfConversation(callId, conversation, loaded)
    if (!save) return { name: test.name, source: newTestFile(loaded.name, test) }
    const source = await transaction(services.db, async (tx) => {
      const stored = (await findTestSet(tx, companyId, loaded.id))?.source ?? ''
      const known = stored.trim() === '' ? [] : parsed(stored, loaded).tests
      if (known.some(({ name }) => name === test.name)) return stored
      const added = stored.trim() === '' ? newTestFile(loaded.name, test) : withTest(stored, test)
      if (added.length > maxTestSource) throw badRequest(`The tests may have at most ${maxTestSource} characters`)
      parsed(added, loaded)
      await saveTestSet(tx, companyId, loaded.id, added, services.clock.now())
      await audit(services, tx, companyId, agentEntry(caller, 'tests_changed', loaded, address))
      return added
    })
    return { name: test.name, source }
  },
})

/** Throws a 400 that names the line. */
function parsed(source: string, agent: Parameters<typeof testedAgent>[0]): AgentTestSet {
  try {
    const set = readAgentTests('tests', source, testedAgent(agent))
    if (typeof set.agent === 'object' && set.agent !== null)
      throw new InvalidFile('tests', set.agentLine, 'agent must be the name of the AI agent here, not its settings')
    return set
  } catch (error) {
    throw error instanceof InvalidFile ? badRequest(`Line ${error.line}: ${error.mistake}`) : error
  }
}

const targetNames =
  ({ db }: Services, companyId: number) =>
  async (target: EscalationTarget): Promise<string> => {
    if (target.type === 'branch') return 'branch'
    if (target.type === 'external') return target.number
    if (target.type === 'team') return (await findTeam(db, companyId, target.id))?.name ?? `team ${target.id}`
    const user = await findUser(db, companyId, target.id)
    return user ? `${user.firstName} ${user.lastName}` : `user ${target.id}`
  }

/** Stored tests that the changed AI agent no longer has questions or tools for are shown, and fail when they run. */
async function shown({ db }: Services, { companyId }: Caller, agent: VoiceAgent) {
  const stored = await findTestSet(db, companyId, agent.id)
  const set = stored && stored.source.trim() !== '' ? readAgentTests('tests', stored.source) : undefined
  return { ai_voice_agent_tests: agentTestSetView(stored, set) }
}

export const agentTestRoutes = [getTests, putTests, runTests, importTest]
