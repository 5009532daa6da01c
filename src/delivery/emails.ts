import type { DisabledWebhook, FailingWebhook, NamedWebhook } from '../features/integrations/webhooks/view.ts'
import { hour } from '../lib/clock.ts'
import { isoSeconds } from '../lib/time-format.ts'
import type { Links } from '../services.ts'

// What owners and admins are told about their webhooks. No payload and no answer of a receiver is quoted.

export interface EmailText {
  subject: string
  text: string
}

/** The path and what follows it may hold a secret of the receiver: a email names the host only. */
const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : url)
const named = ({ customName, url }: NamedWebhook) => `“${customName}” (${hostOf(url)})`
const where = (links: Links, id: string) => `${links.api}/v1/webhooks/${id}/health`

export function failingEmail(links: Links, webhook: FailingWebhook): EmailText {
  const hours = Math.round((webhook.disablesAt - webhook.failingSince) / hour)
  return {
    subject: `Your webhook ${webhook.customName} is failing`,
    text:
      `Your webhook ${named(webhook)} has not accepted an event since ${isoSeconds(webhook.failingSince)}: ` +
      `${webhook.consecutiveFailures} attempts in a row failed.\n\n` +
      `Nothing is lost. Every event is tried again for three days. If nothing is accepted for ${hours} hours, the ` +
      `webhook is switched off; that can happen from ${isoSeconds(webhook.disablesAt)} on. Events are then kept for ` +
      `14 days and sent when it is switched on again.\n\nWhat it answers, attempt by attempt:\n${where(links, webhook.id)}\n`,
  }
}

const reasons: Record<DisabledWebhook['reason'], string> = {
  failing: 'it has accepted nothing for five days',
  gone: 'it answered 410 Gone',
  url_not_allowed: 'its address may not be called by this installation',
}

export function disabledEmail(links: Links, webhook: DisabledWebhook): EmailText {
  const probing =
    'For the next 12 hours we look every five minutes whether it is back; one accepted event switches it on.'
  return {
    subject: `Your webhook ${webhook.customName} was switched off`,
    text:
      `Your webhook ${named(webhook)} was switched off, because ${reasons[webhook.reason]}.\n\n` +
      `Events for it are kept for 14 days. ${webhook.reason === 'failing' ? probing : ''}\n\n` +
      `To switch it on yourself, send PUT ${links.api}/v1/webhooks/${webhook.id}?events_action=add with ` +
      `{"active": true}.\n`,
  }
}

export function digestEmail(links: Links, givenUp: readonly { webhook: NamedWebhook; n: number }[]): EmailText {
  const total = givenUp.reduce((sum, { n }) => sum + n, 0)
  const lines = givenUp.map(
    ({ webhook, n }) => `- ${named(webhook)}: ${n}\n  ${links.api}/v1/webhooks/${webhook.id}/replays`,
  )
  return {
    subject: `${total} webhook ${total === 1 ? 'delivery was' : 'deliveries were'} given up`,
    text:
      `These were tried 13 times over three days and never accepted:\n\n${lines.join('\n')}\n\n` +
      'They are kept for 30 days and can be replayed: POST to the address behind each webhook, with from and to.\n',
  }
}
