// Messages between two users of a company, in the phone app. Other users cannot read them, whatever their role.
import { Type } from 'typebox'
import { afterCommit, type Tx, transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { isOpenForCalls } from '../../../domain/availability.ts'
import type { Caller } from '../../../http/caller.ts'
import { forbidden, unprocessable } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { Id, nameText, nullable } from '../../../http/schemas.ts'
import type { Services } from '../../../services.ts'
import { anyRole, userIdOf } from '../credentials/roles.ts'
import { findUser, type User, usersById } from '../users/store.ts'
import { countDirectMessage } from './sending-limit.ts'
import {
  type DirectPair,
  hasDirectConversation,
  insertDirectMessage,
  markDirectMessagesRead,
  pageOfDirectConversations,
  pageOfDirectMessages,
  unreadByColleague,
} from './store.ts'
import {
  DirectColleagueView,
  DirectConversationView,
  DirectMessageView,
  directColleagueView,
  directConversationView,
  directMessageView,
} from './view.ts'

const common = { tag: 'Me', access: 'app', roles: anyRole } as const
const params = Type.Object({ user_id: Id })
const maxLength = 2_000
const atOnce = 30
const excerptLength = 120

interface Correspondence {
  pair: DirectPair
  /** Undefined: deleted. */
  colleague: User | undefined
}

function signedInId(caller: Caller): number {
  const id = userIdOf(caller)
  if (id === null) throw forbidden('Sign in first')
  return id
}

/** With any other user of the company, and with deleted ones to whom there are messages. */
async function load(input: {
  params: { user_id: number }
  caller: Caller
  services: Services
}): Promise<Correspondence | undefined> {
  const { db } = input.services
  const { companyId } = input.caller
  const pair = { userId: signedInId(input.caller), colleagueId: input.params.user_id }
  if (pair.userId === pair.colleagueId) return undefined
  const colleague = await findUser(db, companyId, pair.colleagueId)
  return colleague || (await hasDirectConversation(db, companyId, pair)) ? { pair, colleague } : undefined
}

const listConversations = route({
  ...common,
  method: 'GET',
  path: '/v1/me/direct_messages',
  summary: 'List your conversations with colleagues, latest message first',
  query: Type.Object({
    before: Type.Optional(Type.Integer({ minimum: 1, description: '`next` of the previous page' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: atOnce })),
  }),
  reply: {
    status: 200,
    body: Type.Object({
      conversations: Type.Array(DirectConversationView),
      unread: Type.Integer({ description: 'Unread messages of all conversations' }),
      next: nullable(Type.Integer()),
    }),
  },
  async handle({ query, caller, services: { db } }) {
    const { companyId } = caller
    const userId = signedInId(caller)
    const { limit = atOnce } = query
    const unread = await unreadByColleague(db, companyId, userId)
    const found = await pageOfDirectConversations(db, companyId, userId, { before: query.before, limit: limit + 1 })
    const page = found.slice(0, limit)
    const colleagueIds = page.map(({ colleagueId }) => colleagueId)
    const users = await usersById(db, companyId, colleagueIds)
    return {
      conversations: page.map((one) =>
        directConversationView(one, unread.get(one.colleagueId) ?? 0, users.get(one.colleagueId)),
      ),
      unread: [...unread.values()].reduce((sum, count) => sum + count, 0),
      next: found.length > limit ? (page.at(-1)?.last.id ?? null) : null,
    }
  },
})

const listMessages = route({
  ...common,
  method: 'GET',
  path: '/v1/me/direct_messages/:user_id',
  summary: 'List the messages between you and a colleague, newest page first',
  params,
  load,
  query: Type.Object({
    before: Type.Optional(Type.Integer({ minimum: 1, description: '`earlier` of the previous response' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: atOnce })),
  }),
  reply: {
    status: 200,
    body: Type.Object({
      user: DirectColleagueView,
      messages: Type.Array(DirectMessageView, { description: 'Oldest first' }),
      earlier: nullable(Type.Integer()),
    }),
  },
  async handle({ loaded: { pair, colleague }, query, caller, services: { db } }) {
    const { limit = atOnce } = query
    const found = await pageOfDirectMessages(db, caller.companyId, pair, { before: query.before, limit: limit + 1 })
    const page = found.slice(0, limit)
    const deletedId = colleague ? null : pair.colleagueId
    return {
      user: directColleagueView(pair.colleagueId, colleague),
      messages: page.toReversed().map((message) => directMessageView(message, deletedId)),
      earlier: found.length > limit ? (page.at(-1)?.id ?? null) : null,
    }
  },
})

const sendDirectMessage = route({
  ...common,
  method: 'POST',
  path: '/v1/me/direct_messages/:user_id',
  keyedInApps: true,
  summary: 'Send a message to a colleague',
  params,
  load,
  body: Type.Object({ text: nameText(maxLength) }),
  check: ({ caller, services }) => countDirectMessage(services, signedInId(caller)),
  errors: [
    { status: 422, when: 'the colleague is deactivated or deleted' },
    { status: 429, when: 'you have sent 30 messages within a minute' },
  ],
  reply: { status: 201, body: Type.Object({ message: DirectMessageView }) },
  async handle({ loaded: { pair }, body, caller, services }) {
    const { companyId } = caller
    const message = await transaction(services.db, async (tx) => {
      const colleague = await findUser(tx, companyId, pair.colleagueId)
      if (!colleague?.active) throw unprocessable('This user can no longer receive messages')
      const sender = await findUser(tx, companyId, pair.userId)
      if (!sender) throw forbidden('Sign in first')
      const sent = await insertDirectMessage(tx, companyId, pair, { text: body.text, at: services.clock.now() })
      notifyBoth(services, tx, companyId, { sender, colleague, text: body.text })
      return sent
    })
    return { message: directMessageView(message, null) }
  },
})

interface Notified {
  sender: User
  colleague: User
  text: string
}

/** All windows of both. The colleague sees a notification unless unavailable, as for missed calls. */
function notifyBoth(
  { liveHub, clock }: Services,
  tx: Tx,
  companyId: CompanyId,
  { sender, colleague, text }: Notified,
): void {
  const isNotified = isOpenForCalls(colleague, clock.now())
  afterCommit(tx, () => {
    liveHub.send(companyId, sender.id, { kind: 'direct_message', colleagueId: colleague.id, what: 'changed' })
    liveHub.send(companyId, colleague.id, { kind: 'direct_message', colleagueId: sender.id, what: 'received' })
    if (isNotified) liveHub.send(companyId, colleague.id, { kind: 'notice', notice: noticeOf(sender, text) })
  })
}

function noticeOf({ id, firstName, lastName }: User, text: string) {
  const characters = [...text.replaceAll(/\s+/g, ' ')]
  const isLong = characters.length > excerptLength
  const detail = characters.slice(0, excerptLength).join('') + (isLong ? '…' : '')
  return { kind: 'direct_message', user_id: id, title: `${firstName} ${lastName}`, detail } as const
}

const readDirectMessages = route({
  ...common,
  method: 'PUT',
  path: '/v1/me/direct_messages/:user_id',
  summary: 'Mark the messages of a colleague as read, up to one of them',
  params,
  load,
  body: Type.Object({ read_to: Type.Integer({ minimum: 1, description: 'Id of the last message that was read' }) }),
  reply: { status: 204 },
  async handle({ loaded: { pair }, body, caller, services: { db, liveHub } }) {
    const { companyId } = caller
    const { userId, colleagueId } = pair
    await transaction(db, async (tx) => {
      if (!(await markDirectMessagesRead(tx, companyId, pair, body.read_to))) return
      afterCommit(tx, () => liveHub.send(companyId, userId, { kind: 'direct_message', colleagueId, what: 'changed' }))
    })
    return {}
  },
})

export const directMessageRoutes = [listConversations, listMessages, sendDirectMessage, readDirectMessages]
