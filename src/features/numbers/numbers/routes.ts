import { type Static, Type } from 'typebox'
import { firstTimeRule, scheduleOf } from '../../../domain/flow/time-rule.ts'
import { alwaysOpen, isTimeZone, parseSchedule } from '../../../domain/opening-hours.ts'
import { isE164 } from '../../../domain/phone-number.ts'
import { badRequest } from '../../../http/errors.ts'
import { Meta, metaOf, RangeQuery, windowOf } from '../../../http/paging.ts'
import { requireOperator, route } from '../../../http/route.ts'
import { Id, Json, nameText, nullable, oneOf, Timestamp, text } from '../../../http/schemas.ts'
import { viewContextOf } from '../../../http/view-context.ts'
import { findUrlProblem } from '../../../lib/public-url.ts'
import { isoMillis, isoSeconds } from '../../../lib/time-format.ts'
import type { Services } from '../../../services.ts'
import { anyRole, findNumber, type PhoneNumber, pageOfNumbers } from '../../accounts/index.ts'
import { isUpload } from '../audio/links.ts'
import {
  changeNumber,
  changeSettings,
  createNumber,
  drawFlow,
  keepDraft,
  linkUsers,
  removeNumber,
  setOpeningHours,
} from './actions.ts'
import { explicitUserIds, findDraft, flowVersions } from './store.ts'
import { NumberWithUsers, numbersView, numberView } from './view.ts'

const tag = 'Numbers'
const NumberParams = Type.Object({ id: Id })
const OneNumber = Type.Object({ number: NumberWithUsers })
type Loading = { params: { id: number }; caller: { companyId: number }; services: Services }
const load = ({ params, caller, services }: Loading): Promise<PhoneNumber | undefined> =>
  findNumber(services.db, caller.companyId, params.id)

const listNumbers = route({
  method: 'GET',
  path: '/v1/numbers',
  summary: 'List Numbers',
  tag,
  roles: anyRole,
  query: RangeQuery,
  reply: { status: 200, body: Type.Object({ meta: Meta, numbers: Type.Array(NumberWithUsers) }) },
  async handle({ query, caller: { companyId }, services, place }) {
    const window = windowOf(query)
    const { numbers, total } = await pageOfNumbers(services.db, companyId, window)
    const views = await numbersView(services.db, companyId, viewContextOf(services), numbers)
    return { meta: metaOf(place, window, views.length, total), numbers: views }
  },
})

const getNumber = route({
  method: 'GET',
  path: '/v1/numbers/:id',
  summary: 'Retrieve a Number',
  tag,
  roles: anyRole,
  params: NumberParams,
  load,
  reply: { status: 200, body: OneNumber },
  async handle({ loaded, caller, services }) {
    return { number: await numberView(services.db, caller.companyId, viewContextOf(services), loaded) }
  },
})

const audio = Type.Optional(text(2_048, { description: 'Public http(s) URL of an audio file' }))
const noEffect = Type.Optional(Type.Unsafe<unknown>({ 'x-any': true, deprecated: true, description: 'No effect' }))

const Messages = Type.Object({
  welcome: audio,
  waiting: audio,
  ivr: audio,
  voicemail: audio,
  after_hours: audio,
  ringing_tone: audio,
  closed: noEffect,
  callback_later: noEffect,
  unanswered_call: noEffect,
})

