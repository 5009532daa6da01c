import { expect, test } from 'vitest'
import { differenceOf } from './change.ts'

test('a change has a sign, and is a number where there is nothing to compare with', () => {
  expect(differenceOf(15, 12)).toEqual({ way: 'up', words: '+25 %' })
  expect(differenceOf(9, 12)).toEqual({ way: 'down', words: '−25 %' })
  expect(differenceOf(12, 12)).toEqual({ way: 'same', words: '±0 %' })
  expect(differenceOf(3, 0)).toEqual({ way: 'up', words: '+3' })
  expect(differenceOf(80, 84, true)).toEqual({ way: 'down', words: '−4 points' })
  expect(differenceOf(85, 84, true)).toEqual({ way: 'up', words: '+1 point' })
})
