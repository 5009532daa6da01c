import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { now, serve } from './serve.ts'

// A customer's server that is well: answers 204 and writes down what came when.

export interface Arrival {
  at: number
  /** The path, which is the webhook. */
  hook: string
  message: string
  event: string
  seq: number
  replay: boolean
}

/** One request as received, for the comparison senders. */
export interface WebhookRequest {
  path: string
  headers: Record<string, string>
  body: string
}

const maxRequests = 500
let arrivals: Arrival[] = []
let requests: WebhookRequest[] = []
let isCopying = false
let waiting: { count: number; resolve: (came: number) => void }[] = []

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => void (isCopying && chunks.push(chunk)))
  request.on('end', () => {
    arrivals.push(arrivalOf(request))
    response.writeHead(204).end()
    if (isCopying && requests.length < maxRequests) requests.push(requestOf(request, chunks))
    if (waiting.length > 0) tellWaiting()
  })
})
server.keepAliveTimeout = 60_000

const word = (value: string | string[] | undefined) => (typeof value === 'string' ? value : '')

const arrivalOf = ({ url = '', headers }: IncomingMessage): Arrival => ({
  at: now(),
  hook: url,
  message: word(headers['webhook-id']),
  event: word(headers['webhook-event-id']),
  seq: Number(headers['webhook-sequence']),
  replay: headers['webhook-replay'] === 'true',
})

const ofTheConnection = new Set(['host', 'connection', 'content-length', 'transfer-encoding'])

function requestOf({ url = '', headers }: IncomingMessage, chunks: Buffer[]): WebhookRequest {
  const kept = Object.entries(headers).filter(([name]) => !ofTheConnection.has(name))
  return {
    path: url,
    headers: Object.fromEntries(kept.map(([name, value]) => [name, word(value)])),
    body: Buffer.concat(chunks).toString('utf8'),
  }
}

function tellWaiting() {
  waiting = waiting.filter(({ count, resolve }) => arrivals.length < count || void resolve(arrivals.length))
}

const actions = {
  open: () =>
    new Promise<number>((resolve) =>
      server.listen({ port: 0, host: '127.0.0.1', backlog: 1_024 }, () =>
        resolve((server.address() as AddressInfo).port),
      ),
    ),
  /** Resolves when so many have come, or after a while with those that have. */
  until: ({ count, ms }: { count: number; ms: number }) =>
    new Promise<number>((resolve) => {
      waiting.push({ count, resolve })
      tellWaiting()
      setTimeout(() => resolve(arrivals.length), ms).unref()
    }),
  /** Requests since the previous call. */
  take: async () => {
    const taken = arrivals
    arrivals = []
    return taken
  },
  copyRequests: async () => {
    isCopying = true
    requests = []
  },
  requests: async () => {
    isCopying = false
    return requests
  },
}

export type ReceiverActions = typeof actions
serve(actions)
