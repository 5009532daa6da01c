import { type Static, Type } from 'typebox'
import { Json } from '../../http/schemas.ts'
import type { LoggedEvent } from './store.ts'

export const EventView = Type.Object({
  position: Type.Integer({ description: 'Place in the log: pass the last one as `after` to read on' }),
  id: Type.String({ description: 'Sent to webhooks as webhook-event-id' }),
  event: Type.String(),
  resource: Type.String(),
  timestamp: Type.Integer({ description: 'UNIX seconds at which it happened' }),
  test: Type.Boolean({ description: 'Asked for as a test: nothing happened' }),
  data: Json,
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
