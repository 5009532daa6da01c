import { type Static, Type } from 'typebox'
import { troubles } from '../../../domain/message.ts'
import { nullable, oneOf } from '../../../http/schemas.ts'

// What is set about a carrier, by its kind. It is kept as it is told; secrets are kept apart and are never told.

export const carrierKinds = ['smpp', 'http', 'whatsapp'] as const
export type CarrierKind = (typeof carrierKinds)[number]

const text = (maxLength: number, more: object = {}) => Type.String({ maxLength, ...more })

export const SmppSettings = Type.Object({
  host: text(253, { examples: ['smpp.carrier.example'] }),
  port: Type.Integer({ minimum: 1, maximum: 65_535 }),
  tls: Type.Boolean(),
  system_id: text(15, { description: 'The name of your account' }),
  system_type: nullable(text(12, { description: 'Only if the carrier asks for it' })),
  number_form: oneOf(['digits', 'plus'] as const, {
    description: 'How numbers are written to it: 14155550123, +14155550123',
  }),
  long_reference: oneOf(['8', '16'] as const, {
    description: 'Bits of the number that keeps parts of a long text together',
  }),
  receipt_ids: oneOf(['same', 'decimal', 'hexadecimal'] as const, {
    description: 'How receipts write the id of a message: as it was given, or in another system of numbers',
  }),
  window: Type.Integer({ minimum: 1, maximum: 1_000, description: 'Texts that may wait for their answer at once' }),
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
  format: oneOf(['json', 'form'] as const, { description: 'How what is filled in is sent' }),
  template: text(20_000, {
    description:
      'JSON; {{ to }}, {{ from }}, {{ to_digits }}, {{ from_digits }}, {{ body }}, {{ id }} and {{ media }} are filled in. "{{ media }}" alone becomes a list of addresses',
    examples: ['{"to":"{{ to }}","from":"{{ from }}","text":"{{ body }}"}'],
  }),
  headers: Type.Array(Type.Object({ name: Type.String(headerName), value: text(2_000) }), { maxItems: 20 }),
  message_id_path: maybePath('Where the id stands in the answer'),
  taken: Type.Array(statusForm, { maxItems: 20, description: 'Statuses that mean: taken' }),
  later: Type.Array(statusForm, { maxItems: 20, description: 'Statuses that mean: try again; all others refuse' }),
  idempotency_header: nullable(Type.String(headerName)),
  error_path: maybePath('Where the provider’s code of an error stands in the answer; null: nowhere'),
  error_codes: Type.Array(Type.Object({ theirs: text(100), ours: TroubleCodeSchema }), { maxItems: 200 }),
  check: oneOf(['hmac', 'secret', 'none'] as const, {
    description: 'How what comes in is proven: HMAC-SHA256 of the body, a secret in a header, or by its address alone',
  }),
  check_header: nullable(Type.String(headerName)),
  check_prefix: nullable(text(32, { description: 'What stands before the signature', examples: ['sha256='] })),
  check_encoding: oneOf(['hex', 'base64'] as const),
  received: Type.Object({
    list: maybePath('Where a list of messages stands; null: the body is one message'),
    id: maybePath('The provider’s id of the message; null: what comes twice counts twice'),
    from: fieldPath('Who wrote'),
    to: fieldPath('Your Number'),
    body: fieldPath('What was written'),
    media: maybePath('An address of a file, or a list of them; null: none'),
  }),
  reported: Type.Object({
    list: maybePath('Where a list of reports stands; null: the body is one report'),
    id: fieldPath('The id of the message, as the answer told it'),
    status: fieldPath('The word that says what became of it'),
    error: maybePath('The provider’s code of an error; null: none'),
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

/** What is sealed, by kind. */
export interface Secrets {
  password?: string
  headers?: { name: string; value: string }[]
  inbound?: string
  accessToken?: string
  appSecret?: string
  verifyToken?: string
}
