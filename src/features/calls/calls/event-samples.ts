import type { ViewContext } from '../../../http/view-context.ts'
import { second } from '../../../lib/clock.ts'
import { exampleNumber, exampleUser, type User } from '../../accounts/index.ts'
import { exampleContact } from '../../contacts/index.ts'
import { sampleIds } from '../../publishing/index.ts'
import { type CallParts, partsFrom } from './parts.ts'
import type { Call } from './store.ts'
import { type CallViewContext, eventCall, ivrOptionView } from './view.ts'

// A call for the samples of call events, between people who do not exist.

const requestId = 2_000_000_020
const tagId = 2_000_000_031
const commentId = 2_000_000_041
const teamId = 2_000_000_051
const colleagueId = 2_000_000_005
const phone = sampleIds.callerPhone
const shortId = '6b1d0c3e-9a54-4f0e-8d27-1c5b7a3f9e60'

/** What is added to a call after the engine wrote it. */
export const withoutAdditions = {
  archived: false,
  recording: null,
  recordingMs: null,
  voicemail: null,
  voicemailMs: null,
  publishedEvents: 'nothing',
  tags: [],
  comments: [],
} satisfies Partial<Call>

const colleague = (at: number): User => ({
  ...exampleUser(at),
  id: colleagueId,
  email: 'mina.haddad@example.com',
  firstName: 'Mina',
  lastName: 'Haddad',
  extension: '105',
})

const started = (at: number): Call => {
  const { id: numberId, companyId } = exampleNumber(at)
  return {
    id: sampleIds.call,
    companyId,
    uuid: sampleIds.callUuid,
    direction: 'inbound',
    numberId,
    external: phone,
    externalDisplay: '+1 415-555-0187',
    missedReason: null,
    hangupCause: null,
    startedAt: at,
    answeredAt: null,
    endedAt: null,
    userId: null,
    assignedTo: null,
    transferredBy: null,
    transferredTo: null,
    transferredOut: false,
    callbackOf: null,
    teamIds: [],
    participants: [{ kind: 'external', phone }],
    ivrOptions: [],
    ...withoutAdditions,
  }
}

const ringing = (at: number): Call => ({ ...started(at), startedAt: at - 2 * second, teamIds: [teamId] })

const answered = (at: number): Call => {
  const { id: userId } = exampleUser(at)
  const party = { kind: 'user', userId } as const
  const call = ringing(at)
  return { ...call, startedAt: at - 9 * second, answeredAt: at, userId, participants: [...call.participants, party] }
}

const talking = (at: number): Call => ({ ...answered(at), startedAt: at - 40 * second, answeredAt: at - 31 * second })

const transferred = (at: number): Call => ({
  ...talking(at),
  transferredBy: exampleUser(at).id,
  transferredTo: colleagueId,
})

const done = (at: number): Call => ({
  ...talking(at),
  startedAt: at - 95 * second,
  answeredAt: at - 86 * second,
  endedAt: at,
  hangupCause: 'normal_clearing',
})

const ended = (at: number): Call => ({ ...done(at - 30 * second), recording: 'recording', publishedEvents: 'ended' })

const withVoicemail = (at: number): Call => ({
  ...ringing(at),
  startedAt: at - 80 * second,
  endedAt: at - 33 * second,
  missedReason: 'agents_did_not_answer',
  hangupCause: 'normal_clearing',
  voicemail: 'voicemail',
  publishedEvents: 'ended',
})

const tagged = (at: number): Call => ({
  ...ended(at),
  tags: [{ id: tagId, name: 'Order', color: '#00B388', taggedBy: exampleUser(at).id, taggedAt: at }],
})

const commented = (at: number): Call => ({
  ...ended(at),
  comments: [{ id: commentId, content: 'Wants two crates on Friday', postedBy: null, postedAt: at }],
})

const chosen = (at: number): Call => ({
  ...started(at - 12 * second),
  ivrOptions: [
    {
      id: '9c2e5a70-1f3d-4b86-a0c4-3d7e1b5f8a92',
      title: 'Orders',
      key: '1',
      branch: 'sales',
      createdAt: at,
      shownAt: at - 8 * second,
      takenAt: at,
    },
  ],
})

/** The call of each event, at its moment. */
export const exampleCalls = {
  started,
  ringing,
  answered,
  talking,
  chosen,
  transferred,
  sentOut: (at: number): Call => ({ ...talking(at), transferredBy: exampleUser(at).id, transferredOut: true }),
  done,
  ended,
  withVoicemail,
  assigned: (at: number): Call => ({ ...transferred(at), userId: colleagueId, assignedTo: colleagueId }),
  archived: (at: number): Call => ({ ...ended(at), archived: true, callbackOf: requestId }),
  tagged,
  commented,
}

export const sampleOfCall = (context: ViewContext, call: Call, userId = call.userId) =>
  eventCall(callContext(context), call, userId)

/** On its way to the agent who is about to take it. */
export const sampleOfRing = (context: ViewContext) =>
  sampleOfCall(context, exampleCalls.ringing(context.at), exampleUser(context.at).id)

export const sampleOfCallBack = (context: ViewContext, call: Call) => ({
  ...sampleOfCall(context, call),
  ...(call.callbackOf !== null && { automatic_callback_call_id: call.callbackOf }),
})

export const sampleOfChoice = (context: ViewContext) => {
  const call = exampleCalls.chosen(context.at)
  return { ...sampleOfCall(context, call), ivr_options_selected: call.ivrOptions.map(ivrOptionView) }
}

export const sampleSentOut = (context: ViewContext) => ({
  ...sampleOfCall(context, exampleCalls.sentOut(context.at)),
  external_transferred_to: '+14155550164',
  external_caller_number: phone,
})

const callContext = (context: ViewContext): CallViewContext => ({
  links: context.links,
  parts: people(context),
  soundUrl: ({ id }, sound) => `${context.links.assets}/media/${sound}/${id}/sample.mp3`,
  shortUrl: () => `${context.links.short}/v1/${shortId}`,
})

function people(context: ViewContext): CallParts {
  const { at } = context
  const named = {
    users: [exampleUser(at), colleague(at)],
    numbers: [exampleNumber(at)],
    teams: [{ id: teamId, name: 'Orders', createdAt: exampleNumber(at).createdAt }],
    pastNumbers: [],
    pastTeams: [],
    contactOf: (digits: string) => (digits === phone.slice(1) ? exampleContact(at) : undefined),
  }
  return partsFrom(context, named, new Map([[phone, started(at).externalDisplay]]))
}
