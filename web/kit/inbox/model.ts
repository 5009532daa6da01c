import type { ConversationShown, ItemShown, ReachableShown } from '../../../src/features/messages/inbox/view.ts'

// The inbox as a pure function: what somebody types, chooses and sends, and what became of it. What the server keeps is
// not in here: it is read again whenever something is new.

export type Channel = 'texts' | 'whatsapp'

/** A file that lies with the server and was not sent yet. */
export interface Chosen {
  id: string
  name: string
  type: string
}

export interface TemplateWish {
  id: number
  header?: { type: string; text?: string; mediaUrl?: string }
  body: { key: string; value: string }[]
  buttons: { index: number; type: 'url'; value: string }[]
}

export interface Wish {
  channel: Channel
  text: string
  files: Chosen[]
  template?: TemplateWish
}

export interface Draft {
  text: string
  files: Chosen[]
  /** Null: nobody has chosen. */
  channel: Channel | null
}

/** A message between the press of the button and the server's word. */
export interface Sending {
  ref: number
  conversationId: string
  wish: Wish
  state: 'sending' | 'refused'
  why: string
  /** What the thread showed when it was sent: whatever else comes with the same words is this one. */
  known: string[]
}

export interface InboxState {
  /** The conversation in front; null: the list. */
  open: string | null
  drafts: Record<string, Draft>
  outbox: Sending[]
  lastRef: number
}

export type InboxEvent =
  | { type: 'remembered'; memory: InboxMemory }
  | { type: 'opened'; id: string | null }
  | { type: 'typed'; id: string; text: string }
  | { type: 'chosen'; id: string; file: Chosen }
  | { type: 'put_back'; id: string; fileId: string }
  | { type: 'channel'; id: string; channel: Channel }
  | { type: 'sent'; id: string; wish: Wish; known: string[] }
  | { type: 'accepted'; ref: number }
  | { type: 'refused'; ref: number; why: string }
  | { type: 'again'; ref: number; known: string[] }
  | { type: 'dropped'; ref: number }

export type InboxMemory = Pick<InboxState, 'open' | 'drafts' | 'outbox' | 'lastRef'>

export const initial: InboxState = { open: null, drafts: {}, outbox: [], lastRef: 0 }
export const blank: Draft = { text: '', files: [], channel: null }
export const mostFiles = 10

export function reduce(state: InboxState, event: InboxEvent): InboxState {
  switch (event.type) {
    case 'remembered':
      return { ...event.memory, outbox: event.memory.outbox.map(interrupted) }
    case 'opened':
      return { ...state, open: event.id }
    case 'typed':
      return drafted(state, event.id, { text: event.text })
    case 'chosen': {
      const { files } = draftOf(state, event.id)
      return files.length >= mostFiles ? state : drafted(state, event.id, { files: [...files, event.file] })
    }
    case 'put_back':
      return drafted(state, event.id, {
        files: draftOf(state, event.id).files.filter(({ id }) => id !== event.fileId),
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
    case 'again':
      return changed(state, event.ref, { state: 'sending', why: '', known: event.known })
  }
}

export const draftOf = ({ drafts }: InboxState, id: string): Draft => drafts[id] ?? blank

function drafted(state: InboxState, id: string, change: Partial<Draft>): InboxState {
  const draft = { ...draftOf(state, id), ...change }
  const { [id]: _before, ...others } = state.drafts
  const isBlank = draft.text === '' && draft.files.length === 0 && draft.channel === null
  return { ...state, drafts: isBlank ? others : { ...others, [id]: draft } }
}

/** A template leaves what was typed where it is. */
function sent(state: InboxState, { id, wish, known }: Extract<InboxEvent, { type: 'sent' }>): InboxState {
  const ref = state.lastRef + 1
  const sending: Sending = { ref, conversationId: id, wish, state: 'sending', why: '', known }
  const cleared = wish.template ? state : drafted(state, id, { text: '', files: [] })
  return { ...cleared, lastRef: ref, outbox: [...state.outbox, sending] }
}

function changed(state: InboxState, ref: number, change: Partial<Sending>): InboxState {
  return { ...state, outbox: state.outbox.map((one) => (one.ref === ref ? { ...one, ...change } : one)) }
}

/** Nobody knows whether it arrived: that is said, and whoever wrote it decides. */
const interrupted = (one: Sending): Sending =>
  one.state === 'refused'
    ? one
    : {
        ...one,
        state: 'refused',
        why: 'The page was closed before the server answered. See whether it is above before you send it again.',
      }

export const memoryOf = ({ open, drafts, outbox, lastRef }: InboxState): InboxMemory => ({
  open,
  drafts,
  outbox,
  lastRef,
})

// What the screens ask.

/** What is on its way in a conversation, without what the thread shows already. */
export function onTheirWay(state: InboxState, id: string, items: readonly ItemShown[]): Sending[] {
  const taken = new Set<string>()
  return state.outbox.filter((one) => {
    if (one.conversationId !== id) return false
    if (one.state === 'refused') return true
    const shown = items.find(
      ({ key, message }) =>
        message?.direction === 'outbound' &&
        !taken.has(key) &&
        !one.known.includes(key) &&
        (one.wish.template !== undefined || message.body === one.wish.text),
    )
    if (shown) taken.add(shown.key)
    return !shown
  })
}

/** The one that was chosen, or that was last used here, as far as the line has it. */
export function channelOf(draft: Draft, reachable: ReachableShown): Channel {
  const wishes = [draft.channel, reachable.last_channel, 'texts', 'whatsapp'] as const
  return wishes.find((channel) => channel !== null && reachable[channel]) ?? 'texts'
}

export type Permission = { may: 'write' | 'templates' } | { may: 'nothing'; why: string }

export function permissionIn(conversation: ConversationShown, reachable: ReachableShown, channel: Channel): Permission {
  if (!conversation.may_write) {
    return { may: 'nothing', why: 'You can read this. To answer, you must be linked to the line.' }
  }
  const gone = conversation.people.filter(({ number }) => reachable.opted_out.includes(number))
  if (gone.length > 0) {
    const names = gone.map(({ contact, display }) => contact?.name ?? display).join(', ')
    const verb = gone.length === 1 ? 'has' : 'have'
    return { may: 'nothing', why: `${names} ${verb} opted out. You can write again after they send START.` }
  }
  if (!reachable.texts && !reachable.whatsapp) {
    return { may: 'nothing', why: 'This line cannot send messages. An admin can set it up.' }
  }
  // Whether it is over is the server's to say: in a sandbox its clock is not that of this machine.
  return { may: channel === 'whatsapp' && reachable.window_until === null ? 'templates' : 'write' }
}

export const titleOf = ({ people }: Pick<ConversationShown, 'people'>): string =>
  people.map(({ contact, display }) => contact?.name ?? display).join(', ')

const statusWords: Record<string, string> = {
  pending: 'Waiting to be sent',
  sent: 'Sent',
  delivered: 'Delivered',
  read: 'Read',
  failed: 'Not sent',
  undelivered: 'Not delivered',
}

export const wordFor = (status: string) => statusWords[status] ?? ''
