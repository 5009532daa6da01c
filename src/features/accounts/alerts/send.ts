import type { JobPayloads } from '../../../jobs/payloads.ts'
import { second } from '../../../lib/clock.ts'
import type { MailServer } from '../../../lib/mail.ts'
import type { SafeFetch } from '../../../lib/safe-fetch.ts'
import { isoSeconds } from '../../../lib/time-format.ts'

/** Where alerts of the operator go. */
export interface AlertTargets {
  email: string | undefined
  webhookUrl: string | undefined
}

interface Parts {
  targets: AlertTargets
  mailServer: MailServer | undefined
  /** The URL is a setting of the operator: any address is allowed. */
  trusted: Pick<SafeFetch, 'post'>
}

type Alert = JobPayloads['operator.alert']

const timeoutMs = 10 * second

/** The job that sends an alert; a failed attempt is repeated. */
export function alertSender({ targets, mailServer, trusted }: Parts) {
  return async (alert: Alert): Promise<void> => {
    const { email, webhookUrl } = targets
    if (alert.channel === 'email' && email && mailServer) await mailServer.send({ to: email, ...mailOf(alert) })
    if (alert.channel === 'webhook' && webhookUrl) await post(trusted, webhookUrl, alert)
  }
}

function mailOf({ event, message, details, at }: Alert): { subject: string; text: string } {
  const lines = Object.entries(details).map(([name, value]) => `${name}: ${value ?? '-'}`)
  return {
    subject: `Hookswitch: ${message}`,
    text: `${message}.\n\n${[`event: ${event}`, `time: ${isoSeconds(at)}`, ...lines].join('\n')}\n`,
  }
}

async function post(trusted: Parts['trusted'], url: string, { event, message, details, at }: Alert): Promise<void> {
  const body = JSON.stringify({ event, message, at: isoSeconds(at), details })
  const headers = { 'content-type': 'application/json' }
  const { status, problem } = await trusted.post({ pool: 'alerts', url, headers, body, timeoutMs })
  if (status === null || status < 200 || status > 299) throw new Error(`alert not accepted: ${problem ?? status}`)
}
