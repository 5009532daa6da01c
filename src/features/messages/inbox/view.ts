import { type Static, Type } from 'typebox'
import { statusOf } from '../../../domain/call/record.ts'
import { mediaTroubles, messageStatuses } from '../../../domain/message.ts'
import { digitsOnly } from '../../../domain/phone-number.ts'
import { nullable, oneOf } from '../../../http/schemas.ts'
import type { PhoneNumber, User } from '../../accounts/index.ts'
import type { Call } from '../../calls/index.ts'
import type { Contact, ContactLookup } from '../../contacts/index.ts'
import type { Medium, Message } from '../messages/store.ts'
import type { Conversation } from './conversations-store.ts'

// A conversation in the inbox: participants, Number, messages and calls.

const Millis = Type.Integer({ description: 'UNIX milliseconds' })
const NamedUser = Type.Object({ id: Type.Integer(), name: Type.String() })

const Party = Type.Object({
  number: Type.String({ description: 'E.164' }),
  display: Type.String({ description: 'Formatted for display' }),
  contact: nullable(NamedUser),
})

export const ConversationView = Type.Object({
  id: Type.String(),
  line: Type.Object({ id: Type.Integer(), name: Type.String(), digits: Type.String() }),
  is_group: Type.Boolean(),
  people: Type.Array(Party, { description: 'The other party, or all participants of the group' }),
  unread: Type.Integer({ description: 'Number of unread inbound messages' }),
  assigned_to: nullable(NamedUser),
  archived: Type.Boolean(),
  last_at: Millis,
  last_message: nullable(Type.String()),
  last_direction: nullable(oneOf(['inbound', 'outbound'] as const)),
  may_write: Type.Boolean({ description: 'Whether the caller may reply, assign and archive' }),
})
export type ConversationShown = Static<typeof ConversationView>

/** Channels available in the conversation at this moment. */
export const Reachable = Type.Object({
  texts: Type.Boolean({ description: 'The Number can send SMS and MMS' }),
  whatsapp: Type.Boolean({ description: 'The Number can send WhatsApp messages, and the plan includes WhatsApp' }),
  window_until: nullable(
    Type.Integer({
      description: 'UNIX milliseconds until which free-form text may be sent by WhatsApp; null: templates only',
    }),
  ),
  opted_out: Type.Array(Type.String(), { description: 'Opted-out participants, E.164' }),
  last_channel: nullable(oneOf(['texts', 'whatsapp'] as const)),
})
export type ReachableShown = Static<typeof Reachable>

const MediumShown = Type.Object({
  name: Type.String(),
  type: Type.String(),
  url: Type.String(),
  trouble: nullable(Type.String({ description: 'Why the file could not be received; `url` is empty then' })),
})

const MessageShown = Type.Object({
  id: Type.String(),
  direction: oneOf(['inbound', 'outbound'] as const),
  status: oneOf(messageStatuses),
  channel: nullable(oneOf(['whatsapp'] as const)),
  body: Type.String(),
  header: nullable(Type.String({ description: 'Of a template message' })),
  footer: nullable(Type.String()),
  buttons: Type.Array(Type.String()),
  media: Type.Array(MediumShown),
  author: nullable(Type.String({ description: 'Sender within the group, E.164' })),
  user: nullable(NamedUser),
  trouble: nullable(Type.String({ description: 'Why the message failed or was not delivered' })),
})

const CallShown = Type.Object({
  id: Type.Integer(),
  direction: oneOf(['inbound', 'outbound'] as const),
  status: oneOf(['initial', 'answered', 'done'] as const),
  answered: Type.Boolean(),
  talk_seconds: nullable(Type.Integer({ description: 'null during the call, and if the call was not answered' })),
  user: nullable(NamedUser),
  voicemail: nullable(Type.String({ description: 'URL of the voicemail, valid for one hour' })),
})

export const TimelineItem = Type.Object({
  key: Type.String(),
  at: Millis,
  message: nullable(MessageShown),
  call: nullable(CallShown),
})
export type ItemShown = Static<typeof TimelineItem>

/** Numbers, users and contacts of the conversations, loaded once per page. */
export interface ConversationContext {
  numbers: ReadonlyMap<number, PhoneNumber>
  users: ReadonlyMap<number, User>
  contactOf: ContactLookup
  /** By E.164. */
  displays: ReadonlyMap<string, string>
}

