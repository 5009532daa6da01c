import { type AnyEventName, eventNames, serviceEventNames } from '../../../domain/events.ts'
import type { ViewContext } from '../../../http/view-context.ts'
import { renderUserFacts, userPayloads } from '../../accounts/index.ts'
import { analyticsPayloads, renderExportFacts } from '../../analytics/index.ts'
import { callPayloads, liveAlertPayloads, renderCallFacts, renderLiveAlertFacts } from '../../calls/index.ts'
import { contactPayloads, renderContactFacts } from '../../contacts/index.ts'
import { insightPayloads, renderInsightFacts } from '../../intelligence/index.ts'
import { messagePayloads, renderMessageFacts } from '../../messages/index.ts'
import { numberPayloads, renderNumberFacts } from '../../numbers/index.ts'
import type { FactRenderers, Payload } from '../../publishing/index.ts'
import {
  campaignPayloads,
  renderCampaignFacts,
  renderCampaignResultFacts,
  renderOutboundCallFacts,
  renderVoiceAgentFacts,
  voiceAgentPayloads,
} from '../../voice-agents/index.ts'
import { renderIntegrationFacts, renderWebhookFacts, webhookPayloads } from '../webhooks/events.ts'

/** Every event and its payload; the compiler requires the line of a new one. */
export const payloads = {
  ...callPayloads,
  ...userPayloads,
  ...numberPayloads,
  ...contactPayloads,
  ...messagePayloads,
  ...insightPayloads,
  ...voiceAgentPayloads,
  ...campaignPayloads,
  ...analyticsPayloads,
  ...webhookPayloads,
  ...liveAlertPayloads,
} satisfies Record<AnyEventName, Payload>

/** What `publish` uses to turn facts into events, by kind. */
export const factRenderers: FactRenderers = {
  call: renderCallFacts,
  user: renderUserFacts,
  number: renderNumberFacts,
  contact: renderContactFacts,
  message: renderMessageFacts,
  insight: renderInsightFacts,
  voice_agent: renderVoiceAgentFacts,
  outbound_call: renderOutboundCallFacts,
  campaign: renderCampaignFacts,
  campaign_result: renderCampaignResultFacts,
  export: renderExportFacts,
  webhook: renderWebhookFacts,
  live_alert: renderLiveAlertFacts,
  integration: renderIntegrationFacts,
}

/** The JSON text of `data` in a sample of the event. */
export function sampleOf(name: AnyEventName, context: ViewContext): string {
  const payload: Payload = payloads[name]
  return payload.write(payload.sample(context))
}

/** Schema and sample of every event, for the documentation. */
export function eventDocsFor(context: ViewContext): Map<AnyEventName, { schema: object; sample: string }> {
  const names: AnyEventName[] = [...eventNames, ...serviceEventNames]
  return new Map(names.map((name) => [name, { schema: payloads[name].schema, sample: sampleOf(name, context) }]))
}
