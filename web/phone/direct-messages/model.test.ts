import { expect, test } from 'vitest'
import {
  type DirectEvent,
  draftTo,
  initialDirect,
  nextToSend,
  reduceDirect,
  restoredDirect,
  unsentTo,
} from './model.ts'

const after = (...events: DirectEvent[]) => events.reduce(reduceDirect, initialDirect)
const send = (key: string, colleagueId: number, text: string, last = 0): DirectEvent => ({
  type: 'sent',
  key,
  colleagueId,
  text,
  after: last,
})
const keys = (messages: readonly { key: string }[]) => messages.map(({ key }) => key)

test('sending clears the draft to this colleague only', () => {
  const state = after(
    { type: 'typed', colleagueId: 1, text: 'Hello' },
    { type: 'typed', colleagueId: 2, text: 'Draft' },
    send('a', 1, 'Hello'),
  )

  expect([draftTo(state, 1), draftTo(state, 2)]).toEqual(['', 'Draft'])
})

test('messages to one colleague are sent in order; a refused one holds up none', () => {
  const state = after(send('a', 1, 'One'), send('b', 1, 'Two'), send('c', 2, 'Other'))

  expect(keys(nextToSend(state))).toEqual(['a', 'c'])
  expect(keys(nextToSend(reduceDirect(state, { type: 'refused', key: 'a', why: 'Deactivated' })))).toEqual(['b', 'c'])
  expect(keys(nextToSend(reduceDirect(state, { type: 'accepted', key: 'a' })))).toEqual(['b', 'c'])
})

test('after a reload an interrupted message is sent again with its key, and a refused one stays', () => {
  const state = after(send('a', 1, 'One'), { type: 'started', key: 'a' }, send('b', 1, 'Two'), {
    type: 'refused',
    key: 'b',
    why: 'Deactivated',
  })

  expect(restoredDirect(state).outbox.map((one) => [one.key, one.state])).toEqual([
    ['a', 'waiting'],
    ['b', 'refused'],
  ])
})

test('a message that the conversation shows already is not shown as unsent, each one once', () => {
  const state = after(send('a', 1, 'Yes', 10), send('b', 1, 'Yes', 10), send('c', 2, 'Yes'))
  const shown = (id: number, sender_id = 5) => ({ id, sender_id, text: 'Yes' })

  expect(keys(unsentTo(state, 1, [shown(9), shown(11, 1)]))).toEqual(['a', 'b'])
  expect(keys(unsentTo(state, 1, [shown(9), shown(12)]))).toEqual(['b'])
  expect(keys(unsentTo(state, 1, [shown(12), shown(13)]))).toEqual([])
})
