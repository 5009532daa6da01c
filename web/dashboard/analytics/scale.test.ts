import { expect, test } from 'vitest'
import { labelEvery, stepsUpTo } from './scale.ts'

test('the steps of an axis are round, and reach what is shown', () => {
  expect(stepsUpTo(1)).toEqual([0, 1])
  expect(stepsUpTo(3)).toEqual([0, 1, 2, 3])
  expect(stepsUpTo(7)).toEqual([0, 2, 4, 6, 8])
  expect(stepsUpTo(100)).toEqual([0, 25, 50, 75, 100])
  for (let max = 1; max < 5_000; max += 7) {
    const steps = stepsUpTo(max)
    expect(steps.at(-1)).toBeGreaterThanOrEqual(max)
    expect(steps.length).toBeLessThanOrEqual(6)
  }
})

test('labels keep apart', () => {
  expect([labelEvery(7, 700), labelEvery(30, 700), labelEvery(24, 300), labelEvery(0, 300)]).toEqual([1, 2, 4, 1])
})
