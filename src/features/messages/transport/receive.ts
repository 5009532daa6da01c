import { randomUUID } from 'node:crypto'
import { type Tx, transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { type MessageMode, optKeywordIn } from '../../../domain/message.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { describeNumber } from '../../../lib/phone-format.ts'
import type { Services } from '../../../services.ts'
import { publish } from '../../publishing/index.ts'
import { conversationWith, recordMessage } from '../inbox/conversations-store.ts'
import { findConfiguration, setOptOut } from '../lines/store.ts'
import { messageId, previewOf } from '../messages/format.ts'
import { insertMessage, lastModeTo, type Medium, type Message, type NewMessage } from '../messages/store.ts'
import { queueCallbacks } from './status.ts'
import { recordArrival } from './store.ts'

/** An inbound message. Its media files are fetched before the message is published. */
export interface Incoming {
  numberId: number
  from: string
  channel: 'whatsapp' | null
  body: string
  media: readonly Medium[]
  /** Of a group message: all participants except the Number. */
  participants?: readonly string[] | undefined
  type?: string | undefined
  metadata?: Record<string, unknown> | null | undefined
  parentId?: string | null | undefined
  /** The carrier and its message reference, to drop duplicates. */
  arrival?: { carrierId: number; ref: string } | undefined
  /** Set when files are already stored under it. */
  id?: string
}

/** Stores and publishes an inbound message; undefined for a duplicate. */
export async function receiveMessage(
  services: Services,
  companyId: CompanyId,
  incoming: Incoming,
): Promise<Message | undefined> {
  const { db, clock } = services
  const { display } = await describeNumber(incoming.from)
  return transaction(db, async (tx) => {
    const { numberId, from, channel, arrival, participants, body } = incoming
    const at = clock.now()
    if (arrival && !(await recordArrival(tx, companyId, arrival.carrierId, arrival.ref, at))) return undefined
    const isGroup = participants !== undefined && participants.length > 1
    const who = isGroup ? { participants } : { external: from }
    const conversation = await conversationWith(tx, companyId, numberId, who, at)
    const mode = await modeOf(incoming)
    const media = [...incoming.media]
    const row: NewMessage = {
      id: incoming.id ?? (isGroup ? randomUUID() : messageId(clock)),
      numberId,
      conversationId: conversation.id,
      mode,
      channel,
      direction: 'inbound',
      status: 'received',
      external: isGroup ? null : from,
      externalDisplay: isGroup ? null : display,
      participants: isGroup ? (conversation.participants ?? []) : null,
      author: isGroup ? from : null,
      body,
      media,
      userId: null,
      parentId: incoming.parentId ?? null,
      templateContent: null,
      templateParams: null,
      type: channel === null ? null : (incoming.type ?? 'text'),
      metadata: incoming.metadata ?? null,
      category: null,
      kind: null,
      country: null,
      queued: 0,
      fetching: media.some(({ file, url }) => file === null && url !== null),
      createdAt: at,
    }
    const message = await insertMessage(tx, companyId, row)
    const keyword = channel === null && !isGroup ? optKeywordIn(body) : undefined
    if (keyword) await setOptOut(tx, companyId, numberId, from, keyword === 'stop' ? at : null)
    if (message.fetching) await enqueue(tx, 'message.media', { companyId, messageRow: message.rowId, tries: 0 }, at)
    else await publishReceived(services, tx, message)
    return message

    async function modeOf({ channel }: Incoming): Promise<MessageMode> {
      const defaultMode = (await findConfiguration(tx, companyId, numberId)) ? 'skipping' : 'native'
      if (channel === null || defaultMode === 'native') return defaultMode
      return (await lastModeTo(tx, companyId, numberId, from)) ?? defaultMode
    }
  })
}

/** Publishes to the inbox and as an event, or to the callback URL. */
export async function publishReceived(services: Services, tx: Tx, message: Message): Promise<void> {
  const { companyId, conversationId } = message
  if (message.mode === 'skipping') return queueCallbacks(services, tx, companyId, 'message.received', [message])
  const noted = { direction: 'inbound', body: previewOf(message), at: message.createdAt } as const
  await recordMessage(tx, companyId, conversationId, noted)
  await publish(services, tx, companyId, [{ kind: 'message', event: 'received', message }])
}
