import type { Tx } from '../../../db/database.ts'
import { notify } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { minute } from '../../../lib/clock.ts'

/** Queues the job that updates the deliveries of a webhook after it was enabled, disabled, moved or deleted. */
export async function scheduleReconciliation(
  tx: Tx,
  companyId: CompanyId,
  webhookId: string,
  at: number,
): Promise<void> {
  await enqueue(tx, 'webhook.follow', { companyId, webhookId }, at, `webhook.follow:${webhookId}`)
  // Scheduled a second time: a concurrent transaction may still have read the webhook before the change.
  await enqueue(tx, 'webhook.follow', { companyId, webhookId }, at + minute, `webhook.follow.again:${webhookId}`)
  await notify(tx, 'webhook', webhookId)
}
