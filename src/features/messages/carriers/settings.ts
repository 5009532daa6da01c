import { type Static, Type } from 'typebox'
import { troubles } from '../../../domain/message.ts'
import { nullable, oneOf } from '../../../http/schemas.ts'

// Settings of a carrier by kind. Secrets are stored separately, encrypted, and never returned.

export const carrierKinds = ['smpp', 'http', 'whatsapp'] as const
export type CarrierKind = (typeof carrierKinds)[number]

const text = (maxLength: number, more: object = {}) => Type.String({ maxLength, ...more })

export const SmppSettings = Type.Object({
  host: text(253, { examples: ['smpp.carrier.example'] }),
  port: Type.Integer({ minimum: 1, maximum: 65_535 }),
  tls: Type.Boolean(),
  system_id: text(15, { description: 'Account name at the carrier (system_id)' }),
  system_type: nullable(text(12, { description: 'Only if the carrier requires it' })),
  number_form: oneOf(['digits', 'plus'] as const, {
    description: 'Number format: 14155550123 or +14155550123',
  }),
  long_reference: oneOf(['8', '16'] as const, {
    description: 'Size in bits of the reference number of concatenated messages',
  }),
  receipt_ids: oneOf(['same', 'decimal', 'hexadecimal'] as const, {
    description: 'Delivery-receipt ID format: the message ID as assigned, or converted between decimal and hexadecimal',
  }),
  window: Type.Integer({ minimum: 1, maximum: 1_000, description: 'Maximum number of submit_sm requests in flight' }),
  keep_alive_seconds: Type.Integer({ minimum: 5, maximum: 600 }),
})
export type SmppSettings = Static<typeof SmppSettings>

export const defaultSmpp: Omit<SmppSettings, 'host' | 'system_id'> = {
  port: 2775,
  tls: false,
  system_type: null,
  number_form: 'digits',
  long_reference: '8',
  receipt_ids: 'same',
  window: 10,
  keep_alive_seconds: 30,
}

const codes = Object.keys(troubles).map(Number)
const TroubleCodeSchema = Type.Integer({ description: `One of ${codes.join(', ')}`, examples: [30003] })
const headerName = { minLength: 1, maxLength: 128, pattern: '^[A-Za-z0-9-]+$', examples: ['X-Api-Key'] }
const fieldPath = (description: string) =>
  text(200, { description, pattern: '^[\\w$-]+(\\.[\\w$-]+)*$', examples: ['messages.0.id'] })
const maybePath = (description: string) => nullable(fieldPath(description))
const statusForm = Type.String({ maxLength: 3, pattern: '^[1-5](xx|\\d\\d)$', examples: ['2xx'] })

export const reportWords = ['sent', 'delivered', 'read', 'undelivered', 'failed'] as const

export const HttpSettings = Type.Object({
  url: text(2_000, { examples: ['https://sms.provider.example/messages'] }),
  format: oneOf(['json', 'form'] as const, { description: 'Encoding of the request body' }),
  template: text(20_000, {
    description:
      'JSON; {{ to }}, {{ from }}, {{ to_digits }}, {{ from_digits }}, {{ body }}, {{ id }} and {{ media }} are filled in. "{{ media }}" alone becomes a list of addresses',
    examples: ['{"to":"{{ to }}","from":"{{ from }}","text":"{{ body }}"}'],
  }),
  headers: Type.Array(Type.Object({ name: Type.String(headerName), value: text(2_000) }), { maxItems: 20 }),
  message_id_path: maybePath('Message ID path: path of the message ID in the response'),
  taken: Type.Array(statusForm, {
    maxItems: 20,
    description: 'HTTP statuses that mean the carrier accepted the message',
  }),
  later: Type.Array(statusForm, {
    maxItems: 20,
    description: 'HTTP statuses that mean "try again"; all others reject the message',
  }),
  idempotency_header: nullable(Type.String(headerName)),
  error_path: maybePath('Path of the provider’s error code in the response; null: none'),
  error_codes: Type.Array(Type.Object({ theirs: text(100), ours: TroubleCodeSchema }), { maxItems: 200 }),
  check: oneOf(['hmac', 'secret', 'none'] as const, {
    description:
      'Authentication of inbound requests: HMAC-SHA256 of the body, a secret in a header, or the secret URL alone',
  }),
  check_header: nullable(Type.String(headerName)),
  check_prefix: nullable(text(32, { description: 'Prefix of the signature', examples: ['sha256='] })),
  check_encoding: oneOf(['hex', 'base64'] as const),
  received: Type.Object({
    list: maybePath('Path of the list of messages; null: the body is one message'),
    id: maybePath('Path of the provider’s message ID; null: duplicates are not detected'),
    from: fieldPath('Path of the sender'),
    to: fieldPath('Path of your Number (the recipient)'),
    body: fieldPath('Path of the message text'),
    media: maybePath('Path of a media URL, or of a list of them; null: none'),
  }),
  reported: Type.Object({
    list: maybePath('Path of the list of delivery reports; null: the body is one report'),
    id: fieldPath('Path of the message ID, as returned when the message was sent'),
    status: fieldPath('Path of the delivery status'),
    error: maybePath('Path of the provider’s error code; null: none'),
  }),
  statuses: Type.Array(Type.Object({ theirs: text(100), ours: oneOf(reportWords) }), { maxItems: 100 }),
})
export type HttpSettings = Static<typeof HttpSettings>

export const defaultHttp: Omit<HttpSettings, 'url' | 'template'> = {
  format: 'json',
  headers: [],
  message_id_path: 'id',
  taken: ['2xx'],
  later: ['429', '5xx'],
  idempotency_header: null,
  error_path: null,
  error_codes: [],
  check: 'hmac',
  check_header: 'X-Signature',
  check_prefix: null,
  check_encoding: 'hex',
  received: { list: null, id: 'id', from: 'from', to: 'to', body: 'body', media: null },
  reported: { list: null, id: 'id', status: 'status', error: null },
  statuses: [],
}

export const WhatsappSettings = Type.Object({
  base_url: text(500, { examples: ['https://graph.facebook.com'] }),
  version: Type.String({ maxLength: 8, pattern: '^v\\d{1,3}\\.\\d$', examples: ['v23.0'] }),
})
export type WhatsappSettings = Static<typeof WhatsappSettings>

export const defaultWhatsapp: WhatsappSettings = { base_url: 'https://graph.facebook.com', version: 'v23.0' }

/** Encrypted settings, by kind. */
export interface Secrets {
  password?: string
  headers?: { name: string; value: string }[]
  inbound?: string
  accessToken?: string
  appSecret?: string
  verifyToken?: string
}
