// The inbox of the phone app and the dashboard: conversations with calls and messages, by participant and Number.
import { Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { searchWords } from '../../../domain/search-words.ts'
import type { Caller } from '../../../http/caller.ts'
import { badRequest, forbidden, notFound } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { Id, nullable, text } from '../../../http/schemas.ts'
import type { Services } from '../../../services.ts'
import { anyRole, findNumber, findUser, userIdOf } from '../../accounts/index.ts'
import { contactsNamed, phonesOfContacts } from '../../contacts/index.ts'
import { Participants } from '../messages/fields.ts'
import { inboxTag, loadConversation, mustWrite, params } from './access.ts'
import { type Conversation, conversationWith } from './conversations-store.ts'
import {
  type ConversationChange,
  changeConversation,
  countUnread,
  lockConversation,
  pageOfConversations,
} from './store.ts'
import { loadConversationContext, reachableIn, timelineOf } from './timeline.ts'
import { notifyInbox } from './updates.ts'
import { type ConversationShown, ConversationView, conversationView, Reachable, TimelineItem } from './view.ts'
import { rightsOf, visibilityOf } from './visibility.ts'

const common = { tag: inboxTag, access: 'app', roles: anyRole } as const
const atOnce = 30
const maxNamed = 30

const OneConversation = Type.Object({ conversation: ConversationView })

interface Asking {
  caller: Caller
  services: Services
}

async function shown({ caller, services: { db } }: Asking, conversation: Conversation): Promise<ConversationShown> {
  const company = await loadConversationContext(db, caller.companyId, { conversations: [conversation] })
  const { mayWrite } = await rightsOf(db, caller)
  const view = conversationView(company, conversation, mayWrite(conversation))
  if (!view) throw notFound()
  return view
}

const listConversations = route({
  ...common,
  method: 'GET',
  path: '/v1/conversations',
  summary: 'List conversations, latest message first',
  description:
    'Agents see conversations of their Numbers and those assigned to them; supervisors and admins see all, ' +
    'unless `mine` is set. A search scans 10,000 conversations per request: while `next` is not null, there may ' +
    'be more results, even after an empty page.',
  query: Type.Object({
    mine: Type.Optional(Type.Boolean({ description: 'Only conversations of your Numbers and those assigned to you' })),
    number_id: Type.Optional(Id),
    unread: Type.Optional(Type.Boolean()),
    archived: Type.Optional(Type.Boolean({ default: false })),
    assigned_to: Type.Optional(
      text(20, {
        description: '`me`, the ID of a user, or `unassigned`',
        examples: ['me'],
      }),
    ),
    search: Type.Optional(text(100, { description: 'Part of a name, a number or the last message' })),
    after: Type.Optional(text(64, { description: '`next` of the previous page', examples: ['1779973182949.0a'] })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: atOnce })),
  }),
  reply: {
    status: 200,
    body: Type.Object({ conversations: Type.Array(ConversationView), next: nullable(Type.String()) }),
  },
  async handle({ query, caller, services }) {
    const { db } = services
    const { companyId } = caller
    const { limit = atOnce } = query
    const words = query.search?.trim() ?? ''
    const { conversations: found, searchedTo } = await pageOfConversations(db, companyId, {
      visibility: await visibilityOf(db, caller, query.mine),
      numberId: query.number_id,
      unread: query.unread ?? false,
      assignedTo: assigneeIn(query.assigned_to, caller),
      archived: query.archived ?? false,
      words,
      named: await phonesNamed(services, companyId, words),
      after: placeIn(query.after),
      limit: limit + 1,
    })
    const page = found.slice(0, limit)
    const company = await loadConversationContext(db, companyId, { conversations: page })
    const { mayWrite } = await rightsOf(db, caller)
    const last = found.length > limit ? page.at(-1) : searchedTo
    return {
      conversations: page.flatMap((one) => conversationView(company, one, mayWrite(one)) ?? []),
      next: last ? `${last.lastAt}.${last.id}` : null,
    }
  },
})

function assigneeIn(given: string | undefined, caller: Caller): number | null | undefined {
  if (given === undefined) return undefined
  if (given === 'unassigned') return null
  if (given === 'me') return userIdOf(caller) ?? 0
  if (/^[1-9]\d{0,14}$/.test(given)) return Number(given)
  throw badRequest('`assigned_to` must be `me`, `unassigned` or the ID of a user')
}

function placeIn(after: string | undefined) {
  if (after === undefined) return undefined
  const [, at, id = ''] = /^(\d{1,15})\.([0-9a-f-]{1,36})$/.exec(after) ?? []
  if (at === undefined) throw badRequest('`after` must be the `next` value of a response')
  return { lastAt: Number(at), id }
}

async function phonesNamed({ db }: Services, companyId: CompanyId, search: string): Promise<string[]> {
  const words = searchWords([search]).filter((word) => /\p{L}/u.test(word))
  if (words.length === 0) return []
  const named = await contactsNamed(db, companyId, words.slice(0, 8), { order: 'desc', max: maxNamed })
  return phonesOfContacts(db, companyId, named)
}

