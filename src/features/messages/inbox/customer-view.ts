import { type Static, Type } from 'typebox'
import { missedReasons } from '../../../domain/call/record.ts'
import { nullable, oneOf } from '../../../http/schemas.ts'
import type { Call } from '../../calls/index.ts'
import type { Message } from '../messages/store.ts'
import { type Addresses, type ConversationContext, callItem, messageItem, TimelineItem } from './view.ts'

const Note = Type.Object({
  id: Type.Integer(),
  content: Type.String(),
  by: nullable(Type.String()),
  at: Type.Integer(),
})

/** An item of the thread with a customer, with the details that help in the next call. */
export const CustomerItem = Type.Object({
  ...TimelineItem.properties,
  number: nullable(Type.Object({ id: Type.Integer(), name: Type.String() })),
  /** Of a call. */
  details: nullable(
    Type.Object({
      missed_call_reason: nullable(oneOf(missedReasons)),
      archived: Type.Boolean(),
      tags: Type.Array(Type.Object({ id: Type.Integer(), name: Type.String(), color: Type.String() })),
      notes: Type.Array(Note),
      summary: nullable(Type.String()),
    }),
  ),
})
export type CustomerItemShown = Static<typeof CustomerItem>

function numberView({ numbers }: ConversationContext, id: number): CustomerItemShown['number'] {
  const number = numbers.get(id)
  return number ? { id, name: number.name } : null
}

export const customerMessageItem = (
  context: ConversationContext,
  addresses: Addresses,
  message: Message,
): CustomerItemShown => ({
  ...messageItem(context, addresses, message),
  number: numberView(context, message.numberId),
  details: null,
})

export const customerCallItem = (
  context: ConversationContext,
  addresses: Addresses,
  call: Call,
  summary: string | null,
): CustomerItemShown => ({
  ...callItem(context, addresses, call),
  number: numberView(context, call.numberId),
  details: {
    missed_call_reason: call.missedReason,
    archived: call.archived,
    tags: call.tags.map(({ id, name, color }) => ({ id, name, color })),
    notes: call.comments.map(({ id, content, postedBy, postedAt }) => {
      const user = postedBy === null ? undefined : context.users.get(postedBy)
      return { id, content, by: user ? `${user.firstName} ${user.lastName}`.trim() : null, at: postedAt }
    }),
    summary,
  },
})
