// Every event that is published, by name; its payload is defined in features/catalogue.ts.

export interface EventKind {
  resource: Resource
  version: 1 | 2
  /** When it is sent, as a sentence for the documentation. */
  trigger: string
  deprecated?: true
}

export type Resource =
  | 'call'
  | 'user'
  | 'number'
  | 'contact'
  | 'message'
  | 'group_message'
  | 'conversation_intelligence'
  | 'ai_voice_agent'
  | 'analytics'
  | 'integration'
  | 'webhook'
  | 'live_alert'

const about =
  (kind: Omit<EventKind, 'trigger'>) =>
  (trigger: string): EventKind => ({ ...kind, trigger })

const call = about({ resource: 'call', version: 1 })
const userV1 = about({ resource: 'user', version: 1, deprecated: true })
const userV2 = about({ resource: 'user', version: 2 })
const number = about({ resource: 'number', version: 1 })
const oldNumber = about({ resource: 'number', version: 1, deprecated: true })
const contact = about({ resource: 'contact', version: 1 })
const message = about({ resource: 'message', version: 1 })
const groupMessage = about({ resource: 'group_message', version: 1 })
const insight = about({ resource: 'conversation_intelligence', version: 1 })
const voiceAgent = about({ resource: 'ai_voice_agent', version: 1 })
const analytics = about({ resource: 'analytics', version: 1 })
const integration = about({ resource: 'integration', version: 1 })
const webhook = about({ resource: 'webhook', version: 1 })
const liveAlert = about({ resource: 'live_alert', version: 1 })

