import type { Measure, NewGuide, ScorecardQuestion } from './guide.ts'

// Validation errors by field; `''` holds those of the whole guide.

export type GuideIssues = Map<string, string>

export function guideIssues(guide: NewGuide): GuideIssues {
  const issues: GuideIssues = new Map()
  const must = (place: string, text: string, what = 'Enter a name') => {
    if (text.trim() === '') issues.set(place, what)
  }
  must('name', guide.name)
  switch (guide.kind) {
    case 'topic':
      if (guide.topic.keywords.length === 0) issues.set('keywords', 'Add at least one keyword')
      break
    case 'playbook':
      if (guide.playbook.topics.length === 0) issues.set('', 'Add at least one topic')
      guide.playbook.topics.forEach(({ name, phrases }, at) => {
        must(`topics.${at}.name`, name)
        if (phrases.length === 0) issues.set(`topics.${at}.phrases`, 'Add at least one example phrase')
      })
      break
    case 'summary_template':
      if (guide.summary_template.sections.length === 0) issues.set('', 'Add at least one section')
      guide.summary_template.sections.forEach(({ name }, at) => {
        must(`sections.${at}.name`, name)
      })
      break
    case 'scorecard': {
      const { categories } = guide.scorecard
      if (categories.length === 0) issues.set('', 'Add at least one category')
      categories.forEach(({ name, questions }, at) => {
        must(`categories.${at}.name`, name)
        if (questions.length === 0) issues.set(`categories.${at}`, 'Add at least one question')
        questions.forEach(({ text }, nth) => {
          must(`categories.${at}.questions.${nth}.text`, text, 'Enter the question')
        })
      })
      break
    }
  }
  return issues
}

/** A hint for questions that only a reviewer or an LLM can answer. */
export function hintFor({ type, ai_enabled, phrases, measure }: ScorecardQuestion): string | undefined {
  if (!ai_enabled) return 'Answered by a reviewer only'
  if (type === 'RATING') return measure ? undefined : 'A rating requires a reviewer or an LLM'
  return phrases.length === 0
    ? 'Without an example phrase, only a reviewer or an LLM can answer this question'
    : undefined
}

/** Only ratings have a measure. */
export function withKind(question: ScorecardQuestion, type: ScorecardQuestion['type']): ScorecardQuestion {
  return type === 'RATING' ? { ...question, type } : { ...withMeasure(question, undefined), type }
}

export function withMeasure(
  { measure: _before, ...question }: ScorecardQuestion,
  measure: Measure | undefined,
): ScorecardQuestion {
  return measure === undefined ? question : { ...question, measure }
}

/** A hint for templates that the built-in rules cannot fill. */
export function templateHint(guide: NewGuide): string | undefined {
  if (guide.kind !== 'summary_template') return undefined
  const { sections } = guide.summary_template
  return sections.some(({ type, extractor }) => extractor === null || type === 'YES_NO')
    ? 'This template requires an LLM: the built-in rules cannot fill all of its sections.'
    : undefined
}

export const pointsOf = (guide: NewGuide): number =>
  guide.kind === 'scorecard'
    ? guide.scorecard.categories.flatMap(({ questions }) => questions).reduce((sum, { points }) => sum + points, 0)
    : 0
