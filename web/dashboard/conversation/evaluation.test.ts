import { describe, expect, test } from 'vitest'
import type { GuideOf } from '../intelligence/guide.ts'
import { answered, type Evaluated, evaluationDraft, evaluationRequest, scoresOf, scoreWords } from './evaluation.ts'

const score = { score_points: 0, total_points: 0, normalized_score: 0 }
const question = { points: 10, strictness: 1 as const, ai_enabled: true, phrases: [] }
const card: GuideOf<'scorecard'> = {
  id: 1,
  kind: 'scorecard',
  name: 'Quality',
  active: true,
  created_at: '',
  updated_at: '',
  scorecard: {
    categories: [
      { name: 'One', questions: [{ ...question, text: 'New?', type: 'BINARY' }] },
      { name: 'Two', questions: [{ ...question, text: 'Greets?', type: 'BINARY' }] },
    ],
  },
}
const common = { order: 1, strictness: 1, ai_enabled: true, score }
const before: Evaluated = {
  scorecard: { name: 'Quality', description: '' },
  feedback: 'Good',
  reviewee_user_id: 1,
  reviewer_user_id: 7,
  score,
  categories: [
    {
      name: 'Old',
      order: 1,
      score,
      questions: [{ ...common, text: 'Greets?', type: 'BINARY', answer: 'YES', feedback: '“hi”' }],
    },
  ],
}

describe('an evaluation', () => {
  test('is scored in total and by category, without questions that do not apply', () => {
    const answers = [
      { answer: 'YES' as const, feedback: '' },
      { answer: 'N/A' as const, feedback: '' },
    ]
    const full = { score_points: 10, total_points: 10, normalized_score: 100 }

    expect(scoresOf(card, { feedback: '', answers })).toEqual({ whole: full, categories: [full, score] })
  })

  test('begins with what was answered before, wherever the question stands now', () => {
    expect(evaluationDraft(card, before)).toEqual({
      feedback: 'Good',
      answers: [
        { answer: 'N/A', feedback: '' },
        { answer: 'YES', feedback: '“hi”' },
      ],
    })
    expect(evaluationDraft(card, undefined).answers.map(({ answer }) => answer)).toEqual(['N/A', 'N/A'])
  })

  test('does not begin with the explanation of a generated evaluation', () => {
    expect(evaluationDraft(card, { ...before, reviewer_user_id: null }).feedback).toBe('')
  })

  test('drops the reason of an answer that a person changes, and keeps what the person wrote', () => {
    const engine = { answer: 'YES' as const, feedback: '“hi”' }
    const changed = answered(engine, 'NO', engine)

    expect(changed).toEqual({ answer: 'NO', feedback: '' })
    expect(answered(changed, 'YES', engine)).toEqual(engine)
    expect(answered({ answer: 'NO', feedback: 'Mumbled' }, 'YES', engine)).toEqual({
      answer: 'YES',
      feedback: 'Mumbled',
    })
    expect(answered({ answer: 'NO', feedback: 'Mumbled' }, 'N/A', undefined).feedback).toBe('Mumbled')
  })

  test('is sent without empty texts', () => {
    const answers = [
      { answer: 'YES' as const, feedback: ' ' },
      { answer: 'NO' as const, feedback: 'Mumbled ' },
    ]

    expect(evaluationRequest({ feedback: '', answers })).toEqual({
      answers: [{ answer: 'YES' }, { answer: 'NO', feedback: 'Mumbled' }],
    })
  })

  test('has no percentage while nothing counts', () => {
    expect(scoreWords(score)).toBe('Not scored yet')
    expect(scoreWords({ score_points: 1, total_points: 4, normalized_score: 25 })).toBe('1 of 4 points · 25 %')
  })
})
