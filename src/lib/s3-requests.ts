import { createHash } from 'node:crypto'
import { AwsV4Signer } from 'aws4fetch'
import { Agent, type Dispatcher } from 'undici'
import { type AwsCredentials, type CredentialSource, credentialsFrom } from './aws-credentials.ts'
import { type Clock, delay, second } from './clock.ts'
import { requireKey } from './files.ts'

export interface S3Place {
  region: string
  credentials: CredentialSource
  /** Without a trailing slash. */
  endpoint: string
  bucket: string
  /** Prepended to every key, without surrounding slashes; '' for none. */
  prefix: string
}

export type S3Method = 'PUT' | 'GET' | 'HEAD' | 'DELETE' | 'POST'

export interface S3RequestOptions {
  body?: Uint8Array
  headers?: Record<string, string>
  query?: Record<string, string>
}

export type S3Response = Dispatcher.ResponseData

/** Retries failures of the service and of the network; all our requests are idempotent. */
export type SendS3Request = (method: S3Method, key: string, options?: S3RequestOptions) => Promise<S3Response>

const pauses = [0.2 * second, second, 3 * second]
const maxErrorLength = 4_096
const maxTextLength = 100_000

/** Signed requests for the objects of a bucket. */
export function createS3Requests(place: S3Place, clock: Clock): SendS3Request {
  const { endpoint, region, bucket, prefix } = place
  const credentials = credentialsFrom(place.credentials, clock)
  const agent = new Agent({ connect: { timeout: 5 * second }, headersTimeout: 20 * second, bodyTimeout: 20 * second })

  function urlOf(key: string, query: Record<string, string>): URL {
    requireKey(key)
    const names = [bucket, ...prefix.split('/').filter(Boolean), ...key.split('/')]
    const url = new URL([endpoint, ...names.map(encodeURIComponent)].join('/'))
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    return url
  }

  const sendOnce = (request: SignedRequest) => agent.request(request)

  return async (method, key, { body = Buffer.alloc(0), headers = {}, query = {} } = {}) => {
    const url = urlOf(key, query)
    for (let tries = 0; ; tries++) {
      const pause = pauses[tries]
      // Signed for every attempt: a signature is valid for a few minutes.
      const signed = signRequest({ method, url, headers, body }, await credentials(), region, clock.machineNow())
      const response = await signed.then(sendOnce).catch((error: unknown) => {
        if (pause === undefined) throw new Error(`the file store cannot be reached: ${codeOf(error)}`, { cause: error })
        return undefined
      })
      if (response && (response.statusCode < 500 || pause === undefined)) return response
      await response?.body.dump()
      await delay(clock, pause ?? 0)
    }
  }
}

interface Unsigned {
  method: S3Method
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

/** The body of a successful response. */
export async function s3TextOf(method: S3Method, response: S3Response): Promise<string> {
  if (response.statusCode !== 200) throw await s3Error(method, response)
  return (await response.body.text()).slice(0, maxTextLength)
}

/** Includes the error code of the service, such as AccessDenied. */
export async function s3Error(method: S3Method, { statusCode, body }: S3Response): Promise<Error> {
  const text = method === 'HEAD' ? '' : (await body.text().catch(() => '')).slice(0, maxErrorLength)
  const [, code] = /<Code>(\w{1,100})<\/Code>/.exec(text) ?? []
  return new Error(`the file store answered ${method} with ${statusCode}${code ? ` ${code}` : ''}`)
}

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no answer'
