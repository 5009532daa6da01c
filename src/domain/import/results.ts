import { sectionTypes } from '../intelligence/custom-summary.ts'
import { binaryAnswers, type EvaluationScore, ratingAnswers, type Scored } from '../intelligence/scorecard.ts'
import type { Speaker, Utterance } from '../intelligence/transcript.ts'
import {
  nestedId,
  oneOfSource,
  type SourceObject,
  sourceId,
  sourceList,
  sourceObject,
  sourcePhone,
  sourceText,
  sourceTime,
} from './values.ts'

// Results of conversation intelligence of a call, as the endpoints under /v1/calls/:call_id return them.

type UserIds = ReadonlyMap<string, number>

const moods = ['POSITIVE', 'NEUTRAL', 'NEGATIVE'] as const

export function transcriptFromSource(transcription: SourceObject, users: UserIds) {
  const content = sourceObject(transcription.content)
  const utterances = sourceList(content.utterances).flatMap((one): Utterance[] => {
    const text = sourceText(one.text)
    if (text === null || typeof one.start_time !== 'number' || typeof one.end_time !== 'number') return []
    return [{ start: one.start_time, end: one.end_time, text, speaker: speakerIn(one, users) }]
  })
  return {
    sound: transcription.type === 'voicemail' ? ('voicemail' as const) : ('recording' as const),
    language: sourceText(content.language) ?? 'en',
    utterances,
  }
}

function speakerIn(one: SourceObject, users: UserIds): Speaker {
  if (one.participant_type === 'external')
    return { side: 'external', phone: sourcePhone(one.phone_number) ?? sourceText(one.phone_number) ?? 'anonymous' }
  const agent = sourceText(one.ai_voice_agent_id)
  if (agent !== null) return { side: 'internal', voiceAgentId: agent }
  return { side: 'internal', userId: users.get(sourceId(one.user_id) ?? '') ?? null }
}

export const moodsFromSource = (sentiment: SourceObject) =>
  sourceList(sentiment.participants).flatMap((one) => {
    const value = oneOfSource(one.value, moods)
    const phone = sourceText(one.phone_number)
    return value && phone !== null ? [{ phone, value }] : []
  })

export const topicsFromSource = (topic: SourceObject): string[] =>
  Array.isArray(topic.content) ? topic.content.filter((one) => typeof one === 'string') : []

export function customSummaryFromSource(result: SourceObject, users: UserIds) {
  const sections = sourceList(result.summary_template_results).flatMap((section) => {
    const [name, type] = [sourceText(section.name), oneOfSource(section.type, sectionTypes)]
    const createdAt = sourceTime(section.created_at)
    if (name === null || !type || createdAt === null) return []
    const updatedAt = sourceTime(section.updated_at)
    return [
      {
        name,
        type,
        content: sourceText(section.content) ?? '',
        aiGenerated: section.ai_generated === true,
        createdAt,
        ...(updatedAt !== null && { updatedAt, updatedBy: users.get(sourceId(section.updated_by) ?? '') ?? null }),
      },
    ]
  })
  const name = sourceText(sourceObject(result.custom_summary).name) ?? 'Summary'
  return { name, language: sourceText(result.language) ?? 'en', sections }
}

export function playbookFromSource(result: SourceObject, users: UserIds) {
  const playbook = sourceObject(result.playbook)
  return {
    playbook: {
      id: typeof playbook.id === 'number' ? playbook.id : 0,
      name: sourceText(playbook.name) ?? 'Playbook',
      language: sourceText(playbook.language) ?? 'en',
    },
    userId: users.get(sourceId(result.user_id) ?? '') ?? null,
    adherence: typeof result.adherence_score === 'number' ? result.adherence_score : 0,
    topics: sourceList(result.playbook_result_topics).flatMap((topic) => {
      const name = sourceText(topic.name)
      return name === null ? [] : [{ name, result: topic.result === true }]
    }),
  }
}

export function csatFromSource(csat: SourceObject) {
  if (typeof csat.score !== 'number') return undefined
  const drivers = sourceList(csat.drivers).flatMap((driver) => {
    const [polarity, label] = [oneOfSource(driver.polarity, moods), sourceText(driver.label)]
    return polarity && label !== null ? [{ polarity, label }] : []
  })
  return { score: csat.score, drivers }
}

export const actionItemsFromSource = (reply: SourceObject, users: UserIds) =>
  sourceList(reply.action_items).flatMap((item) => {
    const [content, createdAt] = [sourceText(item.content), sourceTime(item.created_at)]
    if (content === null || createdAt === null) return []
    return [
      {
        content,
        createdAt,
        aiGenerated: item.ai_generated === true,
        createdBy: users.get(sourceId(item.created_by) ?? '') ?? null,
        updatedAt: sourceTime(item.updated_at),
        updatedBy: users.get(sourceId(item.updated_by) ?? '') ?? null,
      },
    ]
  })

export function evaluationFromSource(evaluation: SourceObject, users: UserIds) {
  const user = (value: unknown) => users.get(nestedId(value) ?? '') ?? null
  const createdAt = sourceTime(evaluation.created_at)
  if (createdAt === null) return undefined
  const evaluations = sourceList(evaluation.evaluations).flatMap((one) => {
    const reviewee = user(one.reviewee_user_id)
    const card = sourceObject(one.scorecard)
    if (reviewee === null) return []
    return [
      {
        scorecard: {
          id: 0,
          name: sourceText(card.name) ?? 'Scorecard',
          description: sourceText(card.description) ?? '',
        },
        feedback: sourceText(one.feedback) ?? '',
        reviewee,
        reviewer: user(one.reviewer_user_id),
        score: scoreIn(one.score),
        categories: sourceList(one.categories).map(categoryIn),
      },
    ]
  })
  if (evaluations.length === 0) return undefined
  return {
    aiGenerated: evaluation.ai_generated === true,
    createdAt,
    updatedAt: sourceTime(evaluation.updated_at) ?? createdAt,
    createdBy: user(evaluation.created_by),
    updatedBy: user(evaluation.updated_by),
    reviewedAt: sourceTime(evaluation.reviewed_at),
    evaluations,
  }
}

const categoryIn = (category: SourceObject): Scored['categories'][number] => ({
  name: sourceText(category.name) ?? '',
  score: scoreIn(category.score),
  questions: sourceList(category.questions).map((question) => ({
    text: sourceText(question.text) ?? '',
    type: question.type === 'RATING' ? 'RATING' : 'BINARY',
    strictness: question.strictness === 0 || question.strictness === 2 ? question.strictness : 1,
    aiEnabled: question.ai_enabled === true,
    answer: oneOfSource(question.answer, [...binaryAnswers, ...ratingAnswers]) ?? 'N/A',
    feedback: sourceText(question.feedback) ?? '',
    score: scoreIn(question.score),
  })),
})

function scoreIn(value: unknown): EvaluationScore {
  const score = sourceObject(value)
  const whole = (one: unknown) => (typeof one === 'number' && Number.isInteger(one) ? one : 0)
  return {
    points: whole(score.score_points),
    total: whole(score.total_points),
    normalized: whole(score.normalized_score),
  }
}
