import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { encodedPath, signed } from './aws-signature.ts'
import { systemClock } from './clock.ts'
import { filesOnS3, type S3Place } from './files-s3.ts'

const credentials = { accessKeyId: 'AKEXAMPLE', secretAccessKey: 'very/secret+key', region: 'eu-central-1' }

/** An S3 stand-in: an object appears once its body is complete and the signature is valid. */
async function bucket() {
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
    const flaw = flawOfSignature(request, body)
    if (flaw) return response.writeHead(403).end(`<?xml version="1.0"?><Error><Code>${flaw}</Code></Error>`)
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
  const place: S3Place = { ...credentials, endpoint: `http://127.0.0.1:${port}`, bucket: 'phone', prefix: 'office one' }
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
function flawOfSignature({ method, url = '', headers }: IncomingMessage, body: Buffer): string | undefined {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([\w-]+)\/s3\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/
  const [, keyId, day = '', region = '', list = '', signature] = form.exec(headers.authorization ?? '') ?? []
  if (!signature) return 'AuthorizationHeaderMalformed'
  if (keyId !== credentials.accessKeyId) return 'InvalidAccessKeyId'
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

describe('the signature', () => {
  test('is the one of the published example of a GET with a range', () => {
    const url = new URL('https://examplebucket.s3.amazonaws.com/test.txt')
    const key = {
      accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
      secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
      region: 'us-east-1',
    }

    const { authorization } = signed(key, {
      method: 'GET',
      url,
      headers: { range: 'bytes=0-9' },
      body: Buffer.alloc(0),
      at: Date.UTC(2013, 4, 24),
    })

    expect(authorization).toContain('SignedHeaders=host;range;x-amz-content-sha256;x-amz-date')
    expect(authorization).toMatch(/Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41$/)
  })

  test('names are escaped as the service does it', () => {
    expect(encodedPath('/a b/c+d(1)!/é~x')).toBe('/a%20b/c%2Bd%281%29%21/%C3%A9~x')
  })
})

describe('files in a bucket', () => {
  test('a stored file can be read as a whole and by range until it is removed', async () => {
    const { files, objects } = await bucket()
    const bytes = Buffer.from('0123456789')

    await files.put('recordings/1/2-a.mp3', bytes)

    expect([...objects.keys()]).toEqual(['/phone/office%20one/recordings/1/2-a.mp3'])
    expect(await files.size('recordings/1/2-a.mp3')).toBe(10)
    expect((await buffer(files.read('recordings/1/2-a.mp3'))).equals(bytes)).toBe(true)
    expect((await buffer(files.read('recordings/1/2-a.mp3', { start: 2, end: 4 }))).toString()).toBe('234')
    await files.remove('recordings/1/2-a.mp3')
    await files.remove('recordings/1/2-a.mp3')
    expect(objects.size).toBe(0)
  })

  test('a file that is not there has no size and cannot be read', async () => {
    const { files } = await bucket()

    expect(await files.size('nothing.mp3')).toBeUndefined()
    await expect(buffer(files.read('nothing.mp3'))).rejects.toThrow('404 NoSuchKey')
  })

  test('a large file comes whole', async () => {
    const { files } = await bucket()
    const bytes = Buffer.alloc(3_000_000, 'sound')

    await files.put('large.mp3', bytes)

    expect((await buffer(files.read('large.mp3'))).equals(bytes)).toBe(true)
  })

  test('what is written piece by piece is there when all of it came, and leaves nothing when it does not', async () => {
    const { files, objects, uploads } = await bucket()
    const piece = Buffer.alloc(1_000_000, 'rows')
    async function* pieces(n: number, broken = false) {
      for (let i = 0; i < n; i++) yield piece
      if (broken) throw new Error('the store is away')
    }

    expect(await files.write('exports/large.csv', pieces(20))).toBe(20_000_000)
    expect(await files.write('exports/small.csv', pieces(1))).toBe(1_000_000)
    expect(await files.write('exports/none.csv', pieces(0))).toBe(0)
    await expect(files.write('exports/broken.csv', pieces(12, true))).rejects.toThrow('the store is away')

    expect(await files.size('exports/large.csv')).toBe(20_000_000)
    expect((await buffer(files.read('exports/large.csv'))).equals(Buffer.alloc(20_000_000, 'rows'))).toBe(true)
    expect(await files.size('exports/broken.csv')).toBeUndefined()
    expect([objects.size, uploads.size]).toEqual([3, 0])
  })

  test('a wrong key is an error that names no secret, and nothing is written', async () => {
    const { place, objects } = await bucket()
    const wrong = filesOnS3({ ...place, secretAccessKey: 'not the secret' }, systemClock())

    await expect(wrong.put('a.mp3', Buffer.from('x'))).rejects.toThrow(
      /^the file store answered PUT with 403 SignatureDoesNotMatch$/,
    )
    await expect(wrong.size('a.mp3')).rejects.toThrow('403')
    expect(objects.size).toBe(0)
  })

  test('a transient error of the service is retried', async () => {
    const { files, asked, upset } = await bucket()
    upset((_request, response) => {
      if (asked.length > 2) return false
      response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>')
      return true
    })

    await files.put('a.mp3', Buffer.from('x'))

    expect(asked).toHaveLength(3)
    expect(await files.size('a.mp3')).toBe(1)
  })

  test('an upload that is cut short is tried again, and leaves nothing when it never succeeds', async () => {
    const { files, objects, asked, upset } = await bucket()
    upset((request) => {
      if (request.method !== 'PUT') return false
      request.once('data', () => request.socket.destroy())
      return true
    })

    await expect(files.put('a.mp3', Buffer.alloc(2_000_000))).rejects.toThrow('cannot be reached')

    expect(asked).toHaveLength(4)
    expect(objects.size).toBe(0)
    expect(await files.size('a.mp3')).toBeUndefined()
  }, 15_000)

  test('a download that is cut short is an error and not a shorter file', async () => {
    const { files, upset } = await bucket()
    await files.put('a.mp3', Buffer.alloc(1_000))
    upset((_request, response) => {
      response.writeHead(200, { 'content-length': 1_000 })
      response.write('only this', () => response.destroy())
      return true
    })

    await expect(buffer(files.read('a.mp3'))).rejects.toThrow()
  })

  test('no key leads out of the prefix', async () => {
    const { files, asked } = await bucket()

    for (const key of ['../other/a.mp3', '/a.mp3', 'a/../../b', 'A.mp3', '']) {
      await expect(files.put(key, Buffer.from('x'))).rejects.toThrow('not a key of the file store')
    }
    expect(asked).toEqual([])
  })
})
