import type { Tx } from '../../../db/database.ts'
import { notify } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { minute } from '../../../lib/clock.ts'

/** A webhook was switched, moved or deleted: its deliveries are brought in line little by little, by a job. */
export async function followWebhook(tx: Tx, companyId: CompanyId, webhookId: string, at: number): Promise<void> {
  await enqueue(tx, 'webhook.follow', { companyId, webhookId }, at, `webhook.follow:${webhookId}`)
  // Once more: somebody may be writing who has seen the webhook as it was.
  await enqueue(tx, 'webhook.follow', { companyId, webhookId }, at + minute, `webhook.follow.again:${webhookId}`)
  await notify(tx, 'webhook', webhookId)
}
