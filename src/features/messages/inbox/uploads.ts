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

// Files that somebody has chosen and not sent yet. They lie under their person's name, so that nobody sends what a
// colleague chose, and for a day; what is sent is copied to its message.

export interface Upload {
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
): Promise<Upload> {
  if (bytes.length > maxMediaBytes) throw badRequest('The file is larger than 5 MB')
  const type = mediaTypeOf(bytes)
  if (type === undefined) {
    throw badRequest('Files of this type cannot be sent; images, mp3, ogg, mp4, PDF and vCards can')
  }
  const id = `${randomId()}.${endingOf(type)}`
  const file = keyOf(companyId, userId, id)
  // The end of it is written down first: a process that dies in between leaves nothing behind for good.
  await enqueue(db, 'message.upload', { file }, clock.now() + day)
  await files.put(file, bytes)
  return { id, type, size: bytes.length }
}

/** What was chosen, as files of a message. */
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
      if (type === undefined) throw new Error('an upload has one of our types')
      const file = mediumKey(companyId, place, n, endingOf(type))
      await files.put(file, bytes)
      // It goes into a header when somebody saves the file.
      return { url: null, name: fileNameIn(chosen[n]?.name ?? ''), type, file }
    }),
  )
}

async function bytesOf(files: Services['files'], companyId: CompanyId, userId: number, id: string): Promise<Buffer> {
  const file = uploadForm.test(id) ? keyOf(companyId, userId, id) : undefined
  const size = file && (await files.size(file))
  if (!file || !size) throw badRequest('A file is not there any more: choose it again')
  return buffer(files.read(file))
}

export const uploadRemover =
  ({ files }: Services) =>
  ({ file }: { file: string }): Promise<void> =>
    files.remove(file)
