import { hour } from '../../../lib/clock.ts'
import { type FactRenderer, payloadOf } from '../../publishing/index.ts'
import { IntegrationDeleted, integrationDeleted } from '../apps/view.ts'
import {
  type DisabledWebhook,
  type FailingWebhook,
  type NamedWebhook,
  WebhookDisabled,
  WebhookFailing,
  WebhookTest,
  webhookDisabled,
  webhookFailing,
  webhookTest,
} from './view.ts'

/** Delivered to the company's other webhooks only: a failing webhook cannot receive it. */
export type WebhookFact =
  | { kind: 'webhook'; event: 'failing'; webhook: FailingWebhook }
  | { kind: 'webhook'; event: 'disabled'; webhook: DisabledWebhook }

/** Delivered only to the webhooks that were created with its token. */
export interface IntegrationFact {
  kind: 'integration'
  event: 'deleted'
  tokenId: number
}

declare module '../../publishing/publish.ts' {
  interface FactsByKind {
    webhook: WebhookFact
    integration: IntegrationFact
  }
}

const exampleWebhook: NamedWebhook = {
  id: '3f0c6a52-8d1e-4b7a-9c40-5e2d7f1b6a93',
  customName: 'CRM sync',
  url: 'https://example.com/hook',
}

const failingWebhook = (at: number): FailingWebhook => ({
  ...exampleWebhook,
  failingSince: at - 24 * hour,
  consecutiveFailures: 61,
  disablesAt: at + 96 * hour,
})

const disabledWebhook = (at: number): DisabledWebhook => ({
  ...exampleWebhook,
  reason: 'failing',
  disabledAt: at,
})

export const webhookPayloads = {
  'integration.deleted': payloadOf(IntegrationDeleted)(() => integrationDeleted(12, 1)),
  'webhook.failing': payloadOf(WebhookFailing)(({ at }) => webhookFailing(failingWebhook(at))),
  'webhook.disabled': payloadOf(WebhookDisabled)(({ at }) => webhookDisabled(disabledWebhook(at))),
  'webhook.test': payloadOf(WebhookTest)(({ at }) => webhookTest(exampleWebhook, at)),
}

export const renderWebhookFacts: FactRenderer<WebhookFact> = async () => {
  return (fact) => {
    const { id } = fact.webhook
    const event = { resourceKey: `webhook:${id}`, audience: { except: id } }
    if (fact.event === 'failing') {
      const data = webhookPayloads['webhook.failing'].write(webhookFailing(fact.webhook))
      return [{ ...event, name: 'webhook.failing', data }]
    }
    const data = webhookPayloads['webhook.disabled'].write(webhookDisabled(fact.webhook))
    return [{ ...event, name: 'webhook.disabled', data }]
  }
}

export const renderIntegrationFacts: FactRenderer<IntegrationFact> = async ({ companyId }) => {
  return ({ tokenId }) => {
    const view = integrationDeleted(tokenId, companyId)
    const data = webhookPayloads['integration.deleted'].write(view)
    const resourceKey = `integration:${view.integration_id}`
    return [{ name: 'integration.deleted', resourceKey, audience: { token: tokenId }, data }]
  }
}