const getUnread = route({
  ...common,
  method: 'GET',
  path: '/v1/conversations/unread',
  summary: 'Count your unread conversations',
  reply: { status: 200, body: Type.Object({ unread: Type.Integer() }) },
  async handle({ caller, services: { db } }) {
    return { unread: await countUnread(db, caller.companyId, await visibilityOf(db, caller, true)) }
  },
})

const openConversation = route({
  ...common,
  method: 'POST',
  path: '/v1/conversations',
  summary: 'Open the conversation with a participant on a Number; created if there is none',
  description: 'No message is sent, and other users do not see the conversation yet. Several recipients make a group.',
  body: Type.Object({ number_id: Id, to: Participants }),
  errors: [
    { status: 400, when: 'the Number is unknown' },
    { status: 403, when: 'the caller is not linked to the Number' },
  ],
  reply: { status: 201, body: OneConversation },
  async handle({ body, caller, services }) {
    const { db, clock } = services
    const number = await findNumber(db, caller.companyId, body.number_id)
    if (!number) throw badRequest('`number_id` is not a Number of the company')
    if (!(await rightsOf(db, caller)).mayWrite({ numberId: number.id, assignedUserId: null })) {
      throw forbidden('You are not linked to this Number')
    }
    const to = [...new Set(body.to)]
    const [first = ''] = to
    const who = to.length === 1 ? { external: first } : { participants: to }
    const conversation = await conversationWith(db, caller.companyId, number.id, who, clock.now())
    return { conversation: await shown({ caller, services }, conversation) }
  },
})

const getConversation = route({
  ...common,
  method: 'GET',
  path: '/v1/conversations/:id',
  summary: 'Retrieve a conversation and the channels available for replies',
  params,
  load: loadConversation,
  reply: { status: 200, body: Type.Object({ conversation: ConversationView, reachable: Reachable }) },
  async handle({ loaded, caller, services }) {
    const number = await findNumber(services.db, caller.companyId, loaded.numberId)
    if (!number) throw notFound()
    return {
      conversation: await shown({ caller, services }, loaded),
      reachable: await reachableIn(services, caller, loaded, number),
    }
  },
})

const getTimeline = route({
  ...common,
  method: 'GET',
  path: '/v1/conversations/:id/timeline',
  summary: 'List the messages and calls of a conversation, newest page first',
  params,
  load: loadConversation,
  query: Type.Object({
    before: Type.Optional(text(64, { description: '`earlier` of the previous response', examples: ['17.-'] })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: atOnce })),
  }),
  reply: {
    status: 200,
    body: Type.Object({
      items: Type.Array(TimelineItem, { description: 'Oldest first' }),
      earlier: nullable(Type.String()),
    }),
  },
  handle: ({ loaded, query, services }) => timelineOf(services, loaded, query.before, query.limit ?? atOnce),
})

const putConversation = route({
  ...common,
  method: 'PUT',
  path: '/v1/conversations/:id',
  summary: 'Mark a conversation as read, assign or archive it',
  params,
  load: loadConversation,
  body: Type.Object({
    read: Type.Optional(Type.Boolean({ description: 'false marks the conversation as unread' })),
    user_id: Type.Optional(nullable(Id)),
    archived: Type.Optional(Type.Boolean()),
  }),
  errors: [
    { status: 400, when: '`user_id` is unknown' },
    { status: 403, when: 'the caller may only read the conversation' },
  ],
  reply: { status: 200, body: OneConversation },
  async handle({ loaded, body, caller, services }) {
    const { companyId } = caller
    const { user_id: userId, read, archived } = body
    await mustWrite(services, caller, loaded)
    const conversation = await transaction(services.db, async (tx) => {
      const now = await lockConversation(tx, companyId, loaded.id)
      if (!now) throw notFound()
      if (typeof userId === 'number' && !(await findUser(tx, companyId, userId))) {
        throw badRequest('`user_id` is not a user of the company')
      }
      const change: ConversationChange = {
        ...(userId !== undefined && { assigned_user_id: userId }),
        ...(archived !== undefined && { archived: archived ? 1 : 0 }),
        ...(read !== undefined && { unread: read ? 0 : Math.max(1, now.unread) }),
      }
      if (Object.keys(change).length === 0 || isSame(now, change)) return now
      await changeConversation(tx, companyId, loaded.id, change)
      await notifyInbox(tx, companyId, [loaded.id], 'changed')
      return (await lockConversation(tx, companyId, loaded.id)) ?? now
    })
    return { conversation: await shown({ caller, services }, conversation) }
  },
})

/** Marking a read conversation as read notifies no one. */
const isSame = (now: Conversation, { assigned_user_id, archived, unread }: ConversationChange) =>
  (assigned_user_id === undefined || assigned_user_id === now.assignedUserId) &&
  (archived === undefined || (archived === 1) === now.archived) &&
  (unread === undefined || unread === now.unread)

export const conversationRoutes = [
  listConversations,
  getUnread,
  openConversation,
  getConversation,
  getTimeline,
  putConversation,
]
