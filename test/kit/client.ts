import { type IncomingMessage, request } from 'node:http'

// HTTP client of the tests with keep-alive connections; `fetch` is as slow as the server itself.

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  json: any
  text: string
  headers: Headers
}

export type Client = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>

export function client(base: string, always: Record<string, string>): Client {
  return async (method, target, body, headers = {}) => {
    const url = target.startsWith('http') ? target : base + target
    if (body === undefined) return answerOf(await send(url, method, { ...always, ...headers }))
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const json = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }
    return answerOf(await send(url, method, { ...always, ...json, ...headers }, text))
  }
}

function send(url: string, method: string, headers: Record<string, string>, body?: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(url, { method, headers }, resolve).on('error', reject).end(body)
  })
}

async function answerOf(response: IncomingMessage): Promise<Answer> {
  let text = ''
  for await (const part of response.setEncoding('utf8')) text += part
  const headers = new Headers()
  for (let i = 0; i < response.rawHeaders.length; i += 2) {
    headers.append(response.rawHeaders[i] ?? '', response.rawHeaders[i + 1] ?? '')
  }
  return { status: response.statusCode ?? 0, json: parsed(text), text, headers }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
