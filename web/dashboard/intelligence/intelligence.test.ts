import { describe, expect, test } from 'vitest'
import type { GuideKind } from './guide.ts'
import { moved, without } from './order.ts'
import { choiceOf, isOnFor, languageName, type Settings, withChoice, withLanguage } from './settings.ts'
import { empty, emptyQuestion, starters } from './starters.ts'
import { guideIssues, hintFor, pointsOf, templateHint, withKind, withMeasure } from './validate.ts'

const kinds: GuideKind[] = ['topic', 'playbook', 'summary_template', 'scorecard']

describe('guides', () => {
  test.each(kinds)('the template of a %s is valid', (kind) => {
    expect(guideIssues(starters[kind]())).toEqual(new Map())
    expect(guideIssues(empty[kind]()).size).toBeGreaterThan(0)
  })

  test('missing input is reported at its field', () => {
    const card = empty.scorecard()
    card.scorecard.categories.push({ name: 'Closing', questions: [] })

    expect([...guideIssues(card).keys()]).toEqual([
      'name',
      'categories.0.name',
      'categories.0.questions.0.text',
      'categories.1',
    ])
    expect(pointsOf(starters.scorecard())).toBe(100)
  })

  test('questions the built-in rules cannot answer have a hint before saving', () => {
    expect(hintFor(emptyQuestion())).toContain('Without an example phrase')
    expect(hintFor({ ...emptyQuestion(), phrases: ['good morning'] })).toBeUndefined()
    expect(hintFor({ ...emptyQuestion(), type: 'RATING' })).toContain('rating')
    const counted = withMeasure(withKind(emptyQuestion(), 'RATING'), 'hold_time')
    expect(hintFor(counted)).toBeUndefined()
    expect(withKind(counted, 'BINARY')).toEqual(emptyQuestion())
    expect(withMeasure(counted, undefined)).not.toHaveProperty('measure')
    expect(templateHint(starters.summary_template())).toBeUndefined()
    const free = empty.summary_template()
    free.summary_template.sections = [{ name: 'Free', type: 'PARAGRAPH', extractor: null }]
    expect(templateHint(free)).toContain('LLM')
  })

  test('lists can be reordered', () => {
    expect(moved(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b'])
    expect(without(['a', 'b', 'c'], 1)).toEqual(['a', 'c'])
  })
})

describe('conversation intelligence settings', () => {
  const settings: Settings = {
    transcription_available: true,
    enabled: true,
    vocabulary: [],
    language: null,
    numbers: [{ number_id: 4, enabled: false, language: 'fr-FR' }],
  }

  test('a number uses the company default until it has its own setting', () => {
    expect([isOnFor(settings, 3), isOnFor(settings, 4), isOnFor(undefined, 3)]).toEqual([true, false, false])
    expect(choiceOf(withChoice(settings, 3, 'off'), 3)).toBe('off')
    expect(withChoice(settings, 4, 'on').numbers).toEqual([{ number_id: 4, enabled: true, language: 'fr-FR' }])
    expect(withChoice(settings, 4, 'company').numbers).toEqual([])
    expect(withLanguage(settings, 4, null).numbers[0]?.language).toBeNull()
  })

  test('languages have names', () => {
    expect([languageName(null), languageName('fr'), languageName('en-GB'), languageName('xx')]).toEqual([
      'English',
      'French',
      'English (UK)',
      'xx',
    ])
  })
})