/** The 67 events a webhook can subscribe to; "all events" means these. */
export const events = {
  'call.created': call(
    'A call begins: inbound when it reaches its first Number, outbound when it starts. Once per call.',
  ),
  'call.ringing_on_agent': call('One agent is rung; five agents make five events.'),
  'call.agent_declined': call('An agent refuses the ring.'),
  'call.answered': call('Somebody picks up: an agent, an AI voice agent, or the person called. At most once per call.'),
  'call.transferred': call('The call is passed on to a user, a team or an outside number.'),
  'call.external_transferred': call('The call is passed on to an outside number; follows `call.transferred`.'),
  'call.unsuccessful_transfer': call('Nobody takes a call that was passed on.'),
  'call.hungup': call('A side hangs up. Sent at once, before recording and voicemail are known.'),
  'call.ended': call('Everything about the call is known: by default half a minute after the hang-up. Once per call.'),
  'call.hold': call('The agent puts the caller on hold.'),
  'call.unhold': call('The agent comes back to the caller.'),
  'call.ivr_option_selected': call('The caller picks a key of a menu, or the fallback is taken.'),
  'call.comm_assets_generated': call('The recording or the voicemail can be fetched.'),
  'call.voicemail_left': call('A voicemail was kept; comes after `call.ended`.'),
  'call.assigned': call('The call gets an owner: by hand, or by taking a transfer or an escalation.'),
  'call.archived': call('The call is put away: by the API, in the app, or because a callback was done.'),
  'call.tagged': call('Tags are added, once per request; `data` holds all tags.'),
  'call.untagged': call('A tag is taken off in the app.'),
  'call.commented': call('A comment is posted. What an agent types during the call comes after `call.ended`.'),
  'user.created': userV1('A user is invited.'),
  'user.deleted': userV1('A user is deleted; `data` is the user as last known.'),
  'user.connected': userV1('A phone app session opens; two tabs send two events.'),
  'user.disconnected': userV1('A phone app session closes.'),
  'user.opened': userV1('The user becomes available, by hand or by working hours.'),
  'user.closed': userV1('The user stops being available. With a reason it comes twice: first without, then with it.'),
  'user.wut_start': userV1('Wrap-up begins; before `call.hungup` of the same call.'),
  'user.wut_end': userV1('Wrap-up is over.'),
  'user.created.v2': userV2('As `user.created`.'),
  'user.deleted.v2': userV2('As `user.deleted`.'),
  'user.connected.v2': userV2('As `user.connected`.'),
  'user.disconnected.v2': userV2('As `user.disconnected`.'),
  'user.opened.v2': userV2('As `user.opened`.'),
  'user.closed.v2': userV2('As `user.closed`.'),
  'user.wut_start.v2': userV2('As `user.wut_start`, with `last_call_id`.'),
  'user.wut_end.v2': userV2('As `user.wut_end`, with `last_call_id`.'),
  'number.created': number('The company gets a Number.'),
  'number.opened': oldNumber(
    'A classic number enters its opening hours. Not for a change by hand, never for a flow number.',
  ),
  'number.closed': oldNumber(
    'A classic number leaves its opening hours. Not for a change by hand, never for a flow number.',
  ),
  'number.deleted': number('The company gives a Number up; `users` is empty.'),
  'contact.created': contact('A contact is made.'),
  'contact.updated': contact('A contact changes, or one of its phone numbers or e-mail addresses does.'),
  'contact.deleted': contact('A contact is deleted; its two lists are empty.'),
  'message.sent': message('A message leaves the account.'),
  'message.received': message('A message arrives.'),
  'message.status_updated': message('A message you sent gets another status.'),
  'group_message.sent': groupMessage('A group message leaves the account.'),
  'group_message.received': groupMessage('A group message arrives.'),
  'group_message.status_updated': groupMessage('A group message you sent gets another status.'),
  'transcription.created': insight('The words of a call or voicemail are ready.'),
  'summary.created': insight('The summary of a call is ready.'),
  'topics.created': insight('The topics of a call are ready.'),
  'sentiment.created': insight('The mood of a call is ready.'),
  'action_item.created': insight('Something to do was found in a call, or added by hand.'),
  'playbook_result.created': insight('A call was compared with its playbook.'),
  'playbook_result.updated': insight('That comparison changes.'),
  'realtime_transcription.utterances_received': insight('Somebody said something in a call that is still going on.'),
  'custom_summary.result_created': insight('A summary by your own template is ready.'),
  'custom_summary.result_updated': insight('Such a summary is edited.'),
  'call_evaluation.created': insight('A call is evaluated.'),
  'call_evaluation.updated': insight('An evaluation changes.'),
  'ai_voice_agent.started': voiceAgent('An AI voice agent takes a call.'),
  'ai_voice_agent.ended': voiceAgent('Its part of the call is over.'),
  'ai_voice_agent.escalated': voiceAgent('It hands the call to a person.'),
  'ai_voice_agent.summary': voiceAgent('What it learnt is ready; the last of the four.'),
  'analytics.report_created': analytics('An export can be downloaded.'),
  'analytics.report_failed': analytics('An export did not succeed.'),
  'integration.deleted': integration('An OAuth app is removed from the company.'),
} satisfies Record<string, EventKind>

/** The last event that the webhooks of an integration receive. */
export const deletionEvent = 'integration.deleted' satisfies keyof typeof events

/** Events that require an explicit subscription: they are never part of "all events". */
export const serviceEvents = {
  'ai_voice_agent.outbound_call_failed': voiceAgent(
    'A call that an AI voice agent was asked to make could not be made: it expired, was refused or was not answered.',
  ),
  'live_alert.raised': liveAlert('A figure of the live page is beyond the threshold that you set.'),
  'live_alert.cleared': liveAlert('That figure is within its threshold again.'),
  'webhook.failing': webhook('Another webhook of yours has been failing for 1, 24 or 96 hours.'),
  'webhook.disabled': webhook('Another webhook of yours was switched off by the service.'),
  'webhook.test': webhook('You asked for a test without naming an event.'),
} satisfies Record<string, EventKind>

export type EventName = keyof typeof events
export type ServiceEventName = keyof typeof serviceEvents
export type AnyEventName = EventName | ServiceEventName

export const eventNames = Object.keys(events) as EventName[]
export const serviceEventNames = Object.keys(serviceEvents) as ServiceEventName[]

export const isEventName = (name: string): name is EventName => Object.hasOwn(events, name)
export const isServiceEventName = (name: string): name is ServiceEventName => Object.hasOwn(serviceEvents, name)

export const eventKind = (name: AnyEventName): EventKind => (isEventName(name) ? events[name] : serviceEvents[name])