const updateNumber = route({
  method: 'PUT',
  path: '/v1/numbers/:id',
  summary: 'Update a Number',
  description:
    'availability_status changes the first Time Rule of the flow, messages its widgets; both make a new version of the ' +
    'flow. Audio is fetched after the answer; the old one plays until that succeeds.',
  tag,
  params: NumberParams,
  load,
  body: Type.Object({
    name: Type.Optional(nameText(255)),
    availability_status: Type.Optional(oneOf(['open', 'custom', 'closed'])),
    is_ivr: noEffect,
    live_recording_activated: Type.Optional(Type.Boolean({ description: 'Inbound and outbound together' })),
    priority: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 1, description: '1 is served first' }))),
    messages: Type.Optional(Messages),
  }),
  errors: [{ status: 400, when: 'the flow lacks the widget a value belongs to, or an audio URL is not public' }],
  reply: { status: 200, body: OneNumber },
  async handle({ body, loaded, caller, services }) {
    const { waiting, closed: _c, callback_later: _l, unanswered_call: _u, ...messages } = body.messages ?? {}
    for (const [key, url] of Object.entries({ waiting, ...messages })) requirePublicUrl(services, key, url)
    const number = await changeNumber(services, caller.companyId, loaded.id, {
      row: {
        ...(body.name !== undefined && { name: body.name }),
        ...(body.live_recording_activated !== undefined && {
          live_recording_activated: body.live_recording_activated ? 1 : 0,
        }),
        ...(body.priority !== undefined && { priority: body.priority }),
        ...(waiting !== undefined && { music_on_hold: waiting }),
      },
      mode: body.availability_status,
      messages,
    })
    return { number: await numberView(services.db, caller.companyId, viewContextOf(services), number) }
  },
})

function requirePublicUrl({ links }: Services, key: string, url: string | undefined): void {
  // Uploads lie with us, which need not be a public place.
  const flaw =
    url === undefined || isUpload(links, url)
      ? undefined
      : findUrlProblem(url, { schemes: ['http:', 'https:'], loopback: false })
  if (flaw) throw badRequest(`\`messages.${key}\` ${flaw}`)
}

const registrationStates = ['NOT_REGISTERED', 'PENDING', 'IN_REVIEW', 'APPROVED', 'REJECTED'] as const

const getRegistrationStatus = route({
  method: 'GET',
  path: '/v1/numbers/:id/registration_status',
  summary: 'Retrieve the messaging registration of a US or Canadian Number',
  tag,
  params: NumberParams,
  load,
  errors: [{ status: 400, when: 'the Number is neither US nor Canadian' }],
  reply: { status: 200, body: Type.Object({ status: Type.String(), updatedAt: Timestamp }) },
  async handle({ loaded }) {
    if (loaded.country !== 'US' && loaded.country !== 'CA') {
      throw badRequest('Only US and Canadian Numbers have a messaging registration')
    }
    return { status: loaded.registrationStatus, updatedAt: isoMillis(loaded.registrationUpdatedAt) }
  },
})

const TimeZone = text(64, { examples: ['Europe/Paris'] })

const numbersAreAssigned = 'Numbers are assigned'

const addNumber = route({
  method: 'POST',
  path: '/v1/numbers',
  summary: 'Add a Number to the company',
  description: 'With TENANCY=multi the operator assigns Numbers, by `hookswitch numbers add`.',
  tag,
  access: 'app',
  operatorControls: numbersAreAssigned,
  body: Type.Object({
    digits: text(16, { description: 'E.164' }),
    name: nameText(255),
    time_zone: Type.Optional(TimeZone),
    flow_editor_enabled: Type.Optional(Type.Boolean({ default: true })),
    validated: Type.Optional(Type.Boolean({ default: false })),
    user_ids: Type.Optional(
      Type.Array(Id, { maxItems: 1_000, description: 'Users linked to the Number; its default flow rings them' }),
    ),
  }),
  reply: { status: 201, body: OneNumber },
  async handle({ body, caller, services }) {
    if (!isE164(body.digits)) throw badRequest('`digits` must be E.164: + and 7 to 15 digits')
    const number = await createNumber(services, caller.companyId, {
      digits: body.digits,
      name: body.name,
      timeZone: knownTimeZone(body.time_zone) ?? 'Etc/UTC',
      flowEditor: body.flow_editor_enabled ?? true,
      validated: body.validated ?? false,
      userIds: body.user_ids ?? [],
    })
    return { number: await numberView(services.db, caller.companyId, viewContextOf(services), number) }
  },
})

function knownTimeZone(name: string | undefined): string | undefined {
  if (name !== undefined && !isTimeZone(name))
    throw badRequest('`time_zone` must be an IANA name, such as Europe/Paris')
  return name
}

