import { describe, expect, test } from 'vitest'
import type { ConversationShown, ItemShown, ReachableShown } from '../../../src/features/messages/inbox/view.ts'
import {
  channelOf,
  draftOf,
  type InboxEvent,
  initial,
  memoryOf,
  mostFiles,
  onTheirWay,
  permissionIn,
  reduce,
  titleOf,
  type Wish,
} from './model.ts'

const at = 1_800_000_000_000
const id = 'c1'
const stateAfter = (...events: InboxEvent[]) => events.reduce(reduce, initial)
const wish = (text: string, more: Partial<Wish> = {}): Wish => ({ channel: 'texts', text, files: [], ...more })
const send = (text: string, known: string[] = []): InboxEvent => ({ type: 'sent', id, wish: wish(text), known })
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

describe('writing', () => {
  test('each conversation has its own draft, and an empty one is forgotten', () => {
    const state = stateAfter(
      { type: 'typed', id, text: 'Hello' },
      { type: 'chosen', id, file: cat },
      { type: 'typed', id: 'c2', text: 'Other' },
      { type: 'typed', id: 'c2', text: '' },
    )

    expect(state.drafts).toEqual({ [id]: { text: 'Hello', files: [cat], channel: null } })
    expect(draftOf(state, 'c2').text).toBe('')
    expect(reduce(state, { type: 'put_back', id, fileId: 'f1' }).drafts[id]?.files).toEqual([])
  })

  test('no more files than a message takes', () => {
    const files = Array.from({ length: 12 }, (_, n) => ({ ...cat, id: `f${n}` }))
    const state = files.map((file): InboxEvent => ({ type: 'chosen', id, file })).reduce(reduce, initial)

    expect(draftOf(state, id).files).toHaveLength(mostFiles)
  })

  test('what is sent leaves the draft, and a template leaves it where it is', () => {
    const typed = stateAfter({ type: 'typed', id, text: 'Hello' }, { type: 'channel', id, channel: 'whatsapp' })

    const sent = reduce(typed, send('Hello'))
    const template = { id: 7, body: [], buttons: [] }
    const other = reduce(typed, { type: 'sent', id, wish: wish('', { template }), known: [] })

    expect(draftOf(sent, id)).toEqual({ text: '', files: [], channel: 'whatsapp' })
    expect(draftOf(other, id).text).toBe('Hello')
  })
})

describe('on the way', () => {
  test('a message is shown at once, and once', () => {
    const state = stateAfter(send('Hello', ['m1']))

    expect(onTheirWay(state, id, [message('m1', 'Hello')])).toHaveLength(1)
    expect(onTheirWay(state, id, [message('m1', 'Hello'), message('m2', 'Hello')])).toEqual([])
    expect(onTheirWay(state, 'c2', [])).toEqual([])
    expect(onTheirWay(reduce(state, { type: 'accepted', ref: 1 }), id, [])).toEqual([])
  })

  test('the same words twice are two messages', () => {
    const state = stateAfter(send('Yes'), send('Yes'))

    expect(onTheirWay(state, id, [message('m1', 'Yes')])).toHaveLength(1)
  })

  test('what is refused says why, and can be sent again or thrown away', () => {
    const refused = stateAfter(send('Hello'), { type: 'refused', ref: 1, why: 'Opted out' })

    expect(onTheirWay(refused, id, [message('m1', 'Hello')])).toMatchObject([{ state: 'refused', why: 'Opted out' }])
    expect(reduce(refused, { type: 'again', ref: 1, known: ['m1'] }).outbox).toMatchObject([
      { state: 'sending', why: '', known: ['m1'] },
    ])
    expect(reduce(refused, { type: 'dropped', ref: 1 }).outbox).toEqual([])
  })

  test('what was on its way at a reload is not said to be sent', () => {
    const state = stateAfter({ type: 'opened', id }, { type: 'typed', id: 'c2', text: 'Later' }, send('Hello'))

    const back = reduce(initial, { type: 'remembered', memory: memoryOf(state) })

    expect(back).toMatchObject({ open: id, drafts: { c2: { text: 'Later' } } })
    expect(back.outbox).toMatchObject([{ state: 'refused', why: expect.stringContaining('See whether it is above') }])
  })
})

describe('how somebody can be written to', () => {
  test.each([
    ['the one used last', {}, { last_channel: 'whatsapp' }, 'whatsapp'],
    ['texts', {}, {}, 'texts'],
    ['the one chosen', { channel: 'whatsapp' }, { last_channel: 'texts' }, 'whatsapp'],
    ['what the line has', { channel: 'whatsapp' }, { whatsapp: false }, 'texts'],
    ['what is left', {}, { texts: false, last_channel: 'texts' }, 'whatsapp'],
  ] as const)('by %s', (_, draft, line, expected) => {
    expect(channelOf({ text: '', files: [], channel: null, ...draft }, reachable(line))).toBe(expected)
  })

  test('by WhatsApp with templates only, once a day has gone by', () => {
    const may = (until: number | null) =>
      permissionIn(conversation(), reachable({ window_until: until }), 'whatsapp').may

    expect([may(at), may(null)]).toEqual(['write', 'templates'])
    expect(permissionIn(conversation(), reachable(), 'texts')).toEqual({ may: 'write' })
  })

  test.each([
    ['linked to the line', conversation({ may_write: false }), reachable()],
    ['Ines has opted out', conversation(), reachable({ opted_out: ['+33612345678'] })],
    ['cannot send messages', conversation(), reachable({ texts: false, whatsapp: false })],
  ])('not at all: %s', (why, one, line) => {
    expect(permissionIn(one, line, 'texts')).toEqual({ may: 'nothing', why: expect.stringContaining(why) })
  })

  test('a group is called by everybody in it', () => {
    const [ines] = conversation().people
    const people = [ines, { number: '+336', display: '+33 6', contact: null }].flatMap((one) => one ?? [])

    expect(titleOf({ people })).toBe('Ines, +33 6')
  })
})
