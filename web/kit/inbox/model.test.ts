import { describe, expect, test } from 'vitest'
import type { ConversationShown, ItemShown, ReachableShown } from './data.ts'
import {
  channelOf,
  conversationTitle,
  type InboxEvent,
  inboxMemory,
  initialInbox,
  maxFiles,
  messageDraft,
  type OutgoingMessage,
  pendingMessages,
  permissionIn,
  reduceInbox,
} from './model.ts'

const at = 1_800_000_000_000
const id = 'c1'
const stateAfter = (...events: InboxEvent[]) => events.reduce(reduceInbox, initialInbox)
const outgoing = (text: string, more: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
  channel: 'texts',
  text,
  files: [],
  ...more,
})
const send = (text: string, known: string[] = []): InboxEvent => ({ type: 'sent', id, message: outgoing(text), known })
const cat = { id: 'f1', name: 'cat.png', type: 'image/png' }

const message = (key: string, body: string): ItemShown => ({
  key,
  at,
  call: null,
  message: {
    id: key,
    direction: 'outbound',
    status: 'pending',
    channel: null,
    body,
    header: null,
    footer: null,
    buttons: [],
    media: [],
    author: null,
    user: null,
    trouble: null,
  },
})

const conversation = (more: Partial<ConversationShown> = {}): ConversationShown => ({
  id,
  line: { id: 1, name: 'Shop', digits: '+33 1 99 00 01 01' },
  is_group: false,
  people: [{ number: '+33612345678', display: '+33 6 12 34 56 78', contact: { id: 1, name: 'Ines' } }],
  unread: 0,
  assigned_to: null,
  archived: false,
  last_at: at,
  last_message: 'Hi',
  last_direction: 'inbound',
  may_write: true,
  ...more,
})

const reachable = (more: Partial<ReachableShown> = {}): ReachableShown => ({
  texts: true,
  whatsapp: true,
  window_until: null,
  opted_out: [],
  last_channel: null,
  ...more,
})

describe('drafts', () => {
  test('each conversation has its own draft, and an empty one is removed', () => {
    const state = stateAfter(
      { type: 'typed', id, text: 'Hello' },
      { type: 'attached', id, file: cat },
      { type: 'typed', id: 'c2', text: 'Other' },
      { type: 'typed', id: 'c2', text: '' },
    )

    expect(state.drafts).toEqual({ [id]: { text: 'Hello', files: [cat], channel: null } })
    expect(messageDraft(state, 'c2').text).toBe('')
    expect(reduceInbox(state, { type: 'detached', id, fileId: 'f1' }).drafts[id]?.files).toEqual([])
  })

  test('the number of attachments is limited', () => {
    const files = Array.from({ length: 12 }, (_, n) => ({ ...cat, id: `f${n}` }))
    const state = files.map((file): InboxEvent => ({ type: 'attached', id, file })).reduce(reduceInbox, initialInbox)

    expect(messageDraft(state, id).files).toHaveLength(maxFiles)
  })

  test('sending a message clears the draft, sending a template keeps it', () => {
    const typed = stateAfter({ type: 'typed', id, text: 'Hello' }, { type: 'channel', id, channel: 'whatsapp' })

    const sent = reduceInbox(typed, send('Hello'))
    const template = { id: 7, body: [], buttons: [] }
    const other = reduceInbox(typed, { type: 'sent', id, message: outgoing('', { template }), known: [] })

    expect(messageDraft(sent, id)).toEqual({ text: '', files: [], channel: 'whatsapp' })
    expect(messageDraft(other, id).text).toBe('Hello')
  })
})

describe('pending messages', () => {
  test('a message is shown at once, and only once', () => {
    const state = stateAfter(send('Hello', ['m1']))

    expect(pendingMessages(state, id, [message('m1', 'Hello')])).toHaveLength(1)
    expect(pendingMessages(state, id, [message('m1', 'Hello'), message('m2', 'Hello')])).toEqual([])
    expect(pendingMessages(state, 'c2', [])).toEqual([])
    expect(pendingMessages(reduceInbox(state, { type: 'accepted', ref: 1 }), id, [])).toEqual([])
  })

  test('the same text sent twice is two messages', () => {
    const state = stateAfter(send('Yes'), send('Yes'))

    expect(pendingMessages(state, id, [message('m1', 'Yes')])).toHaveLength(1)
  })

  test('a rejected message has a reason, and can be retried or discarded', () => {
    const refused = stateAfter(send('Hello'), { type: 'refused', ref: 1, why: 'Opted out' })

    expect(pendingMessages(refused, id, [message('m1', 'Hello')])).toMatchObject([
      { state: 'refused', why: 'Opted out' },
    ])
    expect(reduceInbox(refused, { type: 'retried', ref: 1, known: ['m1'] }).outbox).toMatchObject([
      { state: 'sending', why: '', known: ['m1'] },
    ])
    expect(reduceInbox(refused, { type: 'dropped', ref: 1 }).outbox).toEqual([])
  })

  test('a message that was pending at a reload is not reported as sent', () => {
    const state = stateAfter({ type: 'opened', id }, { type: 'typed', id: 'c2', text: 'Later' }, send('Hello'))

    const back = reduceInbox(initialInbox, { type: 'remembered', memory: inboxMemory(state) })

    expect(back).toMatchObject({ open: id, drafts: { c2: { text: 'Later' } } })
    expect(back.outbox).toMatchObject([
      { state: 'refused', why: expect.stringContaining('Check whether it appears above') },
    ])
  })
})

describe('channel and permission', () => {
  test.each([
    ['the last one used', {}, { last_channel: 'whatsapp' }, 'whatsapp'],
    ['texts', {}, {}, 'texts'],
    ['the chosen one', { channel: 'whatsapp' }, { last_channel: 'texts' }, 'whatsapp'],
    ['the one the number supports', { channel: 'whatsapp' }, { whatsapp: false }, 'texts'],
    ['the remaining one', {}, { texts: false, last_channel: 'texts' }, 'whatsapp'],
  ] as const)('the channel is %s', (_, draft, line, expected) => {
    expect(channelOf({ text: '', files: [], channel: null, ...draft }, reachable(line))).toBe(expected)
  })

  test('WhatsApp allows templates only after 24 hours', () => {
    const may = (until: number | null) =>
      permissionIn(conversation(), reachable({ window_until: until }), 'whatsapp').kind

    expect([may(at), may(null)]).toEqual(['write', 'templates'])
    expect(permissionIn(conversation(), reachable(), 'texts')).toEqual({ kind: 'write' })
  })

  test.each([
    ['not assigned to you', conversation({ may_write: false }), reachable()],
    ['Ines has opted out', conversation(), reachable({ opted_out: ['+33612345678'] })],
    ['cannot send messages', conversation(), reachable({ texts: false, whatsapp: false })],
  ])('nothing can be sent: %s', (why, one, line) => {
    expect(permissionIn(one, line, 'texts')).toEqual({ kind: 'nothing', why: expect.stringContaining(why) })
  })

  test('the title of a group lists its members', () => {
    const [ines] = conversation().people
    const people = [ines, { number: '+336', display: '+33 6', contact: null }].flatMap((one) => one ?? [])

    expect(conversationTitle({ people })).toBe('Ines, +33 6')
  })
})
