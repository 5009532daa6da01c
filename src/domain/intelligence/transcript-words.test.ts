import { expect, test } from 'vitest'
import type { Utterance } from './transcript.ts'
import { linesFound, talkTimes, transcriptSearch, transcriptWords } from './transcript-words.ts'

const line = (start: number, end: number, text: string, side: 'internal' | 'external' = 'internal'): Utterance => ({
  start,
  end,
  text,
  speaker: side === 'internal' ? { side, userId: 1 } : { side, phone: '33199000001' },
})

test('words are compared without case, accents and punctuation', () => {
  expect(transcriptWords([line(0, 1, "L'été, c'est fini!"), line(1, 2, 'Été 2026')])).toEqual([
    '2026',
    'est',
    'ete',
    'fini',
  ])
})

test('the last word of a search may be a beginning, unless a space follows', () => {
  expect(transcriptSearch('Delivery date')).toEqual({ whole: ['delivery'], beginning: 'date' })
  expect(transcriptSearch('Delivery date ')).toEqual({ whole: ['delivery', 'date'], beginning: undefined })
  expect(transcriptSearch(' ? a ')).toBeUndefined()
})

test('the lines with most of the words are shown, in the order of the call', () => {
  const lines = [line(0, 1, 'The delivery is late'), line(1, 2, 'Hello'), line(2, 3, 'A delivery date, please')]
  const search = transcriptSearch('delivery da')
  expect(search && linesFound(lines, search, 1).map(({ start }) => start)).toEqual([2])
  expect(search && linesFound(lines, search, 3).map(({ start }) => start)).toEqual([0, 2])
})

test('the talk time of each side is the length of its lines', () => {
  expect(talkTimes([line(0, 2.5, 'Hello'), line(3, 4, 'Hi', 'external')])).toEqual({
    internalMs: 2500,
    externalMs: 1000,
  })
})
