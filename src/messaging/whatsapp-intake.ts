import type { MediaTroubleCode } from '../domain/message.ts'
import type { Secrets } from '../features/messages/carriers/settings.ts'
import type { RawRequest } from '../http/raw-endpoint.ts'
import type { Arrived, ArrivedMedium, DeliveryReport } from './carrier.ts'
import { e164In, type Intake, isSameSecret, isSignedBy, refusedIntake } from './intake.ts'
import { type Graph, parsed, troubleOf } from './whatsapp-graph.ts'

// Inbound webhooks of WhatsApp: messages of customers and the status of ours.

interface Needs {
  graph: Graph
  secrets: Secrets
  /** The Number by its WhatsApp phone number id. */
  digitsOf(phoneNumberId: string): Promise<string | undefined>
}

/** A file cannot be downloaded now: WhatsApp has to retry. */
export class NotNow extends Error {}

/** Throws NotNow. */
export async function readWhatsappIntake(needs: Needs, request: RawRequest): Promise<Intake> {
  const { secrets } = needs
  if (request.method === 'GET') return verified(secrets, request.query)
  const check = { prefix: 'sha256=', encoding: 'hex' } as const
  if (!isSignedBy(secrets.appSecret ?? '', request.body, request.header('x-hub-signature-256'), check)) {
    return refusedIntake(401, 'Invalid signature')
  }
  const body = parsed(request.body.toString('utf8'))
  if (body?.object !== 'whatsapp_business_account') return refusedIntake(400, 'Not a WhatsApp webhook')
  const arrived: Arrived[] = []
  const reports: DeliveryReport[] = []
  let isNews = false
  for (const change of list<Entry>(body.entry).flatMap(({ changes }) => list<Change>(changes))) {
    if (change.field !== 'messages') isNews = true
    const { value } = change
    if (change.field !== 'messages' || typeof value !== 'object' || value === null) continue
    for (const status of list<Status>(value.statuses)) reports.push(...reportOf(status))
    const messages = list<Message>(value.messages)
    if (messages.length === 0) continue
    const to = (await needs.digitsOf(String(value.metadata?.phone_number_id ?? ''))) ?? lineIn(value)
    for (const message of messages) arrived.push(await arrivedOf(needs.graph, message, to))
  }
  return { kind: 'received', arrived, reports, isNews }
}

function verified({ verifyToken = '' }: Secrets, query: Record<string, string>): Intake {
  const { 'hub.mode': mode, 'hub.verify_token': token, 'hub.challenge': challenge } = query
  if (mode !== 'subscribe' || challenge === undefined || !isSameSecret(verifyToken, token)) {
    return refusedIntake(403, 'Invalid verify token')
  }
  return { kind: 'challenge', text: challenge }
}

interface Entry {
  changes?: unknown
}
interface Change {
  field?: string
  value?: Value | null
}
interface Value {
  metadata?: { display_phone_number?: unknown; phone_number_id?: unknown }
  messages?: unknown
  statuses?: unknown
}
interface Status {
  id?: unknown
  status?: unknown
  errors?: unknown
}
interface Message {
  id?: unknown
  from?: unknown
  type?: string
  context?: { id?: unknown }
  text?: { body?: unknown }
  button?: { text?: unknown; payload?: unknown }
  interactive?: Record<string, { id?: unknown; title?: unknown } | undefined>
  location?: { latitude?: unknown; longitude?: unknown; name?: unknown; address?: unknown }
  reaction?: { message_id?: unknown; emoji?: unknown }
  referral?: { source_url?: unknown; headline?: unknown }
  contacts?: unknown
  [file: string]: unknown
}

