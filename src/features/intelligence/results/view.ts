import { type Static, Type } from 'typebox'
import { sectionTypes } from '../../../domain/intelligence/custom-summary.ts'
import type { Speaker, Utterance } from '../../../domain/intelligence/transcript.ts'
import { timedWords } from '../../../domain/speech/word-times.ts'
import { nullable, oneOf, Timestamp } from '../../../http/schemas.ts'
import { isoMillis } from '../../../lib/time-format.ts'
import type { Call } from '../../calls/index.ts'
import type { ActionItem, Insight, StoredTranscript } from './store.ts'

/** Fields that identify the call of a result. */
export type CallOf = Pick<Call, 'id' | 'uuid' | 'numberId' | 'participants' | 'startedAt'>

const ParticipantType = oneOf(['internal', 'external'])
const Mood = oneOf(['POSITIVE', 'NEUTRAL', 'NEGATIVE'])
const CallId = Type.Integer({ description: 'Identifier of the call' })
const eventCall = { call_uuid: Type.String() }

const SpeakerFields = {
  participant_type: ParticipantType,
  user_id: Type.Optional(
    nullable(Type.Integer({ description: 'Internal speakers only; null if the speaker is unknown' })),
  ),
  ai_voice_agent_id: Type.Optional(Type.String({ description: 'Set instead of user_id if an AI voice agent spoke' })),
  phone_number: Type.Optional(Type.String({ description: 'External speakers only' })),
}

const UtteranceView = Type.Object({
  start_time: Type.Number({ description: 'Seconds from the start of the recording' }),
  end_time: Type.Number(),
  text: Type.String(),
  ...SpeakerFields,
})
const WordView = Type.Object({
  text: Type.String(),
  start_time: Type.Number(),
  end_time: Type.Number(),
  confidence: nullable(Type.Number({ minimum: 0, maximum: 1 })),
})
const UtteranceWithWords = Type.Object({
  ...UtteranceView.properties,
  words: Type.Optional(Type.Array(WordView)),
})
const TranscriptContent = Type.Object({ language: Type.String(), utterances: Type.Array(UtteranceView) })
const Participants = Type.Array(
  Type.Object({ participant_type: ParticipantType, phone_number: SpeakerFields.phone_number }),
)

const transcriptFields = {
  id: Type.Integer(),
  call_id: CallId,
  call_created_at: Timestamp,
  type: oneOf(['call', 'voicemail']),
  content: TranscriptContent,
}
export const TranscriptView = Type.Object({
  ...transcriptFields,
  content: Type.Object({ language: Type.String(), utterances: Type.Array(UtteranceWithWords) }),
})
export const EventTranscript = Type.Object({
  ...transcriptFields,
  ...eventCall,
  number_id: Type.Integer(),
  participants: Type.Array(Type.Object(SpeakerFields)),
  created_at: Timestamp,
})

export function transcriptView(
  call: CallOf,
  transcript: StoredTranscript,
  { withWords = false }: { withWords?: boolean } = {},
): Static<typeof TranscriptView> {
  const { id, language, utterances, sound } = transcript
  return {
    id,
    call_id: call.id,
    call_created_at: isoMillis(call.startedAt),
    type: sound === 'voicemail' ? 'voicemail' : 'call',
    content: { language, utterances: utterances.map(withWords ? utteranceWithWords : utteranceView) },
  }
}

function utteranceWithWords(utterance: Utterance): Static<typeof UtteranceWithWords> {
  const words = timedWords(utterance)?.map(({ text, start, end, confidence = null }) => ({
    text,
    start_time: start,
    end_time: end,
    confidence,
  }))
  return { ...utteranceView(utterance), ...(words && { words }) }
}

const utteranceView = ({ start, end, text, speaker }: Utterance): Static<typeof UtteranceView> => ({
  start_time: start,
  end_time: end,
  text,
  ...speakerView(speaker),
})

function speakerView(speaker: Speaker) {
  if (speaker.side === 'external') return { participant_type: 'external' as const, phone_number: speaker.phone }
  if ('voiceAgentId' in speaker)
    return { participant_type: 'internal' as const, ai_voice_agent_id: speaker.voiceAgentId }
  return { participant_type: 'internal' as const, user_id: speaker.userId }
}

