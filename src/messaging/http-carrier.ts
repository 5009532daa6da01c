import { fillIn, textAt, valueAt } from '../domain/fill-in.ts'
import { isTroubleCode, type TroubleCode } from '../domain/message.ts'
import type { templatePlaceholders } from '../features/messages/carriers/check.ts'
import type { HttpSettings, Secrets } from '../features/messages/carriers/settings.ts'
import type { RawRequest } from '../http/raw-endpoint.ts'
import { second } from '../lib/clock.ts'
import type { FetchResult } from '../lib/safe-fetch.ts'
import type { Services } from '../services.ts'
import type { Arrivals, Arrived, DeliveryReport, Handover, MessageCarrier, OutgoingMessage } from './carrier.ts'
import { e164In, type Intake, isSameSecret, isSignedBy, refusedIntake } from './intake.ts'

// A configurable carrier for any provider with an HTTP API.

interface Needs {
  services: Pick<Services, 'outbound'>
  /** Connection pool; not shared with other carriers. */
  pool: string
  settings: HttpSettings
  secrets: Secrets
  arrivals: Pick<Arrivals, 'state'>
}

const timeoutMs = 20 * second
const awayMs = 15 * second
const laterMs = 5 * second
const maxWaitMs = 600 * second

export function createHttpCarrier({ services, pool, settings, secrets, arrivals }: Needs): MessageCarrier {
  const { url, format, headers, idempotency_header: idHeader } = settings
  const own = Object.fromEntries([...headers, ...(secrets.headers ?? [])].map(({ name, value }) => [name, value]))

  async function send(message: OutgoingMessage): Promise<Handover> {
    if (message.channel !== null) return refused(30008, 'This carrier does not support WhatsApp')
    const content = fillIn(settings.template, valuesOf(message))
    const answer = await services.outbound.post({
      pool,
      url,
      headers: {
        'content-type': format === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
        accept: 'application/json',
        'user-agent': 'Hookswitch',
        ...own,
        ...(idHeader !== null && { [idHeader]: message.id }),
      },
      body: format === 'json' ? JSON.stringify(content) : formOf(content),
      timeoutMs,
    })
    return answer.status === null ? unanswered(answer) : answered(answer.status, answer, message.id)
  }

  function unanswered({ phase, problem, detail }: FetchResult): Handover {
    const why = `No answer: ${detail}`
    arrivals.state(false, problem === 'not_allowed' ? 'The address is not allowed: it is not public' : why)
    // Once the request was sent it is unknown whether it arrived.
    if (phase === 'sent') return { kind: 'unknown', why }
    return { kind: 'later', afterMs: awayMs, why }
  }

  function answered(status: number, { body, retryAfter }: FetchResult, id: string): Handover {
    const answer = parsed(body)
    const theirs = textAt(answer, settings.error_path)
    const why = `The provider answered ${status}${theirs === undefined ? '' : `, ${theirs.slice(0, 100)}`}`
    if (isOneOf(settings.taken, status)) {
      arrivals.state(true, null)
      return { kind: 'taken', refs: [textAt(answer, settings.message_id_path) ?? id] }
    }
    if (isOneOf(settings.later, status)) {
      arrivals.state(status < 500, status < 500 ? null : why)
      return { kind: 'later', afterMs: waitOf(retryAfter), why }
    }
    const isUnwelcome = status === 401 || status === 403
    arrivals.state(!isUnwelcome, isUnwelcome ? `${why}: check what proves who you are` : null)
    return refused(codeOf(settings, theirs) ?? 30008, why)
  }

  return {
    isIdempotent: idHeader !== null,
    send,
    start() {},
    async stop() {},
  }
}

const refused = (code: TroubleCode, why: string): Handover => ({ kind: 'refused', code, why })

const valuesOf = ({
  to,
  from,
  body,
  id,
  media,
}: OutgoingMessage): Record<(typeof templatePlaceholders)[number], string | string[]> => ({
  to,
  from,
  to_digits: to.replace(/^\+/, ''),
  from_digits: from.replace(/^\+/, ''),
  body,
  id,
  media: media.map(({ url }) => url),
})

/** A list repeats the field. */
function formOf(content: unknown): string {
  const form = new URLSearchParams()
  if (typeof content !== 'object' || content === null) return ''
  for (const [name, value] of Object.entries(content)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      form.append(name, typeof one === 'string' ? one : JSON.stringify(one))
    }
  }
  return form.toString()
}

