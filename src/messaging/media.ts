import { transaction } from '../db/database.ts'
import { notify } from '../db/dialect.ts'
import { endingOf, type MediaTroubleCode, maxMediaBytes, mediaTypeOf, unknownType } from '../domain/message.ts'
import { queueName } from '../features/messages/messages/format.ts'
import { mediumKey } from '../features/messages/messages/links.ts'
import { lockMessages, type Medium, type Message, messageAt, setMedia } from '../features/messages/messages/store.ts'
import { publishReceived } from '../features/messages/transport/receive.ts'
import { changeStatuses } from '../features/messages/transport/status.ts'
import type { JobPayloads } from '../jobs/payloads.ts'
import { enqueue } from '../jobs/queue.ts'
import { second } from '../lib/clock.ts'
import type { Services } from '../services.ts'

// Shorter than the lease of a job, for all files of a message together.
const timeoutMs = 25 * second
const pauseMs = 10 * second

type Fetched = { medium: Medium } | { code: MediaTroubleCode; passing: boolean }

/** Downloads the files of a message: then it is sent or, if inbound, published. */
export function mediaFetcher(services: Services) {
  const { db, clock, log, outbound, files } = services

  async function fetched(message: Message, medium: Medium, place: number): Promise<Fetched> {
    if (medium.file !== null || medium.url === null) return { medium }
    const { status, problem, extent, bytes } = await outbound.get({
      pool: `messages ${message.companyId}`,
      url: medium.url,
      headers: { accept: '*/*', 'user-agent': 'Hookswitch' },
      timeoutMs,
      maxBytes: maxMediaBytes,
    })
    if (extent === 'too_large') return { code: 30019, passing: false }
    if (problem || status !== 200 || extent !== 'whole') {
      return { code: 63019, passing: problem !== 'not_allowed' && (status === null || status >= 500) }
    }
    const type = mediaTypeOf(bytes)
    if (type === undefined) return { code: 63021, passing: false }
    const file = mediumKey(message.companyId, message.id, place, endingOf(type))
    await files.put(file, bytes)
    return { medium: { ...medium, type, file } }
  }

  return async ({ companyId, messageRow, tries }: JobPayloads['message.media']): Promise<void> => {
    const message = await messageAt(db, companyId, messageRow)
    if (!message?.fetching) return
    const results = await Promise.all(message.media.map((medium, place) => fetched(message, medium, place)))
    const trouble = results.find((result) => 'code' in result)
    await transaction(db, async (tx) => {
      const [now] = await lockMessages(tx, companyId, [messageRow])
      if (!now?.fetching) return
      if (trouble?.passing && tries < 1) {
        const again = { companyId, messageRow, tries: tries + 1 }
        return enqueue(tx, 'message.media', again, clock.now() + pauseMs)
      }
      const media = results.map((result, place) =>
        'medium' in result ? result.medium : notReceived(message.media[place], result.code),
      )
      const ready: Message = { ...now, media, fetching: false, type: typeOf(now, media) }
      if (now.direction === 'inbound') {
        // The text is not lost with a file that could not be fetched: the message says which one and why.
        if (trouble)
          log.warn(
            { event: 'message.media_not_received', companyId, messageId: now.id, code: trouble.code },
            notFetched,
          )
        await setMedia(tx, companyId, ready)
        return publishReceived(services, tx, ready)
      }
      if (!trouble) await setMedia(tx, companyId, ready)
      else await changeStatuses(services, tx, companyId, [{ message: now, status: 'failed', code: trouble.code }])
      await notify(tx, 'messages', queueName(now))
    })
  }
}

const notFetched = 'a file of an inbound message could not be received'

const notReceived = (medium: Medium | undefined, error: MediaTroubleCode): Medium => ({
  url: null,
  name: medium?.name ?? '',
  type: unknownType,
  file: null,
  error,
})

/** WhatsApp: the message type by its file. */
function typeOf({ channel, type, templateContent }: Message, [first]: readonly Medium[]): string | null {
  if (channel === null || templateContent !== null || !first || first.error !== undefined) return type
  const kind = first.type.split('/')[0] ?? ''
  return ['image', 'video', 'audio'].includes(kind) ? kind : 'document'
}
