import type { Db } from '../db/database.ts'
import { second } from '../lib/clock.ts'
import type { Outbox } from '../lib/delivery-metrics.ts'
import type { Receivers } from './receivers.ts'
import { countWaiting, nextDue } from './schedule-store.ts'

/** The age of the oldest due event of a healthy receiver, in ms. */
export async function lagOf(db: Db, receivers: Receivers, now: number): Promise<number> {
  const times = (await nextDue(db)).flatMap(({ webhookId, live }) => {
    const receiver = receivers.get(webhookId)
    const isHealthy = receiver?.status === 'active' && receiver.health.state === 'proven'
    return isHealthy && live !== null && live < now ? [now - live] : []
  })
  return Math.max(0, ...times)
}

/** The state of the outbox for the metrics. */
export async function outboxOf(db: Db, receivers: Receivers, now: number): Promise<Outbox> {
  const [{ waiting, held, endpoints }, due] = await Promise.all([countWaiting(db), nextDue(db)])
  const pending: Record<string, number> = { proven: 0, unproven: 0, failing: 0, backlog: 0 }
  for (const { bulk, health, n } of waiting) {
    const lane = bulk === 1 ? 'backlog' : health
    pending[lane] = (pending[lane] ?? 0) + n
  }
  const oldestAgeSeconds: Record<string, number> = { proven: 0, unproven: 0, failing: 0, backlog: 0 }
  for (const { webhookId, live, bulk } of due) {
    const lane = receivers.get(webhookId)?.health.state ?? 'unproven'
    oldestAgeSeconds[lane] = Math.max(oldestAgeSeconds[lane] ?? 0, (now - (live ?? now)) / second)
    oldestAgeSeconds.backlog = Math.max(oldestAgeSeconds.backlog ?? 0, (now - (bulk ?? now)) / second)
  }
  const byState: Record<string, number> = { unproven: 0, proven: 0, failing: 0, paused: 0, disabled: 0 }
  for (const { status, health, n } of endpoints) {
    const state = status === 'active' ? health : status
    byState[state] = (byState[state] ?? 0) + n
  }
  return { pending, oldestAgeSeconds, held, endpoints: byState }
}
