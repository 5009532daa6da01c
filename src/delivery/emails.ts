import type { DisabledWebhook, FailingWebhook, NamedWebhook } from '../features/integrations/webhooks/view.ts'
import { hour } from '../lib/clock.ts'
import { isoSeconds } from '../lib/time-format.ts'
import type { Links } from '../services.ts'

// Emails to owners and admins about their webhooks. They quote no payload and no response of a receiver.

export interface EmailText {
  subject: string
  text: string
}

/** The path and query may hold a secret of the receiver: an email names the host only. */
const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : url)
const named = ({ customName, url }: NamedWebhook) => `“${customName}” (${hostOf(url)})`
const where = (links: Links, id: string) => `${links.api}/v1/webhooks/${id}/health`

export function failingEmail(links: Links, webhook: FailingWebhook): EmailText {
  const hours = Math.round((webhook.disablesAt - webhook.failingSince) / hour)
  return {
    subject: `Your webhook ${webhook.customName} is failing`,
    text:
      `Your webhook ${named(webhook)} has not accepted an event since ${isoSeconds(webhook.failingSince)}: ` +
      `${webhook.consecutiveFailures} consecutive attempts failed.\n\n` +
      `No event is lost. Each event is retried for three days. If the webhook accepts no event for ${hours} hours, it is ` +
      `disabled, at ${isoSeconds(webhook.disablesAt)} at the earliest. Events are then held for 14 days and sent when the ` +
      `webhook is activated again.\n\nStatus and recent attempts:\n${where(links, webhook.id)}\n`,
  }
}

const reasons: Record<DisabledWebhook['reason'], string> = {
  failing: 'it has not accepted an event for five days',
  gone: 'it returned 410 Gone',
  url_not_allowed: 'this installation does not allow its URL',
}

export function disabledEmail(links: Links, webhook: DisabledWebhook): EmailText {
  const probing =
    'For the next 12 hours one event is sent every five minutes; the webhook is activated again as soon as it accepts one.'
  return {
    subject: `Your webhook ${webhook.customName} was disabled`,
    text:
      `Your webhook ${named(webhook)} was disabled because ${reasons[webhook.reason]}.\n\n` +
      `Its events are held for 14 days. ${webhook.reason === 'failing' ? probing : ''}\n\n` +
      `To activate it yourself, send PUT ${links.api}/v1/webhooks/${webhook.id}?events_action=add with ` +
      `{"active": true}.\n`,
  }
}

export function digestEmail(links: Links, failed: readonly { webhook: NamedWebhook; n: number }[]): EmailText {
  const total = failed.reduce((sum, { n }) => sum + n, 0)
  const lines = failed.map(
    ({ webhook, n }) => `- ${named(webhook)}: ${n}\n  ${links.api}/v1/webhooks/${webhook.id}/replays`,
  )
  return {
    subject: `${total} webhook ${total === 1 ? 'delivery' : 'deliveries'} failed`,
    text:
      `The following deliveries were attempted 13 times over three days and were not accepted:\n\n${lines.join('\n')}\n\n` +
      'Failed deliveries are kept for 30 days. To replay them, send POST to the URL below each webhook, with from and to.\n',
  }
}
