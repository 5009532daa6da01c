import type { TroubleCode } from '../domain/message.ts'
import { minute, second } from '../lib/clock.ts'
import type {
  Arrivals,
  Handover,
  MessageCarrier,
  OutgoingMedium,
  OutgoingMessage,
  OutgoingTemplate,
} from './carrier.ts'
import { errorIn, type Graph, isAccountTrouble, isPassing, parsed, troubleOf } from './whatsapp-graph.ts'

// Sending over the WhatsApp Cloud API.

type Content = { type: string; [part: string]: unknown }

const awayMs = 15 * second
const busyMs = 5 * second
const accountMs = minute

export function createWhatsappCarrier({
  graph,
  arrivals,
}: {
  graph: Graph
  arrivals: Pick<Arrivals, 'state'>
}): MessageCarrier {
  async function send(message: OutgoingMessage): Promise<Handover> {
    if (message.channel !== 'whatsapp') return refused(30008, 'This carrier supports WhatsApp only')
    if (message.phoneNumberId === null) return refused(30008, 'The Number has no WhatsApp phone number ID')
    const contents = contentsOf(message)
    if ('code' in contents) return refused(contents.code, contents.why)
    const refs: string[] = []
    for (const content of contents) {
      const handed = await hand(message.phoneNumberId, { to: message.to.replace(/^\+/, ''), id: message.id, content })
      if (typeof handed === 'string') refs.push(handed)
      else if (refs.length === 0 || handed.kind !== 'later') return handed
      else return { kind: 'unknown', why: `Only a part was accepted: ${handed.why}` }
    }
    return { kind: 'taken', refs }
  }

  /** The message id at WhatsApp, or why the message was not accepted. */
  async function hand(
    phoneNumberId: string,
    { to, id, content }: { to: string; id: string; content: Content },
  ): Promise<string | Handover> {
    const answer = await graph.post(`${phoneNumberId}/messages`, {
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to,
      biz_opaque_callback_data: id,
      ...content,
    })
    if (answer.status === null) {
      const why = `No answer: ${answer.detail}`
      arrivals.state(false, why)
      return answer.phase === 'sent' ? { kind: 'unknown', why } : { kind: 'later', afterMs: awayMs, why }
    }
    const response = parsed(answer.body)
    const ref = idIn(response)
    if (answer.status < 300 && ref !== undefined) {
      arrivals.state(true, null)
      return ref
    }
    return refusalOf(answer.status, errorIn(response))
  }

  function refusalOf(status: number, error: ReturnType<typeof errorIn>): Handover {
    const why = error ? `${error.message} (${error.code})` : `WhatsApp answered ${status}`
    if (error ? isAccountTrouble(error.code) : status === 401) {
      arrivals.state(false, `${why}: check the account and its access token`)
      return { kind: 'later', afterMs: accountMs, why }
    }
    if (error ? isPassing(error.code) : status === 429 || status >= 500) {
      return { kind: 'later', afterMs: busyMs, why }
    }
    // Accepted, but without an id no status can be matched.
    if (status < 300) return { kind: 'unknown', why: 'WhatsApp returned no message ID' }
    arrivals.state(true, null)
    return refused(error ? troubleOf(error.code) : 30008, why)
  }

  return {
    isIdempotent: false,
    send,
    start() {},
    async stop() {},
  }
}

const refused = (code: TroubleCode, why: string): Handover => ({ kind: 'refused', code, why })

function idIn(response: Record<string, unknown> | undefined): string | undefined {
  const [first] = Array.isArray(response?.messages) ? response.messages : []
  return typeof first?.id === 'string' ? first.id : undefined
}

/** One message may become several at WhatsApp: one per file. */
function contentsOf({ body, media, template }: OutgoingMessage): Content[] | { code: TroubleCode; why: string } {
  if (template) return [{ type: 'template', template: templateOf(template, media[0]) }]
  if (media.length === 0) return [{ type: 'text', text: { preview_url: false, body } }]
  const files: Content[] = []
  let caption = body
  for (const medium of media) {
    const kind = kindOf(medium.type)
    if (!kind) return { code: 63021, why: `WhatsApp does not accept files of type ${medium.type}` }
    const named = { link: medium.url, ...(kind === 'document' && { filename: medium.name }) }
    const takesWords = caption !== '' && kind !== 'audio' && kind !== 'sticker'
    files.push({ type: kind, [kind]: { ...named, ...(takesWords && { caption }) } })
    if (takesWords) caption = ''
  }
  // Audio and stickers have no caption: the text is sent first.
  return caption === '' ? files : [{ type: 'text', text: { preview_url: false, body: caption } }, ...files]
}

const kinds: Record<string, string> = {
  'image/jpeg': 'image',
  'image/png': 'image',
  'image/webp': 'sticker',
  'audio/mpeg': 'audio',
  'audio/ogg': 'audio',
  'video/mp4': 'video',
  'application/pdf': 'document',
}
const kindOf = (type: string) => kinds[type]

function templateOf({ name, language, params }: OutgoingTemplate, file: OutgoingMedium | undefined) {
  const components = [
    headerOf(params.header, file),
    params.body?.length
      ? { type: 'body', parameters: inOrder(params.body).map(({ value }) => text(value)) }
      : undefined,
    ...(params.buttons ?? []).map(({ index, type, value }) => ({
      type: 'button',
      sub_type: type,
      index: String(index),
      parameters: [type === 'quick_reply' ? { type: 'payload', payload: value } : text(value)],
    })),
  ].filter((component) => component !== undefined)
  return { name, language: { code: language }, ...(components.length > 0 && { components }) }
}

const text = (value: string) => ({ type: 'text', text: value })

/** Ordered by the numbers in {{1}}, {{2}}, …, not by the order of the request. */
function inOrder(values: readonly { key: string; value: string }[]) {
  const number = (key: string) => Number(/\d+/.exec(key)?.[0] ?? 0)
  return [...values].sort((a, b) => number(a.key) - number(b.key))
}

function headerOf(header: OutgoingTemplate['params']['header'], file: OutgoingMedium | undefined) {
  if (header?.type === 'text') return { type: 'header', parameters: [text(header.text ?? '')] }
  const kind = header?.type ?? (file && headerKind(file.type))
  const link = file?.url ?? header?.mediaUrl
  if (kind === undefined || link === undefined) return undefined
  const filename = kind === 'document' ? (header?.filename ?? file?.name) : undefined
  return { type: 'header', parameters: [{ type: kind, [kind]: { link, ...(filename && { filename }) } }] }
}

function headerKind(type: string): string {
  const kind = kindOf(type)
  return kind === 'image' || kind === 'video' ? kind : 'document'
}
