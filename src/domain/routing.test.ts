import { expect, test } from 'vitest'
import { planRinging, type RingCandidate, usersOfTargets } from './routing.ts'

const at = 100_000
const free = (userId: number, since = 0): RingCandidate => ({
  userId,
  teamId: null,
  availability: 'available',
  since,
  reserved: false,
})
const people = [free(1, 30_000), free(2, 10_000), free(3, 20_000), free(4, 10_000)]
const random = (userId: number) => [0, 0.9, 0.1, 0.5, 0.3][userId] ?? 0

test.each([
  ['simultaneous', [1, 2, 3, 4]],
  ['one_by_one', [1, 2, 3, 4]],
  ['longest_idle', [2, 4, 3, 1]],
  ['random', [2, 4, 3, 1]],
] as const)('%s', (strategy, expected) => {
  const { order } = planRinging(people, strategy, [], at, random)

  expect(order.map(({ userId }) => userId)).toEqual(expected)
})

test('only available users are rung; all candidates are listed', () => {
  const busy: RingCandidate[] = [
    { ...free(1), availability: 'in_call' },
    { ...free(2), availability: 'after_call_work' },
    { ...free(3), reserved: true },
    free(4),
    free(5, 40_000),
  ]

  const { order, considered } = planRinging(busy, 'simultaneous', [4], at, random)

  expect(order).toEqual([{ userId: 5, teamId: null }])
  expect(considered).toHaveLength(5)
  expect(considered.at(-1)).toMatchObject({ userId: 5, sinceMs: 60_000 })
})

test('a user referenced twice counts once, by the first reference', () => {
  const targets = [
    { type: 'user', id: 2 },
    { type: 'team', id: 9 },
    { type: 'user', id: 1 },
  ] as const

  expect(usersOfTargets(targets, () => [1, 2, 3])).toEqual([
    { userId: 2, teamId: null },
    { userId: 1, teamId: 9 },
    { userId: 3, teamId: 9 },
  ])
})
