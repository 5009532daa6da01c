import { openSync, writeSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { seededRandom } from '../../src/lib/random.ts'
import type { Arrival, FromReceiver, ToReceiver } from './far-receiver.ts'

// A webhook receiver in a process of its own that is never killed. It writes each request to its file before it answers.

const [file = '', seed = '0'] = process.argv.slice(2)
const out = openSync(file, 'a')
const random = seededRandom(Number(seed))
const verifiers = new Map<string, Webhook>()
let pace = { from: 0, to: 40 }
let open = 0

const send = (message: FromReceiver) => process.send?.(message)

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('error', () => {})
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  // An incomplete request is ignored.
  request.on('end', () => take(request, response, Buffer.concat(chunks).toString('utf8')))
})

function take(request: IncomingMessage, response: ServerResponse, body: string): void {
  const hook = (request.url ?? '').slice(1)
  const headers = request.headers as Record<string, string>
  const arrival: Arrival = {
    hook,
    id: headers['webhook-id'] ?? '',
    seq: Number(headers['webhook-sequence']),
    attempt: Number(headers['webhook-attempt']),
    verified: isVerified(hook, headers, body),
    body,
  }
  writeSync(out, `${JSON.stringify(arrival)}\n`)
  open++
  response.on('error', () => {})
  response.once('close', () => {
    open--
    send({ open })
  })
  send({ open, id: arrival.id })
  setTimeout(() => response.writeHead(204).end(), random.integer(pace.from, pace.to))
}

function isVerified(hook: string, headers: Record<string, string>, body: string): boolean {
  try {
    verifiers.get(hook)?.verify(body, headers)
    return verifiers.has(hook)
  } catch {
    return false
  }
}

process.on('message', (message: ToReceiver) => {
  for (const [hook, secret] of message.secrets ?? []) verifiers.set(hook, new Webhook(secret))
  if (message.pace) pace = message.pace
  send({ open, received: true })
})
process.once('disconnect', () => process.exit(0))
server.listen(0, '127.0.0.1', () => send({ open, port: (server.address() as AddressInfo).port }))
