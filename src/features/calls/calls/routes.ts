import { Type } from 'typebox'
import { readableSince } from '../../../domain/call/history.ts'
import type { Caller } from '../../../http/caller.ts'
import { idFromText } from '../../../http/input.ts'
import { type ListUrl, Meta, metaOf, RangeQuery, windowOf } from '../../../http/paging.ts'
import { route } from '../../../http/route.ts'
import { Json, nullable, oneOf, text } from '../../../http/schemas.ts'
import { viewContextOf } from '../../../http/view-context.ts'
import { isoMillis } from '../../../lib/time-format.ts'
import type { Services } from '../../../services.ts'
import { anyRole, maySeeAll, userIdOf } from '../../accounts/index.ts'
import { callBulkRoutes } from './bulk-routes.ts'
import { type FlagFields, FlagQuery, flagsOf } from './flags.ts'
import { liveRoutes } from './live-routes.ts'
import { CallParams, callsTag, loadCall, OneCall } from './load.ts'
import { noteRoutes } from './note-routes.ts'
import { loadParts } from './parts.ts'
import { partyIn } from './party-search.ts'
import { showCall, showCalls } from './present.ts'
import { CallView, IvrOptionView, ParticipantView } from './schemas.ts'
import type { CallSearch } from './search-rows-store.ts'
import { pageOfCalls } from './search-store.ts'
import { partiesSearched } from './searched-parties.ts'
import { traceOf } from './store.ts'
import { ivrOptionView, participantsOf } from './view.ts'

const wall = 10_000

const Calls = Type.Object({ meta: Meta, calls: Type.Array(CallView) })

interface Asking {
  query: FlagFields & Parameters<typeof windowOf>[0]
  caller: Caller
  services: Services
  place: ListUrl
}

async function list({ query, caller, services, place }: Asking, wanted: CallSearch) {
  const { companyId } = caller
  const own = maySeeAll(caller) ? undefined : (userIdOf(caller) ?? undefined)
  const search = { ...wanted, ownOf: wanted.ownOf ?? own }
  const window = windowOf(query, wall)
  const since = readableSince(services.clock.now())
  const { calls, total } = await pageOfCalls(services.db, companyId, search, window, since)
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
  description: 'Calls of the last six months. Pages reach the first 10,000 calls; use `from` to go further.',
  tag: callsTag,
  roles: anyRole,
  query: Type.Object({ ...RangeQuery.properties, ...FlagQuery.properties }),
  reply: { status: 200, body: Calls },
  handle: (asked) => list(asked, everything),
})

const searchCalls = route({
  method: 'GET',
  path: '/v1/calls/search',
  summary: 'Search calls',
  description: 'Filters are combined with AND; without a filter every call matches.',
  tag: callsTag,
  roles: anyRole,
  query: Type.Object({
    ...RangeQuery.properties,
    direction: Type.Optional(oneOf(['inbound', 'outbound'])),
    user_id: Type.Optional(
      Type.Integer({ minimum: 1, 'x-id': true, description: 'The agent who answered or placed the call' }),
    ),
    phone_number: Type.Optional(
      Type.String({
        maxLength: 64,
        description:
          'The external party, or the current Number of the call; digits are compared, `+` is optional, and a ' +
          'national number is read in the country of the company',
      }),
    ),
    tags: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), {
        maxItems: 50,
        description: 'Ids of tags that the call must all have; repeat the parameter as `tags[]` or `tags`',
      }),
    ),
    text: Type.Optional(
      Type.String({
        maxLength: 255,
        description:
          'Hookswitch extension. Calls whose contact has every word, or a part of it, in its name or company, or ' +
          'whose external number contains these digits; the first 500 numbers that match are searched',
      }),
    ),
    contact_id: Type.Optional(
      Type.Integer({
        minimum: 1,
        'x-id': true,
        description: 'Hookswitch extension. Calls with the numbers of a contact',
      }),
    ),
    missed: Type.Optional(Type.Boolean({ description: 'Hookswitch extension. `true`: only unanswered inbound calls' })),
    ...FlagQuery.properties,
  }),
  reply: { status: 200, body: Calls },
  async handle(asked) {
    const { query, place, caller, services } = asked
    const parties = await partiesSearched(services.db, caller.companyId, query)
    const tags = (query.tags ?? []).map(idFromText)
    // A value that is not an id matches no tag, and so no call.
    if (tags.includes(undefined)) {
      return { meta: metaOf(place, windowOf(query, wall), 0, 0), calls: [] }
    }
    return list(asked, {
      direction: query.direction,
      userId: query.user_id,
      phone: query.phone_number,
      tags: tags.filter((id) => id !== undefined),
      missed: query.missed,
      parties,
    })
  },
})

