import type { Static } from 'typebox'
import { type IvrChoice, type CallParticipant as Party, statusOf } from '../../../domain/call/record.ts'
import { isoMillis, unixSeconds } from '../../../lib/time-format.ts'
import type { Links } from '../../../services.ts'
import { type Contact, contactView } from '../../contacts/index.ts'
import { type AgentSession, sessionOfCall } from '../../voice-agents/index.ts'
import type { CallParts } from './parts.ts'
import type { CallView, EventCall, IvrOptionView, ParticipantView } from './schemas.ts'
import type { Call, CallAudioKind } from './store.ts'

/** Everything a view of calls needs: link bases, referenced objects and audio URLs. */
export interface CallViewContext {
  links: Links
  parts: CallParts
  /** URL of a file of the call. */
  soundUrl(call: Call, sound: CallAudioKind, file: string): string
  /** If requested: the short URL of an audio file of the call. */
  shortUrl?(call: Call, sound: CallAudioKind): string | undefined
  /** If requested: the AI voice agent sessions, by call. */
  sessions?: ReadonlyMap<number, AgentSession[]>
}

export interface ViewOptions {
  contact: boolean
  timeline: boolean
  voiceAgents: boolean
}

export function callView(context: CallViewContext, call: Call, options: ViewOptions): Static<typeof CallView> {
  const { parts } = context
  return {
    id: call.id,
    sid: call.uuid,
    direct_link: `${context.links.api}/v1/calls/${call.id}`,
    direction: call.direction,
    status: statusOf(call),
    missed_call_reason: call.missedReason,
    started_at: unixSeconds(call.startedAt),
    answered_at: secondsOrNull(call.answeredAt),
    ended_at: secondsOrNull(call.endedAt),
    duration: durationOf(call),
    voicemail: soundOf(context, call, 'voicemail'),
    recording: soundOf(context, call, 'recording'),
    asset: assetOf(context.links, call),
    raw_digits: call.externalDisplay,
    user: parts.user(call.userId),
    contact: options.contact ? contactOf(context, call) : null,
    archived: call.archived,
    assigned_to: parts.user(call.assignedTo),
    transferred_by: parts.user(call.transferredBy),
    ...(!call.transferredOut && { transferred_to: parts.user(call.transferredTo) }),
    cost: '0',
    number: parts.number(call.numberId),
    teams: call.teamIds.flatMap((id) => parts.team(id) ?? []),
    comments: commentsOf(parts, call),
    tags: tagsOf(context, call),
    conference_participants: participantsOf(parts, call),
    ...shortUrlsOf(context, call),
    ...(options.timeline && { ivr_options_selected: call.ivrOptions.map(ivrOptionView) }),
    ...(options.voiceAgents && { ai_voice_agents: (context.sessions?.get(call.id) ?? []).map(sessionOfCall) }),
  }
}

/** `userId` replaces the agent who answered where an event concerns another agent. */
export function eventCall(context: CallViewContext, call: Call, userId: number | null): Static<typeof EventCall> {
  const { parts } = context
  return {
    id: call.id,
    direct_link: `${context.links.api}/v1/calls/${call.id}`,
    direction: call.direction,
    call_uuid: call.uuid,
    status: statusOf(call),
    missed_call_reason: call.missedReason,
    started_at: unixSeconds(call.startedAt),
    answered_at: secondsOrNull(call.answeredAt),
    ended_at: secondsOrNull(call.endedAt),
    duration: durationOf(call),
    cost: '0',
    hangup_cause: call.hangupCause,
    voicemail: soundOf(context, call, 'voicemail'),
    recording: soundOf(context, call, 'recording'),
    asset: assetOf(context.links, call),
    raw_digits: call.externalDisplay,
    participants: participantsOf(parts, call),
    user: parts.user(userId),
    contact: contactOf(context, call),
    number: parts.number(call.numberId),
    archived: call.archived,
    assigned_to: parts.user(call.assignedTo),
    teams: call.teamIds.flatMap((id) => parts.team(id) ?? []),
    comments: commentsOf(parts, call),
    tags: tagsOf(context, call).map((tag) => ({ ...tag, tagged_at: tag.created_at })),
    ...(!call.transferredOut && { transferred_to: parts.user(call.transferredTo) }),
    transferred_by: parts.user(call.transferredBy),
    ...shortUrlsOf(context, call),
  }
}

const secondsOrNull = (ms: number | null) => (ms === null ? null : unixSeconds(ms))

/** Computed from the displayed times, so that clients get the same difference. */
const durationOf = ({ startedAt, endedAt }: Call) =>
  endedAt === null ? 0 : unixSeconds(endedAt) - unixSeconds(startedAt)

function soundOf(context: CallViewContext, call: Call, sound: CallAudioKind): string | null {
  const file = call[sound]
  return file === null ? null : context.soundUrl(call, sound, file)
}

function assetOf(links: Links, { id, recording, voicemail }: Call): string | null {
  if (recording !== null) return `${links.assets}/recording/${id}`
  return voicemail === null ? null : `${links.assets}/voicemail/${id}`
}

function shortUrlsOf({ shortUrl }: CallViewContext, call: Call) {
  const recording = call.recording === null ? undefined : shortUrl?.(call, 'recording')
  const voicemail = call.voicemail === null ? undefined : shortUrl?.(call, 'voicemail')
  return {
    ...(recording !== undefined && { recording_short_url: recording }),
    ...(voicemail !== undefined && { voicemail_short_url: voicemail }),
  }
}

function contactOf({ links, parts }: CallViewContext, { external, numberId }: Call) {
  const contact = parts.contact(external, numberId)
  return contact ? contactView(links, contact) : null
}

const commentsOf = (parts: CallParts, { comments }: Call) =>
  comments.map(({ id, content, postedBy, postedAt }) => ({
    id,
    content,
    posted_by: parts.user(postedBy),
    posted_at: unixSeconds(postedAt),
  }))

const tagsOf = ({ links, parts }: CallViewContext, { tags }: Call) =>
  tags.map(({ id, name, color, taggedBy, taggedAt }) => ({
    id,
    name,
    tagged_by: parts.user(taggedBy),
    created_at: unixSeconds(taggedAt),
    color,
    direct_link: `${links.api}/v1/tags/${id}`,
  }))

export const participantsOf = (parts: CallParts, { participants, numberId }: Call) =>
  participants.map((party) => participantView(parts, party, numberId))

function participantView(parts: CallParts, party: Party, numberId: number): Static<typeof ParticipantView> {
  if (party.kind === 'user') {
    // Of a deleted user only the id is left.
    return { id: party.userId, name: parts.user(party.userId)?.name ?? '', type: 'user' }
  }
  const contact = parts.contact(party.phone, numberId)
  const phone = parts.display(party.phone)
  if (!contact) return { phone_number: phone, type: 'external' }
  return { id: contact.id, name: nameOf(contact), phone_number: phone, type: 'contact' }
}

const nameOf = ({ firstName, lastName, companyName }: Contact) =>
  [firstName, lastName].filter(Boolean).join(' ') || (companyName ?? '')

export const ivrOptionView = (choice: IvrChoice): Static<typeof IvrOptionView> => ({
  id: choice.id,
  title: choice.title,
  key: choice.key,
  branch: choice.branch,
  created_at: isoMillis(choice.createdAt),
  transition_started_at: isoMillis(choice.shownAt),
  transition_ended_at: isoMillis(choice.takenAt),
})
