import { transaction } from '../db/database.ts'
import { notify } from '../db/dialect.ts'
import type { CompanyId } from '../db/tables.ts'
import {
  cancelSome,
  deleteSome,
  deletionEventDue,
  holdSome,
  isTestAwaited,
  isUnderWay,
  putForward,
  releaseSome,
} from '../features/integrations/deliveries/store.ts'
import { eraseWebhook, healthOf } from '../features/integrations/webhooks/store.ts'
import { enqueue } from '../jobs/queue.ts'
import { second } from '../lib/clock.ts'
import { inBatches } from '../lib/in-batches.ts'
import type { Services } from '../services.ts'
import { probeEveryMs } from './consequences.ts'

interface WebhookJob {
  companyId: CompanyId
  webhookId: string
}

const batchSize = 500
/** A test event arrives before held deliveries, unless its receiver takes longer than this to respond. */
const testFirstMs = 10 * second

/** Brings the deliveries of a webhook in line with its state, 500 per commit. */
export function deliveryReconciler(services: Services) {
  const { db, clock } = services
  const reconcile = async ({ companyId, webhookId }: WebhookJob): Promise<void> => {
    await inBatches(clock, () =>
      transaction(db, async (tx) => {
        const webhook = await healthOf(tx, companyId, webhookId)
        const at = clock.now()
        // Deliveries that were created while the webhook was being erased.
        if (!webhook) return deleteSome(tx, companyId, webhookId, batchSize)
        const { status, integration } = webhook
        if (webhook.deleted_at !== null || integration === 'removed')
          return cancelSome(tx, companyId, webhookId, at, batchSize)
        if (status !== 'active' || integration === 'off')
          return holdSome(tx, companyId, webhookId, status === 'paused' || integration === 'off', batchSize)
        if (await isTestAwaited(tx, companyId, webhookId, at - testFirstMs)) {
          await enqueue(
            tx,
            'webhook.follow',
            { companyId, webhookId },
            at + testFirstMs,
            `webhook.follow.later:${webhookId}`,
          )
          return 0
        }
        const released = await releaseSome(tx, companyId, webhookId, at, batchSize)
        if (released > 0) await notify(tx, 'backlog', webhookId)
        return released
      }),
    )
    const webhook = await healthOf(db, companyId, webhookId)
    if (!webhook) return
    if (webhook.deleted_at !== null) await eraseWhenIdle(companyId, webhookId)
    else if (webhook.integration === 'removed') await eraseAfterDeletionEvent(companyId, webhookId)
  }

  /** Waits for attempts in flight, then erases the webhook and its deliveries. */
  async function eraseWhenIdle(companyId: CompanyId, webhookId: string): Promise<void> {
    if (await isUnderWay(db, companyId, webhookId)) return checkAgain(companyId, webhookId, clock.now())
    await inBatches(clock, () => transaction(db, (tx) => deleteSome(tx, companyId, webhookId, batchSize)))
    await transaction(db, async (tx) => {
      await eraseWebhook(tx, companyId, webhookId)
      await notify(tx, 'webhook', webhookId)
    })
  }

  /** `integration.deleted` is delivered first, or given up. */
  async function eraseAfterDeletionEvent(companyId: CompanyId, webhookId: string): Promise<void> {
    const due = await deletionEventDue(db, companyId, webhookId)
    if (due === undefined) return eraseWhenIdle(companyId, webhookId)
    await checkAgain(companyId, webhookId, Math.max(due, clock.now()))
  }

  const checkAgain = (companyId: CompanyId, webhookId: string, after: number): Promise<void> =>
    enqueue(db, 'webhook.follow', { companyId, webhookId }, after + 10 * second, `webhook.follow:${webhookId}`)
  return reconcile
}

/** Sends one delivery every five minutes for 12 hours, to find out whether a disabled receiver accepts events again. */
export function webhookProber({ db, clock }: Services) {
  return ({ companyId, webhookId }: WebhookJob): Promise<void> =>
    transaction(db, async (tx) => {
      const webhook = await healthOf(tx, companyId, webhookId)
      const at = clock.now()
      if (webhook?.status !== 'disabled' || webhook.probe_until === null || at > webhook.probe_until) return
      if (webhook.deleted_at !== null || webhook.integration === 'removed') return
      if (webhook.integration === 'on' && (await putForward(tx, companyId, webhookId, at)))
        await notify(tx, 'delivery', webhookId)
      await enqueue(tx, 'webhook.probe', { companyId, webhookId }, at + probeEveryMs, `webhook.probe:${webhookId}`)
    })
}
