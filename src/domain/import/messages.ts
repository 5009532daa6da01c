import { messageStatuses } from '../message.ts'
import {
  type ImportProblem,
  isSourceObject,
  oneOfSource,
  type SourceObject,
  sourceId,
  sourceList,
  sourceObject,
  sourcePhone,
  sourceText,
  sourceTime,
} from './values.ts'

// Messages of the bulk export, one line of JSON each.

export interface MessageFromSource {
  numberId: string | undefined
  userId: string | undefined
  mode: 'native' | 'skipping'
  channel: 'whatsapp' | null
  direction: 'inbound' | 'outbound'
  status: (typeof messageStatuses)[number]
  /** Null for a group. */
  external: string | null
  participants: string[] | null
  body: string
  parentId: string | null
  type: string | null
  metadata: Record<string, unknown> | null
  category: string | null
  kind: string | null
  country: string | null
  templateContent: TemplateFromSource | null
  errorCode: number | null
  errorMessage: string | null
  createdAt: number
  updatedAt: number
  sentAt: number
}

const maxParticipants = 50
const maxBody = 10_000

export function messageFromSource(message: SourceObject): MessageFromSource | ImportProblem {
  const direction = oneOfSource(message.direction, ['inbound', 'outbound'])
  const status = oneOfSource(message.status, messageStatuses)
  if (!direction || !status) return { problem: 'the direction or the status of the message is unknown' }
  const createdAt = sourceTime(message.created_at)
  if (createdAt === null) return { problem: 'the message has no time' }
  const external = sourcePhone(message.external_number) ?? null
  const participants = participantsIn(message.participants)
  if (external === null && participants === null)
    return { problem: 'the external number is not in international format' }
  const isWhatsapp = message.channel === 'whatsapp'
  const ofWhatsapp = (value: unknown) => (isWhatsapp ? (sourceText(value)?.slice(0, 64) ?? null) : null)
  const { error_code: errorCode } = message
  return {
    numberId: sourceId(message.number_id),
    userId: sourceId(message.user_id),
    mode: message.mode === 'skipping_inbox' ? 'skipping' : 'native',
    channel: isWhatsapp ? 'whatsapp' : null,
    direction,
    status,
    external: participants === null ? external : null,
    participants,
    body: (sourceText(message.body) ?? '').slice(0, maxBody),
    parentId: isWhatsapp ? (sourceId(message.parent_id) ?? null) : null,
    type: isWhatsapp ? (ofWhatsapp(message.type) ?? 'text') : null,
    metadata: isWhatsapp ? metadataIn(sourceObject(message.metadata)) : null,
    category: ofWhatsapp(message.whatsapp_message_category),
    kind: ofWhatsapp(message.whatsapp_message_type),
    country: ofWhatsapp(message.recipient_country),
    templateContent: isWhatsapp ? templateIn(message.template_content) : null,
    errorCode: typeof errorCode === 'number' && Number.isInteger(errorCode) ? errorCode : null,
    errorMessage: sourceText(message.error_message)?.slice(0, 500) ?? null,
    createdAt,
    updatedAt: sourceTime(message.updated_at) ?? createdAt,
    sentAt: sourceTime(message.sent_at) ?? createdAt,
  }
}

/** A message that is being sent has no result yet: a later import brings it. */
export const isMessageFinal = ({ status }: SourceObject) => status !== 'pending'

function participantsIn(value: unknown): string[] | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > maxParticipants) return null
  const phones = value.flatMap((one) => sourcePhone(one) ?? [])
  return phones.length === value.length ? phones : null
}

/** Files of a message, in their order. */
export const mediaFromSource = (message: SourceObject) =>
  sourceList(message.media_details).map((one) => ({
    name: sourceText(one.file_name) ?? 'file',
    url: sourceText(one.presigned_url),
  }))

function metadataIn(metadata: SourceObject): Record<string, unknown> | null {
  const { provider_message_id: ref, button, location, reaction, referral } = metadata
  const found: Record<string, unknown> = {}
  if (typeof ref === 'string') found.provider_message_id = ref
  if (isSourceObject(button) && typeof button.text === 'string')
    found.button = { text: button.text, payload: sourceText(button.payload) }
  if (isSourceObject(location) && typeof location.latitude === 'number' && typeof location.longitude === 'number')
    found.location = { latitude: location.latitude, longitude: location.longitude, name: sourceText(location.name) }
  if (isSourceObject(reaction) && typeof reaction.emoji === 'string' && typeof reaction.message_id === 'string')
    found.reaction = { emoji: reaction.emoji, message_id: reaction.message_id }
  if (isSourceObject(referral) && typeof referral.source_url === 'string')
    found.referral = { source_url: referral.source_url, headline: sourceText(referral.headline) }
  return Object.keys(found).length > 0 ? found : null
}

interface TemplateFromSource {
  id: number
  name: string
  language: string
  category: string
  header: { type: string; text?: string; url?: string } | null
  body: string
  footer: string | null
  buttons: { type: string; text: string; value: string | null }[]
}

function templateIn(value: unknown): TemplateFromSource | null {
  if (!isSourceObject(value)) return null
  const [name, body] = [sourceText(value.name), sourceText(value.body)]
  if (name === null || body === null) return null
  const header = sourceObject(value.header)
  const [type, text, url] = [sourceText(header.type), sourceText(header.text), sourceText(header.url)]
  return {
    id: typeof value.id === 'number' && Number.isSafeInteger(value.id) ? value.id : 0,
    name,
    language: sourceText(value.language) ?? 'en',
    category: sourceText(value.category) ?? '',
    header: type === null ? null : { type, ...(text !== null && { text }), ...(url !== null && { url }) },
    body,
    footer: sourceText(value.footer),
    buttons: sourceList(value.buttons).flatMap((button) => {
      const [kind, words] = [sourceText(button.type), sourceText(button.text)]
      return kind === null || words === null ? [] : [{ type: kind, text: words, value: sourceText(button.value) }]
    }),
  }
}
