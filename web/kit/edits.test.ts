import { expect, test } from 'vitest'
import { type ConflictQuestion, contested, loadedOf, mergedWith, sameValue } from './edits.ts'

const conflict = (current: Record<string, unknown>) => ({ by: null, via: 'user' as const, at: null, current })

test('a form sends the loaded values of the fields that it saves', () => {
  expect(loadedOf({ name: 'New', color: '#fff' }, { id: 1, name: 'Old', color: '#fff', link: 'x' })).toEqual({
    name: 'Old',
    color: '#fff',
  })
})

test('fields that only another user has changed keep the saved value', () => {
  const question: ConflictQuestion = {
    conflict: conflict({ color: '#000', name: 'Theirs' }),
    loaded: { name: 'Old', color: '#fff', on: true },
    mine: { name: 'Mine', color: '#fff', on: false },
  }

  expect(mergedWith(question)).toEqual({ name: 'Mine', color: '#000', on: false })
  expect(contested(question)).toEqual(['name'])
})

test('the same change of both users is no contest', () => {
  expect(contested({ conflict: conflict({ n: 2 }), loaded: { n: 1 }, mine: { n: 2 } })).toEqual([])
})

test('the order of properties has no meaning, that of lists has', () => {
  expect(sameValue({ a: 1, b: { c: 2, d: [1] } }, { b: { d: [1], c: 2 }, a: 1 })).toBe(true)
  expect(sameValue([1, 2], [2, 1])).toBe(false)
  expect(sameValue(null, undefined)).toBe(true)
})
