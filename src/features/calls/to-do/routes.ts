// What a user has to do: unanswered calls and voicemails of the user's Numbers and teams.
import { Type } from 'typebox'
import type { Caller } from '../../../http/caller.ts'
import { badRequest, forbidden } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { Id, nullable, oneOf, text } from '../../../http/schemas.ts'
import { day } from '../../../lib/clock.ts'
import type { Services } from '../../../services.ts'
import { anyRole, mayChangeAll, userIdOf } from '../../accounts/index.ts'
import { CallParams, loadCall } from '../calls/load.ts'
import { numbersOfUser } from '../calls/number-users-store.ts'
import { showCalls } from '../calls/present.ts'
import { CallView } from '../calls/schemas.ts'
import { callsById } from '../calls/store.ts'
import { countToDo, markCallRead, markCallUnread, pageOfToDo, type ToDoPlace } from './store.ts'

const common = { tag: 'Me', access: 'app', roles: anyRole } as const
const atOnce = 30
const listedMs = 30 * day

/** The Numbers of the user, and the period that is listed. */
async function scopeOf({ caller, services: { db, clock } }: { caller: Caller; services: Services }) {
  const userId = userIdOf(caller)
  if (userId === null) throw forbidden('Sign in first')
  return {
    userId,
    numberIds: await numbersOfUser(db, caller.companyId, userId),
    opensAll: mayChangeAll(caller),
    since: clock.now() - listedMs,
  }
}

function placeIn(before: string | undefined): ToDoPlace | undefined {
  if (before === undefined) return undefined
  const [, at, id] = /^(\d{1,15})\.(\d{1,15})$/.exec(before) ?? []
  if (at === undefined) throw badRequest('`before` must be the `next` value of a response')
  return { at: Number(at), id: Number(id) }
}

const listToDo = route({
  ...common,
  method: 'GET',
  path: '/v1/me/to_do',
  summary: 'List the unanswered calls and voicemails to handle, newest first',
  description:
    'Of the last 30 days: inbound calls that no agent answered, on Numbers that you are linked to or that ring you or ' +
    'a team of yours, and those assigned to you. Voicemails of answered calls: of calls that you answered, transferred ' +
    'or were to receive; for admins, of all calls of these Numbers. ' +
    'A call is done once it is archived.',
  query: Type.Object({
    kind: Type.Optional(oneOf(['missed', 'voicemail'], { description: 'Without it, both' })),
    done: Type.Optional(Type.Boolean({ default: false, description: '`true`: calls that are done' })),
    mine: Type.Optional(Type.Boolean({ description: '`true`: only calls assigned to you' })),
    number_id: Type.Optional(Id),
    before: Type.Optional(text(40, { description: '`next` of the previous page', examples: ['1779973182949.7'] })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: atOnce })),
  }),
  reply: {
    status: 200,
    body: Type.Object({
      items: Type.Array(Type.Object({ unread: Type.Boolean(), call: CallView })),
      next: nullable(Type.String()),
    }),
  },
  async handle({ query, caller, services }) {
    const { db } = services
    const { companyId } = caller
    const { limit = atOnce } = query
    const search = {
      ...(await scopeOf({ caller, services })),
      numberId: query.number_id,
      done: query.done ?? false,
      mine: query.mine ?? false,
      voicemail: query.kind === undefined ? undefined : query.kind === 'voicemail',
    }
    const rows = await pageOfToDo(db, companyId, search, { before: placeIn(query.before), limit: limit + 1 })
    const page = rows.slice(0, limit)
    const ids = page.map(({ id }) => id)
    const calls = await callsById(db, companyId, ids)
    const found = ids.flatMap((id) => calls.get(id) ?? [])
    const shown = await showCalls(services, companyId, found, {
      contact: true,
      shortUrls: false,
      timeline: false,
      voiceAgents: false,
    })
    const unread = new Set(page.filter((row) => row.isUnread).map(({ id }) => id))
    const last = rows.length > limit ? page.at(-1) : undefined
    return {
      items: shown.map((call) => ({ unread: unread.has(call.id), call })),
      next: last ? `${last.startedAt}.${last.id}` : null,
    }
  },
})

const countOpen = route({
  ...common,
  method: 'GET',
  path: '/v1/me/to_do/count',
  summary: 'Count the unanswered calls and voicemails to handle',
  reply: {
    status: 200,
    body: Type.Object({
      missed: Type.Integer({ description: 'Without a voicemail' }),
      voicemails: Type.Integer(),
      unread: Type.Integer({ description: 'Of both, those you have not opened' }),
    }),
  },
  async handle({ caller, services }) {
    return countToDo(services.db, caller.companyId, await scopeOf({ caller, services }))
  },
})

const changeToDo = route({
  ...common,
  method: 'PUT',
  path: '/v1/me/to_do/:id',
  summary: 'Mark a call as read or unread, for yourself',
  params: CallParams,
  load: loadCall,
  body: Type.Object({ read: Type.Boolean() }),
  reply: { status: 204 },
  async handle({ loaded, body, caller, services: { db, clock } }) {
    const userId = userIdOf(caller)
    if (userId === null) throw forbidden('Sign in first')
    const which = { userId, callId: loaded.id }
    if (body.read) await markCallRead(db, caller.companyId, which, clock.now())
    else await markCallUnread(db, caller.companyId, which)
    return {}
  },
})

export const toDoRoutes = [listToDo, countOpen, changeToDo]
