import { Type } from 'typebox'
import { readableSince } from '../../domain/call/history.ts'
import type { Caller } from '../../http/caller.ts'
import { badRequest, notFound, unprocessable } from '../../http/errors.ts'
import { idFromText } from '../../http/input.ts'
import { Meta, metaOf, type Place, RangeQuery, windowOf } from '../../http/paging.ts'
import { route } from '../../http/route.ts'
import { Id, Json, nullable, oneOf, text } from '../../http/schemas.ts'
import { isoMillis } from '../../lib/time-format.ts'
import type { Services } from '../../services.ts'
import { type CallSearch, pageOfCalls } from '../call-search/store.ts'
import { archiveCall, assignCall, commentCall, tagCall, untagCall } from '../change-call.ts'
import { sceneOf } from '../nested.ts'
import { findTeam } from '../teams/store.ts'
import { findUser } from '../users/store.ts'
import { deleteSound, showCard, steerRecording, transferCall } from './actions.ts'
import { loadParts } from './parts.ts'
import { type Flags, showCall, showCalls } from './present.ts'
import { CallView, IvrOption, Participant } from './schemas.ts'
import { type Call, callsById, findCall, traceOf } from './store.ts'
import { ivrOptionView, participantsOf } from './view.ts'

const tag = 'Calls'
const wall = 10_000

const OneCall = Type.Object({ call: CallView })
const Calls = Type.Object({ meta: Meta, calls: Type.Array(CallView) })

const FlagQuery = Type.Object({
  fetch_contact: Type.Optional(Type.Boolean({ description: '`true`: with the contact of the outside party' })),
  fetch_short_urls: Type.Optional(Type.Boolean({ description: '`true`: with short addresses of sounds' })),
  fetch_call_timeline: Type.Optional(Type.Boolean({ description: '`true`: with the IVR options that were taken' })),
  fetch_aiva_conv: Type.Optional(Type.Boolean({ description: '`true`: with the AI voice agents that took part' })),
})
type FlagFields = { [K in keyof typeof FlagQuery.properties]?: boolean }

const flagsOf = (query: FlagFields): Flags => ({
  contact: query.fetch_contact === true,
  shortUrls: query.fetch_short_urls === true,
  timeline: query.fetch_call_timeline === true,
  voiceAgents: query.fetch_aiva_conv === true,
})

interface Asking {
  query: FlagFields & Parameters<typeof windowOf>[0]
  caller: Caller
  services: Services
  place: Place
}

async function list({ query, caller: { companyId }, services, place }: Asking, search: CallSearch) {
  const window = windowOf(query, wall)
  const since = readableSince(services.clock.now())
  const { ids, total } = await pageOfCalls(services.db, companyId, search, window, since)
  const rows = await callsById(services.db, companyId, ids)
  const calls = ids.flatMap((id) => rows.get(id) ?? [])
  return {
    meta: metaOf(place, window, calls.length, total),
    calls: await showCalls(services, companyId, calls, flagsOf(query)),
  }
}

const everything: CallSearch = { direction: undefined, userId: undefined, phone: undefined, tags: [] }

const listCalls = route({
  method: 'GET',
  path: '/v1/calls',
  summary: 'List calls',
  description:
    'Calls of the last six months. At most the first 10,000 can be reached by pages; use `from` to go further.',
  tag,
  query: Type.Object({ ...RangeQuery.properties, ...FlagQuery.properties }),
  reply: { status: 200, body: Calls },
  handle: (asked) => list(asked, everything),
})

const searchCalls = route({
  method: 'GET',
  path: '/v1/calls/search',
  summary: 'Search calls',
  description: 'Several filters mean all of them; without a filter every call is found.',
  tag,
  query: Type.Object({
    ...RangeQuery.properties,
    direction: Type.Optional(oneOf(['inbound', 'outbound'])),
    user_id: Type.Optional(Type.Integer({ minimum: 1, 'x-id': true, description: 'Who took or made the call' })),
    phone_number: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'The outside party, or the Number the call is on now; digits are compared, `+` is optional',
      }),
    ),
    tags: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), {
        maxItems: 50,
        description: 'Ids of tags, all of which the call has; repeat the parameter as `tags[]` or `tags`',
      }),
    ),
    ...FlagQuery.properties,
  }),
  reply: { status: 200, body: Calls },
  async handle(asked) {
    const { query, place } = asked
    const tags = (query.tags ?? []).map(idFromText)
    // What is no id is no tag, and so on no call.
    if (tags.includes(undefined)) {
      return { meta: metaOf(place, windowOf(query, wall), 0, 0), calls: [] }
    }
    return list(asked, {
      direction: query.direction,
      userId: query.user_id,
      phone: query.phone_number,
      tags: tags.filter((id) => id !== undefined),
    })
  },
})

const CallParams = Type.Object({ id: Id })

interface Loading {
  params: { id: number }
  caller: Caller
  services: Services
}

