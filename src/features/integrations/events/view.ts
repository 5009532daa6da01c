import { type Static, Type } from 'typebox'
import type { WrittenEvent } from '../../../events/log.ts'
import { Json } from '../../../http/schemas.ts'
import type { LoggedEvent } from './store.ts'

const eventFields = {
  id: Type.String({ description: 'Sent to webhooks as webhook-event-id' }),
  event: Type.String(),
  resource: Type.String({ examples: ['contact'] }),
  timestamp: Type.Integer({ description: 'UNIX seconds at which it happened' }),
  test: Type.Boolean({ description: 'Whether this is a test event' }),
  data: Json,
}

export const EventView = Type.Object({
  position: Type.Integer({ description: 'Position in the log: pass the last one as `after` to continue' }),
  ...eventFields,
})

/** Just inserted: its position in the log is not known yet. */
export const SampleView = Type.Object(eventFields)

export const sampleView = (event: WrittenEvent): Static<typeof SampleView> => ({
  id: event.id,
  event: event.name,
  resource: event.resource,
  timestamp: Math.floor(event.occurredAt / 1_000),
  test: true,
  data: JSON.parse(event.data),
})

export const eventView = (event: LoggedEvent): Static<typeof EventView> => ({
  position: event.position,
  id: event.id,
  event: event.name,
  resource: event.resource,
  timestamp: Math.floor(event.occurred_at / 1_000),
  test: event.test === 1,
  data: JSON.parse(event.data),
})