export const eventTranscript = (call: CallOf, transcript: StoredTranscript): Static<typeof EventTranscript> => ({
  ...transcriptView(call, transcript),
  call_uuid: call.uuid,
  number_id: call.numberId,
  participants: call.participants.map((party) =>
    speakerView(
      party.kind === 'user' ? { side: 'internal', userId: party.userId } : { side: 'external', phone: party.phone },
    ),
  ),
  created_at: isoMillis(transcript.createdAt),
})

const participantsOf = ({ participants }: CallOf): Static<typeof Participants> =>
  participants.map((party) =>
    party.kind === 'user'
      ? { participant_type: 'internal' }
      : { participant_type: 'external', phone_number: party.phone },
  )

const sentimentFields = {
  id: Type.Integer({ description: 'Same value as call_id' }),
  call_id: CallId,
  participants: Type.Array(
    Type.Object({
      participant_type: ParticipantType,
      type: ParticipantType,
      phone_number: SpeakerFields.phone_number,
      value: Mood,
    }),
  ),
}
export const SentimentView = Type.Object(sentimentFields)
export const EventSentiment = Type.Object({ ...sentimentFields, ...eventCall, created_at: Timestamp })

export const sentimentView = (call: CallOf, { content }: Insight<'sentiment'>): Static<typeof SentimentView> => ({
  id: call.id,
  call_id: call.id,
  participants: content.map(({ phone, value }) => ({
    participant_type: 'external',
    type: 'external',
    phone_number: phone,
    value,
  })),
})

export const eventSentiment = (call: CallOf, insight: Insight<'sentiment'>): Static<typeof EventSentiment> => ({
  ...sentimentView(call, insight),
  call_uuid: call.uuid,
  created_at: isoMillis(insight.createdAt),
})

const topicFields = { id: Type.Integer(), call_id: CallId, created_at: Timestamp, content: Type.Array(Type.String()) }
export const TopicsView = Type.Object(topicFields)
export const EventTopics = Type.Object({ ...topicFields, ...eventCall, participants: Participants })

const summaryFields = { id: Type.Integer(), call_id: CallId, created_at: Timestamp, content: Type.String() }
export const SummaryView = Type.Object(summaryFields)
export const EventSummary = Type.Object({ ...summaryFields, ...eventCall, participants: Participants })

export const textView = <K extends 'topics' | 'summary'>(call: CallOf, { id, createdAt, content }: Insight<K>) => ({
  id,
  call_id: call.id,
  created_at: isoMillis(createdAt),
  content,
})

export const eventText = <K extends 'topics' | 'summary'>(call: CallOf, insight: Insight<K>) => ({
  ...textView(call, insight),
  call_uuid: call.uuid,
  participants: participantsOf(call),
})

const actionItemFields = {
  id: Type.Integer(),
  content: Type.String(),
  ai_generated: Type.Boolean(),
  created_at: Timestamp,
  created_by: nullable(Type.Integer()),
  updated_at: nullable(Timestamp),
  updated_by: nullable(Type.Integer()),
}
export const ActionItemView = Type.Object(actionItemFields)
export const EventActionItem = Type.Object({ ...actionItemFields, call_id: CallId, ...eventCall })

export const actionItemView = (item: ActionItem): Static<typeof ActionItemView> => ({
  id: item.id,
  content: item.content,
  ai_generated: item.aiGenerated,
  created_at: isoMillis(item.createdAt),
  created_by: item.createdBy,
  updated_at: item.updatedAt === null ? null : isoMillis(item.updatedAt),
  updated_by: item.updatedBy,
})

export const eventActionItem = (call: CallOf, item: ActionItem): Static<typeof EventActionItem> => ({
  ...actionItemView(item),
  call_id: call.id,
  call_uuid: call.uuid,
})

