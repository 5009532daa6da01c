import { Type } from 'typebox'
import { missedReasons } from '../../../domain/call/record.ts'
import { nullable, oneOf, Timestamp } from '../../../http/schemas.ts'
import { EventNumber, NestedNumber, NestedUser } from '../../accounts/index.ts'
import { ContactView } from '../../contacts/index.ts'
import { SessionOfCall } from '../../voice-agents/index.ts'

// The call object of the Call API, and with a few differences of events.

const Seconds = Type.Integer({ description: 'UNIX seconds' })
const User = nullable(NestedUser)

const Comment = Type.Object({ id: Type.Integer(), content: Type.String(), posted_by: User, posted_at: Seconds })

const tagFields = {
  id: Type.Integer(),
  name: Type.String(),
  tagged_by: User,
  created_at: Type.Integer({ description: 'UNIX seconds at which the tag was added' }),
  color: Type.String(),
  direct_link: Type.String(),
}
const TagOfCall = Type.Object(tagFields)
const EventTagOfCall = Type.Object({ ...tagFields, tagged_at: Type.Integer({ description: 'Same as created_at' }) })

export const TeamOfCall = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  direct_link: Type.String(),
  created_at: Timestamp,
})

export const ParticipantView = Type.Object({
  id: Type.Optional(Type.Integer({ description: 'Of the user or contact; absent for an unknown party' })),
  name: Type.Optional(Type.String()),
  phone_number: Type.Optional(Type.String({ description: 'Of external parties, in the format of `raw_digits`' })),
  type: oneOf(['user', 'contact', 'external']),
})

export const IvrOptionView = Type.Object({
  id: Type.String({ format: 'uuid' }),
  title: Type.String(),
  key: Type.String({ description: 'The key pressed, or `fallback`' }),
  branch: nullable(Type.String({ description: 'Name of the widget the option leads to' })),
  created_at: Timestamp,
  transition_started_at: Type.String({ format: 'date-time', description: 'When the prompt starts' }),
  transition_ended_at: Type.String({ format: 'date-time', description: 'When an option, or the default, is selected' }),
})

const fields = {
  id: Type.Integer(),
  direct_link: Type.String(),
  direction: oneOf(['inbound', 'outbound']),
  status: oneOf(['initial', 'answered', 'done']),
  missed_call_reason: nullable(oneOf(missedReasons, { description: 'Of every unanswered inbound call' })),
  started_at: Seconds,
  answered_at: nullable(Seconds),
  ended_at: nullable(Seconds),
  duration: Type.Integer({ description: 'Seconds from started_at to ended_at; 0 until the call is done' }),
  voicemail: nullable(Type.String({ description: 'URL of the mp3 file, valid for one hour' })),
  recording: nullable(Type.String({ description: 'URL of the mp3 file, valid for one hour' })),
  asset: nullable(Type.String({ description: 'Page of the recording or voicemail' })),
  raw_digits: Type.String({ description: 'The external party in international format, or `anonymous`' }),
  user: User,
  contact: nullable(ContactView),
  archived: Type.Boolean(),
  assigned_to: User,
  transferred_by: User,
  transferred_to: Type.Optional(User),
  cost: Type.String({ deprecated: true, description: 'U.S. cents' }),
  teams: Type.Array(TeamOfCall),
  comments: Type.Array(Comment),
}
const ShortUrl = Type.Optional(Type.String({ description: 'Short URL of the same file, valid for 3 hours' }))

export const CallView = Type.Object({
  id: fields.id,
  sid: Type.String(),
  direct_link: fields.direct_link,
  direction: fields.direction,
  status: fields.status,
  missed_call_reason: fields.missed_call_reason,
  started_at: fields.started_at,
  answered_at: fields.answered_at,
  ended_at: fields.ended_at,
  duration: fields.duration,
  voicemail: fields.voicemail,
  recording: fields.recording,
  asset: fields.asset,
  raw_digits: fields.raw_digits,
  user: fields.user,
  contact: fields.contact,
  archived: fields.archived,
  assigned_to: fields.assigned_to,
  transferred_by: fields.transferred_by,
  transferred_to: fields.transferred_to,
  cost: fields.cost,
  number: nullable(NestedNumber),
  teams: fields.teams,
  comments: fields.comments,
  tags: Type.Array(TagOfCall),
  conference_participants: Type.Array(ParticipantView),
  recording_short_url: ShortUrl,
  voicemail_short_url: ShortUrl,
  ivr_options_selected: Type.Optional(Type.Array(IvrOptionView)),
  ai_voice_agents: Type.Optional(Type.Array(SessionOfCall)),
})

/** Keys in the order of the contract; the serializer writes optional keys after all others. */
export const EventCall = Type.Object({
  id: fields.id,
  direct_link: fields.direct_link,
  direction: fields.direction,
  call_uuid: Type.String(),
  status: fields.status,
  missed_call_reason: fields.missed_call_reason,
  started_at: fields.started_at,
  answered_at: fields.answered_at,
  ended_at: fields.ended_at,
  duration: fields.duration,
  cost: fields.cost,
  hangup_cause: nullable(Type.String({ description: 'When the call is done', examples: ['normal_clearing'] })),
  voicemail: fields.voicemail,
  recording: fields.recording,
  asset: fields.asset,
  raw_digits: fields.raw_digits,
  participants: Type.Array(ParticipantView),
  user: fields.user,
  contact: fields.contact,
  number: nullable(EventNumber),
  archived: fields.archived,
  assigned_to: fields.assigned_to,
  teams: fields.teams,
  comments: fields.comments,
  tags: Type.Array(EventTagOfCall),
  transferred_to: fields.transferred_to,
  transferred_by: Type.Optional(fields.transferred_by),
  recording_short_url: ShortUrl,
  voicemail_short_url: ShortUrl,
})

const callback = {
  automatic_callback_call_id: Type.Optional(Type.Integer({ description: 'The call that requested the callback' })),
}
export const EventCallWithCallback = Type.Object({ ...EventCall.properties, ...callback })

export const EventCallSentOut = Type.Object({
  ...EventCall.properties,
  external_transferred_to: Type.Optional(Type.String({ description: 'E.164' })),
  external_caller_number: Type.Optional(Type.String({ description: 'E.164' })),
})

export const EventCallWithOptions = Type.Object({
  ...EventCall.properties,
  ivr_options_selected: Type.Optional(Type.Array(IvrOptionView)),
})
