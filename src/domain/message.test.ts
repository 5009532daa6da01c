import { describe, expect, test } from 'vitest'
import { mediaTypeOf, optKeywordIn, statusOfAll, stepsTo, windowIsOpen, windowMs } from './message.ts'

describe('statuses only move forward', () => {
  test.each([
    ['pending', 'sent', ['sent']],
    ['pending', 'delivered', ['sent', 'delivered']],
    ['sent', 'read', ['delivered', 'read']],
    ['pending', 'failed', ['failed']],
    ['delivered', 'sent', []],
    ['delivered', 'delivered', []],
    ['delivered', 'undelivered', []],
    ['failed', 'delivered', []],
    ['received', 'read', []],
  ] as const)('%s, then %s', (now, goal, steps) => {
    expect(stepsTo(now, goal)).toEqual(steps)
  })
})

test.each([
  [['handed', 'delivered'], 'sent'],
  [['delivered', 'delivered'], 'delivered'],
  [['delivered', 'read'], 'delivered'],
  [['read', 'read'], 'read'],
  [['delivered', 'undelivered'], 'undelivered'],
  [['delivered', 'failed'], 'failed'],
] as const)('pieces that are %j make a message that is %s', (pieces, status) => {
  expect(statusOfAll(pieces)).toBe(status)
})

test.each([
  ['STOP', 'stop'],
  [' stop. ', 'stop'],
  ['Start!', 'start'],
  ['please stop calling', undefined],
  ['', undefined],
] as const)('%j is the opt-out keyword %s', (body, keyword) => {
  expect(optKeywordIn(body)).toBe(keyword)
})

test('the window closes a day after the last message of the customer', () => {
  expect(windowIsOpen(undefined, 0)).toBe(false)
  expect(windowIsOpen(0, windowMs - 1)).toBe(true)
  expect(windowIsOpen(0, windowMs)).toBe(false)
})

test.each([
  ['image/png', Buffer.from('89504e470d0a1a0a0000', 'hex')],
  ['image/jpeg', Buffer.from('ffd8ffe0', 'hex')],
  ['audio/mpeg', Buffer.from('fff340c0', 'hex')],
  ['text/vcard', Buffer.from('BEGIN:VCARD\r\nVERSION:3.0')],
  ['application/pdf', Buffer.from('%PDF-1.7')],
  [undefined, Buffer.from('<html>')],
  [undefined, Buffer.alloc(0)],
])('bytes are %s', (type, bytes) => {
  expect(mediaTypeOf(bytes)).toBe(type)
})
