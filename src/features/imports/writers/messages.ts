import { isMessageFinal, mediaFromSource, messageFromSource } from '../../../domain/import/messages.ts'
import { isImportProblem } from '../../../domain/import/values.ts'
import { endingOf, mediaTypeOf } from '../../../domain/message.ts'
import { describeNumber } from '../../../lib/phone-format.ts'
import { hashOf } from '../../../lib/secrets.ts'
import { insertPastMessage, isMessageIdTaken, type PastMedium } from '../../messages/index.ts'
import { importedAmong } from '../runs/objects-store.ts'
import type { Importing, PreparedRow, RowImport, RowWriting } from './importing.ts'

/** History only: nothing is sent, nothing is published, and conversations are not marked unread. */
export const importMessages: RowImport = {
  kind: 'messages',
  async prepare(importing, row, sourceId) {
    const prepared: PreparedRow = { toCheck: [], media: [] }
    if (!isMessageFinal(row)) return prepared
    for (const [place, { name, url }] of mediaFromSource(row).slice(0, maxMediaOfMessage).entries()) {
      const medium = url === null ? undefined : await downloadMedium(importing, { sourceId, place, name, url })
      if (medium) prepared.media?.push(medium)
      else prepared.toCheck.push(`the file ${name} could not be downloaded`)
    }
    return prepared
  },
  async write(writing) {
    const { tx, companyId, row, known, prepared, ids } = writing
    if (known !== undefined) return { outcome: 'existing', ownId: known }
    if (!isMessageFinal(row)) return { outcome: 'skipped' }
    const message = messageFromSource(row)
    if (isImportProblem(message)) return message
    const numberId = ids.numbers.get(message.numberId ?? '')
    if (numberId === undefined) return { problem: 'the Number of the message is unknown' }
    const { numberId: _number, userId, parentId, ...fields } = message
    const id = await newIdOf(writing)
    await insertPastMessage(tx, companyId, {
      ...fields,
      id,
      numberId,
      externalDisplay: message.external === null ? null : (await describeNumber(message.external)).display,
      userId: ids.users.get(userId ?? '') ?? null,
      parentId: parentId === null ? null : await parentIdOf(writing, parentId),
      media: prepared?.media ?? [],
    })
    for (const reason of prepared?.toCheck ?? []) writing.toCheck(reason)
    return { outcome: 'created', ownId: id }
  },
}

const maxMediaOfMessage = 10

/** The id of the source, unless it is taken in this installation. */
async function newIdOf({ tx, companyId, source, sourceId }: RowWriting): Promise<string> {
  const isUsable = /^[\w-]{8,64}$/.test(sourceId) && !(await isMessageIdTaken(tx, sourceId))
  return isUsable ? sourceId : hashOf(`${companyId} ${source.url} ${sourceId}`).slice(0, 32)
}

/** The message that this one replies to comes before it. */
async function parentIdOf({ tx, companyId, source }: RowWriting, parentId: string): Promise<string | null> {
  return (await importedAmong(tx, companyId, source.url, 'messages', [parentId])).get(parentId) ?? null
}

/** The key depends on the source only: a repeated download replaces the file. */
async function downloadMedium(
  { services, companyId, source }: Importing,
  { sourceId, place, name, url }: { sourceId: string; place: number; name: string; url: string },
): Promise<PastMedium | undefined> {
  const bytes = await source.download(url)
  const type = bytes && mediaTypeOf(bytes)
  if (!bytes || !type) return undefined
  const folder = hashOf(`${source.url} ${sourceId}`).slice(0, 40)
  const file = `messages/${companyId}/${folder}/${place}.${endingOf(type)}`
  await services.files.put(file, bytes)
  return { url: null, name: name.slice(0, 80), type, file }
}
