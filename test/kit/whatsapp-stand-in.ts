import { createHmac } from 'node:crypto'
import { type Asked, type Reply, type StandIn, standIn } from './web-stand-in.ts'

// The WhatsApp API as documented by its operator, including its errors.

export interface WhatsappStandIn extends StandIn {
  readonly token: string
  readonly appSecret: string
  /** Accepted messages, in order. */
  readonly messages: Record<string, unknown>[]
  /** The next ones are rejected with this. */
  failWith(error: { code: number; message: string; status?: number } | undefined): void
  templates: Record<string, unknown>[]
  line: Record<string, unknown>
  files: Map<string, { bytes: Buffer; mime: string }>
  /** A body with its signature, as sent to a webhook. */
  signed(body: unknown): { raw: string; headers: Record<string, string> }
}

const version = 'v23.0'

export async function whatsappStandIn(): Promise<WhatsappStandIn> {
  const token = 'EAAG-token'
  const appSecret = 'app-secret'
  const messages: Record<string, unknown>[] = []
  let failure: { code: number; message: string; status?: number } | undefined
  let n = 0

  function reply(asked: Asked): Reply {
    if (asked.headers.authorization !== `Bearer ${token}`) {
      return failed(401, 190, 'Invalid OAuth access token - Cannot parse access token')
    }
    const { pathname, searchParams } = new URL(asked.path, 'http://stand-in')
    const [, ver, id = '', edge] = pathname.split('/')
    if (pathname.startsWith('/files/')) {
      const file = made.files.get(edgeOf(pathname))
      return file ? { status: 200, bytes: file.bytes, headers: { 'content-type': file.mime } } : { status: 404 }
    }
    if (ver !== version) return failed(400, 2635, `Unknown version ${ver}`)
    if (asked.method === 'POST' && edge === 'messages') return taken(asked)
    if (edge === 'message_templates') return pageOf(searchParams)
    const file = made.files.get(id)
    if (file) {
      const url = `${made.base}/files/${id}`
      return { status: 200, json: { messaging_product: 'whatsapp', url, mime_type: file.mime, id } }
    }
    if (searchParams.has('fields')) {
      const fields = (searchParams.get('fields') ?? '').split(',')
      const known = Object.entries({ ...made.line, id }).filter(([key]) => key === 'id' || fields.includes(key))
      return { status: 200, json: Object.fromEntries(known) }
    }
    return failed(404, 100, 'Unsupported get request')
  }

  function taken({ json, headers }: Asked): Reply {
    if (failure) return failed(failure.status ?? 400, failure.code, failure.message)
    const problem = headers['content-type'] === 'application/json' ? problemOf(json) : 'the body must be JSON'
    if (problem) return failed(400, 100, `(#100) ${problem}`)
    messages.push(json)
    const wamid = `wamid.${String(++n).padStart(8, '0')}`
    return {
      status: 200,
      json: {
        messaging_product: 'whatsapp',
        contacts: [{ input: json.to, wa_id: String(json.to).replace(/\D/g, '') }],
        messages: [{ id: wamid }],
      },
    }
  }

  function pageOf(query: URLSearchParams): Reply {
    const from = Number(query.get('after') ?? 0)
    // Two per page, so that clients that read only the first page fail.
    const data = made.templates.slice(from, from + 2)
    const next = from + 2 < made.templates.length
    const paging = { cursors: { after: String(from + 2) }, ...(next && { next: `${made.base}/next` }) }
    return { status: 200, json: { data, paging } }
  }

  const made: WhatsappStandIn = Object.assign(await standIn(reply), {
    token,
    appSecret,
    messages,
    failWith(error: typeof failure) {
      failure = error
    },
    templates: [] as Record<string, unknown>[],
    line: {} as Record<string, unknown>,
    files: new Map<string, { bytes: Buffer; mime: string }>(),
    signed(body: unknown) {
      const raw = JSON.stringify(body)
      const signature = createHmac('sha256', appSecret).update(raw).digest('hex')
      return { raw, headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` } }
    },
  })
  return made
}

const edgeOf = (pathname: string) => pathname.split('/')[2] ?? ''

const failed = (status: number, code: number, message: string): Reply => ({
  status,
  json: {
    error: { message, type: 'OAuthException', code, error_data: { messaging_product: 'whatsapp', details: message } },
  },
})

// biome-ignore lint/suspicious/noExplicitAny: requests of every shape
function problemOf(body: any): string | undefined {
  if (body?.messaging_product !== 'whatsapp') return 'messaging_product must be whatsapp'
  if (body.recipient_type !== 'individual') return 'recipient_type must be individual'
  if (!/^\d{7,15}$/.test(body.to)) return 'to must be a phone number without its plus'
  const part = body[body.type]
  if (typeof part !== 'object' || part === null) return `${body.type} is missing`
  switch (body.type) {
    case 'text':
      return typeof part.body === 'string' && part.body.length >= 1 && part.body.length <= 4_096
        ? undefined
        : 'text.body must have 1 to 4096 characters'
    case 'image':
    case 'video':
      return problemOfFile(part, ['link', 'caption'])
    case 'document':
      return problemOfFile(part, ['link', 'caption', 'filename'])
    case 'audio':
    case 'sticker':
      return problemOfFile(part, ['link'])
    case 'template':
      return problemOfTemplate(part)
    default:
      return `type ${body.type} is unknown`
  }
}

function problemOfFile(part: Record<string, unknown>, allowed: string[]): string | undefined {
  if (typeof part.link !== 'string' || !URL.canParse(part.link)) return 'link must be an address'
  return Object.keys(part).find((key) => !allowed.includes(key)) && 'a parameter that does not belong here'
}

// biome-ignore lint/suspicious/noExplicitAny: requests of every shape
function problemOfTemplate({ name, language, components = [] }: any): string | undefined {
  if (typeof name !== 'string' || typeof language?.code !== 'string') return 'a template needs name and language.code'
  for (const { type, sub_type, index, parameters } of components) {
    if (!['header', 'body', 'button'].includes(type)) return `component ${type} is unknown`
    if (!Array.isArray(parameters) || parameters.length === 0) return 'a component needs parameters'
    if (type === 'button' && (!['url', 'quick_reply'].includes(sub_type) || !/^\d$/.test(index))) {
      return 'a button needs sub_type and index, both Strings'
    }
    for (const parameter of parameters) {
      if (parameter.type === 'payload' ? typeof parameter.payload !== 'string' : !parameter[parameter.type]) {
        return 'a parameter without its value'
      }
    }
  }
  return undefined
}
