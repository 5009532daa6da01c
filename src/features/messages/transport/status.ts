import type { Tx } from '../../../db/database.ts'
import { notify } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { type MessageStatus, stepsTo, type TroubleCode, troubles } from '../../../domain/message.ts'
import { viewContextOf } from '../../../http/view-context.ts'
import type { Services } from '../../../services.ts'
import { publish } from '../../publishing/index.ts'
import { notifyInbox } from '../inbox/updates.ts'
import { findConfiguration } from '../lines/store.ts'
import { insertCallbacks, type NewCallback } from '../messages/callbacks-store.ts'
import { loadMessageContext, type MessageFact, mediaRefs } from '../messages/events.ts'
import { changeMessages, type Message } from '../messages/store.ts'
import { callbackGroupMessage, callbackMessage } from '../messages/view.ts'

export interface MessageStatusChange {
  /** Locked by this transaction. */
  message: Message
  status: MessageStatus
  code?: TroubleCode | null
  /** Error text of the carrier; overrides the default text of the code. */
  why?: string
}

/** Advances message statuses and publishes every step in order. A change to an earlier status is ignored. */
export async function changeStatuses(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  changes: readonly MessageStatusChange[],
): Promise<void> {
  const at = services.clock.now()
  const moments = changes.map((change) => momentsOf(change, at)).filter((steps) => steps.length > 0)
  const ends = moments.flatMap((steps) => steps.at(-1) ?? [])
  await changeMessages(tx, companyId, ends, at)
  const inInbox = ends.filter(({ mode }) => mode === 'native').map(({ conversationId }) => conversationId)
  await notifyInbox(tx, companyId, inInbox, 'changed')
  const all = moments.flat()
  await publish(services, tx, companyId, all.flatMap(factsOf))
  await queueCallbacks(
    services,
    tx,
    companyId,
    'message.updated',
    all.filter(({ mode }) => mode === 'skipping'),
  )
}

function momentsOf({ message, status, code, why }: MessageStatusChange, at: number): Message[] {
  let sentAt = message.sentAt
  return stepsTo(message.status, status).map((step): Message => {
    if (step === 'sent') sentAt = at
    const isLost = step === 'failed' || step === 'undelivered'
    const errorCode = isLost ? (code ?? 30008) : null
    const errorMessage = errorCode === null ? null : (why ?? troubles[errorCode])
    return { ...message, status: step, errorCode, errorMessage, queued: 0, sentAt, updatedAt: at }
  })
}

function factsOf(message: Message): MessageFact[] {
  const updated: MessageFact = { kind: 'message', event: 'status_updated', message }
  // Of the messages that bypass the inbox, only WhatsApp ones produce an event besides the callback.
  if (message.mode === 'skipping') return message.channel === null ? [] : [updated]
  return message.status === 'sent' ? [{ kind: 'message', event: 'sent', message }, updated] : [updated]
}

/** Stores callbacks in the transaction of the change; they are sent after its commit. */
export async function queueCallbacks(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  name: NewCallback['event_name'],
  messages: readonly Message[],
): Promise<void> {
  if (messages.length === 0) return
  const context = viewContextOf(services)
  const messageContextOf = await loadMessageContext(tx, companyId, messages)
  const configured = new Set<number>()
  for (const numberId of new Set(messages.map(({ numberId }) => numberId))) {
    if (await findConfiguration(tx, companyId, numberId)) configured.add(numberId)
  }
  const rows = messages.flatMap((message): NewCallback[] => {
    const messageContext = messageContextOf(message)
    if (!messageContext || !configured.has(message.numberId)) return []
    const view = message.participants === null ? callbackMessage : callbackGroupMessage
    return [
      {
        number_id: message.numberId,
        message_id: message.id,
        event_name: name,
        data: JSON.stringify(view(context, message, messageContext)),
        asset_refs: mediaRefs(message) ?? null,
        at: context.at,
      },
    ]
  })
  await insertCallbacks(tx, companyId, rows)
  for (const numberId of configured) await notify(tx, 'callbacks', `${companyId}:${numberId}`)
}