const isOneOf = (forms: readonly string[], status: number) =>
  forms.some((form) => (form.endsWith('xx') ? form[0] === String(status)[0] : form === String(status)))

function waitOf(retryAfter: string | null): number {
  const seconds = Number(retryAfter ?? Number.NaN)
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * second, maxWaitMs) : laterMs
}

function codeOf({ error_codes }: HttpSettings, theirs: string | undefined): TroubleCode | undefined {
  const ours = error_codes.find((entry) => entry.theirs === theirs)?.ours
  return ours !== undefined && isTroubleCode(ours) ? ours : undefined
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** An inbound request of the provider. */
export function readHttpIntake(
  settings: HttpSettings,
  secrets: Secrets,
  request: RawRequest,
  about: 'messages' | 'reports',
): Intake {
  if (request.method !== 'POST') return refusedIntake(405, 'Use POST')
  if (!isProven(settings, secrets, request)) return refusedIntake(401, 'Invalid signature')
  const body = contentOf(request)
  if (body === undefined) return refusedIntake(400, 'The body must be a JSON object or a form')
  const { list } = about === 'messages' ? settings.received : settings.reported
  const found = list === null ? [body] : valueAt(body, list)
  if (!Array.isArray(found)) return refusedIntake(400, `\`${list}\` must be a list`)
  if (about === 'messages') {
    const arrived = found.map((item) => arrivedIn(settings, item))
    const problem = arrived.find((item) => typeof item === 'string')
    if (problem !== undefined) return refusedIntake(400, problem)
    return { kind: 'received', arrived: arrived.filter((item) => typeof item !== 'string'), reports: [] }
  }
  const reports = found.map((item) => reportIn(settings, item))
  const problem = reports.find((item) => typeof item === 'string')
  if (problem !== undefined) return refusedIntake(400, problem)
  return {
    kind: 'received',
    arrived: [],
    reports: reports.filter((item) => item !== null && typeof item !== 'string'),
  }
}

function isProven(settings: HttpSettings, { inbound = '' }: Secrets, request: RawRequest): boolean {
  if (settings.check === 'none') return true
  const given = settings.check_header === null ? undefined : request.header(settings.check_header)
  if (settings.check === 'secret') return isSameSecret(inbound, given)
  return isSignedBy(inbound, request.body, given, {
    prefix: settings.check_prefix ?? '',
    encoding: settings.check_encoding,
  })
}

function contentOf({ body, header }: RawRequest): object | undefined {
  const text = body.toString('utf8')
  if (/^application\/x-www-form-urlencoded/i.test(header('content-type') ?? '')) {
    return Object.fromEntries(new URLSearchParams(text))
  }
  const content = parsed(text)
  return typeof content === 'object' && content !== null ? content : undefined
}

function arrivedIn({ received }: HttpSettings, item: unknown): Arrived | string {
  const [from, to] = [textAt(item, received.from), textAt(item, received.to)]
  const body = textAt(item, received.body)
  const media = mediaAt(item, received.media)
  if (from === undefined) return `\`${received.from}\` is missing`
  if (to === undefined) return `\`${received.to}\` is missing`
  if (body === undefined && media.length === 0) return `\`${received.body}\` is missing`
  return {
    ref: textAt(item, received.id) ?? null,
    channel: null,
    from: e164In(from),
    to: e164In(to),
    body: clean(body ?? ''),
    media: media.map((url) => ({ url })),
  }
}

const clean = (text: string) => text.replaceAll('\0', '').toWellFormed()

function mediaAt(item: unknown, path: string | null): string[] {
  if (path === null) return []
  const found = valueAt(item, path)
  return [found].flat().filter((url) => typeof url === 'string' && url !== '') as string[]
}

/** Null: a status that is not stored. */
function reportIn(settings: HttpSettings, item: unknown): DeliveryReport | string | null {
  const { reported, statuses } = settings
  const ref = textAt(item, reported.id)
  const theirs = textAt(item, reported.status)
  if (ref === undefined) return `\`${reported.id}\` is missing`
  if (theirs === undefined) return `\`${reported.status}\` is missing`
  const status = statuses.find((entry) => entry.theirs.toLowerCase() === theirs.toLowerCase())?.ours
  if (status === undefined || status === 'sent') return null
  const isLost = status === 'undelivered' || status === 'failed'
  return { ref, status, code: isLost ? (codeOf(settings, textAt(item, reported.error)) ?? 30008) : null }
}
