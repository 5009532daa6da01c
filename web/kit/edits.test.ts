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
  expect(contested(question)).toMatchObject([{ field: 'name' }])
})

test('the same change of both users is no contest', () => {
  expect(contested({ conflict: conflict({ n: 2 }), loaded: { n: 1 }, mine: { n: 2 } })).toEqual([])
})

test('the order of properties has no meaning, that of lists has', () => {
  expect(sameValue({ a: 1, b: { c: 2, d: [1] } }, { b: { d: [1], c: 2 }, a: 1 })).toBe(true)
  expect(sameValue([1, 2], [2, 1])).toBe(false)
  expect(sameValue(null, undefined)).toBe(true)
})

test('widgets of a flow are merged one by one', () => {
  const welcome = { type: 'audio', name: 'Welcome' }
  const hours = { type: 'time_rule', name: 'Opening hours' }
  const box = { type: 'voicemail', name: 'Voicemail' }
  const question: ConflictQuestion = {
    conflict: conflict({ nodes: { welcome, hours: { ...hours, name: 'Summer hours' }, added: box } }),
    loaded: { start: 'welcome', nodes: { welcome, hours, box } },
    mine: { start: 'welcome', nodes: { welcome: { ...welcome, name: 'Hello' }, hours, box, own: box } },
  }

  expect(mergedWith(question).nodes).toEqual({
    welcome: { ...welcome, name: 'Hello' },
    hours: { ...hours, name: 'Summer hours' },
    added: box,
    own: box,
  })
  expect(contested(question)).toEqual([])
})

test('a widget that both users have changed is contested, and no other one', () => {
  const named = (name: string) => ({ type: 'audio', name })
  const question: ConflictQuestion = {
    conflict: conflict({ nodes: { a: named('Theirs'), b: named('Theirs') } }),
    loaded: { nodes: { a: named('Old'), b: named('Old') } },
    mine: { nodes: { a: named('Mine'), b: named('Old') } },
  }

  expect(contested(question)).toMatchObject([{ field: 'nodes', part: 'a' }])
  expect(mergedWith(question).nodes).toEqual({ a: named('Mine'), b: named('Theirs') })
})
