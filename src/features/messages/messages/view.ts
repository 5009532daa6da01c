import { type Static, type TSchema, Type } from 'typebox'
import { mediaTroubles } from '../../../domain/message.ts'
import { nullable, oneOf } from '../../../http/schemas.ts'
import type { ViewContext } from '../../../http/view-context.ts'
import { isoMillis } from '../../../lib/time-format.ts'
import {
  EventNumber,
  NestedNumber,
  NestedUser,
  nestedNumber,
  nestedUser,
  type PhoneNumber,
  type User,
} from '../../accounts/index.ts'
import { type Contact, ContactView, contactView, EventContact, eventContact } from '../../contacts/index.ts'
import { mediaPlaceholder } from '../../publishing/index.ts'
import type { Medium, Message } from './store.ts'

// A message as the response to a send, as an event and as a callback.

const statuses = ['pending', 'sent', 'delivered', 'read', 'failed', 'undelivered', 'received'] as const
const Millis = Type.Integer({ description: 'UNIX milliseconds' })
const Iso = Type.String({ format: 'date-time' })

const TemplateContent = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  language: Type.String(),
  category: Type.String(),
  header: nullable(
    Type.Object({ type: Type.String(), text: Type.Optional(Type.String()), url: Type.Optional(Type.String()) }),
  ),
  body: Type.String(),
  footer: nullable(Type.String()),
  buttons: Type.Array(Type.Object({ type: Type.String(), text: Type.String(), value: nullable(Type.String()) })),
})

const Metadata = Type.Object({
  provider_message_id: Type.Optional(Type.String()),
  button: Type.Optional(Type.Object({ text: Type.String(), payload: nullable(Type.String()) })),
  location: Type.Optional(
    Type.Object({ latitude: Type.Number(), longitude: Type.Number(), name: nullable(Type.String()) }),
  ),
  reaction: Type.Optional(Type.Object({ emoji: Type.String(), message_id: Type.String() })),
  referral: Type.Optional(Type.Object({ source_url: Type.String(), headline: nullable(Type.String()) })),
})

/** Fields of WhatsApp messages only. */
const whatsapp = {
  template_content: Type.Optional(nullable(TemplateContent)),
  type: Type.Optional(nullable(Type.String())),
  metadata: Type.Optional(nullable(Metadata)),
  parent_id: Type.Optional(nullable(Type.String())),
  whatsapp_message_category: Type.Optional(nullable(Type.String())),
  whatsapp_message_type: Type.Optional(nullable(Type.String())),
  recipient_country: Type.Optional(nullable(Type.String())),
}

const times = <T extends TSchema>(time: T) => ({ created_at: time, updated_at: time, sent_at: time })
const common = {
  id: Type.String(),
  status: oneOf(statuses),
  direct_link: Type.String(),
  direction: oneOf(['inbound', 'outbound'] as const),
}
const single = {
  external_number: Type.String(),
  raw_digits: Type.String(),
  body: Type.String(),
  channel: nullable(oneOf(['whatsapp'] as const)),
}
const MediaDetails = Type.Array(
  Type.Object({
    file_name: Type.String(),
    file_type: Type.String(),
    presigned_url: Type.String({ description: 'Empty for a file of an inbound message that could not be received' }),
    error_code: Type.Optional(Type.Integer({ description: 'Why the file could not be received' })),
    error_message: Type.Optional(Type.String()),
  }),
)
const trouble = { error_code: Type.Optional(Type.Integer()), error_message: Type.Optional(Type.String()) }
const group = {
  group_conversation_id: Type.String(),
  participants: Type.Array(Type.String()),
  body: Type.String(),
}

export const SentMessage = Type.Object({
  ...common,
  ...times(Millis),
  ...single,
  media_url: Type.Array(Type.String()),
  number: NestedNumber,
  ...whatsapp,
})

const { id: _id, ...withoutId } = common
export const SentGroupMessage = Type.Object({
  group_message_id: Type.String(),
  ...withoutId,
  ...times(Millis),
  ...group,
  media_url: Type.Array(Type.String()),
  number: NestedNumber,
})

export const EventMessage = Type.Object({
  ...common,
  ...times(Iso),
  ...single,
  media_details: MediaDetails,
  origin: oneOf(['native', 'public_api'] as const),
  user: nullable(NestedUser),
  number: EventNumber,
  contact: nullable(EventContact),
  ...whatsapp,
  ...trouble,
})

export const EventGroupMessage = Type.Object({
  ...common,
  ...times(Iso),
  ...group,
  media_details: MediaDetails,
  number: EventNumber,
  ...trouble,
})

export const CallbackMessage = Type.Object({
  ...common,
  ...times(Millis),
  ...single,
  media_details: MediaDetails,
  number: EventNumber,
  contact: nullable(ContactView),
  ...whatsapp,
  ...trouble,
})

export const CallbackGroupMessage = Type.Object({
  ...common,
  ...times(Millis),
  ...group,
  media_details: MediaDetails,
  number: EventNumber,
  ...trouble,
})

/** Objects that a message refers to. */
export interface MessageContext {
  number: PhoneNumber
  user: User | undefined
  contact: Contact | undefined
}

const linkOf = ({ links }: ViewContext, message: Message) =>
  `${links.api}/v1/numbers/${message.numberId}/messages/${message.id}`

const commonOf = (context: ViewContext, message: Message) => ({
  id: message.id,
  status: message.status,
  direct_link: linkOf(context, message),
  direction: message.direction,
})

const timesOf = <T>(message: Message, time: (ms: number) => T) => ({
  created_at: time(message.createdAt),
  updated_at: time(message.updatedAt),
  sent_at: time(message.sentAt),
})
const asMillis = (ms: number) => ms