/** One that is too old is as unknown as one that never was. */
async function loadCall({ params, caller, services }: Loading): Promise<Call | undefined> {
  const call = await findCall(services.db, caller.companyId, params.id)
  return call && call.startedAt >= readableSince(services.clock.now()) ? call : undefined
}

/** The person; nobody for the company's own software. */
const personOf = ({ via }: Caller) => (via.kind === 'session' ? via.userId : null)

const getCall = route({
  method: 'GET',
  path: '/v1/calls/:id',
  summary: 'Retrieve a call',
  tag,
  params: CallParams,
  load: loadCall,
  query: FlagQuery,
  reply: { status: 200, body: OneCall },
  async handle({ loaded, query, caller, services }) {
    return { call: await showCall(services, caller.companyId, loaded, flagsOf(query)) }
  },
})

const listParticipants = route({
  method: 'GET',
  path: '/v1/calls/:id/participants',
  summary: 'List the parties of a call, in the order in which they joined',
  tag,
  params: CallParams,
  load: loadCall,
  reply: { status: 200, body: Type.Object({ participants: Type.Array(Participant) }) },
  async handle({ loaded, caller, services }) {
    const parts = await loadParts(services.db, caller.companyId, sceneOf(services), [loaded])
    return { participants: participantsOf(parts, loaded) }
  },
})

const listIvrOptions = route({
  method: 'GET',
  path: '/v1/calls/:id/ivr_options',
  summary: 'List the IVR options that the caller took, in order',
  tag,
  params: CallParams,
  load: loadCall,
  reply: { status: 200, body: Type.Object({ ivr_options: Type.Array(IvrOption) }) },
  async handle({ loaded }) {
    return { ivr_options: loaded.ivrOptions.map(ivrOptionView) }
  },
})

const getTrace = route({
  method: 'GET',
  path: '/v1/calls/:id/trace',
  summary: 'See why a call went where it went',
  description: 'An addition of ours: each widget that was entered, each agent who was considered, and when.',
  tag,
  params: CallParams,
  load: loadCall,
  reply: { status: 200, body: Type.Object({ trace: Type.Array(Json) }) },
  async handle({ loaded, caller, services }) {
    const entries = await traceOf(services.db, caller.companyId, loaded.id)
    return { trace: entries.map(({ at, entry }) => ({ at: isoMillis(at), ...JSON.parse(entry) })) }
  },
})

const postComment = route({
  method: 'POST',
  path: '/v1/calls/:id/comments',
  summary: 'Comment a call; emojis are taken out',
  tag,
  params: CallParams,
  load: loadCall,
  body: Type.Object({ content: text(10_000) }),
  errors: [{ status: 400, when: 'the call has five comments already' }],
  reply: { status: 201, body: OneCall },
  async handle({ loaded, body, caller, services }) {
    const call = await commentCall(services, loaded, body.content, personOf(caller))
    return { call: await showCall(services, caller.companyId, call) }
  },
})

const postTags = route({
  method: 'POST',
  path: '/v1/calls/:id/tags',
  summary: 'Tag a call; the tags it has stay',
  tag,
  params: CallParams,
  load: loadCall,
  body: Type.Object({ tags: Type.Array(Id, { minItems: 1, maxItems: 100, description: 'Ids of tags' }) }),
  errors: [{ status: 400, when: 'one of the tags is unknown; nothing is changed then' }],
  reply: { status: 201, body: OneCall },
  async handle({ loaded, body, caller, services }) {
    const call = await tagCall(services, loaded, body.tags, personOf(caller))
    return { call: await showCall(services, caller.companyId, call) }
  },
})

const removeTag = route({
  method: 'DELETE',
  path: '/v1/calls/:id/tags/:tag_id',
  summary: 'Take a tag off a call',
  tag,
  access: 'app',
  params: Type.Object({ id: Id, tag_id: Id }),
  load: loadCall,
  reply: { status: 204 },
  async handle({ loaded, params, services }) {
    await untagCall(services, loaded, params.tag_id)
    return {}
  },
})

const assign = route({
  method: 'POST',
  path: '/v1/calls/:id/assign',
  summary: 'Assign a call to a user',
  tag,
  access: 'app',
  params: CallParams,
  load: loadCall,
  body: Type.Object({ user_id: Id }),
  errors: [{ status: 400, when: 'the user is unknown' }],
  reply: { status: 200, body: OneCall },
  async handle({ loaded, body, caller, services }) {
    const call = await assignCall(services, loaded, body.user_id, personOf(caller))
    return { call: await showCall(services, caller.companyId, call) }
  },
})

const archiving = (word: 'archive' | 'unarchive', summary: string) =>
  route({
    method: 'PUT',
    path: `/v1/calls/:id/${word}`,
    summary,
    tag,
    params: CallParams,
    load: loadCall,
    reply: { status: 200, body: OneCall },
    async handle({ loaded, caller, services }) {
      const call = await archiveCall(services, loaded, word === 'archive')
      return { call: await showCall(services, caller.companyId, call) }
    },
  })

