import type { Selectable } from 'kysely'
import { afterCommit, afterRollback, type Db, type Tx } from '../db/database.ts'
import type { DeliveryTable, WebhookTable } from '../db/tables.ts'
import type { WrittenEvent } from './log.ts'

/** Columns of a webhook that an attempt needs, as of the transaction that wrote the delivery. */
export type TargetRow = Pick<Selectable<WebhookTable>, (typeof targetColumns)[number]>

export const targetColumns = [
  'id',
  'url',
  'token',
  'status',
  'integration',
  'deleted_at',
  'secret_current',
  'secret_previous',
  'secret_previous_until',
] as const

/** A slot for one attempt, taken before the delivery is written. */
export interface AttemptSlot {
  /** The receiver has proven healthy: it is served before others. */
  isProven: boolean
  lease: { lease_token: string; worker_id: string; lease_ms: number; machine_now: number }
  /** The delivery is committed, leased to this process. */
  send(row: DeliveryTable, event: WrittenEvent, target: TargetRow): void
  cancel(): void
}

/**
 * The dispatcher of this process. Most events find a healthy receiver with nothing waiting: their deliveries are leased
 * as they are written and sent right after the commit, which saves the claim. If the process dies in between, the
 * delivery is recovered like any other whose lease was lost.
 */
export interface DirectDispatcher {
  reserve(webhookId: string, orderKey: string): AttemptSlot | undefined
}

const dispatchers = new WeakMap<object, DirectDispatcher>()
const databaseOf = (db: Db) => db.getExecutor().adapter

export function registerDirectDispatcher(db: Db, dispatcher: DirectDispatcher): () => void {
  dispatchers.set(databaseOf(db), dispatcher)
  return () => dispatchers.delete(databaseOf(db))
}

export interface PlannedDelivery {
  row: DeliveryTable
  event: WrittenEvent
}

/** A delivery as inserted, with the state that the statement chose. */
export interface Inserted {
  delivery_id: string
  delivery_state: DeliveryTable['state']
}

/** Reserves a slot for each delivery that may be sent right after the commit. */
export function reserveSlots(tx: Tx, deliveries: readonly PlannedDelivery[]): Map<string, AttemptSlot> {
  const reserved = new Map<string, AttemptSlot>()
  const dispatcher = dispatchers.get(databaseOf(tx))
  // The statement that inserts them does not see their order among each other.
  if (!dispatcher || deliveries.some(({ row }) => row.precedes !== null)) return reserved
  const seen = new Set<string>()
  for (const { row } of deliveries) {
    const { id, webhook_id, order_key } = row
    const key = `${webhook_id} ${order_key}`
    const slot = seen.has(key) ? undefined : dispatcher.reserve(webhook_id, order_key)
    seen.add(key)
    if (slot) reserved.set(id, slot)
  }
  if (reserved.size > 0) {
    afterRollback(tx, () => {
      for (const slot of reserved.values()) slot.cancel()
    })
  }
  return reserved
}

/** After the commit, sends what was leased; the other slots are free again. `inserted` is complete by then. */
export function sendAfterCommit(
  tx: Tx,
  deliveries: readonly PlannedDelivery[],
  reserved: ReadonlyMap<string, AttemptSlot>,
  inserted: readonly (Inserted & TargetRow)[],
): void {
  if (reserved.size === 0) return
  afterCommit(tx, () => {
    const leased = new Map(inserted.flatMap((row) => (row.delivery_state === 'leased' ? [[row.delivery_id, row]] : [])))
    const slots = deliveries.flatMap((delivery) => {
      const slot = reserved.get(delivery.row.id)
      return slot ? { ...delivery, slot } : []
    })
    const start = ({ row, event, slot }: (typeof slots)[number]) => {
      const target = leased.get(row.id)
      if (target) slot.send(row, event, target)
      else slot.cancel()
    }
    for (const one of slots) if (one.slot.isProven) start(one)
    // In a later turn of the event loop: requests of proven receivers are on their way.
    const others = slots.filter(({ slot }) => !slot.isProven)
    if (others.length > 0) setImmediate(() => others.forEach(start))
  })
}
