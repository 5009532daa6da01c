import { Type } from 'typebox'
import { isE164 } from '../../../domain/phone-number.ts'
import { badRequest } from '../../../http/errors.ts'
import { Meta, metaOf, RangeQuery, windowOf } from '../../../http/paging.ts'
import { route } from '../../../http/route.ts'
import { Id, nameText, nullable, oneOf, Timestamp, text } from '../../../http/schemas.ts'
import { viewContextOf } from '../../../http/view-context.ts'
import { isoMillis } from '../../../lib/time-format.ts'
import { anyRole, pageOfNumbers } from '../../accounts/index.ts'
import { changeLinkedUsers, changeNumber, createNumber, linkUsers, removeNumber } from './actions.ts'
import { getFlow, getFlowVersions, putFlow } from './flow-routes.ts'
import { knownTimeZone, load, NumberParams, numbersTag, OneNumber, requirePublicUrl, TimeZone } from './route-parts.ts'
import { getOpeningHours, getSettings, putOpeningHours, putSettings } from './settings-routes.ts'
import { explicitUserIds } from './store.ts'
import { NumberWithUsers, numbersView, numberView } from './view.ts'

const listNumbers = route({
  method: 'GET',
  path: '/v1/numbers',
  summary: 'List Numbers',
  tag: numbersTag,
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
  tag: numbersTag,
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
    'availability_status changes the first Time Rule of the flow, messages its widgets; both create a new ' +
    'version of the flow. Audio is downloaded after the response; the previous audio plays until then.',
  tag: numbersTag,
  params: NumberParams,
  load,
  edits: {
    object: 'number',
    view: ({ loaded, caller, services }) => numberView(services.db, caller.companyId, viewContextOf(services), loaded),
  },
  body: Type.Object({
    name: Type.Optional(nameText(255)),
    availability_status: Type.Optional(oneOf(['open', 'custom', 'closed'])),
    is_ivr: noEffect,
    live_recording_activated: Type.Optional(Type.Boolean({ description: 'Inbound and outbound' })),
    priority: Type.Optional(
      nullable(Type.Integer({ minimum: 0, maximum: 1, description: '1: high priority, served first' })),
    ),
    messages: Type.Optional(Messages),
  }),
  errors: [{ status: 400, when: 'the flow lacks the widget of a value, or an audio URL is not public' }],
  reply: { status: 200, body: OneNumber },
  async handle({ body, loaded, caller, services }) {
    const { waiting, closed: _c, callback_later: _l, unanswered_call: _u, ...messages } = body.messages ?? {}
    for (const [key, url] of Object.entries({ waiting, ...messages }))
      requirePublicUrl(services, `messages.${key}`, url)
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

const getRegistrationStatus = route({
  method: 'GET',
  path: '/v1/numbers/:id/registration_status',
  summary: 'Retrieve the messaging registration of a US or Canadian Number',
  tag: numbersTag,
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

const numbersAreAssigned = 'Numbers are assigned'

const addNumber = route({
  method: 'POST',
  path: '/v1/numbers',
  summary: 'Add a Number to the company',
  description: 'With TENANCY=multi the operator assigns Numbers with `hookswitch numbers add`.',
  tag: numbersTag,
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

const deleteNumber = route({
  method: 'DELETE',
  path: '/v1/numbers/:id',
  summary: 'Remove a Number from the company',
  description: 'Past calls still show the Number.',
  tag: numbersTag,
  access: 'app',
  operatorControls: numbersAreAssigned,
  params: NumberParams,
  load,
  errors: [{ status: 422, when: 'the Number has an active call' }],
  reply: { status: 204 },
  async handle({ loaded, caller, services }) {
    await removeNumber(services, caller.companyId, loaded.id)
    return {}
  },
})

const putUsers = route({
  method: 'PUT',
  path: '/v1/numbers/:id/users',
  summary: 'Set the users linked to a Number',
  tag: numbersTag,
  access: 'app',
  params: NumberParams,
  load,
  edits: {
    object: 'number_users',
    view: async ({ loaded, services }) => ({
      user_ids: await explicitUserIds(services.db, loaded.companyId, loaded.id),
    }),
  },
  body: Type.Object({ user_ids: Type.Array(Id, { maxItems: 1_000 }) }),
  reply: { status: 200, body: OneNumber },
  async handle({ body, loaded, caller, services }) {
    const number = await linkUsers(services, caller.companyId, loaded.id, body.user_ids)
    return { number: await numberView(services.db, caller.companyId, viewContextOf(services), number) }
  },
})

const UserIds = Type.Optional(Type.Array(Id, { maxItems: 1_000 }))

const changeUsers = route({
  method: 'POST',
  path: '/v1/numbers/:id/users',
  summary: 'Link users to a Number or unlink them; all others stay',
  tag: numbersTag,
  access: 'app',
  params: NumberParams,
  load,
  body: Type.Object({ add_user_ids: UserIds, remove_user_ids: UserIds }),
  errors: [{ status: 400, when: 'a user does not exist' }],
  reply: {
    status: 200,
    body: Type.Object({
      added: Type.Array(Type.Integer(), { description: 'Users who were not linked before' }),
      removed: Type.Array(Type.Integer(), { description: 'Users who were linked before' }),
    }),
  },
  async handle({ body, loaded, caller, services }) {
    const asked = { add: body.add_user_ids ?? [], remove: body.remove_user_ids ?? [] }
    return changeLinkedUsers(services, caller.companyId, loaded.id, asked)
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
  changeUsers,
  getSettings,
  putSettings,
  getOpeningHours,
  putOpeningHours,
  getFlow,
  putFlow,
  getFlowVersions,
]
