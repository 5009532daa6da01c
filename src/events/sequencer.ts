import { sql } from 'kysely'
import { type Db, transaction } from '../db/database.ts'
import { holdLock, listen, notify, positionIsRowId } from '../db/dialect.ts'
import { hotQuery } from '../db/hot-query.ts'
import { type Cancel, type Clock, second } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { createWakeLoop } from '../lib/wake-loop.ts'

export interface Sequencer {
  start(): void
  stop(): Promise<void>
  settle(): Promise<void>
}

const sweepMs = second
/** A single event is numbered immediately; during bursts, events are numbered in batches at this interval. */
const batchingMs = 50
const batchSize = 1_000

/**
 * Assigns log positions after commit. A row that becomes visible late gets a later position, so readers with a cursor
 * never miss one. Required only where several writers commit in any order; one process at a time does it.
 */
export function createSequencer({ db, clock, log }: { db: Db; clock: Clock; log: Log }): Sequencer {
  if (positionIsRowId(db)) return forwardNotifications(db)
  let isInitialized = false
  let batchedUntil = 0
  let cancelDelayed: Cancel | undefined
  let unsubscribe = () => {}
  const loop = createWakeLoop({
    clock,
    sweepMs,
    run: numberAll,
    onError: (error) => log.warn({ event: 'events.numbering_failed', error }, 'events could not be numbered'),
  })

  /** Schedules a run after a change, at most once per batching interval. */
  function wakeSoon(): void {
    const wait = batchedUntil - clock.steadyNow()
    if (wait <= 0) loop.wake()
    else if (!loop.isStopped()) cancelDelayed ??= clock.machineAfter(wait, loop.wake)
  }

  async function numberAll(): Promise<void> {
    cancelDelayed?.()
    cancelDelayed = undefined
    batchedUntil = clock.steadyNow() + batchingMs
    if (!isInitialized) await transaction(db, initializeCounter)
    isInitialized = true
    while (!loop.isStopped() && (await numberSome(db)) === batchSize);
  }

  return {
    start() {
      unsubscribe = listen(db, 'events', wakeSoon)
      loop.start()
    },
    async stop() {
      unsubscribe()
      cancelDelayed?.()
      await loop.stop()
    },
    async settle() {
      loop.wake()
      while (await loop.idle());
    },
  }
}

/** With a single writer the position is assigned on insert; only the notification has to be forwarded. */
function forwardNotifications(db: Db): Sequencer {
  let unsubscribe = () => {}
  return {
    start() {
      unsubscribe = listen(db, 'events', (companyId) => void notify(db, 'feed', companyId))
    },
    async stop() {
      unsubscribe()
    },
    async settle() {},
  }
}

/** A restored log may contain positions beyond the counter. */
async function initializeCounter(tx: Db): Promise<void> {
  await holdLock(tx, 'sequence')
  await sql`
    insert into event_sequence (id, last) values (1, (select coalesce(max(position), 0) from event))
    on conflict (id) do update set last = greatest(event_sequence.last, excluded.last)`.execute(tx)
}

const number = hotQuery<{ limit: number }, { n: number }>(
  (db, v) => sql<{ n: number }>`select number_events(${v.limit}) as n`.compile(db),
  { keepsPlan: true },
)

/** One statement, hence one round trip and one commit; the function is defined in the database. */
async function numberSome(db: Db): Promise<number> {
  const [row] = await number(db, { limit: batchSize })
  return row?.n ?? 0
}
