import { type Static, Type } from 'typebox'
import type { WrittenEvent } from '../../../events/log.ts'
import { Json } from '../../../http/schemas.ts'
import type { LoggedEvent } from './store.ts'

const eventFields = {
  id: Type.String({ description: 'Sent to webhooks as webhook-event-id' }),
  event: Type.String(),
  resource: Type.String({ examples: ['contact'] }),
  timestamp: Type.Integer({ description: 'UNIX seconds at which it happened' }),
  test: Type.Boolean({ description: 'Asked for as a test: nothing happened' }),
  data: Json,
}

export const EventView = Type.Object({
  position: Type.Integer({ description: 'Place in the log: pass the last one as `after` to read on' }),
  ...eventFields,
})

/** Just written, so that its place in the log is not known yet. */
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
