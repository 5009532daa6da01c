import { type CallParticipant, type CallRecord, type IvrChoice, missedReasons } from '../call/record.ts'
import {
  type ImportProblem,
  nestedId,
  oneOfSource,
  type SourceObject,
  sourceId,
  sourceList,
  sourcePhone,
  sourceText,
  sourceTime,
} from './values.ts'

/** Ids of the objects that calls refer to, by their id at the source. */
export interface ImportedIds {
  users: ReadonlyMap<string, number>
  teams: ReadonlyMap<string, number>
  tags: ReadonlyMap<string, number>
  numbers: ReadonlyMap<string, number>
}

export interface CallFromSource {
  /** The identifier of the call at its provider. */
  uuid: string | null
  record: CallRecord
  archived: boolean
  comments: { content: string; by: number | null; at: number }[]
  tags: { id: number; by: number | null; at: number }[]
  recordingUrl: string | null
  voicemailUrl: string | null
}

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** `numberId`: the Number of the call, which may have been deleted at the source. */
export function callFromSource(call: SourceObject, ids: ImportedIds, numberId: number): CallFromSource | ImportProblem {
  const direction = oneOfSource(call.direction, ['inbound', 'outbound'])
  if (!direction) return { problem: 'the direction is neither inbound nor outbound' }
  const [startedAt, endedAt] = [sourceTime(call.started_at), sourceTime(call.ended_at)]
  if (startedAt === null || endedAt === null) return { problem: 'the start or the end of the call is missing' }
  if (endedAt < startedAt) return { problem: 'the call ends before it starts' }
  const external = call.raw_digits === 'anonymous' ? 'anonymous' : sourcePhone(call.raw_digits)
  if (external === undefined) return { problem: 'the external number is not in international format' }
  const user = (value: unknown) => ids.users.get(nestedId(value) ?? '') ?? null
  const uuid = sourceText(call.sid)
  return {
    uuid: uuid !== null && uuidForm.test(uuid) ? uuid.toLowerCase() : null,
    record: {
      direction,
      numberId,
      external,
      startedAt,
      answeredAt: sourceTime(call.answered_at),
      endedAt,
      missedReason: oneOfSource(call.missed_call_reason, missedReasons) ?? null,
      hangupCause: 'normal_clearing',
      userId: user(call.user),
      assignedTo: user(call.assigned_to),
      transferredBy: user(call.transferred_by),
      transferredTo: user(call.transferred_to),
      transferredOut: !('transferred_to' in call),
      teamIds: sourceList(call.teams).flatMap((team) => ids.teams.get(nestedId(team) ?? '') ?? []),
      participants: sourceList(call.conference_participants).flatMap((party) => participantIn(party, ids)),
      ivrOptions: sourceList(call.ivr_options_selected).flatMap(ivrChoiceIn),
      callbackOf: null,
    },
    archived: call.archived === true,
    comments: sourceList(call.comments).flatMap((comment) => {
      const content = sourceText(comment.content)
      if (content === null) return []
      return [{ content, by: user(comment.posted_by), at: sourceTime(comment.posted_at) ?? endedAt }]
    }),
    tags: sourceList(call.tags).flatMap((tag) => {
      const id = ids.tags.get(nestedId(tag) ?? '')
      if (id === undefined) return []
      return [{ id, by: user(tag.tagged_by), at: sourceTime(tag.created_at) ?? endedAt }]
    }),
    recordingUrl: sourceText(call.recording),
    voicemailUrl: sourceText(call.voicemail),
  }
}

function participantIn(party: SourceObject, { users }: ImportedIds): CallParticipant[] {
  if (party.type === 'user') {
    const userId = users.get(sourceId(party.id) ?? '')
    return userId === undefined ? [] : [{ kind: 'user', userId }]
  }
  const phone = party.phone_number === 'anonymous' ? 'anonymous' : sourcePhone(party.phone_number)
  return phone === undefined ? [] : [{ kind: 'external', phone }]
}

function ivrChoiceIn(choice: SourceObject): IvrChoice[] {
  const [id, key, createdAt] = [sourceId(choice.id), sourceText(choice.key), sourceTime(choice.created_at)]
  if (id === undefined || key === null || createdAt === null) return []
  return [
    {
      id,
      title: sourceText(choice.title) ?? '',
      key,
      branch: sourceText(choice.branch),
      createdAt,
      shownAt: sourceTime(choice.transition_started_at) ?? createdAt,
      takenAt: sourceTime(choice.transition_ended_at) ?? createdAt,
    },
  ]
}

/** A call in progress has no end yet: a later import brings it. */
export const isCallOver = (call: SourceObject) => call.status === 'done' && call.ended_at !== null
