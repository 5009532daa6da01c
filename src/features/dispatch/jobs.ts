import { transaction } from '../../db/database.ts'
import { notify } from '../../db/dialect.ts'
import type { CompanyId } from '../../db/tables.ts'
import { keptSince } from '../../domain/call/history.ts'
import { enqueue, enqueueOnce, type JobPayloads } from '../../jobs/queue.ts'
import { day, hour, second } from '../../lib/clock.ts'
import type { Services } from '../../services.ts'
import { deleteOldOutboundCalls } from '../ai-outbound-calls/store.ts'
import {
  activeWithHeld,
  cancelSome,
  deleteOldEvents,
  deleteOldReplays,
  deleteSome,
  expireSome,
  farewellDue,
  holdSome,
  isUnderWay,
  putForward,
  releaseSome,
} from '../deliveries/store.ts'
import { followWebhook } from '../follow.ts'
import { inBatches } from '../in-batches.ts'
import { deleteOldCallbacks } from '../message-callbacks/store.ts'
import { deleteOldArrivals } from '../message-handover/store.ts'
import { deleteOldCodes } from '../oauth/store.ts'
import { deleteOldCalls } from '../old-calls.ts'
import { deleteOldExports } from '../old-exports.ts'
import { deleteExpiredShortUrls } from '../recordings/store.ts'
import { deleteCalledNumbers, deleteFailedJobs, deleteOldCallbackRequests, deleteOldMails } from '../retention/store.ts'
import { forgetOldTries } from '../sign-in/store.ts'
import { eraseWebhook, healthOf } from '../webhooks/store.ts'
import { probeEveryMs } from './consequences.ts'

interface Which {
  companyId: CompanyId
  webhookId: string
}

const some = 500
/** Events with all their deliveries. */
const few = 50

/** Brings the deliveries of a webhook in line with its state, a few hundred per commit, until none is left that is not. */
export function webhookFollower(services: Services) {
  const { db, clock } = services
  const follow = async ({ companyId, webhookId }: Which): Promise<void> => {
    await inBatches(clock, () =>
      transaction(db, async (tx) => {
        const webhook = await healthOf(tx, companyId, webhookId)
        const at = clock.now()
        // Written while the webhook was being erased.
        if (!webhook) return deleteSome(tx, companyId, webhookId, some)
        const { status, integration } = webhook
        if (webhook.deleted_at !== null || integration === 'removed')
          return cancelSome(tx, companyId, webhookId, at, some)
        if (status !== 'active' || integration === 'off')
          return holdSome(tx, companyId, webhookId, status === 'paused' || integration === 'off', some)
        const released = await releaseSome(tx, companyId, webhookId, at, some)
        if (released > 0) await notify(tx, 'backlog', webhookId)
        return released
      }),
    )
    const webhook = await healthOf(db, companyId, webhookId)
    if (!webhook) return
    if (webhook.deleted_at !== null) await bury(companyId, webhookId)
    else if (webhook.integration === 'removed') await buryOnceTold(companyId, webhookId)
  }

  /** What is under way ends first; then nothing of the webhook is left. */
  async function bury(companyId: CompanyId, webhookId: string): Promise<void> {
    if (await isUnderWay(db, companyId, webhookId)) return lookAgain(companyId, webhookId, clock.now())
    await inBatches(clock, () => transaction(db, (tx) => deleteSome(tx, companyId, webhookId, some)))
    await transaction(db, async (tx) => {
      await eraseWebhook(tx, companyId, webhookId)
      await notify(tx, 'webhook', webhookId)
    })
  }

  /** It has yet to hear that its integration was removed. */
  async function buryOnceTold(companyId: CompanyId, webhookId: string): Promise<void> {
    const due = await farewellDue(db, companyId, webhookId)
    if (due === undefined) return bury(companyId, webhookId)
    await lookAgain(companyId, webhookId, Math.max(due, clock.now()))
  }

  const lookAgain = (companyId: CompanyId, webhookId: string, after: number): Promise<void> =>
    enqueue(db, 'webhook.follow', { companyId, webhookId }, after + 10 * second, `webhook.follow:${webhookId}`)
  return follow
}

/** Every five minutes for half a day one delivery is tried, to see whether a disabled receiver is back. */
export function webhookProber({ db, clock }: Services) {
  return ({ companyId, webhookId }: Which): Promise<void> =>
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

const keptMs = 30 * day
const heldMs = 14 * day
const mailKeptMs = 90 * day
const cleanEveryMs = hour

/** Deletes what is older than its retention, in batches short enough not to delay deliveries; `daily` are those of other folders. */
export function cleaner(services: Services, daily: readonly (() => Promise<void>)[] = []) {
  const { db, clock } = services
  return async ({ dailyAt = 0 }: JobPayloads['retention']): Promise<void> => {
    const at = clock.now()
    await inBatches(clock, () => transaction(db, (tx) => expireSome(tx, at - heldMs, at, some)))
    await inBatches(clock, () => transaction(db, (tx) => deleteOldEvents(tx, at - keptMs, few)))
    // Held in the moment in which its webhook was switched on, by somebody who had not seen it yet.
    for (const { id, company_id } of await activeWithHeld(db)) {
      await transaction(db, (tx) => followWebhook(tx, company_id, id, at))
    }
    await inBatches(clock, () => transaction(db, (tx) => deleteExpiredShortUrls(tx, at, some)))
    const isDue = at - dailyAt >= day
    if (isDue) await cleanDaily(at)
    await enqueue(db, 'retention', { dailyAt: isDue ? at : dailyAt }, clock.now() + cleanEveryMs, 'retention')
  }

  /** What is in nobody's way until then. */
  async function cleanDaily(at: number): Promise<void> {
    await deleteOldReplays(db, at - keptMs)
    await deleteOldCodes(db, at - day)
    await forgetOldTries(db, clock.machineNow())
    await deleteOldCalls(services)
    await deleteOldExports(services)
    await deleteOldCallbacks(db, at - 7 * day)
    await deleteOldArrivals(db, at - 7 * day)
    await deleteOldOutboundCalls(db, at - keptMs)
    await deleteOldMails(db, at - mailKeptMs)
    await deleteFailedJobs(db, at - keptMs)
    await deleteOldCallbackRequests(db, at - keptMs)
    await deleteCalledNumbers(db, keptSince(at))
    for (const clean of daily) await clean()
  }
}

export const startCleaning = ({ db, clock }: Services): Promise<void> =>
  enqueueOnce(db, 'retention', {}, clock.now() + cleanEveryMs, 'retention')
