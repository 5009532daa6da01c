import { Type } from 'typebox'
import { isE164 } from '../domain/phone-number.ts'
import { noFaults } from '../domain/sandbox/faults.ts'
import { defaultAutopilot, simulatedStatuses } from '../domain/sandbox/people.ts'
import { parseLines } from '../domain/sandbox/script.ts'
import { knownTags } from '../features/calls/calls/notes-store.ts'
import { badRequest } from '../http/errors.ts'
import { readBody } from '../http/input.ts'
import { route } from '../http/route.ts'
import { Id, Json, nullable, oneOf, text } from '../http/schemas.ts'
import { loadUser, rate, Seed, sandboxOf, sandboxTag, seconds, UserParams } from './parts.ts'
import { setAutopilot, setCallees } from './settings.ts'

// Behaviour of the simulation: autopilot of users, external callees and faults.

const autopilotFields = {
  enabled: Type.Boolean(),
  answer_after_seconds: nullable(seconds('Null: never')),
  talk_seconds: nullable(seconds('Null: until the other side hangs up')),
  decline_rate: rate('Share of calls that are declined'),
  tag: nullable(Id),
  comment: nullable(text(10_000)),
  finish_wrap_up_after_seconds: nullable(seconds('Null: waits until wrap-up time ends')),
}

const Line = Type.Object({ say: text(10_000), seconds: seconds('Duration in seconds') })

const AutopilotView = Type.Object({ ...autopilotFields, says: Type.Array(Line) })

const putAutopilot = route({
  method: 'PUT',
  path: '/sandbox/v1/users/:id/autopilot',
  summary: 'Set the autopilot of a user',
  description:
    'Default: answers after three seconds and talks until the other side hangs up. `says` is an array of lines that the ' +
    'user speaks, one after the other, while no other participant speaks: texts, or `{"say": "Good morning", "seconds": 2}`.',
  tag: sandboxTag,
  free: true,
  params: UserParams,
  load: loadUser,
  body: Type.Partial(Type.Object({ ...autopilotFields, says: Json })),
  errors: [{ status: 400, when: '`tag` is not a tag of the company, or a line of `says` is invalid' }],
  reply: { status: 200, body: Type.Object({ autopilot: AutopilotView }) },
  async handle({ body, loaded, caller: { companyId }, services: { db } }) {
    const says = parseLines(body.says)
    if ('mistake' in says) throw badRequest(says.mistake)
    const autopilot = { ...defaultAutopilot, ...body, says }
    if (autopilot.tag !== null && (await knownTags(db, companyId, [autopilot.tag])).length === 0) {
      throw badRequest('`tag` is not a tag of the company')
    }
    await setAutopilot(db, companyId, loaded.id, autopilot)
    return { autopilot }
  },
})

const Behaviour = Type.Partial(
  Type.Object({
    answer_after_seconds: seconds('Default: 3'),
    busy: Type.Boolean(),
    no_answer: Type.Boolean(),
    talk_seconds: nullable(seconds('Null: until the company hangs up')),
    press: nullable(
      Type.String({
        pattern: '^[0-9*#]{1,32}$',
        maxLength: 32,
        examples: ['9'],
        description: 'Keys pressed two seconds after the answer, for example to agree to a recording',
      }),
    ),
    lines: Type.Array(Line, { maxItems: 200 }),
    message_status: oneOf(simulatedStatuses),
    error_code: nullable(Type.Integer({ minimum: 1, examples: [30005] })),
    reply: nullable(text(10_000)),
  }),
)

const maxCallees = 10_000

const putCallees = route({
  method: 'PUT',
  path: '/sandbox/v1/callees',
  summary: 'Set how external numbers respond to calls and messages',
  description:
    '`numbers` is an object with E.164 keys; its entries override `default`. Replaces the previous behaviour.',
  tag: sandboxTag,
  free: true,
  body: Type.Object({ default: Type.Optional(Behaviour), numbers: Type.Optional(Json) }),
  reply: { status: 200, body: Type.Object({ default: Behaviour, numbers: Json }) },
  async handle({ body, caller, services }) {
    const callees = { default: body.default ?? {}, numbers: behavioursIn(body.numbers) }
    await setCallees(services.db, caller.companyId, callees)
    return callees
  },
})

function behavioursIn(given: unknown): Record<string, object> {
  if (given === undefined) return {}
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw badRequest('`numbers` must be an Object')
  const entries = Object.entries(given)
  if (entries.length > maxCallees) throw badRequest(`\`numbers\` may have at most ${maxCallees} keys`)
  return Object.fromEntries(entries.map(([number, behaviour]) => [number, behaviourIn(number, behaviour)]))
}

function behaviourIn(number: string, given: unknown): object {
  if (!isE164(number)) throw badRequest('The keys of `numbers` must be E.164, such as +33123456789')
  const { value, problems } = readBody(Type.Object({ [number]: Behaviour }), { [number]: given })
  if (problems[0]) throw badRequest(problems[0].message)
  return (value as Record<string, object>)[number] ?? {}
}

const faultFields = {
  seed: Seed,
  duplicate_events: rate('Share of deliveries that are sent twice'),
  late_events_seconds: seconds('Delay of events in seconds'),
  rate_limit_storm: rate('Share of requests answered with 429'),
  carrier_failure: rate('Share of outbound calls that fail'),
  drop_media: rate('Share of calls that are dropped'),
}

const getFaults = route({
  method: 'GET',
  path: '/sandbox/v1/faults',
  summary: 'Retrieve the simulated faults of the company',
  tag: sandboxTag,
  free: true,
  reply: { status: 200, body: Type.Object(faultFields) },
  handle: async ({ caller, services }) => sandboxOf(services).faults.of(caller.companyId),
})

const putFaults = route({
  method: 'PUT',
  path: '/sandbox/v1/faults',
  summary: 'Set the simulated faults of the company',
  description: 'Faults that are left out are off; the same seed affects the same requests.',
  tag: sandboxTag,
  free: true,
  body: Type.Partial(Type.Object(faultFields)),
  reply: { status: 200, body: Type.Object(faultFields) },
  async handle({ body, caller, services }) {
    const faults = { ...noFaults, ...body }
    await sandboxOf(services).faults.set(caller.companyId, faults)
    return faults
  },
})

export const behaviourRoutes = [putAutopilot, putCallees, getFaults, putFaults]
