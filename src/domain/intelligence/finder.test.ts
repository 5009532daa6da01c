import { expect, test } from 'vitest'
import { byMeaning } from './finder.ts'
import { topicsNear, topicsOf } from './topics.ts'

const phrases = ['I can offer you a discount', 'have a nice day']
const clauses = ['we do not give discounts', 'ten percent less for you', 'bye']
const nearness = [
  [0.62, 0.1],
  [0.47, 0.0],
  [0.05, 0.44],
]

test('the nearest clause counts if it is near enough, which depends on the strictness', () => {
  const find = byMeaning(clauses, phrases, nearness)

  expect(find(['I can offer you a discount'], 1)).toEqual({ clause: 'ten percent less for you', negated: false })
  expect(find(['have a nice day'], 0)).toEqual({ clause: 'bye', negated: false })
  expect(find(['have a nice day'], 1)).toBeNull()
  expect(find(['something unknown'], 0)).toBeNull()
})

test('meaning does not see a negation, so words are looked at', () => {
  const find = byMeaning(clauses, phrases, nearness)

  expect(find(['I can offer you a discount'], 2)).toEqual({ clause: 'we do not give discounts', negated: true })
})

test('a topic may be meant in other words', () => {
  const utterances = [
    { start: 0, end: 1, text: 'It never arrived.', speaker: { side: 'external' as const, phone: '+1' } },
  ]
  const transcript = { language: 'en', utterances }
  const near = topicsNear(
    [
      { name: 'Lost goods', text: 'My suitcase is gone.' },
      { name: 'Pricing', text: 'Pricing' },
    ],
    [[0.61, 0.2]],
  )

  expect(topicsOf(transcript, [{ name: 'Lost goods', keywords: ['lost'] }], near)).toEqual(['Lost goods'])
})
