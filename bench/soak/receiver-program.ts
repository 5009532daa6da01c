import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { quantile } from '../kit.ts'
import { serve } from '../webhooks/serve.ts'

// Webhook receivers of several companies, by the first part of the path: healthy, slow, failing (500 during an outage)
// and broken (never answers properly). It remembers what the healthy ones have received.

const slowMs = { from: 1_000, to: 3_000 }
let isOutage = false
const requests = { healthy: 0, slow: 0, failing: 0, broken: 0 }
/** `/healthy/0 01J…` */
const messages = new Set<string>()
/** `/healthy/0 contact.updated marker` */
const changes = new Set<string>()
let lateness: number[] = []
let repeated = 0

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('error', () => {})
  response.on('error', () => {})
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => take(request, response, Buffer.concat(chunks).toString('utf8')))
})

type Kind = keyof typeof requests

function kindOf(hook: string): Kind {
  const [, kind = ''] = hook.split('/')
  if (!Object.hasOwn(requests, kind)) throw new Error(`no receiver has the path ${hook}`)
  return kind as Kind
}

function take(request: IncomingMessage, response: ServerResponse, body: string): void {
  const { url: hook = '' } = request
  const kind = kindOf(hook)
  requests[kind]++
  if (kind === 'broken') {
    request.socket.destroy()
    return
  }
  if (kind === 'healthy') note(hook, String(request.headers['webhook-id']), body)
  const status = kind === 'failing' && isOutage ? 500 : 204
  const delayMs = kind === 'slow' ? slowMs.from + Math.random() * (slowMs.to - slowMs.from) : 0
  if (delayMs === 0) response.writeHead(status).end()
  else setTimeout(() => response.writeHead(status).end(), delayMs)
}

function note(hook: string, id: string, body: string): void {
  const key = `${hook} ${id}`
  if (messages.has(key)) repeated++
  messages.add(key)
  const { event, data } = JSON.parse(body)
  const [, marker, at] = /^(soak-\d+) (\d+)$/.exec(data?.information ?? '') ?? []
  if (marker === undefined) return
  changes.add(`${hook} ${event} ${marker}`)
  lateness.push(Date.now() - Number(at))
}

const actions = {
  open: () =>
    new Promise<number>((resolve) =>
      server.listen({ port: 0, host: '127.0.0.1', backlog: 1_024 }, () =>
        resolve((server.address() as AddressInfo).port),
      ),
    ),
  outage: async (is: boolean) => {
    isOutage = is
  },
  /** Since the last time: from the request that changes a contact to the arrival of the event. */
  lateness: async () => {
    const taken = lateness
    lateness = []
    return taken.length === 0 ? null : quantile(taken, 0.99)
  },
  counts: async () => ({ ...requests, repeated }),
  /** Those that a healthy receiver does not know. */
  missing: async ({ messages: ids, changes: made }: { messages: string[]; changes: string[] }) => ({
    messages: ids.filter((id) => !messages.has(id)),
    changes: made.filter((change) => !changes.has(change)),
  }),
}

export type SoakReceiverActions = typeof actions
serve(actions)
