import type { Tx } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { digitsOnly } from '../../../domain/phone-number.ts'
import { findNamed } from '../../calls/index.ts'
import { type FactRenderer, type MediaRefs, payloadOf } from '../../publishing/index.ts'
import {
  sampleDelivered,
  sampleGroupDelivered,
  sampleGroupReceived,
  sampleGroupSent,
  sampleReceived,
  sampleSent,
} from './event-samples.ts'
import type { Message } from './store.ts'
import { EventGroupMessage, EventMessage, eventGroupMessage, eventMessage, type MessageContext } from './view.ts'

/** A change of a message, with its state at that moment. */
export interface MessageFact {
  kind: 'message'
  event: 'sent' | 'received' | 'status_updated'
  message: Message
}

declare module '../../publishing/publish.ts' {
  interface FactsByKind {
    message: MessageFact
  }
}

const message = payloadOf(EventMessage)
const groupMessage = payloadOf(EventGroupMessage)

export const messagePayloads = {
  'message.sent': message(sampleSent),
  'message.received': message(sampleReceived),
  'message.status_updated': message(sampleDelivered),
  'group_message.sent': groupMessage(sampleGroupSent),
  'group_message.received': groupMessage(sampleGroupReceived),
  'group_message.status_updated': groupMessage(sampleGroupDelivered),
}

/** Loads the objects that messages refer to, once for all; undefined for a message whose Number was deleted. */
export async function loadMessageContext(
  tx: Tx,
  companyId: CompanyId,
  messages: readonly Message[],
): Promise<(message: Message) => MessageContext | undefined> {
  const digits = (message: Message) => (message.external === null ? '' : digitsOnly(message.external))
  const named = await findNamed(tx, companyId, {
    users: new Set(messages.flatMap(({ userId }) => userId ?? [])),
    numbers: new Set(messages.map(({ numberId }) => numberId)),
    teams: new Set(),
    digits: new Set(messages.map(digits)),
  })
  const users = new Map(named.users.map((user) => [user.id, user]))
  const numbers = new Map(named.numbers.map((number) => [number.id, number]))
  return (message) => {
    const number = numbers.get(message.numberId)
    if (!number) return undefined
    const user = message.userId === null ? undefined : users.get(message.userId)
    return { number, user, contact: named.contactOf(digits(message), number.country) }
  }
}

export function mediaRefs({ rowId, media }: Message): string | undefined {
  const files = media.flatMap(({ file }) => file ?? [])
  return files.length === 0 ? undefined : JSON.stringify({ message: rowId, files } satisfies MediaRefs)
}

export const renderMessageFacts: FactRenderer<MessageFact> = async ({ tx, companyId, context }, facts) => {
  const messageContextOf = await loadMessageContext(
    tx,
    companyId,
    facts.map(({ message }) => message),
  )
  return ({ event, message }) => {
    const messageContext = messageContextOf(message)
    if (!messageContext) return []
    const assetRefs = mediaRefs(message)
    const common = {
      resourceKey: `message:${message.id}`,
      numberId: message.numberId,
      ...(assetRefs !== undefined && { assetRefs }),
    }
    if (message.participants !== null) {
      const name = `group_message.${event}` as const
      return [
        { ...common, name, data: messagePayloads[name].write(eventGroupMessage(context, message, messageContext)) },
      ]
    }
    const name = `message.${event}` as const
    return [{ ...common, name, data: messagePayloads[name].write(eventMessage(context, message, messageContext)) }]
  }
}
