import {
  type AnyEventName,
  eventKind,
  eventNames,
  isServiceEventName,
  type Resource,
  serviceEventNames,
} from '../../domain/events.ts'
import { pretty } from './code-samples.ts'
import { exampleInstant, exampleToken } from './example.ts'
import { fenced, table } from './reference.ts'

/** Schema of `data` and a sample of it as JSON, by event name. */
export type EventDocs = ReadonlyMap<string, { schema: object; sample: string }>

const names: AnyEventName[] = [...eventNames, ...serviceEventNames]

/** The event catalogue as Markdown: a table per resource followed by samples, in the order of the event list. */
export function eventCatalogue(events: EventDocs): string {
  const resources = [...new Set(names.map((name) => eventKind(name).resource))]
  return resources
    .map((resource) => {
      const mine = names.filter((name) => eventKind(name).resource === resource)
      return [`### ${titles[resource]}`, texts[resource], eventTable(mine), samplesOf(mine, events)].join('\n\n')
    })
    .join('\n\n')
}

const eventTable = (mine: readonly AnyEventName[]) =>
  table(
    ['Event', 'Version', 'Sent when'],
    mine.map((name) => {
      const { version, deprecated, trigger } = eventKind(name)
      const how = isServiceEventName(name) ? `${trigger} By name only.` : trigger
      return [`\`${name}\``, deprecated ? `V${version}, deprecated` : `V${version}`, how]
    }),
  )

function samplesOf(mine: readonly AnyEventName[], events: EventDocs): string {
  const shown = mine.flatMap((name) => {
    const data = events.get(name)?.sample
    return data === undefined ? [] : [fenced(`json ${name}`, pretty(envelope(name, data)))]
  })
  return ['As a webhook gets them:', ...shown].join('\n\n')
}

const envelope = (name: AnyEventName, data: string) => ({
  resource: eventKind(name).resource,
  event: name,
  timestamp: exampleInstant / 1_000,
  token: exampleToken,
  data: JSON.parse(data),
})

const titles: Record<Resource, string> = {
  call: 'Calls',
  user: 'Users',
  number: 'Numbers',
  contact: 'Contacts',
  message: 'Messages',
  group_message: 'Group messages',
  conversation_intelligence: 'Conversation intelligence',
  ai_voice_agent: 'AI voice agents',
  analytics: 'Analytics',
  integration: 'Integrations',
  webhook: 'Service events',
  live_alert: 'Live alerts',
}

const texts: Record<Resource, string> = {
  call: '`resource` is `call`; `data` is the call as it was at that moment. Internal calls send nothing.',
  user:
    '`resource` is `user`. One fact sends both versions, each to the webhooks that asked for it. Version 1 carries the ' +
    'Numbers of the user, version 2 does not.',
  number: '`resource` is `number`; `data` is the Number with its users and `e164_digits`.',
  contact: '`resource` is `contact`; dates are `YYYY-MM-DDTHH:mm:ssZ`.',
  message: '`resource` is `message`: SMS, MMS and WhatsApp.',
  group_message: '`resource` is `group_message`.',
  conversation_intelligence: '`resource` is `conversation_intelligence`, whatever the first word of the name.',
  ai_voice_agent: '`resource` is `ai_voice_agent`; the ordinary call events are sent as well.',
  analytics: '`resource` is `analytics`.',
  integration: '`resource` is `integration`; only webhooks made with the OAuth token of that app get it.',
  webhook:
    '`resource` is `webhook`. They are about your webhooks themselves; a webhook receives only those that it names in ' +
    '`events`.',
  live_alert:
    '`resource` is `live_alert`. They require an explicit subscription: a webhook receives only those that it names in ' +
    '`events`. Thresholds are set on the Live page; see [Live alerts](/docs/dashboard#alerts).',
}
