import { Type } from 'typebox'
import { parseScript } from '../domain/sandbox/script.ts'
import { findNumberByDigits } from '../features/accounts/numbers/store.ts'
import { isBlockedCaller } from '../features/calls/blocked-callers/store.ts'
import { badRequest } from '../http/errors.ts'
import { route } from '../http/route.ts'
import { Json, nullable, text } from '../http/schemas.ts'
import { performAction } from './actions.ts'
import { loadUser, Seed, sandboxOf, sandboxTag, seconds, UserParams } from './parts.ts'
import { resetCompany } from './reset.ts'
import { startScenario } from './run.ts'
import { scenarios } from './scenarios/index.ts'
import { ParametersBody, parametersIn } from './scenarios/parameters.ts'
import { UserAction } from './user-action.ts'

const postCall = route({
  method: 'POST',
  path: '/sandbox/v1/calls',
  summary: 'Simulate an inbound call',
  description:
    'Steps of a script: `{"wait": 5}`, `{"press": "2"}`, `{"say": "My invoice is wrong", "seconds": 3}`, ' +
    '`{"agent_say": "I am sorry", "seconds": 2}` (the agent who answered speaks), `{"hear": 4}`, ' +
    '`{"request_callback": true}`, `{"voicemail": 12}`, `{"hang_up": true}`. Without a script the caller waits, talks when ' +
    'answered and hangs up when the agent does.',
  tag: sandboxTag,
  free: true,
  body: Type.Object({
    from: Type.String({ pattern: '^(anonymous|\\+[1-9]\\d{6,14})$', maxLength: 16, examples: ['+33199000777'] }),
    to: text(64, { description: 'Number of the company, E.164', examples: ['+33199000101'] }),
    script: Type.Optional(Json),
    patience: Type.Optional(nullable(seconds('Seconds until the caller hangs up; null: never'))),
    speech: Type.Optional(
      Type.Boolean({ description: 'With a text-to-speech engine, the recording contains speech instead of tones' }),
    ),
  }),
  errors: [
    { status: 400, when: '`to` is not a Number of the company, `from` is blocked, or a step of the script is invalid' },
  ],
  reply: { status: 201, body: Type.Object({ call_id: Type.Integer() }) },
  async handle({ body: { from, to, script, patience = null, speech = false }, caller, services }) {
    const steps = parseScript(script)
    if ('mistake' in steps) throw badRequest(steps.mistake)
    if (!(await findNumberByDigits(services.db, caller.companyId, to))) {
      throw badRequest('`to` is not a Number of the company')
    }
    if (await isBlockedCaller(services.db, caller.companyId, from, services.clock.now())) {
      throw badRequest('The call was rejected: `from` is a blocked caller')
    }
    const who = { from, to, script: steps, patienceSeconds: patience, speech }
    return { call_id: await sandboxOf(services).network.call(who) }
  },
})

const postAction = route({
  method: 'POST',
  path: '/sandbox/v1/users/:id/actions',
  summary: 'Perform an action as a user, as in the phone app',
  description:
    'Call actions apply to the call the user is on or that rings; `call_id` selects another one, and is mandatory ' +
    'for assign, archive and unarchive.',
  tag: sandboxTag,
  free: true,
  params: UserParams,
  load: loadUser,
  body: UserAction,
  errors: [
    { status: 400, when: 'the user cannot perform the action now' },
    { status: 422, when: 'a field required by the action is missing' },
  ],
  reply: { status: 204 },
  async handle({ body, loaded, caller, services }) {
    await performAction(services, caller.companyId, loaded.id, body)
    return {}
  },
})

const listScenarios = route({
  method: 'GET',
  path: '/sandbox/v1/scenarios',
  summary: 'List scenarios',
  tag: sandboxTag,
  free: true,
  reply: {
    status: 200,
    body: Type.Object({
      scenarios: Type.Array(Type.Object({ name: Type.String(), description: Type.String(), parameters: Json })),
    }),
  },
  handle: async () => ({
    scenarios: scenarios.map(({ name, description, parameters }) => ({ name, description, parameters })),
  }),
})

const postScenario = route({
  method: 'POST',
  path: '/sandbox/v1/scenarios/:name',
  summary: 'Start a scenario',
  description: 'It runs in the background, on the sandbox clock.',
  tag: sandboxTag,
  free: true,
  params: Type.Object({ name: Type.String({ maxLength: 64 }) }),
  load: async ({ params }) => scenarios.find(({ name }) => name === params.name),
  body: ParametersBody,
  errors: [
    { status: 400, when: 'a parameter is invalid, or the company does not meet the requirements of the scenario' },
  ],
  reply: { status: 202, body: Type.Object({ run_id: Type.String() }) },
  async handle({ loaded, body, caller, services }) {
    return { run_id: await startScenario(services, caller.companyId, loaded, parametersIn(loaded, body)) }
  },
})

const postReset = route({
  method: 'POST',
  path: '/sandbox/v1/reset',
  summary: 'Reset a demo company to its seed data',
  description: 'Keeps credentials and the IDs of companies, users and Numbers. Deletes webhooks and events.',
  tag: sandboxTag,
  free: true,
  body: Type.Object({ seed: Type.Optional(Seed) }),
  errors: [{ status: 400, when: 'the company is not a demo company' }],
  reply: { status: 204 },
  async handle({ body, caller, services }) {
    await resetCompany(services, caller.companyId, body.seed)
    return {}
  },
})

export const worldRoutes = [postCall, postAction, listScenarios, postScenario, postReset]
