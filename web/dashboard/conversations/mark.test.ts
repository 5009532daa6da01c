import { expect, test } from 'vitest'
import { marked } from './mark.ts'

test('words of a line that begin with a searched word are marked, whatever their case and accents', () => {
  const hits = (line: string, search: string) =>
    marked(line, search)
      .filter(({ isHit }) => isHit)
      .map(({ part }) => part)

  expect(hits('The Café delivery, twice delivered.', 'cafe deliv')).toEqual(['Café', 'delivery', 'delivered'])
  expect(marked('An invoice.', 'invoice').map(({ part }) => part)).toEqual(['An ', 'invoice', '.'])
  expect(marked('Nothing', 'xyz')).toEqual([{ part: 'Nothing', isHit: false, at: 0 }])
})
