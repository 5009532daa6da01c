import { Readable } from 'node:stream'
import type { Clock } from './clock.ts'
import type { Files } from './files.ts'
import { uploadInParts } from './s3-multipart.ts'
import { createS3Requests, type S3Place, s3Error } from './s3-requests.ts'

/**
 * File store in a bucket of an S3-compatible service. Objects appear atomically once uploaded. The endpoint is set by
 * the operator, not by a customer: it may be private.
 */
export function filesOnS3(place: S3Place, clock: Clock): Files {
  const send = createS3Requests(place, clock)

  async function put(key: string, bytes: Uint8Array): Promise<void> {
    const response = await send('PUT', key, { body: bytes, headers: { 'content-length': String(bytes.length) } })
    if (response.statusCode !== 200) throw await s3Error('PUT', response)
    await response.body.dump()
  }

  async function* chunksOf(key: string, range: { start: number; end: number } | undefined): AsyncGenerator<Buffer> {
    const response = await send('GET', key, range && { headers: { range: `bytes=${range.start}-${range.end}` } })
    if (response.statusCode !== (range ? 206 : 200)) throw await s3Error('GET', response)
    yield* response.body
  }

  return {
    put,
    async write(key, pieces) {
      const bytes = await uploadInParts(send, key, pieces)
      // An upload has at least one part.
      if (bytes === 0) await put(key, Buffer.alloc(0))
      return bytes
    },
    async size(key) {
      const response = await send('HEAD', key)
      await response.body.dump()
      if (response.statusCode === 404) return undefined
      if (response.statusCode !== 200) throw await s3Error('HEAD', response)
      return Number(response.headers['content-length'])
    },
    read: (key, range) => Readable.from(chunksOf(key, range), { objectMode: false }),
    async remove(key) {
      const response = await send('DELETE', key)
      if (![200, 204, 404].includes(response.statusCode)) throw await s3Error('DELETE', response)
      await response.body.dump()
    },
  }
}
