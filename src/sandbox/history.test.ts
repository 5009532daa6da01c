import { describe, expect, test } from 'vitest'
import { missedReasons } from '../domain/call/record.ts'
import { day } from '../lib/clock.ts'
import { seededRandom } from '../lib/random.ts'
import { numbers } from './demo-data.ts'
import { type Cast, planHistory } from './history.ts'

const monday = Date.UTC(2026, 5, 15, 12)
const people = [1, 2, 3, 4, 5, 6, 7, 8]

const cast: Cast = {
  lines: numbers.map((number, index) => ({
    id: index + 1,
    digits: number.digits,
    validated: number.validated,
    recording: number.recording,
    timeZone: number.timeZone,
    flow: number.flow({ users: people, teams: [1, 2, 3] }),
    ringers: [4, 5, 6],
    linked: [4, 5, 6],
    teamId: 1,
  })),
  phones: ['+33199123456', '+33199654321'],
  tagIds: [1, 2, 3],
}

const calls = planHistory(cast, monday, seededRandom(42))
const records = calls.map(({ record }) => record)

describe('the past of the demo company', () => {
  test('is the same for the same seed, and another for another', () => {
    expect(planHistory(cast, monday, seededRandom(42))).toEqual(calls)
    expect(planHistory(cast, monday, seededRandom(43))).not.toEqual(calls)
  })

  test('is a few hundred calls of the last thirty days, in order, all of them over', () => {
    expect(calls.length).toBeGreaterThan(250)
    expect(calls.length).toBeLessThan(700)
    const starts = records.map(({ startedAt }) => startedAt)
    expect(starts.toSorted((a, b) => a - b)).toEqual(starts)
    expect(Math.min(...starts)).toBeGreaterThan(monday - 30 * day)
    expect(records.every(({ endedAt }) => endedAt !== null && endedAt < monday)).toBe(true)
  })

  test('has calls of every kind: each reason to miss one, both ways, passed on, tagged, commented, with a message', () => {
    for (const reason of missedReasons) {
      expect(
        records.some(({ missedReason }) => missedReason === reason),
        reason,
      ).toBe(true)
    }
    expect(records.some(({ direction, answeredAt }) => direction === 'outbound' && answeredAt === null)).toBe(true)
    expect(records.some(({ direction, answeredAt }) => direction === 'outbound' && answeredAt !== null)).toBe(true)
    expect(records.some(({ transferredTo }) => transferredTo !== null)).toBe(true)
    expect(records.some(({ ivrOptions }) => ivrOptions.length > 0)).toBe(true)
    expect(records.some(({ external }) => external === 'anonymous')).toBe(true)
    expect(calls.some(({ tags }) => tags.length === 2)).toBe(true)
    expect(calls.some(({ comments }) => comments.length > 0)).toBe(true)
    expect(calls.some(({ voicemailMs }) => voicemailMs !== null)).toBe(true)
  })

  test('makes sense: who took a call was rung, what was missed was not answered, times follow each other', () => {
    for (const { record, rings, parties, voicemailMs } of calls) {
      const { direction, startedAt, answeredAt, endedAt, userId, missedReason } = record
      const times = [startedAt, answeredAt ?? startedAt, endedAt ?? 0]
      expect(times.toSorted((a, b) => a - b)).toEqual(times)
      expect(missedReason !== null).toBe(direction === 'inbound' && answeredAt === null)
      if (missedReason === 'short_abandoned') expect((endedAt ?? 0) - startedAt).toBeLessThan(10_000)
      if (direction === 'inbound' && answeredAt !== null) {
        const first = record.transferredBy ?? userId
        const takers = [...new Set([first, userId])]
        expect(rings.filter(({ outcome }) => outcome === 'answered').map((ring) => ring.userId)).toEqual(takers)
        expect(parties.map((party) => party.userId)).toEqual(takers)
        expect(parties[0]?.joinedAt).toBe(answeredAt)
      }
      expect(parties.at(-1)?.leftAt ?? endedAt).toBe(endedAt)
      if (voicemailMs !== null) expect(missedReason).not.toBeNull()
      expect(record.participants[0]).toEqual({ kind: 'external', phone: record.external })
    }
    expect(new Set(calls.map(({ uuid }) => uuid)).size).toBe(calls.length)
  })
})