const whatsappOf = (message: Message) =>
  message.channel === null
    ? {}
    : {
        template_content: message.templateContent,
        type: message.type,
        metadata: message.metadata,
        parent_id: message.parentId,
        whatsapp_message_category: message.category,
        whatsapp_message_type: message.kind,
        recipient_country: message.country,
      }

const errorOf = ({ errorCode, errorMessage }: Message) =>
  errorCode === null ? {} : { error_code: errorCode, error_message: errorMessage ?? '' }

const groupOf = (message: Message) => ({
  group_conversation_id: message.conversationId,
  participants: message.participants ?? [],
  body: message.body,
})

/** Signed URLs are filled in when the event is sent or shown. */
const mediaOf = ({ rowId, media }: Message) => {
  const files = media.flatMap(({ file }) => file ?? [])
  return mediaDetails(media, (file) => mediaPlaceholder(rowId, files.indexOf(file)))
}

/** Stored files, and files that could not be received. */
const mediaDetails = (media: readonly Medium[], urlOf: (file: string) => string) =>
  media.flatMap(({ name, type, file, error }) => {
    const described = { file_name: name, file_type: type }
    if (file !== null) return [{ ...described, presigned_url: urlOf(file) }]
    if (error === undefined) return []
    return [{ ...described, presigned_url: '', error_code: error, error_message: mediaTroubles[error] }]
  })

const requestedUrls = ({ media }: Message) => media.flatMap(({ url }) => url ?? [])

export const sentMessage = (
  context: ViewContext,
  message: Message,
  number: PhoneNumber,
): Static<typeof SentMessage> => ({
  ...commonOf(context, message),
  ...timesOf(message, asMillis),
  external_number: message.external ?? '',
  raw_digits: message.externalDisplay ?? '',
  body: message.body,
  media_url: requestedUrls(message),
  channel: message.channel,
  number: nestedNumber(context, number),
  ...(whatsappOf(message) as object),
})

export function sentGroupMessage(
  context: ViewContext,
  message: Message,
  number: PhoneNumber,
): Static<typeof SentGroupMessage> {
  const { id, ...rest } = commonOf(context, message)
  return {
    group_message_id: id,
    ...rest,
    ...timesOf(message, asMillis),
    ...groupOf(message),
    media_url: requestedUrls(message),
    number: nestedNumber(context, number),
  }
}

export const eventMessage = (
  context: ViewContext,
  message: Message,
  { number, user, contact }: MessageContext,
): Static<typeof EventMessage> => ({
  ...commonOf(context, message),
  ...timesOf(message, isoMillis),
  external_number: message.externalDisplay ?? '',
  raw_digits: message.externalDisplay ?? '',
  body: message.body,
  channel: message.channel,
  media_details: mediaOf(message),
  origin: message.mode === 'native' ? 'native' : 'public_api',
  user: user ? nestedUser(context, user) : null,
  number: nestedNumber(context, number),
  contact: contact ? eventContact(context.links, contact) : null,
  ...(whatsappOf(message) as object),
  ...errorOf(message),
})

export const eventGroupMessage = (
  context: ViewContext,
  message: Message,
  { number }: MessageContext,
): Static<typeof EventGroupMessage> => ({
  ...commonOf(context, message),
  ...timesOf(message, isoMillis),
  ...groupOf(message),
  media_details: mediaOf(message),
  number: nestedNumber(context, number),
  ...errorOf(message),
})

export const callbackMessage = (
  context: ViewContext,
  message: Message,
  { number, contact }: MessageContext,
): Static<typeof CallbackMessage> => ({
  ...commonOf(context, message),
  ...timesOf(message, asMillis),
  external_number: message.external ?? '',
  raw_digits: message.externalDisplay ?? '',
  body: message.body,
  channel: message.channel,
  media_details: mediaOf(message),
  number: nestedNumber(context, number),
  contact: contact ? contactView(context.links, contact) : null,
  ...(whatsappOf(message) as object),
  ...errorOf(message),
})

export const callbackGroupMessage = (
  context: ViewContext,
  message: Message,
  { number }: MessageContext,
): Static<typeof CallbackGroupMessage> => ({
  ...commonOf(context, message),
  ...timesOf(message, asMillis),
  ...groupOf(message),
  media_details: mediaOf(message),
  number: nestedNumber(context, number),
  ...errorOf(message),
})

/** In the bulk export: IDs instead of nested objects keep a million messages small. */
export const BulkMessage = Type.Object({
  ...common,
  ...times(Millis),
  mode: oneOf(['native', 'skipping_inbox'] as const),
  external_number: nullable(Type.String({ description: 'null for a group' })),
  participants: nullable(Type.Array(Type.String())),
  conversation_id: Type.String(),
  body: Type.String(),
  channel: nullable(oneOf(['whatsapp'] as const)),
  media_details: MediaDetails,
  number_id: Type.Integer(),
  user_id: nullable(Type.Integer()),
  ...whatsapp,
  ...trouble,
})

export const bulkMessage = (
  context: ViewContext,
  message: Message,
  urlOf: (file: string) => string,
): Static<typeof BulkMessage> => ({
  ...commonOf(context, message),
  ...timesOf(message, asMillis),
  mode: message.mode === 'native' ? 'native' : 'skipping_inbox',
  external_number: message.external,
  participants: message.participants,
  conversation_id: message.conversationId,
  body: message.body,
  channel: message.channel,
  media_details: mediaDetails(message.media, urlOf),
  number_id: message.numberId,
  user_id: message.userId,
  ...(whatsappOf(message) as object),
  ...errorOf(message),
})
