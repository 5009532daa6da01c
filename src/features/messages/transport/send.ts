import { randomUUID } from 'node:crypto'
import type { Tx } from '../../../db/database.ts'
import { transaction } from '../../../db/database.ts'
import { notify } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { MessageMode } from '../../../domain/message.ts'
import { badRequest, forbidden } from '../../../http/errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { countryOfNumber, describeNumber } from '../../../lib/phone-format.ts'
import type { Services } from '../../../services.ts'
import { findUser, type PhoneNumber } from '../../accounts/index.ts'
import { conversationWith, recordMessage } from '../inbox/conversations-store.ts'
import { admitRecipients, countOutgoing, reportingRefusals } from '../limits/guard.ts'
import { findLine, hasOptedOut, type MessageLine } from '../lines/store.ts'
import { fileNameIn, messageId, previewOf, queueName } from '../messages/format.ts'
import { insertMessage, type Medium, type Message, type TemplateContent } from '../messages/store.ts'

export interface Sending {
  number: PhoneNumber
  /** E.164; a list makes a group message. */
  to: string | readonly string[]
  mode: MessageMode
  channel: 'whatsapp' | null
  body: string
  /** URLs of files, fetched after the response. */
  media: readonly string[]
  /** Files already in the file store. */
  files?: readonly Medium[]
  userId?: number | undefined
  template?: { content: TemplateContent; params: unknown } | undefined
  type?: string | undefined
  parentId?: string | undefined
}

/**
 * Accepts a message: once this resolves, the message is stored until it was sent or has failed. All checks that can be made
 * at once run before anything changes.
 */
export function sendMessage(services: Services, companyId: CompanyId, sending: Sending): Promise<Message> {
  return reportingRefusals(services, companyId, sending.userId, () => send(services, companyId, sending))
}

async function send(services: Services, companyId: CompanyId, sending: Sending): Promise<Message> {
  const { db, clock } = services
  const { number, channel } = sending
  const recipients = typeof sending.to === 'string' ? [sending.to] : [...new Set(sending.to)]
  const [first = ''] = recipients
  const isGroup = typeof sending.to !== 'string'
  const { display } = await describeNumber(first)
  const country = channel === null ? null : await countryOfNumber(first)
  const isFreeReply = channel === 'whatsapp' && sending.template === undefined
  const outgoing = { recipients, body: sending.body, isFreeReply }
  // The Number is checked before the recipients: a Number that cannot send gets the same error for any recipient.
  mustCarry(services, number, await findLine(db, companyId, number.id), channel)
  const limits = await admitRecipients(services, companyId, outgoing)
  return transaction(db, async (tx) => {
    for (const phone of recipients) await mustBeAllowed(tx, companyId, number.id, phone)
    const user = sending.userId === undefined ? undefined : await findUser(tx, companyId, sending.userId)
    const at = clock.now()
    const who = isGroup ? { participants: recipients } : { external: first }
    const conversation = await conversationWith(tx, companyId, number.id, who, at)
    const media: Medium[] = [
      ...sending.media.map((url) => ({ url, name: fileNameIn(url), type: '', file: null })),
      ...(sending.files ?? []),
    ]
    const message = await insertMessage(tx, companyId, {
      id: isGroup ? randomUUID() : messageId(clock),
      numberId: number.id,
      conversationId: conversation.id,
      mode: sending.mode,
      channel,
      direction: 'outbound',
      status: 'pending',
      external: isGroup ? null : first,
      externalDisplay: isGroup ? null : display,
      participants: isGroup ? (conversation.participants ?? recipients) : null,
      author: null,
      body: sending.body,
      media,
      userId: user?.id ?? null,
      parentId: sending.parentId ?? null,
      templateContent: sending.template?.content ?? null,
      templateParams: sending.template?.params ?? null,
      type: channel === null ? null : (sending.type ?? (media.length > 0 ? 'document' : 'text')),
      metadata: null,
      category: sending.template?.content.category.toLowerCase() ?? null,
      kind: channel === null ? null : sending.template ? 'regular' : 'free_customer_service',
      country,
      queued: 1,
      fetching: sending.media.length > 0,
      createdAt: at,
    })
    if (sending.mode === 'native') {
      await recordMessage(tx, companyId, conversation.id, { direction: 'outbound', body: previewOf(message), at })
    }
    await countOutgoing(services, tx, companyId, limits, { ...outgoing, userId: user?.id })
    if (message.fetching) await enqueue(tx, 'message.media', { companyId, messageRow: message.rowId, tries: 0 }, at)
    else await notify(tx, 'messages', queueName(message))
    return message
  })
}

function mustCarry({ rules }: Services, number: PhoneNumber, line: MessageLine, channel: 'whatsapp' | null): void {
  if (!number.validated) throw forbidden('The Number is not verified yet; messages can be sent once it is')
  if (channel === 'whatsapp') mustCarryWhatsapp(rules, line)
  else mustCarryTexts(rules, line)
}

function mustCarryTexts(rules: Services['rules'], line: MessageLine): void {
  if (!line.texts)
    throw badRequest('This Number cannot send text messages; an admin can enable them under SMS & WhatsApp')
  if (line.carrierId === null && !rules.sandbox) {
    throw badRequest('This Number has no carrier for text messages; an admin can connect one under SMS & WhatsApp')
  }
}

function mustCarryWhatsapp(rules: Services['rules'], line: MessageLine): void {
  if (line.wabaId === null || (line.whatsappCarrierId === null && !rules.sandbox)) {
    throw badRequest('The Number has no WhatsApp Business Account; an admin can connect one under SMS & WhatsApp')
  }
  if (line.whatsappStatus !== 'ONLINE') {
    throw badRequest(
      `The WhatsApp status of the Number is ${line.whatsappStatus}; see GET /v1/numbers/:id/whatsapp_status`,
    )
  }
}

async function mustBeAllowed(tx: Tx, companyId: CompanyId, numberId: number, phone: string): Promise<void> {
  if (await hasOptedOut(tx, companyId, numberId, phone)) {
    throw badRequest(`The conversation is not allowed: ${phone} has opted out of messages from this Number`)
  }
}