const deleting = (sound: 'recording' | 'voicemail') =>
  route({
    method: 'DELETE',
    path: `/v1/calls/:id/${sound}`,
    summary: `Delete the ${sound} of a call, for good`,
    tag,
    params: CallParams,
    load: loadCall,
    reply: { status: 204 },
    async handle({ loaded, services }) {
      await deleteSound(services, loaded, sound)
      return {}
    },
  })

const steering = (kind: 'pause_recording' | 'resume_recording', summary: string) =>
  route({
    method: 'POST',
    path: `/v1/calls/:id/${kind}`,
    summary,
    tag,
    params: CallParams,
    load: loadCall,
    errors: [
      { status: 400, when: 'the call has ended, or has not been answered yet' },
      { status: 405, when: 'live recording is off on the Number of the call' },
    ],
    reply: { status: 204 },
    async handle({ loaded, services }) {
      await steerRecording(services, loaded, kind)
      return {}
    },
  })

const transfer = route({
  method: 'POST',
  path: '/v1/calls/:id/transfers',
  summary: 'Transfer a call that goes on, without asking first',
  description: 'To exactly one of a user, a team and an outside number.',
  tag,
  params: CallParams,
  load: loadCall,
  body: Type.Object({
    user_id: Type.Optional(nullable(Id)),
    team_id: Type.Optional(nullable(Id)),
    number: Type.Optional(
      nullable(Type.String({ pattern: '^\\+[1-9]\\d{6,14}$', maxLength: 16, examples: ['+33199000001'] })),
    ),
    dispatching_strategy: Type.Optional(
      oneOf(['simultaneous', 'random', 'longest_idle'], { description: 'Of a team; simultaneous unless told' }),
    ),
  }),
  errors: [
    { status: 400, when: 'several targets are given, or the call has ended' },
    { status: 403, when: 'the number may not be dialled' },
    { status: 422, when: 'no target is given' },
  ],
  reply: { status: 204 },
  async handle({ loaded, body, caller: { companyId }, services }) {
    const { user_id: userId, team_id: teamId, number, dispatching_strategy: strategy } = body
    const given = [userId, teamId, number].filter((target) => target !== undefined && target !== null)
    if (given.length === 0) throw unprocessable('Give one of `user_id`, `team_id` and `number`')
    if (given.length > 1) throw badRequest('Give only one of `user_id`, `team_id` and `number`')
    if (strategy && !teamId) throw badRequest('`dispatching_strategy` goes together with `team_id` only')
    if (number) {
      await transferCall(services, loaded, { to: { type: 'number', number }, firstUserId: null })
    } else if (teamId) {
      const team = await findTeam(services.db, companyId, teamId)
      if (!team) throw notFound()
      const firstUserId = team.members[0]?.id ?? null
      await transferCall(services, loaded, {
        to: { type: 'team', id: teamId },
        firstUserId,
        ...(strategy && { strategy }),
      })
    } else if (userId) {
      if (!(await findUser(services.db, companyId, userId))) throw notFound()
      await transferCall(services, loaded, { to: { type: 'user', id: userId }, firstUserId: null })
    }
    return {}
  },
})

const Line = Type.Object({
  type: oneOf(['title', 'shortText']),
  text: text(10_240),
  label: Type.Optional(text(10_240, { description: 'Shown before the text of a shortText' })),
  link: Type.Optional(text(10_240, { description: 'Clickable with http, https, tel or mailto' })),
})

const sendCard = route({
  method: 'POST',
  path: '/v1/calls/:id/insight_cards',
  summary: 'Show a card to the agents who have the call before them',
  description: 'Not stored; once the call has ended nothing is shown.',
  tag,
  params: CallParams,
  load: loadCall,
  body: Type.Object({ contents: Type.Array(Line, { minItems: 1 }) }),
  bodyBelow: 10_240,
  errors: [{ status: 400, when: 'a link would run a script or open a file, or the body has 10,240 bytes or more' }],
  reply: { status: 201, body: Type.Object({}) },
  async handle({ loaded, body, services }) {
    if (body.contents.some(({ link }) => link !== undefined && isDangerous(link))) {
      throw badRequest('A `link` must not begin with javascript:, data:, vbscript: or file:')
    }
    await showCard(services, loaded, body.contents)
    return {}
  },
})

/** A browser ignores blanks and control characters in a scheme. */
const isDangerous = (link: string) => /^(javascript|data|vbscript|file):/i.test(link.replace(/[\s\p{Cc}\p{Cf}]/gu, ''))

export const callRoutes = [
  listCalls,
  searchCalls,
  getCall,
  listParticipants,
  listIvrOptions,
  getTrace,
  transfer,
  sendCard,
  postComment,
  postTags,
  removeTag,
  assign,
  archiving('archive', 'Put a call away'),
  archiving('unarchive', 'Take a call out again'),
  steering('pause_recording', 'Pause the recording of a call'),
  steering('resume_recording', 'Go on with the recording of a call'),
  deleting('recording'),
  deleting('voicemail'),
]
