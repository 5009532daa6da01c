// All webhook events by group.

export interface EventGroup {
  label: string
  hint: string
  events: readonly string[]
}

export const eventGroups: readonly EventGroup[] = [
  {
    label: 'Calls',
    hint: 'Call lifecycle, tags and comments',
    events: [
      'call.created',
      'call.ringing_on_agent',
      'call.agent_declined',
      'call.answered',
      'call.transferred',
      'call.external_transferred',
      'call.unsuccessful_transfer',
      'call.hungup',
      'call.ended',
      'call.hold',
      'call.unhold',
      'call.ivr_option_selected',
      'call.comm_assets_generated',
      'call.voicemail_left',
      'call.assigned',
      'call.archived',
      'call.tagged',
      'call.untagged',
      'call.commented',
    ],
  },
  {
    label: 'Users',
    hint: 'Accounts, connection, availability and wrap-up',
    events: [
      'user.created.v2',
      'user.deleted.v2',
      'user.connected.v2',
      'user.disconnected.v2',
      'user.opened.v2',
      'user.closed.v2',
      'user.wut_start.v2',
      'user.wut_end.v2',
    ],
  },
  {
    label: 'Users (v1)',
    hint: 'Deprecated: use the v2 events above',
    events: [
      'user.created',
      'user.deleted',
      'user.connected',
      'user.disconnected',
      'user.opened',
      'user.closed',
      'user.wut_start',
      'user.wut_end',
    ],
  },
  {
    label: 'Numbers',
    hint: 'Created, deleted, opened and closed',
    events: ['number.created', 'number.deleted', 'number.opened', 'number.closed'],
  },
  {
    label: 'Contacts',
    hint: 'Created, updated and deleted',
    events: ['contact.created', 'contact.updated', 'contact.deleted'],
  },
  {
    label: 'Messages',
    hint: 'SMS, WhatsApp and groups',
    events: [
      'message.sent',
      'message.received',
      'message.status_updated',
      'group_message.sent',
      'group_message.received',
      'group_message.status_updated',
    ],
  },
  {
    label: 'Conversation intelligence',
    hint: 'Transcripts, summaries and evaluations',
    events: [
      'transcription.created',
      'summary.created',
      'topics.created',
      'sentiment.created',
      'action_item.created',
      'playbook_result.created',
      'playbook_result.updated',
      'realtime_transcription.utterances_received',
      'custom_summary.result_created',
      'custom_summary.result_updated',
      'call_evaluation.created',
      'call_evaluation.updated',
    ],
  },
  {
    label: 'AI agents',
    hint: 'Conversations of AI agents',
    events: [
      'ai_voice_agent.started',
      'ai_voice_agent.ended',
      'ai_voice_agent.escalated',
      'ai_voice_agent.summary',
      'ai_voice_agent.outbound_call_failed',
    ],
  },
  {
    label: 'Analytics and integrations',
    hint: 'Exports and removed apps',
    events: ['analytics.report_created', 'analytics.report_failed', 'integration.deleted'],
  },
  {
    label: 'Webhook health',
    hint: 'Failing and disabled webhooks; not part of “all events”',
    events: ['webhook.failing', 'webhook.disabled', 'webhook.test'],
  },
]

const isOptIn = (name: string) => name.startsWith('webhook.') || name === 'ai_voice_agent.outbound_call_failed'

export const everyEvent = eventGroups.flatMap(({ events }) => events)
/** The events of an "all events" subscription. */
export const allEvents = everyEvent.filter((name) => !isOptIn(name))
export const getsAll = (names: readonly string[]) => allEvents.every((name) => names.includes(name))
