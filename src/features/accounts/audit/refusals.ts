import { transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { hour } from '../../../lib/clock.ts'
import type { Metrics } from '../../../lib/metrics.ts'
import type { Refusal, Refusals, Services } from '../../../services.ts'
import { queueMail } from '../emails/queue.ts'
import { adminsAndCreator } from '../users/store.ts'
import { audit, operatorActor, userActor } from './record.ts'

// Refusals by the fraud and overload guards: each writes a log line, a metric and an audit entry, and sends an email to
// the admins once per hour and rule.

type Parts = { services: () => Services; metrics: Pick<Metrics, 'messagesRefused' | 'mediaRefused'> }

export function createRefusals({ services: given, metrics }: Parts): Refusals {
  const mailedAt = new Map<string, number>()

  function isFirstInHour(companyId: CompanyId, { kind, rule }: Refusal, now: number): boolean {
    const key = `${companyId}:${kind}:${rule}`
    const before = mailedAt.get(key)
    if (before !== undefined && now - before < hour) return false
    mailedAt.set(key, now)
    return true
  }

  return {
    async report(companyId, refusal) {
      const services = given()
      const { kind, rule, origin, userId, why } = refusal
      if (kind === 'message') metrics.messagesRefused.inc({ rule })
      if (kind === 'media') metrics.mediaRefused.inc({ rule })
      services.log.warn({ event: `${kind}.refused`, companyId, rule, ...(origin && { origin }) }, logged[kind])
      await transaction(services.db, async (tx) => {
        if (!rulesWithoutEmail.has(rule) && isFirstInHour(companyId, refusal, services.clock.now())) {
          for (const { id, email } of await adminsAndCreator(tx, companyId, null)) {
            const mail = mails[kind](why, services.links.dashboard)
            await queueMail(services, tx, companyId, { userId: id, to: email, ...mail })
          }
        }
        // No user caused it, and a burst of calls would flood the audit log.
        if (kind === 'media') return
        const actor = userId === null ? operatorActor : userActor(userId)
        const details = { rule, ...(origin && { origin }) }
        await audit(services, tx, companyId, { actor, action: `${kind}.refused`, details })
      })
    },
  }
}

/** Mistakes and ordinary limits of one user: no email is sent. */
const rulesWithoutEmail: ReadonlySet<string> = new Set([
  'short',
  'line',
  'concurrent_user',
  'per_minute_user',
  'per_day_user',
  'spend_user',
  'emergency_by_machine',
])

const logged: Record<Refusal['kind'], string> = {
  dial: 'outbound call refused',
  message: 'outbound message refused',
  media: 'call refused: media capacity',
}

const mails: Record<Refusal['kind'], (why: string, dashboard: string) => { subject: string; text: string }> = {
  dial: (why, dashboard) => ({
    subject: 'Outbound calls are being rejected',
    text:
      `Your outbound calling rules rejected a call: ${why}.\n\nIf one of your users placed it, you can change the rules: ` +
      `${dashboard}/dashboard/trunks/limits\nIf not, change the passwords and API keys of your company.\n\n` +
      'You receive at most one email per rule and hour; the audit log lists every attempt.\n',
  }),
  message: (why, dashboard) => ({
    subject: 'Outbound messages are being rejected',
    text:
      `Your outbound rules rejected a message: ${why}.\n\nIf one of your users or integrations sent it, you can change the ` +
      `rules: ${dashboard}/dashboard/trunks/limits\nIf not, change the passwords and API keys of your company.\n\n` +
      'You receive at most one email per rule and hour; the audit log lists every attempt.\n',
  }),
  media: (why) => ({
    subject: 'Calls are being rejected: server capacity reached',
    text:
      `A call of your company was rejected: ${why}.\n\nThe operator of the server can raise RTP_MAX_CALLS or add ` +
      'servers.\n\nYou receive at most one email per reason and hour.\n',
  }),
}
