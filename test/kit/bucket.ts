import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import type { AwsCredentials } from '../../src/lib/aws-credentials.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { filesOnS3 } from '../../src/lib/files-s3.ts'
import type { S3Place } from '../../src/lib/s3-requests.ts'

export const staticKeys: AwsCredentials = { accessKeyId: 'AKEXAMPLE', secretAccessKey: 'very/secret+key' }

/** An S3 stand-in: an object appears once its body is complete and the signature is valid. */
export async function bucket(accepted: () => AwsCredentials = () => staticKeys) {
  const objects = new Map<string, Buffer>()
  const asked: string[] = []
  const uploads = new Map<string, Map<number, Buffer>>()
  let upset: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
  const server = createServer((request, response) => {
    const { method = '', url = '' } = request
    asked.push(`${method} ${url}`)
    if (upset?.(request, response)) return
    buffer(request).then(
      (body) => answer(request, body, response),
      () => {},
    )
  })
  const answer = (request: IncomingMessage, body: Buffer, response: ServerResponse) => {
    const { method, url = '', headers } = request
    const problem = problemOfSignature(request, body, accepted())
    if (problem) return response.writeHead(403).end(`<?xml version="1.0"?><Error><Code>${problem}</Code></Error>`)
    const { pathname, searchParams } = new URL(url, 'http://bucket')
    const upload = uploads.get(searchParams.get('uploadId') ?? '')
    if (searchParams.has('uploadId') && !upload)
      return response.writeHead(404).end('<Error><Code>NoSuchUpload</Code></Error>')
    if (method === 'POST' && searchParams.has('uploads')) {
      const id = `up+load/${uploads.size}==`
      uploads.set(id, new Map())
      return response.writeHead(200).end(`<R><UploadId>${id}</UploadId></R>`)
    }
    if (upload && method === 'PUT') {
      upload.set(Number(searchParams.get('partNumber')), body)
      return response.writeHead(200, { etag: `"tag-${searchParams.get('partNumber')}"` }).end()
    }
    if (upload && method === 'DELETE') {
      uploads.delete(searchParams.get('uploadId') ?? '')
      return response.writeHead(204).end()
    }
    if (upload && method === 'POST') {
      const named = [...String(body).matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>"tag-\1"<\/ETag>/g)]
      const parts = named.map(([, n]) => upload.get(Number(n)) ?? Buffer.alloc(0))
      if (parts.slice(0, -1).some((part) => part.length < 5 * 1024 * 1024)) {
        return response.writeHead(400).end('<Error><Code>EntityTooSmall</Code></Error>')
      }
      objects.set(pathname, Buffer.concat(parts))
      uploads.delete(searchParams.get('uploadId') ?? '')
      return response.writeHead(200).end('<R></R>')
    }
    if (method === 'PUT') {
      objects.set(url, body)
      return response.writeHead(200).end()
    }
    if (method === 'DELETE') {
      objects.delete(url)
      return response.writeHead(204).end()
    }
    const object = objects.get(url)
    if (!object) return response.writeHead(404).end(method === 'HEAD' ? '' : '<Error><Code>NoSuchKey</Code></Error>')
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []
    const part = start === undefined ? object : object.subarray(Number(start), Number(end) + 1)
    response.writeHead(start === undefined ? 200 : 206, { 'content-length': part.length })
    return response.end(method === 'HEAD' ? undefined : part)
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const place: S3Place = {
    credentials: { kind: 'static', ...staticKeys },
    region: 'eu-central-1',
    endpoint: `http://127.0.0.1:${port}`,
    bucket: 'phone',
    prefix: 'office one/c+d(1)!',
  }
  return {
    objects,
    uploads,
    asked,
    place,
    files: filesOnS3(place, systemClock()),
    /** Overrides the behaviour; true: the request was handled. */
    upset(how: typeof upset) {
      upset = how
    },
  }
}

/**
 * Implements "Authenticating Requests: Using the Authorization Header (AWS Signature Version 4)" independently of the
 * code under test: everything is read from the received request.
 */
function problemOfSignature(
  { method, url = '', headers }: IncomingMessage,
  body: Buffer,
  credentials: AwsCredentials,
): string | undefined {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([\w-]+)\/s3\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/
  const [, keyId, day = '', region = '', list = '', signature] = form.exec(headers.authorization ?? '') ?? []
  if (!signature) return 'AuthorizationHeaderMalformed'
  if (keyId !== credentials.accessKeyId) return 'InvalidAccessKeyId'
  if (headers['x-amz-security-token'] !== credentials.sessionToken) return 'InvalidToken'
  const names = list.split(';')
  const mustBeSigned = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))]
  if (!mustBeSigned.every((name) => names.includes(name))) return 'AccessDenied'
  const time = String(headers['x-amz-date'])
  if (!time.startsWith(day) || !/^\d{8}T\d{6}Z$/.test(time)) return 'AccessDenied'
  const sentAt = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (Math.abs(Date.now() - sentAt) > 15 * 60_000) return 'RequestTimeTooSkewed'
  if (headers['x-amz-content-sha256'] !== createHash('sha256').update(body).digest('hex')) {
    return 'XAmzContentSHA256Mismatch'
  }
  const [path = '', query = ''] = url.split('?')
  const sortedQuery = query
    .split('&')
    .map((pair) => (pair === '' || pair.includes('=') ? pair : `${pair}=`))
    .sort()
    .join('&')
  const canonicalRequest = `${method}\n${path}\n${sortedQuery}\n${names
    .map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, ' ')}\n`)
    .join('')}\n${list}\n${headers['x-amz-content-sha256']}`
  const hashed = createHash('sha256').update(canonicalRequest).digest('hex')
  const stringToSign = `AWS4-HMAC-SHA256\n${time}\n${day}/${region}/s3/aws4_request\n${hashed}`
  const mac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest()
  const dateKey = mac(`AWS4${credentials.secretAccessKey}`, day)
  const key = mac(mac(mac(dateKey, region), 's3'), 'aws4_request')
  return mac(key, stringToSign).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch'
}
