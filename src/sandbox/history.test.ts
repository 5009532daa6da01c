import { describe, expect, test } from 'vitest'
import { missedReasons } from '../domain/call/record.ts'
import { day } from '../lib/clock.ts'
import { seededRandom } from '../lib/random.ts'
import { numbers, voiceAgent } from './demo-data.ts'
import { planHistory } from './history.ts'
import type { Cast } from './past-call.ts'

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
    weight: 1,
    voiceAgent: index === 4 ? { ...voiceAgent(null), id: 'robin' } : null,
  })),
  phones: ['+33199123456', '+33199654321'],
  customers: new Map([
    ['+33199123456', { name: 'Alba Perrin', company: 'Café des Arts' }],
    ['+33199654321', { name: 'Ben Haas', company: 'Hotel Alte Post' }],
  ]),
  agents: new Map(people.map((id) => [id, `Agent ${id}`])),
  teams: new Map([[1, [4, 5, 6]]]),
  tags: new Map([
    ['Question', 1],
    ['Order', 2],
    ['Repair', 3],
  ]),
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

  test('is worth reading: conversations and voicemails in full sentences, with names and without placeholders', () => {
    const talks = calls.flatMap(({ talk }) => talk ?? [])

    expect(talks.length).toBeGreaterThan(50)
    const texts = talks.flatMap(({ lines, summary, next }) => [
      ...lines.map(({ text }) => text),
      summary ?? '',
      ...next,
    ])
    expect(texts.filter((text) => /[{}]|undefined|the team/.test(text))).toEqual([])
    expect(new Set(talks.map(({ lines }) => lines.map(({ text }) => text).join(' '))).size).toBeGreaterThan(45)
    for (const { lines } of talks) {
      const times = lines.flatMap(({ start, end }) => [start, end])
      expect(times.toSorted((a, b) => a - b)).toEqual(times)
    }
    const moods = talks.map(({ mood }) => mood)
    for (const mood of ['POSITIVE', 'NEUTRAL', 'NEGATIVE'] as const) expect(moods).toContain(mood)
  })

  test('leaves work for today: missed calls and voicemails of the last hours, while older ones are handled', () => {
    const waiting = calls.filter(({ record, archived }) => record.missedReason !== null && !archived)

    const today = waiting.filter(({ record }) => record.startedAt > monday - day / 4)
    expect(today.length).toBeGreaterThan(3)
    expect(today.filter(({ voicemailMs }) => voicemailMs !== null).length).toBeGreaterThan(1)
    expect(waiting.length).toBeLessThan(40)
    const ends = calls.flatMap(({ session }) => session?.endReason ?? [])
    expect(new Set(ends)).toEqual(new Set(['answered', 'escalated', 'caller_hung_up']))
  })

  test('makes sense: who took a call was rung, what was missed was not answered, times follow each other', () => {
    for (const { record, rings, parties, voicemailMs, session } of calls) {
      const { direction, startedAt, answeredAt, endedAt, userId, missedReason } = record
      const times = [startedAt, answeredAt ?? startedAt, endedAt ?? 0]
      expect(times.toSorted((a, b) => a - b)).toEqual(times)
      expect(missedReason !== null).toBe(direction === 'inbound' && answeredAt === null)
      if (missedReason === 'short_abandoned') expect((endedAt ?? 0) - startedAt).toBeLessThan(10_000)
      if (direction === 'inbound' && answeredAt !== null && session === null) {
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
