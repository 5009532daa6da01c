import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { AwsV4Signer } from 'aws4fetch'
import { Agent, type Dispatcher } from 'undici'
import { type AwsCredentials, type CredentialSource, credentialsFrom } from './aws-credentials.ts'
import { type Clock, delay, second } from './clock.ts'
import { type Files, requireKey } from './files.ts'

export interface S3Place {
  region: string
  credentials: CredentialSource
  /** Without a trailing slash. */
  endpoint: string
  bucket: string
  /** Prepended to every key, without surrounding slashes; '' for none. */
  prefix: string
}

const pauses = [0.2 * second, second, 3 * second]
const nothing = Buffer.alloc(0)
const maxErrorLength = 4_096

type Method = 'PUT' | 'GET' | 'HEAD' | 'DELETE' | 'POST'
type Reply = Dispatcher.ResponseData

interface Unsigned {
  method: Method
  url: URL
  headers: Record<string, string>
  body: Uint8Array
}

type SignedRequest = Pick<Dispatcher.RequestOptions, 'origin' | 'path' | 'method' | 'headers' | 'body'>

/** AWS Signature Version 4 of all headers and of the body. The path and the query are sent as they are signed. */
export async function signRequest(
  { method, url, headers, body }: Unsigned,
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
  region: string,
  at: number,
): Promise<SignedRequest> {
  const signer = new AwsV4Signer({
    method,
    url: url.href,
    headers: { ...headers, 'x-amz-content-sha256': createHash('sha256').update(body).digest('hex') },
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== undefined && { sessionToken }),
    service: 's3',
    region,
    datetime: new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, ''),
    allHeaders: true,
  })
  const signed = await signer.sign()
  const query = signer.encodedSearch && `?${signer.encodedSearch}`
  return {
    origin: url.origin,
    path: signer.encodedPath + query,
    method,
    headers: Object.fromEntries(signed.headers),
    body: method === 'PUT' || method === 'POST' ? body : null,
  }
}

/**
 * File store in a bucket of an S3-compatible service. Objects appear atomically once uploaded. The endpoint is set by
 * the operator, not by a customer: it may be private.
 */
export function filesOnS3(place: S3Place, clock: Clock): Files {
  const { endpoint, region, bucket, prefix } = place
  const credentials = credentialsFrom(place.credentials, clock)
  const agent = new Agent({ connect: { timeout: 5 * second }, headersTimeout: 20 * second, bodyTimeout: 20 * second })

  function urlOf(key: string): URL {
    requireKey(key)
    const names = [bucket, ...prefix.split('/').filter(Boolean), ...key.split('/')]
    return new URL([endpoint, ...names.map(encodeURIComponent)].join('/'))
  }

  /** Retries failures of the service and of the network; all our requests are idempotent. */
  async function send(
    method: Method,
    key: string,
    body: Uint8Array = nothing,
    headers: Record<string, string> = {},
    query: Record<string, string> = {},
  ) {
    const url = urlOf(key)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    for (let tries = 0; ; tries++) {
      const pause = pauses[tries]
      // Signed for every attempt: a signature is valid for a few minutes.
      const signed = signRequest({ method, url, headers, body }, await credentials(), region, clock.machineNow())
      const reply = await signed.then(sendOnce).catch((error: unknown) => {
        if (pause === undefined) throw new Error(`the file store cannot be reached: ${codeOf(error)}`, { cause: error })
        return undefined
      })
      if (reply && (reply.statusCode < 500 || pause === undefined)) return reply
      await reply?.body.dump()
      await delay(clock, pause ?? 0)
    }
  }

  const sendOnce = (request: SignedRequest) => agent.request(request)

  async function* chunksOf(key: string, range: { start: number; end: number } | undefined): AsyncGenerator<Buffer> {
    const reply = await send('GET', key, nothing, range && { range: `bytes=${range.start}-${range.end}` })
    if (reply.statusCode !== (range ? 206 : 200)) throw await refusal('GET', reply)
    yield* reply.body
  }

  // Multipart upload: the object appears when the parts are completed.

  async function begin(key: string): Promise<string> {
    const told = await textOf('POST', await send('POST', key, nothing, {}, { uploads: '' }))
    const [, uploadId] = /<UploadId>([^<]{1,1000})<\/UploadId>/.exec(told) ?? []
    if (!uploadId) throw new Error('the file store gave an upload no name')
    return uploadId
  }

  async function sendPart(key: string, uploadId: string, n: number, part: Uint8Array): Promise<string> {
    const length = { 'content-length': String(part.length) }
    const reply = await send('PUT', key, part, length, { partNumber: String(n), uploadId })
    await textOf('PUT', reply)
    return String(reply.headers.etag ?? '')
  }

  async function complete(key: string, uploadId: string, tags: readonly string[]): Promise<void> {
    const parts = tags.map((tag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${tag}</ETag></Part>`)
    const list = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`)
    const reply = await send('POST', key, list, { 'content-length': String(list.length) }, { uploadId })
    // The service may respond 200 and report the failure in the body.
    const told = await textOf('POST', reply)
    if (told.includes('<Error>')) throw new Error('the file store could not put an upload together')
  }

  /** Uploads that cannot be aborted are left to the lifecycle rules of the bucket. */
  const abandon = async (key: string, uploadId: string) =>
    send('DELETE', key, nothing, {}, { uploadId }).then(
      (reply) => reply.body.dump(),
      () => undefined,
    )

  async function textOf(method: Method, reply: Reply): Promise<string> {
    if (reply.statusCode !== 200) throw await refusal(method, reply)
    return (await reply.body.text()).slice(0, maxAnswer)
  }

  return {
    async put(key, bytes) {
      const reply = await send('PUT', key, bytes, { 'content-length': String(bytes.length) })
      if (reply.statusCode !== 200) throw await refusal('PUT', reply)
      await reply.body.dump()
    },
    async write(key, pieces) {
      let uploadId: string | undefined
      let bytes = 0
      const tags: string[] = []
      try {
        for await (const part of inParts(pieces)) {
          bytes += part.length
          uploadId ??= await begin(key)
          tags.push(await sendPart(key, uploadId, tags.length + 1, part))
        }
        if (uploadId === undefined) await this.put(key, nothing)
        else await complete(key, uploadId, tags)
        return bytes
      } catch (error) {
        if (uploadId !== undefined) await abandon(key, uploadId)
        throw error
      }
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

// S3 requires at least 5 MiB per part, except for the last one.
const partBytes = 8 * 1024 * 1024
const maxAnswer = 100_000

async function* inParts(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = []
  let size = 0
  for await (const piece of pieces) {
    held.push(piece)
    size += piece.length
    if (size < partBytes) continue
    yield Buffer.concat(held)
    held = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(held)
}

/** Includes the error code of the service, such as AccessDenied. */
async function refusal(method: Method, { statusCode, body }: Reply): Promise<Error> {
  const told = method === 'HEAD' ? '' : (await body.text().catch(() => '')).slice(0, maxErrorLength)
  const [, code] = /<Code>(\w{1,100})<\/Code>/.exec(told) ?? []
  return new Error(`the file store answered ${method} with ${statusCode}${code ? ` ${code}` : ''}`)
}

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no answer'
