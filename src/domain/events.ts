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
    'A call starts: inbound when it reaches its first Number, outbound when it is placed. Once per call.',
  ),
  'call.ringing_on_agent': call('The call rings an agent. Five agents are five events.'),
  'call.agent_declined': call('An agent declines the call.'),
  'call.answered': call('The call is answered by an agent, an AI voice agent or the callee. At most once per call.'),
  'call.transferred': call('The call is transferred to a user, a team or an external number.'),
  'call.external_transferred': call('The call is transferred to an external number; follows `call.transferred`.'),
  'call.unsuccessful_transfer': call('A transferred call is not answered.'),
  'call.hungup': call('The call ends. Sent immediately, before recording and voicemail are available.'),
  'call.ended': call('Everything about the call is known: by default half a minute after the hang-up. Once per call.'),
  'call.hold': call('The agent puts the caller on hold.'),
  'call.unhold': call('The agent takes the caller off hold.'),
  'call.ivr_option_selected': call('The caller selects an IVR option, or the fallback applies.'),
  'call.comm_assets_generated': call('The recording or the voicemail is available.'),
  'call.voicemail_left': call('A voicemail is stored; follows `call.ended`.'),
  'call.assigned': call('The call is assigned to a user: manually, or when a transfer or an escalation is answered.'),
  'call.archived': call('The call is archived: through the API, in the app, or because its callback is done.'),
  'call.tagged': call('Tags are added, once per request; `data` holds all tags.'),
  'call.untagged': call('A tag is removed in the app.'),
  'call.commented': call('A comment is posted. Notes that an agent takes during the call follow `call.ended`.'),
  'user.created': userV1('A user is invited.'),
  'user.deleted': userV1('A user is deleted; `data` is the user as last known.'),
  'user.connected': userV1('A phone app session opens; two tabs send two events.'),
  'user.disconnected': userV1('A phone app session closes.'),
  'user.opened': userV1('The user becomes available, manually or by working hours.'),
  'user.closed': userV1(
    'The user becomes unavailable. With a reason it is sent twice: first without, then with the reason.',
  ),
  'user.wut_start': userV1('Wrap-up starts; sent before `call.hungup` of the same call.'),
  'user.wut_end': userV1('Wrap-up ends.'),
  'user.created.v2': userV2('As `user.created`.'),
  'user.deleted.v2': userV2('As `user.deleted`.'),
  'user.connected.v2': userV2('As `user.connected`.'),
  'user.disconnected.v2': userV2('As `user.disconnected`.'),
  'user.opened.v2': userV2('As `user.opened`.'),
  'user.closed.v2': userV2('As `user.closed`.'),
  'user.wut_start.v2': userV2('As `user.wut_start`, with `last_call_id`.'),
  'user.wut_end.v2': userV2('As `user.wut_end`, with `last_call_id`.'),
  'number.created': number('A Number is added to the company.'),
  'number.opened': oldNumber(
    'A classic number enters its opening hours. Not for a change by hand, never for a flow number.',
  ),
  'number.closed': oldNumber(
    'A classic number leaves its opening hours. Not for a change by hand, never for a flow number.',
  ),
  'number.deleted': number('A Number is removed from the company; `users` is empty.'),
  'contact.created': contact('A contact is created.'),
  'contact.updated': contact('A contact changes, or one of its phone numbers or e-mail addresses does.'),
  'contact.deleted': contact('A contact is deleted; its two lists are empty.'),
  'message.sent': message('A message is sent.'),
  'message.received': message('A message is received.'),
  'message.status_updated': message('The status of a sent message changes.'),
  'group_message.sent': groupMessage('A group message is sent.'),
  'group_message.received': groupMessage('A group message is received.'),
  'group_message.status_updated': groupMessage('The status of a sent group message changes.'),
  'transcription.created': insight('The transcript of a call or voicemail is ready.'),
  'summary.created': insight('The summary of a call is ready.'),
  'topics.created': insight('The topics of a call are ready.'),
  'sentiment.created': insight('The sentiment of a call is ready.'),
  'action_item.created': insight('An action item is found in a call or added by a user.'),
  'playbook_result.created': insight('A call was compared with its playbook.'),
  'playbook_result.updated': insight('The playbook result of a call changes.'),
  'realtime_transcription.utterances_received': insight('New utterances of an active call are transcribed.'),
  'custom_summary.result_created': insight('A summary based on the template of the company is ready.'),
  'custom_summary.result_updated': insight('A summary based on the template of the company is edited.'),
  'call_evaluation.created': insight('A call is evaluated.'),
  'call_evaluation.updated': insight('An evaluation changes.'),
  'ai_voice_agent.started': voiceAgent('An AI voice agent takes a call.'),
  'ai_voice_agent.ended': voiceAgent('An AI voice agent leaves a call.'),
  'ai_voice_agent.escalated': voiceAgent('An AI voice agent escalates a call.'),
  'ai_voice_agent.summary': voiceAgent(
    'The answers that an AI voice agent collected are ready; the last of its four events.',
  ),
  'analytics.report_created': analytics('An export can be downloaded.'),
  'analytics.report_failed': analytics('An export failed.'),
  'integration.deleted': integration('An OAuth app is removed from the company.'),
} satisfies Record<string, EventKind>

/** The last event that the webhooks of an integration receive. */
export const deletionEvent = 'integration.deleted' satisfies keyof typeof events

/** Events that require an explicit subscription: they are never part of "all events". */
export const serviceEvents = {
  'ai_voice_agent.outbound_call_failed': voiceAgent(
    'A call that an AI voice agent was asked to make could not be made: it expired, was refused or was not answered.',
  ),
  'ai_voice_agent.campaign_started': voiceAgent('An outbound campaign of an AI voice agent is started.'),
  'ai_voice_agent.campaign_finished': voiceAgent(
    'An outbound campaign of an AI voice agent has ended: all recipients have a result, or it was cancelled or has expired.',
  ),
  'ai_voice_agent.campaign_result': voiceAgent(
    'A call to a recipient of an outbound campaign has ended; published after every attempt.',
  ),
  'live_alert.raised': liveAlert('A figure of the Live page is beyond its threshold.'),
  'live_alert.cleared': liveAlert('A figure of the Live page is within its threshold again.'),
  'webhook.failing': webhook('Another webhook of yours has been failing for 1, 24 or 96 hours.'),
  'webhook.disabled': webhook('The service disabled another webhook of yours.'),
  'webhook.test': webhook('A test was requested without an event name.'),
} satisfies Record<string, EventKind>

export type EventName = keyof typeof events
export type ServiceEventName = keyof typeof serviceEvents
export type AnyEventName = EventName | ServiceEventName

export const eventNames = Object.keys(events) as EventName[]
export const serviceEventNames = Object.keys(serviceEvents) as ServiceEventName[]

export const isEventName = (name: string): name is EventName => Object.hasOwn(events, name)
export const isServiceEventName = (name: string): name is ServiceEventName => Object.hasOwn(serviceEvents, name)

export const eventKind = (name: AnyEventName): EventKind => (isEventName(name) ? events[name] : serviceEvents[name])
