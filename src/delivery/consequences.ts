import { afterCommit, type Tx, transaction } from '../db/database.ts'
import type { CompanyId, WebhookTable } from '../db/tables.ts'
import { disablesAt, fresh } from '../domain/delivery/health.ts'
import { raiseAlert } from '../features/accounts/alerts/raise.ts'
import { queueMail } from '../features/accounts/emails/queue.ts'
import { adminsAndCreator } from '../features/accounts/users/store.ts'
import { exhaustedSince } from '../features/integrations/deliveries/store.ts'
import { scheduleReconciliation } from '../features/integrations/webhooks/reconciliation.ts'
import { updateWebhook } from '../features/integrations/webhooks/store.ts'
import { publish } from '../features/publishing/index.ts'
import { enqueue, enqueueOnce } from '../jobs/queue.ts'
import { day, hour, minute } from '../lib/clock.ts'
import type { Services } from '../services.ts'
import { digestEmail, disabledEmail, type EmailText, failingEmail } from './emails.ts'
import type { Endpoint } from './endpoint-store.ts'

export const probeEveryMs = 5 * minute
const probeForMs = 12 * hour

type Reason = NonNullable<WebhookTable['disable_reason']>

/** Stops sending. New events are held for 14 days; a failing receiver is probed for 12 hours. */
export async function disableWebhook(services: Services, tx: Tx, endpoint: Endpoint, reason: Reason): Promise<void> {
  const { id, companyId, customName, url } = endpoint
  const at = services.clock.now()
  endpoint.status = 'disabled'
  await updateWebhook(tx, companyId, id, {
    status: 'disabled',
    disable_reason: reason,
    disabled_at: at,
    probe_until: reason === 'failing' ? at + probeForMs : null,
  })
  await scheduleReconciliation(tx, companyId, id, at)
  if (reason === 'failing') {
    await enqueue(tx, 'webhook.probe', { companyId, webhookId: id }, at + probeEveryMs, `webhook.probe:${id}`)
  }
  const fact = { id, customName, url, reason, disabledAt: at }
  await publish(services, tx, companyId, [{ kind: 'webhook', event: 'disabled', webhook: fact }])
  await emailAdmins(services, tx, endpoint, disabledEmail(services.links, fact))
  await raiseAlert(services, tx, {
    event: 'webhook.disabled',
    message: `Webhook ${id} was disabled`,
    details: { webhook_id: id, company_id: companyId, reason },
  })
  afterCommit(tx, () =>
    services.log.warn({ event: 'webhook.disabled', companyId, webhookId: id, reason }, 'webhook disabled'),
  )
}

/** Activates the webhook again and releases its held deliveries. */
export async function reactivateWebhook(services: Services, tx: Tx, endpoint: Endpoint): Promise<void> {
  const at = services.clock.now()
  endpoint.status = 'active'
  endpoint.health = { ...fresh, lastSuccessAt: at }
  await updateWebhook(tx, endpoint.companyId, endpoint.id, {
    status: 'active',
    disable_reason: null,
    disabled_at: null,
    probe_until: null,
  })
  await scheduleReconciliation(tx, endpoint.companyId, endpoint.id, at)
}

/** Deliveries held while the webhook was disabled wait for the test event that is sent when it is enabled. */
export async function releaseAfterTest(tx: Tx, { id, companyId }: Endpoint, at: number): Promise<void> {
  await enqueue(tx, 'webhook.follow', { companyId, webhookId: id }, at, `webhook.follow:${id}`)
}

export async function warnOwners(services: Services, tx: Tx, endpoint: Endpoint): Promise<void> {
  const { id, companyId, customName, url, health } = endpoint
  const until = disablesAt(health)
  if (health.failingSince === null || until === null) return
  const { failingSince, consecutiveFailures } = health
  const fact = { id, customName, url, failingSince, consecutiveFailures, disablesAt: until }
  await publish(services, tx, companyId, [{ kind: 'webhook', event: 'failing', webhook: fact }])
  await emailAdmins(services, tx, endpoint, failingEmail(services.links, fact))
}

async function emailAdmins(
  services: Services,
  tx: Tx,
  { companyId, createdBy }: Pick<Endpoint, 'companyId' | 'createdBy'>,
  content: EmailText,
): Promise<void> {
  for (const { id, email } of await adminsAndCreator(tx, companyId, createdBy)) {
    await queueMail(services, tx, companyId, { userId: id, to: email, ...content })
  }
}

/** At most one email a day, however many deliveries were exhausted. */
export async function scheduleDigest({ clock }: Services, tx: Tx, companyId: CompanyId, since: number): Promise<void> {
  await enqueueOnce(tx, 'webhook.digest', { companyId, since }, clock.now() + day, `webhook.digest:${companyId}`)
}

/** The job that sends the digest. */
export function digestSender(services: Services) {
  return ({ companyId, since }: { companyId: CompanyId; since: number }): Promise<void> =>
    transaction(services.db, async (tx) => {
      const failed = await exhaustedSince(tx, companyId, since)
      if (failed.length === 0) return
      await emailAdmins(services, tx, { companyId, createdBy: null }, digestEmail(services.links, failed))
    })
}
