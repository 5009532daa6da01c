import { createHash, createHmac } from 'node:crypto'

export interface SigningKey {
  accessKeyId: string
  secretAccessKey: string
  /** Of temporary credentials. */
  sessionToken?: string | undefined
  region: string
}

export interface Unsigned {
  method: string
  url: URL
  /** Lower case; all of them are signed. */
  headers: Record<string, string>
  body: Uint8Array
  at: number
}

/** AWS Signature Version 4 for S3: the request headers including the authorization. */
export function signed(key: SigningKey, { method, url, headers, body, at }: Unsigned): Record<string, string> {
  const time = new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, '')
  const scope = `${time.slice(0, 8)}/${key.region}/s3/aws4_request`
  const content = sha256(body)
  const all: Record<string, string> = {
    ...headers,
    host: url.host,
    'x-amz-content-sha256': content,
    'x-amz-date': time,
    ...(key.sessionToken && { 'x-amz-security-token': key.sessionToken }),
  }
  const names = Object.keys(all).sort()
  const lines = names.map((name) => `${name}:${all[name]?.trim()}\n`).join('')
  // The path is already encoded by encodedPath; unlike other services, S3 signs it without encoding it again.
  const canonical = [method, url.pathname, canonicalQuery(url), lines, names.join(';'), content].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')
  const signature = hmac(signingKey(key, time.slice(0, 8)), toSign).toString('hex')
  const credential = `Credential=${key.accessKeyId}/${scope}`
  return {
    ...all,
    authorization: `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  }
}

/** Sorted by name; our values need only URL encoding. */
const canonicalQuery = ({ searchParams }: URL) =>
  [...searchParams]
    .map(([name, value]) => `${encodedName(name)}=${encodedName(value)}`)
    .sort()
    .join('&')

/** Percent-encodes everything except letters, digits, -._~ and the slashes between names. */
export const encodedPath = (path: string) => path.split('/').map(encodedName).join('/')

const encodedName = (name: string) =>
  encodeURIComponent(name).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)

const signingKey = ({ secretAccessKey, region }: SigningKey, day: string) =>
  [day, region, 's3', 'aws4_request'].reduce((key, word) => hmac(key, word), Buffer.from(`AWS4${secretAccessKey}`))

const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex')
const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest()
