import { Readable } from 'node:stream'
import { Agent, type Dispatcher } from 'undici'
import { encodedPath, type SigningKey, signed } from './aws-signature.ts'
import { type Clock, second } from './clock.ts'
import { type Files, requireKey } from './files.ts'

export interface S3Place extends SigningKey {
  /** Without a slash at its end. */
  endpoint: string
  bucket: string
  /** Before every key, without slashes around it; '' for none. */
  prefix: string
}

const pauses = [0.2 * second, second, 3 * second]
const nothing = Buffer.alloc(0)
const longestError = 4_096

type Method = 'PUT' | 'GET' | 'HEAD' | 'DELETE'
type Reply = Dispatcher.ResponseData

/**
 * The file store in a bucket of an S3-compatible service. An object appears when all of it was taken, so what was put is
 * whole or not there. The address is the operator's, not a customer's: it may be private.
 */
export function filesOnS3(place: S3Place, clock: Clock): Files {
  const { endpoint, bucket, prefix } = place
  const agent = new Agent({ connect: { timeout: 5 * second }, headersTimeout: 20 * second, bodyTimeout: 20 * second })

  function urlOf(key: string): URL {
    requireKey(key)
    return new URL(endpoint + encodedPath(['', bucket, ...(prefix ? [prefix] : []), key].join('/')))
  }

  /** What the service or the network could not do now is asked again; every one of our requests may be repeated. */
  async function send(method: Method, key: string, body: Uint8Array = nothing, headers: Record<string, string> = {}) {
    const url = urlOf(key)
    for (let tries = 0; ; tries++) {
      const pause = pauses[tries]
      const reply = await once(method, url, body, headers).catch((error: unknown) => {
        if (pause === undefined) throw new Error(`the file store cannot be reached: ${codeOf(error)}`, { cause: error })
        return undefined
      })
      if (reply && (reply.statusCode < 500 || pause === undefined)) return reply
      await reply?.body.dump()
      await waited(clock, pause ?? 0)
    }
  }

  // Signed anew each time: a signature is good for a few minutes.
  const once = (method: Method, url: URL, body: Uint8Array, headers: Record<string, string>) =>
    agent.request({
      origin: url.origin,
      path: url.pathname,
      method,
      headers: signed(place, { method, url, headers, body, at: clock.machineNow() }),
      body: method === 'PUT' ? body : null,
    })

  async function* chunksOf(key: string, range: { start: number; end: number } | undefined): AsyncGenerator<Buffer> {
    const reply = await send('GET', key, nothing, range && { range: `bytes=${range.start}-${range.end}` })
    if (reply.statusCode !== (range ? 206 : 200)) throw await refusal('GET', reply)
    yield* reply.body
  }

  return {
    async put(key, bytes) {
      const reply = await send('PUT', key, bytes, { 'content-length': String(bytes.length) })
      if (reply.statusCode !== 200) throw await refusal('PUT', reply)
      await reply.body.dump()
    },
    async size(key) {
      const reply = await send('HEAD', key)
      await reply.body.dump()
      if (reply.statusCode === 404) return undefined
      if (reply.statusCode !== 200) throw await refusal('HEAD', reply)
      return Number(reply.headers['content-length'])
    },
    read: (key, range) => Readable.from(chunksOf(key, range), { objectMode: false }),
    async remove(key) {
      const reply = await send('DELETE', key)
      if (![200, 204, 404].includes(reply.statusCode)) throw await refusal('DELETE', reply)
      await reply.body.dump()
    },
  }
}

/** With the word the service has for it, such as AccessDenied. */
async function refusal(method: Method, { statusCode, body }: Reply): Promise<Error> {
  const told = method === 'HEAD' ? '' : (await body.text().catch(() => '')).slice(0, longestError)
  const [, code] = /<Code>(\w{1,100})<\/Code>/.exec(told) ?? []
  return new Error(`the file store answered ${method} with ${statusCode}${code ? ` ${code}` : ''}`)
}

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no answer'

const waited = (clock: Clock, ms: number) => new Promise<void>((resolve) => void clock.machineAfter(ms, resolve))
