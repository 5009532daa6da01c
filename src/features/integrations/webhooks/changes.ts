import { type Tx, transaction } from '../../../db/database.ts'
import { fresh } from '../../../domain/delivery/health.ts'
import type { Caller } from '../../../http/caller.ts'
import { notFound } from '../../../http/errors.ts'
import type { Services } from '../../../services.ts'
import { actorOf, audit } from '../../accounts/index.ts'
import { scheduleReconciliation } from './reconciliation.ts'
import { markWebhookDeleted, updateWebhook, type Webhook, type WebhookChange } from './store.ts'
import { sendTest } from './test-event.ts'

// Changes of a webhook by its owner, or by who administers the company.

/** A new URL starts as unproven. */
export const unproven: WebhookChange = {
  health: fresh.state,
  consecutive_failures: fresh.consecutiveFailures,
  failing_since: fresh.failingSince,
  warned_level: fresh.warnedLevel,
  cap: fresh.cap,
  streak: fresh.streak,
}

/** Enabled by the owner; this also re-enables a disabled webhook. */
function switched(before: Webhook, active: boolean): WebhookChange {
  // A disabled webhook that is paused keeps holding events, but is not probed any more.
  if (!active && before.status === 'disabled') return { probe_until: null }
  if (active === before.active) return {}
  if (!active) return { status: 'paused', disable_reason: null, disabled_at: null, probe_until: null }
  return {
    status: 'active',
    disable_reason: null,
    disabled_at: null,
    probe_until: null,
    ...(before.status === 'disabled' && unproven),
  }
}

export async function switchWebhookIn(
  services: Services,
  tx: Tx,
  { companyId }: Caller,
  before: Webhook,
  active: boolean,
): Promise<void> {
  await updateWebhook(tx, companyId, before.id, switched(before, active))
  // A test first, so that the owner sees whether the receiver responds.
  if (active && before.status === 'disabled') await sendTest(services, tx, companyId, before, 'webhook.test')
}

export async function deleteWebhook(
  services: Services,
  caller: Caller,
  { id, customName }: Webhook,
  address: string,
): Promise<void> {
  const { companyId } = caller
  const at = services.clock.now()
  await transaction(services.db, async (tx) => {
    if (!(await markWebhookDeleted(tx, companyId, id, at))) throw notFound()
    await scheduleReconciliation(tx, companyId, id, at)
    // The name is known only here once the row is gone.
    const details = { name: customName }
    await audit(services, tx, companyId, { ...webhookEntry(id, 'deleted', caller, address), details })
  })
}

/** Of the audit log. */
export const webhookEntry = (id: string, what: string, caller: Caller, address: string) => ({
  actor: actorOf(caller),
  action: `webhook.${what}`,
  target: `webhook:${id}`,
  address,
})
