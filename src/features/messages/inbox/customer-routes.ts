// One thread with a customer: calls, voicemails, messages and notes, across the Numbers that the user may see.
import { Type } from 'typebox'
import { readableSince } from '../../../domain/call/history.ts'
import { digitsOnly, isE164 } from '../../../domain/phone-number.ts'
import type { Caller } from '../../../http/caller.ts'
import { badRequest } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { nullable, text } from '../../../http/schemas.ts'
import type { Services } from '../../../services.ts'
import { anyRole, maySeeAll, userIdOf } from '../../accounts/index.ts'
import { type Call, findNamed, numbersOfUser } from '../../calls/index.ts'
import { summariesOf } from '../../intelligence/index.ts'
import type { Message } from '../messages/store.ts'
import { inboxTag } from './access.ts'
import { callsWith, conversationsWith } from './customer-store.ts'
import { CustomerItem, type CustomerItemShown, customerCallItem, customerMessageItem } from './customer-view.ts'
import { messagesBefore, type Visibility } from './store.ts'
import { addressesOf, newestOf, placeInTimeline, type TimelinePlace, writtenPlace } from './timeline.ts'
import type { ConversationContext } from './view.ts'

const atOnce = 30

/** Like the inbox, and in addition the Numbers that ring the user or a team of the user. */
async function visibilityOfCustomer({ db }: Services, caller: Caller): Promise<Visibility> {
  const userId = userIdOf(caller)
  if (userId === null || maySeeAll(caller)) return 'all'
  return { userId, numberIds: await numbersOfUser(db, caller.companyId, userId) }
}

const getCustomerTimeline = route({
  method: 'GET',
  path: '/v1/customers/timeline',
  summary: 'List calls and messages with an external number, newest first',
  description:
    'Agents see what happened on their Numbers, and their own calls; supervisors and admins see everything. Calls of ' +
    'the last six months.',
  tag: inboxTag,
  access: 'app',
  roles: anyRole,
  query: Type.Object({
    phone_number: text(32, { description: 'E.164', examples: ['+33612345678'] }),
    before: Type.Optional(text(64, { description: '`earlier` of the previous page' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: atOnce })),
  }),
  errors: [{ status: 400, when: 'the number is not E.164' }],
  reply: {
    status: 200,
    body: Type.Object({ items: Type.Array(CustomerItem), earlier: nullable(Type.String()) }),
  },
  async handle({ query, caller, services }) {
    const { db, clock } = services
    const { companyId } = caller
    const { limit = atOnce, phone_number: external } = query
    if (!isE164(external)) throw badRequest('`phone_number` must be E.164')
    const place = placeInTimeline(query.before)
    const visibility = await visibilityOfCustomer(services, caller)
    const conversations = await conversationsWith(db, companyId, external, visibility)
    const messages: Message[] = []
    for (const { id } of conversations) {
      messages.push(...(await messagesBefore(db, companyId, id, { before: place.message, limit: limit + 1 })))
    }
    messages.sort((a, b) => b.rowId - a.rowId)
    const calls = await callsWith(db, companyId, digitsOnly(external), visibility, {
      before: place.call,
      since: readableSince(clock.now()),
      limit: limit + 1,
    })
    const page = newestOf(messages, calls, limit)
    const context = await contextOf(services, caller, page)
    const addresses = addressesOf(services)
    const summaries = await summariesOf(
      db,
      companyId,
      page.calls.map(({ id }) => id),
    )
    const items: CustomerItemShown[] = [
      ...page.calls.map((call) => customerCallItem(context, addresses, call, summaries.get(call.id) ?? null)),
      ...page.messages.map((message) => customerMessageItem(context, addresses, message)),
    ].sort((a, b) => b.at - a.at)
    const isAll = page.messages.length === messages.length && page.calls.length === calls.length
    return { items, earlier: isAll ? null : writtenPlace(nextPlace(place, page)) }
  },
})

function nextPlace(place: TimelinePlace, page: { messages: Message[]; calls: Call[] }): TimelinePlace {
  const lastCall = page.calls.at(-1)
  return {
    message: page.messages.at(-1)?.rowId ?? place.message,
    call: lastCall ? { at: lastCall.startedAt, id: lastCall.id } : place.call,
  }
}

async function contextOf(
  { db }: Services,
  { companyId }: Caller,
  { messages, calls }: { messages: readonly Message[]; calls: readonly Call[] },
): Promise<ConversationContext> {
  const named = await findNamed(db, companyId, {
    users: new Set([
      ...messages.flatMap(({ userId }) => userId ?? []),
      ...calls.flatMap(({ userId }) => userId ?? []),
      ...calls.flatMap(({ comments }) => comments.flatMap(({ postedBy }) => postedBy ?? [])),
    ]),
    numbers: new Set([...messages.map(({ numberId }) => numberId), ...calls.map(({ numberId }) => numberId)]),
    teams: new Set(),
    digits: new Set(),
  })
  return {
    numbers: new Map(named.numbers.map((number) => [number.id, number])),
    users: new Map(named.users.map((user) => [user.id, user])),
    contactOf: named.contactOf,
    displays: new Map(),
  }
}

export const customerRoutes = [getCustomerTimeline]
