import { buffer } from 'node:stream/consumers'
import type { CompanyId } from '../../../db/tables.ts'
import { endingOf, maxMediaBytes, mediaTypeOf } from '../../../domain/message.ts'
import { badRequest } from '../../../http/errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { day } from '../../../lib/clock.ts'
import { randomId } from '../../../lib/secrets.ts'
import type { Services } from '../../../services.ts'
import { fileNameIn } from '../messages/format.ts'
import { mediumKey } from '../messages/links.ts'
import type { Medium } from '../messages/store.ts'

// Uploaded files that were not sent yet. They are stored per user, so that no user can send a colleague's upload, and are
// deleted after a day; sending copies them to the message.

export interface InboxUpload {
  id: string
  type: string
  size: number
}

const uploadForm = /^[0-9a-f]{32}\.[a-z0-9]{3,4}$/
const keyOf = (companyId: CompanyId, userId: number, id: string) => `message-uploads/${companyId}/${userId}/${id}`

export async function storeUpload(
  { db, clock, files }: Services,
  companyId: CompanyId,
  userId: number,
  bytes: Buffer,
): Promise<InboxUpload> {
  if (bytes.length > maxMediaBytes) throw badRequest('The file is larger than 5 MB')
  const type = mediaTypeOf(bytes)
  if (type === undefined) {
    throw badRequest('This file type cannot be sent; choose an image, mp3, ogg, mp4, PDF or vCard')
  }
  const id = `${randomId()}.${endingOf(type)}`
  const file = keyOf(companyId, userId, id)
  // The deletion is scheduled first: a crash in between leaves no orphaned file.
  await enqueue(db, 'message.upload', { file }, clock.now() + day)
  await files.put(file, bytes)
  return { id, type, size: bytes.length }
}

/** Copies uploads into files of a message. */
export async function claimUploads(
  { files }: Services,
  companyId: CompanyId,
  userId: number,
  chosen: readonly { id: string; name: string }[],
): Promise<Medium[]> {
  const place = randomId()
  const found = await Promise.all(chosen.map(({ id }) => bytesOf(files, companyId, userId, id)))
  return Promise.all(
    found.map(async (bytes, n) => {
      const type = mediaTypeOf(bytes)
      if (type === undefined) throw new Error('an upload has an unknown type')
      const file = mediumKey(companyId, place, n, endingOf(type))
      await files.put(file, bytes)
      // The name is sent in a header when the file is downloaded.
      return { url: null, name: fileNameIn(chosen[n]?.name ?? ''), type, file }
    }),
  )
}

async function bytesOf(files: Services['files'], companyId: CompanyId, userId: number, id: string): Promise<Buffer> {
  const file = uploadForm.test(id) ? keyOf(companyId, userId, id) : undefined
  const size = file && (await files.size(file))
  if (!file || !size) throw badRequest('A file has expired; upload it again')
  return buffer(files.read(file))
}

export const uploadRemover =
  ({ files }: Services) =>
  ({ file }: { file: string }): Promise<void> =>
    files.remove(file)
