import { sectionTypes } from '../intelligence/custom-summary.ts'
import type { Speaker, Utterance } from '../intelligence/transcript.ts'
import {
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

export type UserIds = ReadonlyMap<string, number>

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
