import { type Static, Type } from 'typebox'
import type { WebhookTable } from '../../../db/tables.ts'
import { oneOf, Timestamp } from '../../../http/schemas.ts'
import { isoMillis } from '../../../lib/time-format.ts'
import type { Links } from '../../../services.ts'
import { subscriptions, type Webhook } from './store.ts'

export const WebhookView = Type.Object({
  webhook_id: Type.String({ format: 'uuid' }),
  id: Type.Integer({ deprecated: true, description: 'Use webhook_id' }),
  direct_link: Type.String(),
  created_at: Timestamp,
  url: Type.String(),
  active: Type.Boolean({ description: 'false: paused' }),
  events: Type.Array(Type.String(), { description: 'Unordered' }),
  token: Type.String({ description: 'Sent in the body of every event, to verify its origin; never changes' }),
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

/** Fields of a webhook in service events: those that identify it, never its token. */
export type NamedWebhook = Pick<Webhook, 'id' | 'customName' | 'url'>
export type FailingWebhook = NamedWebhook & { failingSince: number; consecutiveFailures: number; disablesAt: number }
export type DisabledWebhook = NamedWebhook & {
  reason: NonNullable<WebhookTable['disable_reason']>
  disabledAt: number
}

const named = {
  webhook_id: Type.String({ format: 'uuid' }),
  custom_name: Type.String(),
}

export const WebhookFailing = Type.Object({
  ...named,
  url: Type.String(),
  failing_since: Timestamp,
  consecutive_failures: Type.Integer(),
  disables_at: Timestamp,
})

export const webhookFailing = (webhook: FailingWebhook): Static<typeof WebhookFailing> => ({
  webhook_id: webhook.id,
  custom_name: webhook.customName,
  url: webhook.url,
  failing_since: isoMillis(webhook.failingSince),
  consecutive_failures: webhook.consecutiveFailures,
  disables_at: isoMillis(webhook.disablesAt),
})

export const WebhookDisabled = Type.Object({
  ...named,
  url: Type.String(),
  reason: oneOf(['failing', 'gone', 'url_not_allowed']),
  disabled_at: Timestamp,
})

export const webhookDisabled = (webhook: DisabledWebhook): Static<typeof WebhookDisabled> => ({
  webhook_id: webhook.id,
  custom_name: webhook.customName,
  url: webhook.url,
  reason: webhook.reason,
  disabled_at: isoMillis(webhook.disabledAt),
})

export const WebhookTest = Type.Object({ ...named, sent_at: Timestamp })

export const webhookTest = (
  { id, customName }: Pick<Webhook, 'id' | 'customName'>,
  sentAt: number,
): Static<typeof WebhookTest> => ({ webhook_id: id, custom_name: customName, sent_at: isoMillis(sentAt) })
