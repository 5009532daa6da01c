import {
  type AnyEventName,
  eventKind,
  eventNames,
  isServiceEventName,
  type Resource,
  serviceEventNames,
} from '../../../src/domain/events.ts'

// All webhook events by group.

export interface EventGroup {
  label: string
  hint: string
  events: readonly AnyEventName[]
}

/** Deprecated events follow the others. */
function eventsOf(resources: readonly Resource[], version?: 1 | 2): AnyEventName[] {
  const found = [...eventNames, ...serviceEventNames].filter((name) => {
    const kind = eventKind(name)
    return resources.includes(kind.resource) && (version === undefined || kind.version === version)
  })
  return [...found.filter((name) => !eventKind(name).deprecated), ...found.filter((name) => eventKind(name).deprecated)]
}

export const eventGroups: readonly EventGroup[] = [
  { label: 'Calls', hint: 'Call lifecycle, tags and notes', events: eventsOf(['call']) },
  { label: 'Users', hint: 'Accounts, connection, availability and wrap-up', events: eventsOf(['user'], 2) },
  { label: 'Users (v1)', hint: 'Deprecated: use the v2 events above', events: eventsOf(['user'], 1) },
  { label: 'Numbers', hint: 'Created, deleted, opened and closed', events: eventsOf(['number']) },
  { label: 'Contacts', hint: 'Created, updated and deleted', events: eventsOf(['contact']) },
  { label: 'Messages', hint: 'SMS, WhatsApp and groups', events: eventsOf(['message', 'group_message']) },
  {
    label: 'Conversation intelligence',
    hint: 'Transcripts, summaries and evaluations',
    events: eventsOf(['conversation_intelligence']),
  },
  { label: 'AI agents', hint: 'Conversations of AI agents', events: eventsOf(['ai_voice_agent']) },
  {
    label: 'Analytics and integrations',
    hint: 'Exports and removed apps',
    events: eventsOf(['analytics', 'integration']),
  },
  {
    label: 'Live alerts',
    hint: 'Thresholds of the live page; not part of “all events”',
    events: eventsOf(['live_alert']),
  },
  {
    label: 'Webhook health',
    hint: 'Failing and disabled webhooks; not part of “all events”',
    events: eventsOf(['webhook']),
  },
]

export const everyEvent = eventGroups.flatMap(({ events }) => events)
/** The events of an "all events" subscription. */
export const allEvents = everyEvent.filter((name) => !isServiceEventName(name))
export const getsAll = (names: readonly string[]) => allEvents.every((name) => names.includes(name))
