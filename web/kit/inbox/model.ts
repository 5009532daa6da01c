import type { RequestOf } from '../api.ts'
import type { ConversationShown, ItemShown, ReachableShown } from './data.ts'

// The state of the inbox as a pure reducer: drafts, attachments and messages that the server has not accepted yet. Stored
// conversations are not part of it: they are read from the server after every change.

export type Channel = RequestOf<'/v1/conversations/{id}/messages'>['channel']

/** An uploaded file that has not been sent yet. */
export interface Attachment {
  id: string
  name: string
  type: string
}

export type TemplateMessage = NonNullable<RequestOf<'/v1/conversations/{id}/messages'>['template']>

export interface OutgoingMessage {
  channel: Channel
  text: string
  files: Attachment[]
  template?: TemplateMessage
}

export interface MessageDraft {
  text: string
  files: Attachment[]
  /** Null: the user has not chosen one. */
  channel: Channel | null
}

/** A message that the server has not accepted yet. */
export interface Sending {
  ref: number
  conversationId: string
  message: OutgoingMessage
  state: 'sending' | 'refused'
  why: string
  /** Keys of the items that the thread showed when it was sent: a new item with the same text is this message. */
  known: string[]
}

export interface InboxState {
  /** The open conversation; null: the list. */
  open: string | null
  drafts: Record<string, MessageDraft>
  outbox: Sending[]
  lastRef: number
}

export type InboxEvent =
  | { type: 'remembered'; memory: InboxMemory }
  | { type: 'opened'; id: string | null }
  | { type: 'typed'; id: string; text: string }
  | { type: 'attached'; id: string; file: Attachment }
  | { type: 'detached'; id: string; fileId: string }
  | { type: 'channel'; id: string; channel: Channel }
  | { type: 'sent'; id: string; message: OutgoingMessage; known: string[] }
  | { type: 'accepted'; ref: number }
  | { type: 'refused'; ref: number; why: string }
  | { type: 'retried'; ref: number; known: string[] }
  | { type: 'dropped'; ref: number }

export type InboxMemory = Pick<InboxState, 'open' | 'drafts' | 'outbox' | 'lastRef'>

export const initialInbox: InboxState = { open: null, drafts: {}, outbox: [], lastRef: 0 }
export const emptyDraft: MessageDraft = { text: '', files: [], channel: null }
export const maxFiles = 10

export function reduceInbox(state: InboxState, event: InboxEvent): InboxState {
  switch (event.type) {
    case 'remembered':
      return { ...event.memory, outbox: event.memory.outbox.map(interrupted) }
    case 'opened':
      return { ...state, open: event.id }
    case 'typed':
      return drafted(state, event.id, { text: event.text })
    case 'attached': {
      const { files } = messageDraft(state, event.id)
      return files.length >= maxFiles ? state : drafted(state, event.id, { files: [...files, event.file] })
    }
    case 'detached':
      return drafted(state, event.id, {
        files: messageDraft(state, event.id).files.filter(({ id }) => id !== event.fileId),
      })
    case 'channel':
      return drafted(state, event.id, { channel: event.channel })
    case 'sent':
      return sent(state, event)
    case 'accepted':
    case 'dropped':
      return { ...state, outbox: state.outbox.filter(({ ref }) => ref !== event.ref) }
    case 'refused':
      return changed(state, event.ref, { state: 'refused', why: event.why })
    case 'retried':
      return changed(state, event.ref, { state: 'sending', why: '', known: event.known })
  }
}

export const messageDraft = ({ drafts }: InboxState, id: string): MessageDraft => drafts[id] ?? emptyDraft

function drafted(state: InboxState, id: string, change: Partial<MessageDraft>): InboxState {
  const draft = { ...messageDraft(state, id), ...change }
  const { [id]: _before, ...others } = state.drafts
  const isBlank = draft.text === '' && draft.files.length === 0 && draft.channel === null
  return { ...state, drafts: isBlank ? others : { ...others, [id]: draft } }
}

/** Sending a template keeps the draft. */
function sent(state: InboxState, { id, message, known }: Extract<InboxEvent, { type: 'sent' }>): InboxState {
  const ref = state.lastRef + 1
  const sending: Sending = { ref, conversationId: id, message, state: 'sending', why: '', known }
  const cleared = message.template ? state : drafted(state, id, { text: '', files: [] })
  return { ...cleared, lastRef: ref, outbox: [...state.outbox, sending] }
}

function changed(state: InboxState, ref: number, change: Partial<Sending>): InboxState {
  return { ...state, outbox: state.outbox.map((one) => (one.ref === ref ? { ...one, ...change } : one)) }
}

/** Whether the message arrived is unknown: the user decides whether to send it again. */
const interrupted = (one: Sending): Sending =>
  one.state === 'refused'
    ? one
    : {
        ...one,
        state: 'refused',
        why: 'The page was reloaded before the server confirmed the message. Check whether it appears above before you retry.',
      }

export const inboxMemory = ({ open, drafts, outbox, lastRef }: InboxState): InboxMemory => ({
  open,
  drafts,
  outbox,
  lastRef,
})

// Selectors.

/** Messages of a conversation that are being sent, without those that the thread shows already. */
export function pendingMessages(state: InboxState, id: string, items: readonly ItemShown[]): Sending[] {
  const matched = new Set<string>()
  return state.outbox.filter((one) => {
    if (one.conversationId !== id) return false
    if (one.state === 'refused') return true
    const shown = items.find(
      ({ key, message }) =>
        message?.direction === 'outbound' &&
        !matched.has(key) &&
        !one.known.includes(key) &&
        (one.message.template !== undefined || message.body === one.message.text),
    )
    if (shown) matched.add(shown.key)
    return !shown
  })
}

/** The chosen channel, or the last one used in the conversation, if the number supports it. */
export function channelOf(draft: MessageDraft, reachable: ReachableShown): Channel {
  const preferred = [draft.channel, reachable.last_channel, 'texts', 'whatsapp'] as const
  return preferred.find((channel) => channel !== null && reachable[channel]) ?? 'texts'
}

export type Permission = { kind: 'write' | 'templates' } | { kind: 'nothing'; why: string }

export function permissionIn(conversation: ConversationShown, reachable: ReachableShown, channel: Channel): Permission {
  if (!conversation.may_write) {
    return {
      kind: 'nothing',
      why: 'Read-only: this number is not assigned to you. Ask an admin to assign it to reply.',
    }
  }
  const gone = conversation.people.filter(({ number }) => reachable.opted_out.includes(number))
  if (gone.length > 0) {
    const names = gone.map(({ contact, display }) => contact?.name ?? display).join(', ')
    const verb = gone.length === 1 ? 'has' : 'have'
    return { kind: 'nothing', why: `${names} ${verb} opted out. You can send messages again after they reply START.` }
  }
  if (!reachable.texts && !reachable.whatsapp) {
    return { kind: 'nothing', why: 'This number cannot send messages. An admin can set it up under SMS & WhatsApp.' }
  }
  // The server decides whether the window is open: in a sandbox its clock differs from that of this machine.
  return { kind: channel === 'whatsapp' && reachable.window_until === null ? 'templates' : 'write' }
}

export const conversationTitle = ({ people }: Pick<ConversationShown, 'people'>): string =>
  people.map(({ contact, display }) => contact?.name ?? display).join(', ')

const statusLabels: Record<string, string> = {
  pending: 'Pending',
  sent: 'Sent',
  delivered: 'Delivered',
  read: 'Read',
  failed: 'Failed',
  undelivered: 'Not delivered',
}

export const statusLabel = (status: string) => statusLabels[status] ?? ''
