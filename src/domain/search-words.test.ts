import { expect, test } from 'vitest'
import { endingsOf, searchWords } from './search-words.ts'

test('words of a name are compared without case, accents and repetitions', () => {
  expect(searchWords(['Élodie', 'DUBOIS', null, ' Dubois & Söhne '])).toEqual(['&', 'dubois', 'elodie', 'sohne'])
  expect(searchWords(['', '   ', null])).toEqual([])
})

test('a very long name has a bounded number of words of a bounded length', () => {
  const words = searchWords([Array.from({ length: 200 }, (_, i) => `${i}${'x'.repeat(100)}`).join(' ')])

  expect(words).toHaveLength(30)
  expect(Math.max(...words.map((word) => word.length))).toBe(40)
})

test('a word is found by each of its endings, and a letter outside the basic plane stays whole', () => {
  expect(endingsOf('noor')).toEqual(['noor', 'oor', 'or', 'r'])
  expect(endingsOf('aaa')).toEqual(['aaa', 'aa', 'a'])
  expect(endingsOf('𠮷田')).toEqual(['𠮷田', '田'])
})