const nameOf = (user: User | undefined) =>
  user ? { id: user.id, name: `${user.firstName} ${user.lastName}`.trim() } : null

const contactName = ({ firstName, lastName, companyName }: Contact) =>
  [firstName, lastName].filter(Boolean).join(' ') || companyName || 'No name'

export const externalParties = ({ external, participants }: Pick<Conversation, 'external' | 'participants'>) =>
  participants ?? (external === null ? [] : [external])

function partyView(
  { contactOf, displays }: ConversationContext,
  number: string,
  line: Pick<PhoneNumber, 'country'>,
): Static<typeof Party> {
  const contact = contactOf(digitsOnly(number), line.country)
  return {
    number,
    display: displays.get(number) ?? number,
    contact: contact ? { id: contact.id, name: contactName(contact) } : null,
  }
}

/** Undefined if the Number was deleted. */
export function conversationView(
  company: ConversationContext,
  conversation: Conversation,
  mayWrite: boolean,
): ConversationShown | undefined {
  const { assignedUserId } = conversation
  const number = company.numbers.get(conversation.numberId)
  if (!number) return undefined
  return {
    id: conversation.id,
    line: { id: number.id, name: number.name, digits: number.display },
    is_group: conversation.participants !== null,
    people: externalParties(conversation).map((phone) => partyView(company, phone, number)),
    unread: conversation.unread,
    assigned_to: assignedUserId === null ? null : nameOf(company.users.get(assignedUserId)),
    archived: conversation.archived,
    last_at: conversation.lastAt,
    last_message: conversation.lastMessage,
    last_direction: conversation.lastDirection,
    may_write: mayWrite,
  }
}

/** Signed URLs of files, created when they are shown. */
export interface Addresses {
  medium(message: Message, file: string): string
  voicemail(call: Call, file: string): string
}

export function messageItem(company: ConversationContext, addresses: Addresses, message: Message): ItemShown {
  const { templateContent } = message
  return {
    key: `message:${message.id}`,
    at: message.createdAt,
    message: {
      id: message.id,
      direction: message.direction,
      status: message.status,
      channel: message.channel,
      body: bodyOf(message),
      header: templateContent?.header?.text ?? null,
      footer: templateContent?.footer ?? null,
      buttons: templateContent?.buttons.map(({ text }) => text) ?? [],
      media: message.media.flatMap((medium) => mediumView(addresses, message, medium)),
      author: message.author,
      user: message.userId === null ? null : nameOf(company.users.get(message.userId)),
      trouble: message.errorMessage,
    },
    call: null,
  }
}

function mediumView(
  addresses: Addresses,
  message: Message,
  { name, type, file, error }: Medium,
): Static<typeof MediumShown>[] {
  if (file !== null) return [{ name, type, url: addresses.medium(message, file), trouble: null }]
  return error === undefined ? [] : [{ name, type, url: '', trouble: mediaTroubles[error] }]
}

/** Some WhatsApp messages have no text. */
function bodyOf({ body, metadata, type, media }: Message): string {
  if (body !== '') return body
  const { location, reaction, button } = (metadata ?? {}) as {
    location?: { latitude: number; longitude: number; name: string | null }
    reaction?: { emoji: string }
    button?: { text: string }
  }
  if (location)
    return `Place: ${[location.name, `${location.latitude}, ${location.longitude}`].filter(Boolean).join(' · ')}`
  if (reaction) return `Reacted with ${reaction.emoji}`
  if (button) return button.text
  return media.length === 0 && type !== null && type !== 'text' ? `(${type})` : ''
}

export function callItem(company: ConversationContext, addresses: Addresses, call: Call): ItemShown {
  const { answeredAt, endedAt, voicemail } = call
  return {
    key: `call:${call.id}`,
    at: call.startedAt,
    message: null,
    call: {
      id: call.id,
      direction: call.direction,
      status: statusOf(call),
      answered: answeredAt !== null,
      talk_seconds: answeredAt === null || endedAt === null ? null : Math.round((endedAt - answeredAt) / 1_000),
      user: call.userId === null ? null : nameOf(company.users.get(call.userId)),
      voicemail: voicemail === null ? null : addresses.voicemail(call, voicemail),
    },
  }
}