const customSummaryFields = {
  id: Type.Integer(),
  call_id: CallId,
  number_id: Type.Integer(),
  custom_summary: Type.Object({ name: Type.String() }),
  language: Type.String(),
  summary_template_results: Type.Array(
    Type.Object({
      name: Type.String(),
      type: oneOf(sectionTypes),
      content: Type.String(),
      ai_generated: Type.Boolean(),
      created_at: Timestamp,
      updated_at: Type.Optional(Timestamp),
      updated_by: Type.Optional(nullable(Type.Integer())),
    }),
  ),
}
export const CustomSummaryView = Type.Object(customSummaryFields)
export const EventCustomSummary = Type.Object({ ...customSummaryFields, ...eventCall })

export const customSummaryView = (
  call: CallOf,
  { id, content }: Insight<'custom_summary'>,
): Static<typeof CustomSummaryView> => ({
  id,
  call_id: call.id,
  number_id: call.numberId,
  custom_summary: { name: content.name },
  language: content.language,
  summary_template_results: content.sections.map((section) => ({
    name: section.name,
    type: section.type,
    content: section.content,
    ai_generated: section.aiGenerated,
    created_at: isoMillis(section.createdAt),
    ...(section.updatedAt !== undefined && {
      updated_at: isoMillis(section.updatedAt),
      updated_by: section.updatedBy ?? null,
    }),
  })),
})

export const eventCustomSummary = (call: CallOf, insight: Insight<'custom_summary'>) => ({
  ...customSummaryView(call, insight),
  call_uuid: call.uuid,
})

const playbookFields = {
  id: Type.Integer(),
  call_id: CallId,
  user_id: nullable(Type.Integer()),
  number_id: Type.Integer(),
  adherence_score: Type.Number({ description: 'Share of topics covered, 0 to 1' }),
  playbook_result_topics: Type.Array(Type.Object({ name: Type.String(), result: Type.Boolean() })),
  created_at: Timestamp,
}
export const PlaybookResultView = Type.Object({
  ...playbookFields,
  playbook: Type.Optional(
    Type.Object(
      { id: Type.Integer(), name: Type.String(), language: Type.String() },
      { description: 'Only with fetch_playbook=true' },
    ),
  ),
})
export const EventPlaybookResult = Type.Object({ ...playbookFields, ...eventCall })

export const playbookResultView = (call: CallOf, { id, createdAt, content }: Insight<'playbook_result'>) => ({
  id,
  call_id: call.id,
  user_id: content.userId,
  number_id: call.numberId,
  adherence_score: content.adherence,
  playbook_result_topics: content.topics,
  created_at: isoMillis(createdAt),
})

export const eventPlaybookResult = (
  call: CallOf,
  insight: Insight<'playbook_result'>,
): Static<typeof EventPlaybookResult> => ({ ...playbookResultView(call, insight), call_uuid: call.uuid })

export const CsatView = Type.Object({
  call_id: CallId,
  call_uuid: Type.String(),
  score: Type.Integer({ minimum: 0, maximum: 100 }),
  drivers: Type.Array(Type.Object({ polarity: Mood, label: Type.String() })),
})

export const csatView = (call: CallOf, { content }: Insight<'csat'>): Static<typeof CsatView> => ({
  call_id: call.id,
  call_uuid: call.uuid,
  ...content,
})

export const LiveTranscriptView = Type.Object({
  call_id: CallId,
  call_uuid: Type.String(),
  content: Type.Object({
    language: Type.String(),
    utterances: Type.Array(
      Type.Object({
        duration_ms: Type.Integer(),
        participant_type: ParticipantType,
        text: Type.String(),
        timestamp: Type.Integer({ description: 'UNIX milliseconds' }),
        user_id: Type.Optional(nullable(Type.Integer())),
      }),
    ),
  }),
})

export const liveTranscriptView = (call: CallOf, { content }: Insight<'live'>): Static<typeof LiveTranscriptView> => ({
  call_id: call.id,
  call_uuid: call.uuid,
  content: {
    language: content.language,
    utterances: content.utterances.map(({ at, ms, text, speaker }) => ({
      duration_ms: ms,
      participant_type: speaker.side,
      text,
      timestamp: at,
      ...('userId' in speaker && { user_id: speaker.userId }),
    })),
  },
})

/** In the format of a post-call transcript. */
export const liveAsTranscript = (call: CallOf, { id, createdAt, content }: Insight<'live'>) =>
  transcriptView(call, { id, callId: call.id, sound: 'recording', createdAt, ...content })
