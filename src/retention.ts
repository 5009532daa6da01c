import { transaction } from './db/database.ts'
import { keptSince } from './domain/call/history.ts'
import { deleteOldBulkChanges } from './features/accounts/audit/bulk-change-store.ts'
import { deleteExpiredKeys } from './features/accounts/credentials/idempotency-store.ts'
import { deleteOldMails } from './features/accounts/emails/store.ts'
import { deleteOldAttempts } from './features/accounts/sign-in/store.ts'
import { deleteOldExports } from './features/analytics/exports/retention.ts'
import { deleteOldReportRuns } from './features/analytics/scheduled-reports/store.ts'
import { deleteOldCallbackRequests } from './features/calls/calls/retention-store.ts'
import { deleteCalledNumbers } from './features/calls/dialer/store.ts'
import { deleteOldLiveAlerts } from './features/calls/live-alerts/store.ts'
import { deleteExpiredShortUrls } from './features/calls/recordings/store.ts'
import { applyRetention } from './features/calls/retention/clean.ts'
import {
  activeWithHeld,
  deleteOldEvents,
  deleteOldReplays,
  expireSome,
} from './features/integrations/deliveries/retention-store.ts'
import { deleteOldCodes } from './features/integrations/oauth/store.ts'
import { scheduleReconciliation } from './features/integrations/webhooks/reconciliation.ts'
import { deleteOldCallbacks } from './features/messages/messages/callbacks-store.ts'
import { applyMessageRetention } from './features/messages/messages/retention.ts'
import { deleteOldArrivals } from './features/messages/transport/store.ts'
import { deleteOldOutboundCalls } from './features/voice-agents/outbound-calls/store.ts'
import { deleteOldEdits } from './http/edit-store.ts'
import type { JobPayloads } from './jobs/payloads.ts'
import { enqueue, enqueueOnce } from './jobs/queue.ts'
import { deleteFailedJobs } from './jobs/retention.ts'
import { day, hour } from './lib/clock.ts'
import { inBatches } from './lib/in-batches.ts'
import type { Services } from './services.ts'

// Retention periods and deletion of expired data, for all companies.

const rowsPerBatch = 500
/** Each with all its deliveries. */
const eventsPerBatch = 50

const eventsKeptMs = 30 * day
const heldKeptMs = 14 * day
const callbacksKeptMs = 7 * day
const emailsKeptMs = 90 * day
const editsKeptMs = 7 * day
const cleanEveryMs = hour

/** Deletes expired data in batches short enough not to delay deliveries. `daily` are tasks of other folders. */
export function createRetentionJob(services: Services, daily: readonly (() => Promise<void>)[] = []) {
  const { db, clock } = services
  return async ({ dailyAt = 0 }: JobPayloads['retention']): Promise<void> => {
    const at = clock.now()
    await inBatches(clock, () => transaction(db, (tx) => expireSome(tx, at - heldKeptMs, at, rowsPerBatch)))
    await inBatches(clock, () => transaction(db, (tx) => deleteOldEvents(tx, at - eventsKeptMs, eventsPerBatch)))
    // Deliveries that another process held while their webhook was being activated.
    for (const { id, company_id } of await activeWithHeld(db)) {
      await transaction(db, (tx) => scheduleReconciliation(tx, company_id, id, at))
    }
    await inBatches(clock, () => transaction(db, (tx) => deleteExpiredShortUrls(tx, at, rowsPerBatch)))
    const machineNow = clock.machineNow()
    await inBatches(clock, () => transaction(db, (tx) => deleteExpiredKeys(tx, machineNow, rowsPerBatch)))
    await deleteOldBulkChanges(db, at - day)
    const isDue = at - dailyAt >= day
    if (isDue) await cleanDaily(at)
    await enqueue(db, 'retention', { dailyAt: isDue ? at : dailyAt }, clock.now() + cleanEveryMs, 'retention')
  }

  async function cleanDaily(at: number): Promise<void> {
    await deleteOldReplays(db, at - eventsKeptMs)
    await deleteOldCodes(db, at - day)
    await deleteOldAttempts(db, clock.machineNow())
    await applyRetention(services)
    await applyMessageRetention(services)
    await deleteOldExports(services)
    await deleteOldCallbacks(db, at - callbacksKeptMs)
    await deleteOldArrivals(db, at - callbacksKeptMs)
    await deleteOldOutboundCalls(db, at - eventsKeptMs)
    await deleteOldLiveAlerts(db, at - eventsKeptMs)
    await deleteOldEdits(db, at - editsKeptMs)
    await deleteOldMails(db, at - emailsKeptMs)
    await deleteOldReportRuns(db, at - emailsKeptMs)
    await deleteFailedJobs(db, at - eventsKeptMs)
    await deleteOldCallbackRequests(db, at - eventsKeptMs)
    await deleteCalledNumbers(db, keptSince(at))
    for (const clean of daily) await clean()
  }
}

export const scheduleRetention = ({ db, clock }: Services): Promise<void> =>
  enqueueOnce(db, 'retention', {}, clock.now() + cleanEveryMs, 'retention')
