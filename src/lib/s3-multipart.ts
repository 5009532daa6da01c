import { type SendS3Request, s3TextOf } from './s3-requests.ts'

// S3 requires at least 5 MiB per part, except for the last one.
const partBytes = 8 * 1024 * 1024

/** Uploads an object in parts: it appears when they are completed. Resolves with its size; 0: nothing was uploaded. */
export async function uploadInParts(
  send: SendS3Request,
  key: string,
  pieces: AsyncIterable<Uint8Array>,
): Promise<number> {
  let uploadId: string | undefined
  let bytes = 0
  const tags: string[] = []
  try {
    for await (const part of inParts(pieces)) {
      bytes += part.length
      uploadId ??= await begin(send, key)
      tags.push(await sendPart(send, key, { uploadId, number: tags.length + 1, part }))
    }
    if (uploadId !== undefined) await complete(send, key, uploadId, tags)
    return bytes
  } catch (error) {
    if (uploadId !== undefined) await abort(send, key, uploadId)
    throw error
  }
}

async function begin(send: SendS3Request, key: string): Promise<string> {
  const text = await s3TextOf('POST', await send('POST', key, { query: { uploads: '' } }))
  const [, uploadId] = /<UploadId>([^<]{1,1000})<\/UploadId>/.exec(text) ?? []
  if (!uploadId) throw new Error('the file store gave an upload no name')
  return uploadId
}

async function sendPart(
  send: SendS3Request,
  key: string,
  { uploadId, number, part }: { uploadId: string; number: number; part: Uint8Array },
): Promise<string> {
  const headers = { 'content-length': String(part.length) }
  const response = await send('PUT', key, { body: part, headers, query: { partNumber: String(number), uploadId } })
  await s3TextOf('PUT', response)
  return String(response.headers.etag ?? '')
}

async function complete(send: SendS3Request, key: string, uploadId: string, tags: readonly string[]): Promise<void> {
  const parts = tags.map((tag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${tag}</ETag></Part>`)
  const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`)
  const headers = { 'content-length': String(body.length) }
  const text = await s3TextOf('POST', await send('POST', key, { body, headers, query: { uploadId } }))
  // The service may respond 200 and report the failure in the body.
  if (text.includes('<Error>')) throw new Error('the file store could not put an upload together')
}

/** Uploads that cannot be aborted are left to the lifecycle rules of the bucket. */
async function abort(send: SendS3Request, key: string, uploadId: string): Promise<void> {
  await send('DELETE', key, { query: { uploadId } }).then(
    (response) => response.body.dump(),
    () => undefined,
  )
}

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