const deleteNumber = route({
  method: 'DELETE',
  path: '/v1/numbers/:id',
  summary: 'Remove a Number from the company',
  description: 'Past calls go on showing it.',
  tag,
  access: 'app',
  operatorControls: numbersAreAssigned,
  params: NumberParams,
  load,
  errors: [{ status: 422, when: 'a call is active on the Number' }],
  reply: { status: 204 },
  async handle({ loaded, caller, services }) {
    await removeNumber(services, caller.companyId, loaded.id)
    return {}
  },
})

const putUsers = route({
  method: 'PUT',
  path: '/v1/numbers/:id/users',
  summary: 'Set the explicit list of users linked to a Number',
  tag,
  access: 'app',
  params: NumberParams,
  load,
  body: Type.Object({ user_ids: Type.Array(Id, { maxItems: 1_000 }) }),
  reply: { status: 200, body: OneNumber },
  async handle({ body, loaded, caller, services }) {
    const number = await linkUsers(services, caller.companyId, loaded.id, body.user_ids)
    return { number: await numberView(services.db, caller.companyId, viewContextOf(services), number) }
  },
})

const Settings = Type.Object({
  validated: Type.Boolean(),
  ring_simultaneous_seconds: Type.Integer({ minimum: 5, maximum: 120 }),
  ring_one_by_one_seconds: Type.Integer({ minimum: 5, maximum: 120 }),
  registration_status: oneOf(registrationStates),
  language: oneOf(['en-US', 'en-GB', 'fr-FR', 'es-ES', 'de-DE', 'it-IT', 'nl-NL', 'pt-PT']),
  time_zone: TimeZone,
})

/** What the screens of a Number need beside its settings. */
const SettingsAndKind = Type.Object({
  ...Settings.properties,
  flow_editor_enabled: Type.Boolean({ description: 'false: a classic number' }),
  linked_user_ids: Type.Array(Type.Integer(), { description: 'Linked by hand, whoever the flow rings besides' }),
})

const settingsOf = async ({ db }: Services, number: PhoneNumber) => ({
  flow_editor_enabled: number.flowEditor,
  linked_user_ids: await explicitUserIds(db, number.companyId, number.id),
  validated: number.validated,
  ring_simultaneous_seconds: number.ringSimultaneousSeconds,
  ring_one_by_one_seconds: number.ringOneByOneSeconds,
  registration_status: registrationStates.find((state) => state === number.registrationStatus) ?? 'NOT_REGISTERED',
  language: number.language as 'en-US',
  time_zone: number.timeZone,
})

const getSettings = route({
  method: 'GET',
  path: '/v1/numbers/:id/settings',
  summary: 'Retrieve the settings of a Number',
  tag,
  access: 'app',
  params: NumberParams,
  load,
  reply: { status: 200, body: SettingsAndKind },
  handle: ({ loaded, services }) => settingsOf(services, loaded),
})

const putSettings = route({
  method: 'PUT',
  path: '/v1/numbers/:id/settings',
  summary: 'Change the settings of a Number',
  tag,
  access: 'app',
  params: NumberParams,
  load,
  body: Type.Partial(Settings),
  reply: { status: 200, body: SettingsAndKind },
  async handle({ body, loaded, caller, services }) {
    const { validated, registration_status, ...rest } = body
    mustBeOperators(services, loaded, body)
    knownTimeZone(body.time_zone)
    const number = await changeSettings(services, caller.companyId, loaded.id, {
      ...rest,
      ...(validated !== undefined && { validated: validated ? 1 : 0 }),
      ...(registration_status !== undefined && {
        registration_status,
        registration_updated_at: services.clock.now(),
      }),
    })
    return settingsOf(services, number)
  },
})

/** Who may show a number as caller ID is verified by the operator; a form that sends unchanged values is no attempt. */
function mustBeOperators(services: Services, number: PhoneNumber, body: Partial<Static<typeof Settings>>): void {
  const { validated = number.validated, registration_status = number.registrationStatus } = body
  if (validated !== number.validated) requireOperator(services, 'Caller IDs are verified')
  if (registration_status !== number.registrationStatus) requireOperator(services, 'The registration status is set')
}

