import type { RequestOf, ResponseOf } from '../../kit/api.ts'

// The carrier object of the API, and the state of its form.

export type CarrierKind = Carrier['kind']

export type Smpp = Omit<NonNullable<Carrier['smpp']>, 'has_password'>

export interface Http {
  url: string
  format: 'json' | 'form'
  template: string
  message_id_path: string | null
  taken: string[]
  later: string[]
  idempotency_header: string | null
  error_path: string | null
  error_codes: { theirs: string; ours: number }[]
  check: 'hmac' | 'secret' | 'none'
  check_header: string | null
  check_prefix: string | null
  check_encoding: 'hex' | 'base64'
  received: Record<'list' | 'id' | 'from' | 'to' | 'body' | 'media', string | null>
  reported: Record<'list' | 'id' | 'status' | 'error', string | null>
  statuses: { theirs: string; ours: string }[]
}

export type Carrier = ResponseOf<'/v1/carriers'>['carriers'][number]

/** Mappings are edited as text, one `theirs = ours` per line. */
export interface CarrierDraft {
  name: string
  enabled: boolean
  kind: CarrierKind
  smpp: Smpp & { password: string }
  http: Omit<Http, 'error_codes' | 'statuses'> & {
    statuses: string
    error_codes: string
    /** `Name: value`; stored headers have only a name. */
    secret_headers: string
    inbound_secret: string
  }
  whatsapp: { base_url: string; version: string; access_token: string; app_secret: string; verify_token: string }
}

export const blankCarrier: CarrierDraft = {
  name: '',
  enabled: true,
  kind: 'smpp',
  smpp: {
    host: '',
    port: 2775,
    tls: false,
    system_id: '',
    system_type: null,
    number_form: 'digits',
    long_reference: '8',
    receipt_ids: 'same',
    window: 10,
    keep_alive_seconds: 30,
    password: '',
  },
  http: {
    url: '',
    format: 'json',
    template: '{\n  "to": "{{to}}",\n  "from": "{{from}}",\n  "text": "{{body}}"\n}',
    message_id_path: 'id',
    taken: ['2xx'],
    later: ['429', '5xx'],
    idempotency_header: null,
    error_path: null,
    check: 'hmac',
    check_header: 'X-Signature',
    check_prefix: null,
    check_encoding: 'hex',
    received: { list: null, id: 'id', from: 'from', to: 'to', body: 'body', media: null },
    reported: { list: null, id: 'id', status: 'status', error: null },
    statuses: 'delivered = delivered\nundelivered = undelivered\nfailed = failed',
    error_codes: '',
    secret_headers: '',
    inbound_secret: '',
  },
  whatsapp: {
    base_url: 'https://graph.facebook.com',
    version: 'v23.0',
    access_token: '',
    app_secret: '',
    verify_token: '',
  },
}

export function carrierDraft(carrier: Carrier | undefined): CarrierDraft {
  if (!carrier) return blankCarrier
  const { name, enabled, kind, smpp, http, whatsapp } = carrier
  return {
    name,
    enabled,
    kind,
    smpp: smpp ? { ...smpp, password: '' } : blankCarrier.smpp,
    http: http
      ? {
          ...http,
          template: pretty(http.template),
          statuses: http.statuses.map(({ theirs, ours }) => `${theirs} = ${ours}`).join('\n'),
          error_codes: http.error_codes.map(({ theirs, ours }) => `${theirs} = ${ours}`).join('\n'),
          secret_headers: http.secret_headers.map((header) => `${header}:`).join('\n'),
          inbound_secret: '',
        }
      : blankCarrier.http,
    whatsapp: whatsapp
      ? { ...blankCarrier.whatsapp, base_url: whatsapp.base_url, version: whatsapp.version }
      : blankCarrier.whatsapp,
  }
}

function pretty(template: string): string {
  try {
    return JSON.stringify(JSON.parse(template), null, 2)
  } catch {
    return template
  }
}

const linesIn = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** Parses `delivered = delivered`; the server rejects lines without a right side. */
export function pairsIn(text: string): { theirs: string; ours: string }[] {
  return linesIn(text).map((line) => {
    const at = line.lastIndexOf('=')
    return at < 0 ? { theirs: line, ours: '' } : { theirs: line.slice(0, at).trim(), ours: line.slice(at + 1).trim() }
  })
}

/** Parses `Authorization: Bearer x`; without a value the stored value is kept. */
export function headersIn(text: string): { name: string; value: string | null }[] {
  return linesIn(text).map((line) => {
    const at = line.indexOf(':')
    const name = at < 0 ? line : line.slice(0, at).trim()
    return { name, value: at < 0 ? null : line.slice(at + 1).trim() || null }
  })
}

type Body = RequestOf<'/v1/carriers/{id}', 'put'> & { name: string }

/** The request body. The server validates texts, such as the statuses of a mapping. */
export const carrierRequest = (draft: CarrierDraft) => requestOf(draft) as Body

/** Secrets are included only when entered. */
function requestOf({ name, enabled, kind, smpp, http, whatsapp }: CarrierDraft) {
  const common = { name: name.trim(), enabled }
  if (kind === 'smpp') {
    const { password, ...settings } = smpp
    return {
      ...common,
      smpp: { ...settings, host: smpp.host.trim(), system_id: smpp.system_id.trim(), ...typed({ password }) },
    }
  }
  if (kind === 'http') {
    const { inbound_secret, secret_headers, statuses, error_codes, ...settings } = http
    return {
      ...common,
      http: {
        ...settings,
        url: http.url.trim(),
        statuses: pairsIn(statuses),
        error_codes: pairsIn(error_codes).map(({ theirs, ours }) => ({ theirs, ours: Number(ours) })),
        secret_headers: headersIn(secret_headers),
        ...typed({ inbound_secret }),
      },
    }
  }
  const { base_url, version, ...secrets } = whatsapp
  return { ...common, whatsapp: { base_url: base_url.trim(), version: version.trim(), ...typed(secrets) } }
}

const typed = (secrets: Record<string, string>) =>
  Object.fromEntries(Object.entries(secrets).filter(([, value]) => value !== ''))

export const kindNames: Record<CarrierKind, string> = { smpp: 'SMPP', http: 'HTTP', whatsapp: 'WhatsApp' }

export const carrierStateLooks: Record<Carrier['state'], { label: string; color: string; hint: string }> = {
  up: { label: 'Connected', color: 'green', hint: 'The carrier accepts messages.' },
  down: { label: 'Unreachable', color: 'red', hint: 'Messages stay queued until the carrier is reachable.' },
  unknown: { label: 'Pending', color: 'gray', hint: 'No messages sent since the last change.' },
  off: { label: 'Disabled', color: 'gray', hint: 'The carrier is disabled; its messages stay queued.' },
}