/** Objects only; other values are ignored. */
const list = <T extends object>(value: unknown): T[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : []
const text = (value: unknown) => (typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : '')
const lineIn = ({ metadata }: Value) => e164In(text(metadata?.display_phone_number))

function reportOf({ id, status, errors }: Status): DeliveryReport[] {
  if (typeof id !== 'string') return []
  if (status === 'delivered' || status === 'read') return [{ ref: id, status, code: null }]
  if (status !== 'failed') return []
  const [error] = list<{ code?: unknown }>(errors)
  return [{ ref: id, status: 'failed', code: troubleOf(Number(error?.code)) }]
}

const files = ['image', 'video', 'audio', 'document', 'sticker'] as const

async function arrivedOf(graph: Graph, message: Message, to: string): Promise<Arrived> {
  const id = text(message.id)
  const { type, body, metadata } = saidIn(message)
  const file = files.find((kind) => kind === message.type)
  const { referral, context, reaction } = message
  const replyTo = text(context?.id) || text(reaction?.message_id)
  return {
    ref: id || null,
    channel: 'whatsapp',
    from: e164In(text(message.from)),
    to,
    body,
    media: file ? await fileOf(graph, message[file]) : [],
    type,
    metadata: {
      provider_message_id: id,
      ...metadata,
      ...(referral && { referral: { source_url: text(referral.source_url), headline: text(referral.headline) } }),
    },
    ...(replyTo !== '' && { replyTo }),
  }
}

function saidIn(message: Message): { type: string; body: string; metadata?: Record<string, unknown> } {
  const { type = 'unsupported', location, reaction, button, interactive } = message
  switch (type) {
    case 'text':
      return { type, body: text(message.text?.body) }
    case 'image':
    case 'video':
    case 'audio':
    case 'document':
    case 'sticker':
      return { type, body: text((message[type] as { caption?: unknown } | undefined)?.caption) }
    case 'button':
      return buttonOf(button?.text, button?.payload)
    case 'interactive': {
      const reply = interactive?.button_reply ?? interactive?.list_reply
      return reply ? buttonOf(reply.title, reply.id) : { type: 'unsupported', body: '' }
    }
    case 'location': {
      const place = { latitude: Number(location?.latitude), longitude: Number(location?.longitude) }
      const words = [text(location?.name), text(location?.address)].filter((part) => part !== '').join(', ')
      return { type, body: words, metadata: { location: { ...place, name: text(location?.name) } } }
    }
    case 'reaction': {
      const emoji = text(reaction?.emoji)
      return { type, body: emoji, metadata: { reaction: { emoji, message_id: text(reaction?.message_id) } } }
    }
    case 'contacts':
      return { type, body: list<Card>(message.contacts).map(cardOf).join('\n') }
    default:
      return { type: 'unsupported', body: '' }
  }
}

function buttonOf(words: unknown, payload: unknown) {
  const button = { text: text(words), payload: text(payload) }
  return { type: 'button', body: button.text, metadata: { button } }
}

interface Card {
  name?: { formatted_name?: unknown }
  phones?: unknown
}

const cardOf = ({ name, phones }: Card) =>
  [text(name?.formatted_name), ...list<{ phone?: unknown }>(phones).map(({ phone }) => text(phone))]
    .filter((part) => part !== '')
    .join(' ')

const maxFileBytes = 16 * 1_048_576

async function fileOf(graph: Graph, described: unknown): Promise<ArrivedMedium[]> {
  const { id, filename, mime_type: type } = (described ?? {}) as Record<'id' | 'filename' | 'mime_type', unknown>
  const name = typeof filename === 'string' ? { name: filename } : {}
  const missing = (error: MediaTroubleCode) => [{ error, ...name, ...(typeof type === 'string' && { type }) }]
  if (typeof id !== 'string' || !/^[\w-]{1,100}$/.test(id)) return missing(63019)
  const about = await graph.get(id)
  if (!about.ok) {
    // 404 is permanent; other failures may be temporary.
    if (about.status === 400 || about.status === 404) return missing(63019)
    throw new NotNow(`a file of a message cannot be asked for: ${about.why}`)
  }
  const { url } = about.value
  if (typeof url !== 'string') return missing(63019)
  const { status, extent, bytes, detail } = await graph.download(url, maxFileBytes)
  if (extent === 'too_large') return missing(30019)
  if (status === 404) return missing(63019)
  if (status !== 200 || extent !== 'whole')
    throw new NotNow(`a file of a message cannot be fetched: ${detail || status}`)
  return [{ bytes, ...name }]
}
