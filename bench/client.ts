import { Agent, type IncomingHttpHeaders, request } from 'node:http'

export interface Question {
  method?: string
  path: string
  headers?: Record<string, string>
  body?: string
}

export interface Timed {
  ms: number
  status: number
  text: string
  headers: IncomingHttpHeaders
}

/** One keep-alive connection with sequential requests, each timed from its first byte to its last. */
export function timingClient(base: string): (question: Question) => Promise<Timed> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return ({ method = 'GET', path, headers = {}, body }) =>
    new Promise((resolve, reject) => {
      const begin = performance.now()
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
      const asking = request(base + path, { method, agent, headers: { ...headers, ...length } }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
        })
        response.once('end', () => {
          resolve({ ms: performance.now() - begin, status: response.statusCode ?? 0, text, headers: response.headers })
        })
      })
      asking.once('error', reject)
      asking.end(body)
    })
}
