import { type Static, Type } from 'typebox'
import { nullable, oneOf } from '../../../http/schemas.ts'
import { unixSeconds } from '../../../lib/time-format.ts'
import type { User } from '../users/store.ts'
import type { DirectConversation, DirectMessage } from './store.ts'

export const DirectMessageView = Type.Object({
  id: Type.Integer(),
  sender_id: Type.Integer({ description: 'Id of the user who sent it' }),
  text: nullable(Type.String({ description: 'null: the user who sent it was deleted' })),
  sent_at: Type.Integer({ description: 'UNIX seconds' }),
})

export const DirectColleagueView = Type.Object({
  id: Type.Integer(),
  name: nullable(Type.String({ description: 'null: the user was deleted' })),
  extension: nullable(Type.String()),
  state: oneOf(['active', 'deactivated', 'deleted'], { description: 'Only active users can be sent messages' }),
})

export const DirectConversationView = Type.Object({
  user: DirectColleagueView,
  unread: Type.Integer(),
  last_message: DirectMessageView,
})

/** What a deleted user wrote is hidden at once; a job erases it. */
export const directMessageView = (
  { id, senderId, text, sentAt }: DirectMessage,
  deletedId: number | null,
): Static<typeof DirectMessageView> => ({
  id,
  sender_id: senderId,
  text: senderId === deletedId ? null : text,
  sent_at: unixSeconds(sentAt),
})

/** `user` is undefined after it was deleted. */
export function directColleagueView(id: number, user: User | undefined): Static<typeof DirectColleagueView> {
  if (!user) return { id, name: null, extension: null, state: 'deleted' }
  const { firstName, lastName, extension, active } = user
  return { id, name: `${firstName} ${lastName}`, extension, state: active ? 'active' : 'deactivated' }
}

export const directConversationView = (
  { colleagueId, last }: DirectConversation,
  unread: number,
  user: User | undefined,
): Static<typeof DirectConversationView> => ({
  user: directColleagueView(colleagueId, user),
  unread,
  last_message: directMessageView(last, user ? null : colleagueId),
})
