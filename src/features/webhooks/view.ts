import { type Static, Type } from 'typebox'
import { Timestamp } from '../../http/schemas.ts'
import { isoMillis } from '../../lib/time-format.ts'
import type { Links } from '../../services.ts'
import { subscriptions, type Webhook } from './store.ts'

export const WebhookView = Type.Object({
  webhook_id: Type.String({ format: 'uuid' }),
  id: Type.Integer({ deprecated: true, description: 'Use webhook_id' }),
  direct_link: Type.String(),
  created_at: Timestamp,
  url: Type.String(),
  active: Type.Boolean({ description: 'false: paused' }),
  events: Type.Array(Type.String(), { description: 'In no particular order' }),
  token: Type.String({ description: 'Comes with every event, so that you can tell it is from us; never changes' }),
  custom_name: Type.String(),
})

export const webhookView = (links: Links, webhook: Webhook): Static<typeof WebhookView> => ({
  webhook_id: webhook.id,
  id: webhook.legacyId,
  direct_link: `${links.api}/v1/webhooks/${webhook.id}`,
  created_at: isoMillis(webhook.createdAt),
  url: webhook.url,
  active: webhook.active,
  events: subscriptions(webhook),
  token: webhook.token,
  custom_name: webhook.customName,
})
