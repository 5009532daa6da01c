import { sql } from 'kysely'
import { type Db, transaction } from '../db/database.ts'
import { holdLock, listen, notify, positionIsRowId } from '../db/dialect.ts'
import { hotQuery } from '../db/hot-query.ts'
import { type Cancel, type Clock, second } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'

export interface Sequencer {
  start(): void
  stop(): Promise<void>
  settle(): Promise<void>
}

const sweepMs = second
/** A single event is numbered immediately; during bursts, events are numbered in batches at this interval. */
const togetherMs = 50
const most = 1_000

/**
 * Assigns log positions after commit. A row that becomes visible late gets a later position, so readers with a cursor
 * never miss one. Required only where several writers commit in any order; one process at a time does it.
 */
export function createSequencer({ db, clock, log }: { db: Db; clock: Clock; log: Log }): Sequencer {
  if (positionIsRowId(db)) return alreadyInPlace(db)
  let stopped = true
  let running: Promise<void> | undefined
  let again = false
  let begun = false
  let sweep: Cancel = () => {}
  let unsubscribe = () => {}

  let restUntil = 0
  let resting: Cancel | undefined

  /** Schedules a run after a change, at most once per batching interval. */
  function pokeSoon() {
    const wait = restUntil - clock.steadyNow()
    if (wait <= 0) poke()
    else if (!stopped) resting ??= clock.machineAfter(wait, poke)
  }

  function poke() {
    if (stopped) return
    resting?.()
    resting = undefined
    restUntil = clock.steadyNow() + togetherMs
    if (running) again = true
    else
      running = numberAll()
        .catch((error) => log.warn({ event: 'events.numbering_failed', error }, 'events could not be numbered'))
        .finally(finished)
  }

  function finished() {
    running = undefined
    if (!again) return
    again = false
    poke()
  }

  async function numberAll() {
    if (!begun) await transaction(db, beginAfterTheLast)
    begun = true
    while (!stopped && (await numberSome(db)) === most);
  }

  function sweepAgain() {
    sweep = clock.machineAfter(sweepMs, () => {
      poke()
      sweepAgain()
    })
  }

  return {
    start() {
      stopped = false
      unsubscribe = listen(db, 'events', pokeSoon)
      sweepAgain()
      poke()
    },
    async stop() {
      stopped = true
      unsubscribe()
      sweep()
      resting?.()
      await running
    },
    async settle() {
      poke()
      while (running) await running
    },
  }
}

/** With a single writer the position is assigned on insert; only the notification has to be forwarded. */
function alreadyInPlace(db: Db): Sequencer {
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
async function beginAfterTheLast(tx: Db): Promise<void> {
  await holdLock(tx, 'sequence')
  await sql`
    insert into event_sequence (id, last) values (1, (select coalesce(max(position), 0) from event))
    on conflict (id) do update set last = greatest(event_sequence.last, excluded.last)`.execute(tx)
}

const number = hotQuery<{ most: number }, { n: number }>(
  (db, v) => sql<{ n: number }>`select number_events(${v.most}) as n`.compile(db),
  { keepsPlan: true },
)

/** One statement, hence one round trip and one commit; the function is defined in the database. */
async function numberSome(db: Db): Promise<number> {
  const [row] = await number(db, { most })
  return row?.n ?? 0
}
