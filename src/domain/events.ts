// domain/ is pure: no clock, no chance, no I/O, no package. Someone who knows phones and not Node can read it.
// Every event we publish, by name.

interface EventKind {
  resource: Resource
  version: 1 | 2
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

const call = { resource: 'call', version: 1 } as const
const userV1 = { resource: 'user', version: 1, deprecated: true } as const
const userV2 = { resource: 'user', version: 2 } as const
const number = { resource: 'number', version: 1 } as const
const oldNumber = { resource: 'number', version: 1, deprecated: true } as const
const contact = { resource: 'contact', version: 1 } as const
const message = { resource: 'message', version: 1 } as const
const groupMessage = { resource: 'group_message', version: 1 } as const
const insight = { resource: 'conversation_intelligence', version: 1 } as const
const voiceAgent = { resource: 'ai_voice_agent', version: 1 } as const
const analytics = { resource: 'analytics', version: 1 } as const

/** The 67 events a webhook can subscribe to; "all events" means these. */
export const events = {
  'call.created': call,
  'call.ringing_on_agent': call,
  'call.agent_declined': call,
  'call.answered': call,
  'call.transferred': call,
  'call.external_transferred': call,
  'call.unsuccessful_transfer': call,
  'call.hungup': call,
  'call.ended': call,
  'call.hold': call,
  'call.unhold': call,
  'call.ivr_option_selected': call,
  'call.comm_assets_generated': call,
  'call.voicemail_left': call,
  'call.assigned': call,
  'call.archived': call,
  'call.tagged': call,
  'call.untagged': call,
  'call.commented': call,
  'user.created': userV1,
  'user.deleted': userV1,
  'user.connected': userV1,
  'user.disconnected': userV1,
  'user.opened': userV1,
  'user.closed': userV1,
  'user.wut_start': userV1,
  'user.wut_end': userV1,
  'user.created.v2': userV2,
  'user.deleted.v2': userV2,
  'user.connected.v2': userV2,
  'user.disconnected.v2': userV2,
  'user.opened.v2': userV2,
  'user.closed.v2': userV2,
  'user.wut_start.v2': userV2,
  'user.wut_end.v2': userV2,
  'number.created': number,
  'number.opened': oldNumber,
  'number.closed': oldNumber,
  'number.deleted': number,
  'contact.created': contact,
  'contact.updated': contact,
  'contact.deleted': contact,
  'message.sent': message,
  'message.received': message,
  'message.status_updated': message,
  'group_message.sent': groupMessage,
  'group_message.received': groupMessage,
  'group_message.status_updated': groupMessage,
  'transcription.created': insight,
  'summary.created': insight,
  'topics.created': insight,
  'sentiment.created': insight,
  'action_item.created': insight,
  'playbook_result.created': insight,
  'playbook_result.updated': insight,
  'realtime_transcription.utterances_received': insight,
  'custom_summary.result_created': insight,
  'custom_summary.result_updated': insight,
  'call_evaluation.created': insight,
  'call_evaluation.updated': insight,
  'ai_voice_agent.started': voiceAgent,
  'ai_voice_agent.ended': voiceAgent,
  'ai_voice_agent.escalated': voiceAgent,
  'ai_voice_agent.summary': voiceAgent,
  'analytics.report_created': analytics,
  'analytics.report_failed': analytics,
  'integration.deleted': { resource: 'integration', version: 1 },
} as const satisfies Record<string, EventKind>

/** Events about webhooks themselves: subscribed to by name, never part of "all events". */
export const serviceEvents = {
  'webhook.failing': { resource: 'webhook', version: 1 },
  'webhook.disabled': { resource: 'webhook', version: 1 },
  'webhook.test': { resource: 'webhook', version: 1 },
} as const satisfies Record<string, EventKind>

export type EventName = keyof typeof events
export type ServiceEventName = keyof typeof serviceEvents

export const eventNames = Object.keys(events) as EventName[]
export const serviceEventNames = Object.keys(serviceEvents) as ServiceEventName[]

export const isEventName = (name: string): name is EventName => Object.hasOwn(events, name)
export const isServiceEventName = (name: string): name is ServiceEventName => Object.hasOwn(serviceEvents, name)