const listOwnCalls = route({
  method: 'GET',
  path: '/v1/me/calls',
  summary: 'List your own calls',
  description:
    'Calls you answered, placed, transferred or joined, calls assigned to you, and unanswered calls that rang ' +
    'on your phone.',
  tag: callsTag,
  access: 'app',
  roles: anyRole,
  query: Type.Object({
    ...RangeQuery.properties,
    direction: Type.Optional(oneOf(['inbound', 'outbound'])),
    missed: Type.Optional(Type.Boolean({ description: '`true`: only unanswered inbound calls' })),
    voicemail: Type.Optional(Type.Boolean({ description: '`true`: only calls with a voicemail' })),
    text: Type.Optional(text(64, { description: 'Part of the name, company or number of the external party' })),
    ...FlagQuery.properties,
  }),
  reply: { status: 200, body: Calls },
  async handle(asked) {
    const { query, caller, services } = asked
    return list(asked, {
      ...everything,
      ownOf: userIdOf(caller) ?? undefined,
      direction: query.direction,
      missed: query.missed,
      voicemail: query.voicemail,
      party: query.text === undefined ? undefined : await partyIn(services.db, caller.companyId, query.text),
    })
  },
})

const getCall = route({
  method: 'GET',
  path: '/v1/calls/:id',
  summary: 'Retrieve a call',
  tag: callsTag,
  roles: anyRole,
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
  summary: 'List the participants of a call, in the order they joined',
  tag: callsTag,
  roles: anyRole,
  params: CallParams,
  load: loadCall,
  reply: { status: 200, body: Type.Object({ participants: Type.Array(ParticipantView) }) },
  async handle({ loaded, caller, services }) {
    const parts = await loadParts(services.db, caller.companyId, viewContextOf(services), [loaded])
    return { participants: participantsOf(parts, loaded) }
  },
})

const listIvrOptions = route({
  method: 'GET',
  path: '/v1/calls/:id/ivr_options',
  summary: 'List the IVR options the caller selected, in order',
  tag: callsTag,
  roles: anyRole,
  params: CallParams,
  load: loadCall,
  reply: { status: 200, body: Type.Object({ ivr_options: Type.Array(IvrOptionView) }) },
  async handle({ loaded }) {
    return { ivr_options: loaded.ivrOptions.map(ivrOptionView) }
  },
})

const getTrace = route({
  method: 'GET',
  path: '/v1/calls/:id/trace',
  summary: 'Retrieve the routing details of a call',
  description: 'Hookswitch extension: each widget the call entered, each agent considered, and when.',
  tag: callsTag,
  params: CallParams,
  load: loadCall,
  reply: { status: 200, body: Type.Object({ trace: Type.Array(Json) }) },
  async handle({ loaded, caller, services }) {
    const entries = await traceOf(services.db, caller.companyId, loaded.id)
    return { trace: entries.map(({ at, entry }) => ({ at: isoMillis(at), ...JSON.parse(entry) })) }
  },
})

const getFailure = route({
  method: 'GET',
  path: '/v1/calls/:id/failure',
  summary: 'Retrieve why an outbound call was not completed',
  description: 'The final SIP response and its meaning; null for answered and inbound calls.',
  tag: callsTag,
  access: 'app',
  roles: anyRole,
  params: CallParams,
  load: loadCall,
  reply: {
    status: 200,
    body: Type.Object({ failure: nullable(Type.String()), sip_code: nullable(Type.Integer()) }),
  },
  async handle({ loaded, caller, services }) {
    const entries = await traceOf(services.db, caller.companyId, loaded.id)
    const end = entries.map(({ entry }) => JSON.parse(entry)).findLast(({ kind }) => kind === 'ended')
    return { failure: end?.failure ?? null, sip_code: end?.sip_code ?? null }
  },
})

export const callRoutes = [
  listCalls,
  searchCalls,
  listOwnCalls,
  getFailure,
  getCall,
  listParticipants,
  listIvrOptions,
  getTrace,
  ...liveRoutes,
  ...noteRoutes,
  ...callBulkRoutes,
]
