import { expect, test } from 'vitest'
import { newRecord } from '../domain/call/record.ts'
import { day, hour } from '../lib/clock.ts'
import type { PastCall } from './past-call.ts'
import { planDays } from './past-days.ts'

const monday = Date.UTC(2026, 5, 15, 12)

const callFrom = (userId: number, joinedAt: number, leftAt: number): PastCall => ({
  uuid: '',
  record: newRecord('inbound', joinedAt),
  rings: [],
  parties: [{ userId, way: 'taken', joinedAt, leftAt, gaveAt: null }],
  tags: [],
  comments: [],
  archived: false,
  voicemailMs: null,
  talk: null,
  session: null,
})

test('users start, take calls, have lunch and finish: in order, one status at a time, and each day ends', () => {
  const sunday = monday - day
  const calls = [
    callFrom(1, monday - 3 * hour, monday - 2.9 * hour),
    callFrom(1, monday - 2.95 * hour, monday - 2.8 * hour),
    callFrom(1, sunday, sunday + hour),
  ]

  const days = planDays([1, 2], calls, monday)

  for (const user of [1, 2]) {
    const own = days.filter(({ userId }) => userId === user)
    const times = own.map(({ at }) => at)
    expect(times.toSorted((a, b) => a - b)).toEqual(times)
    expect(own.every(({ granular }, i) => granular !== own[i - 1]?.granular)).toBe(true)
    expect([own[0]?.granular, own.at(-1)?.granular]).toEqual(['available', 'offline'])
    expect(Math.max(...times)).toBeLessThan(monday)
  }
  const talks = days.filter(({ granular }) => granular === 'in_call').map(({ at }) => at)
  expect(talks).toEqual([sunday, monday - 3 * hour])
  expect(days.some(({ reason }) => reason === 'out_for_lunch')).toBe(true)
})
