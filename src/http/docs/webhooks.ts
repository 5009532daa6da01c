import { type AnyEventName, eventKind, eventNames, isServiceEventName, serviceEventNames } from '../../domain/events.ts'
import { described } from './described.ts'
import type { EventDocs } from './events.ts'
import { exampleInstant, exampleToken } from './example.ts'
import { pascal } from './operation-ids.ts'
import { type OpenApiSchema, type SchemaComponents, withoutMarks } from './schema.ts'

/** Every event as a webhook of the OpenAPI document: the request that an endpoint of the customer receives. */
export function webhooksOf(
  events: EventDocs,
  components: SchemaComponents,
): Record<string, { post: WebhookOperation }> {
  const names: AnyEventName[] = [...eventNames, ...serviceEventNames].filter((name) => events.has(name))
  const data = dataSchemas(names, events, components)
  const webhooks = names.map((name) => {
    const schema = components.define(`${pascal(name)}Event`, envelopeSchema(name, data.get(name) ?? {}))
    return [name, { post: operationOf(name, schema, JSON.parse(events.get(name)?.sample ?? '{}')) }]
  })
  return Object.fromEntries(webhooks)
}

export interface WebhookOperation {
  operationId: string
  summary: string
  description: string
  tags: [string]
  deprecated?: true
  security: []
  parameters: object[]
  requestBody: { required: true; content: { 'application/json': { schema: OpenApiSchema; example: unknown } } }
  responses: Record<string, { description: string }>
}

export const webhookTag = 'Events'

function operationOf(name: AnyEventName, schema: OpenApiSchema, data: unknown): WebhookOperation {
  const { trigger, deprecated, resource } = eventKind(name)
  const subscription = isServiceEventName(name) ? ' A webhook receives it only if it subscribes to it by name.' : ''
  return {
    operationId: `on${pascal(name)}`,
    summary: `Receive ${name}`,
    description: `${trigger}${subscription}`,
    tags: [webhookTag],
    ...(deprecated && { deprecated: true }),
    security: [],
    parameters: headerParameters,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema,
          example: { resource, event: name, timestamp: exampleInstant / 1_000, token: exampleToken, data },
        },
      },
    },
    responses: {
      '200': { description: 'Any 2xx status within 5 seconds accepts the event; the body of the response is ignored.' },
      '410': { description: 'Disables the webhook; after any other status the event is sent again later.' },
    },
  }
}

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
})

const headerParameters = [
  header(
    'webhook-id',
    'Id of the message, the same in every attempt and every replay; use it to recognize duplicates.',
    'msg_01K0000000000000000000000B',
  ),
  header('webhook-timestamp', 'Time of this attempt, in UNIX seconds.', '1781524800'),
  header(
    'webhook-signature',
    'Signatures of id, timestamp and body (HMAC-SHA256), separated by spaces, in the format of Standard Webhooks.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
]

/** One named schema for all events that share it. */
function dataSchemas(names: AnyEventName[], events: EventDocs, components: SchemaComponents) {
  const shared = new Map<object, AnyEventName[]>()
  for (const name of names) {
    const schema = events.get(name)?.schema ?? {}
    shared.set(schema, [...(shared.get(schema) ?? []), name])
  }
  const placed = new Map<AnyEventName, OpenApiSchema>()
  for (const [schema, users] of shared) {
    const title = titles[users[0] ?? ''] ?? `${pascal(users[0] ?? '')}Data`
    const owner = eventKind(users[0] ?? 'call.created').resource
    const reference = components.addObject(title, described(withoutMarks(schema), owner), `${pascal(owner)}Event`)
    for (const name of users) placed.set(name, reference)
  }
  return placed
}

/** Names of the payloads that several events share, by the first of them. */
const titles: Record<string, string> = {
  'call.created': 'CallEventData',
  'call.ringing_on_agent': 'CallProgressEventData',
  'user.created': 'UserEventDataLegacy',
  'user.created.v2': 'UserEventData',
  'user.wut_start.v2': 'UserWrapUpEventData',
  'number.created': 'NumberEventData',
  'contact.created': 'ContactEventData',
  'message.sent': 'MessageEventData',
  'group_message.sent': 'GroupMessageEventData',
  'playbook_result.created': 'PlaybookResultEventData',
  'custom_summary.result_created': 'CustomSummaryResultEventData',
  'call_evaluation.created': 'CallEvaluationEventData',
  'live_alert.raised': 'LiveAlertEventData',
}

function envelopeSchema(name: AnyEventName, data: OpenApiSchema): OpenApiSchema {
  const { resource, trigger } = eventKind(name)
  return {
    type: 'object',
    description: trigger,
    required: ['resource', 'event', 'timestamp', 'token', 'data'],
    properties: {
      resource: { type: 'string', const: resource, description: 'Kind of object that the event is about.' },
      event: { type: 'string', const: name, description: 'Name of the event.' },
      timestamp: { type: 'integer', description: 'Time of the event, in UNIX seconds.' },
      token: { type: 'string', description: 'Token of the webhook, the same in every request.' },
      data: { ...data, description: 'The object at the moment of the event.' },
    },
  }
}
