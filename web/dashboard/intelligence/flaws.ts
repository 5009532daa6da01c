import type { Measure, NewGuide, Question } from './guide.ts'

// What the server would refuse, said at its field. `''` is about the whole.

export type Flaws = Map<string, string>

export function flawsOf(guide: NewGuide): Flaws {
  const flaws: Flaws = new Map()
  const must = (place: string, text: string, what = 'Give it a name') => {
    if (text.trim() === '') flaws.set(place, what)
  }
  must('name', guide.name)
  switch (guide.kind) {
    case 'topic':
      if (guide.topic.keywords.length === 0) flaws.set('keywords', 'At least one word that tells the topic')
      break
    case 'playbook':
      if (guide.playbook.topics.length === 0) flaws.set('', 'A playbook needs a topic')
      guide.playbook.topics.forEach(({ name, phrases }, at) => {
        must(`topics.${at}.name`, name)
        if (phrases.length === 0) flaws.set(`topics.${at}.phrases`, 'At least one sentence that covers the topic')
      })
      break
    case 'summary_template':
      if (guide.summary_template.sections.length === 0) flaws.set('', 'A template needs a section')
      guide.summary_template.sections.forEach(({ name }, at) => {
        must(`sections.${at}.name`, name)
      })
      break
    case 'scorecard': {
      const { categories } = guide.scorecard
      if (categories.length === 0) flaws.set('', 'A scorecard needs a category')
      categories.forEach(({ name, questions }, at) => {
        must(`categories.${at}.name`, name)
        if (questions.length === 0) flaws.set(`categories.${at}`, 'A category needs a question')
        questions.forEach(({ text }, nth) => {
          must(`categories.${at}.questions.${nth}.text`, text, 'Write the question')
        })
      })
      break
    }
  }
  return flaws
}

/** Saved all the same, but nobody except a language model or a person will answer it. */
export function hintFor({ type, ai_enabled, phrases, measure }: Question): string | undefined {
  if (!ai_enabled) return 'Only people answer it'
  if (type === 'RATING') return measure ? undefined : 'A rating needs a person or a language model'
  return phrases.length === 0 ? 'Without an example phrase only a person or a language model can answer it' : undefined
}

/** Only a rating can be counted. */
export function withKind(question: Question, type: Question['type']): Question {
  return type === 'RATING' ? { ...question, type } : { ...withMeasure(question, undefined), type }
}

export function withMeasure({ measure: _before, ...question }: Question, measure: Measure | undefined): Question {
  return measure === undefined ? question : { ...question, measure }
}

/** What a template lacks so that the built-in rules can fill it. */
export function templateHint(guide: NewGuide): string | undefined {
  if (guide.kind !== 'summary_template') return undefined
  const { sections } = guide.summary_template
  return sections.some(({ type, extractor }) => extractor === null || type === 'YES_NO')
    ? 'Without a language model there is no summary by this template: one of its sections could not be filled.'
    : undefined
}

export const pointsOf = (guide: NewGuide): number =>
  guide.kind === 'scorecard'
    ? guide.scorecard.categories.flatMap(({ questions }) => questions).reduce((sum, { points }) => sum + points, 0)
    : 0
