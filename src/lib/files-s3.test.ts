import { buffer } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { bucket, staticKeys } from '../../test/kit/bucket.ts'
import { systemClock } from './clock.ts'
import { filesOnS3 } from './files-s3.ts'
import { signRequest } from './s3-requests.ts'

test('the signature is the one of the published example of a GET with a range', async () => {
  const request = {
    method: 'GET' as const,
    url: new URL('https://examplebucket.s3.amazonaws.com/test.txt'),
    headers: { range: 'bytes=0-9' },
    body: Buffer.alloc(0),
  }
  const key = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }

  const { headers } = await signRequest(request, key, 'us-east-1', Date.UTC(2013, 4, 24))

  expect(headers).toMatchObject({
    authorization: expect.stringMatching(
      /SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41$/,
    ),
  })
})

describe('files in a bucket', () => {
  test('a stored file can be read as a whole and by range until it is removed', async () => {
    const { files, objects } = await bucket()
    const bytes = Buffer.from('0123456789')

    await files.put('recordings/1/2-a.mp3', bytes)

    expect([...objects.keys()]).toEqual(['/phone/office%20one/c%2Bd%281%29%21/recordings/1/2-a.mp3'])
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
    const wrong = filesOnS3(
      { ...place, credentials: { kind: 'static', ...staticKeys, secretAccessKey: 'not the secret' } },
      systemClock(),
    )

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