const OpeningHours = Type.Object({ hours: Json, closed_dates: Json })

const hoursOf = (number: PhoneNumber) => {
  const rule = firstTimeRule(number.flow)?.rule
  // Without a Time Rule a Number is open day and night; no hours would mean closed.
  const schedule = rule ? scheduleOf(rule) : { hours: alwaysOpen, closedDates: [] }
  return { hours: schedule.hours, closed_dates: schedule.closedDates }
}

const getOpeningHours = route({
  method: 'GET',
  path: '/v1/numbers/:id/opening_hours',
  summary: 'Retrieve the opening hours of a classic number',
  tag,
  access: 'app',
  params: NumberParams,
  load,
  reply: { status: 200, body: OpeningHours },
  async handle({ loaded }) {
    return hoursOf(loaded)
  },
})

const putOpeningHours = route({
  method: 'PUT',
  path: '/v1/numbers/:id/opening_hours',
  summary: 'Set the opening hours of a classic number, in the time zone of the Number',
  tag,
  access: 'app',
  params: NumberParams,
  load,
  body: Type.Object({ hours: Json, closed_dates: Type.Optional(Json) }),
  reply: { status: 200, body: OpeningHours },
  async handle({ body, loaded, caller, services }) {
    const parsed = parseSchedule(body)
    if ('flaw' in parsed) throw badRequest(parsed.flaw)
    return hoursOf(await setOpeningHours(services, caller.companyId, loaded.id, parsed.schedule))
  },
})

const FlowView = Type.Object({ live: Json, draft: Json })

const flowView = async (services: Services, companyId: number, number: PhoneNumber) => {
  const draft = await findDraft(services.db, companyId, number.id)
  return { live: number.flow, draft: draft ? JSON.parse(draft.document) : null }
}

const getFlow = route({
  method: 'GET',
  path: '/v1/numbers/:id/flow',
  summary: 'Retrieve the live flow of a Number and its draft',
  tag,
  access: 'app',
  params: NumberParams,
  load,
  reply: { status: 200, body: FlowView },
  handle: ({ loaded, caller, services }) => flowView(services, caller.companyId, loaded),
})

const putFlow = route({
  method: 'PUT',
  path: '/v1/numbers/:id/flow',
  summary: 'Publish a flow as a new version, or save it as the draft',
  tag,
  access: 'app',
  params: NumberParams,
  load,
  query: Type.Object({ draft: Type.Optional(Type.Boolean()) }),
  body: Type.Object({ start: Json, nodes: Json }),
  errors: [{ status: 400, when: 'the flow is not valid; the node and the rule are named' }],
  reply: { status: 200, body: FlowView },
  async handle({ body, query, loaded, caller, services }) {
    const save = query.draft ? keepDraft : drawFlow
    return flowView(services, caller.companyId, await save(services, caller.companyId, loaded.id, body))
  },
})

const getFlowVersions = route({
  method: 'GET',
  path: '/v1/numbers/:id/flow/versions',
  summary: 'List the versions of a flow, the newest first',
  tag,
  access: 'app',
  params: NumberParams,
  load,
  reply: {
    status: 200,
    body: Type.Object({
      versions: Type.Array(Type.Object({ version: Type.Integer(), created_at: Timestamp, flow: Json })),
    }),
  },
  async handle({ loaded, caller, services }) {
    const versions = await flowVersions(services.db, caller.companyId, loaded.id)
    return {
      versions: versions.map(({ version, created_at, document }) => ({
        version,
        created_at: isoSeconds(created_at),
        flow: JSON.parse(document),
      })),
    }
  },
})

export const numberRoutes = [
  listNumbers,
  getNumber,
  updateNumber,
  getRegistrationStatus,
  addNumber,
  deleteNumber,
  putUsers,
  getSettings,
  putSettings,
  getOpeningHours,
  putOpeningHours,
  getFlow,
  putFlow,
  getFlowVersions,
]
