import type { Db } from '../../db/database.ts'
import { listen, notify } from '../../db/dialect.ts'
import { countDueJobs } from '../../jobs/queue.ts'
import type { Clock } from '../../lib/clock.ts'
import { restoredClock } from '../../lib/kept-clock.ts'
import type { Log } from '../../lib/log.ts'
import { createSandboxClock, type KeptSandboxClock } from '../../lib/sandbox-clock.ts'
import type { WoundClock } from '../../lib/wound-clock.ts'
import { readSetting, writeSetting } from '../companies/store.ts'
import { countDueDeliveries } from '../dispatch/store.ts'

const setting = 'clock'

/** Where the last start has left it. */
export async function clockAsLeft(db: Db, machine: Clock): Promise<WoundClock> {
  return restoredClock(machine, await readSetting(db, setting))
}

export interface ClockParts {
  db: Db
  clock: WoundClock
  log: Log
  settle(): Promise<void>
  /** Whether other processes work on the same store. */
  shared: boolean
}

/** The sandbox clock of this installation, kept in its store. */
export function openSandboxClock({ db, clock, log, settle, shared }: ClockParts): KeptSandboxClock {
  return createSandboxClock({
    clock,
    log,
    settle,
    load: () => readSetting(db, setting),
    save: (text) => writeSetting(db, setting, text),
    pending: async (until) => (await countDueJobs(db, until)) + (await countDueDeliveries(db, until)),
    others: shared
      ? { tell: (text) => notify(db, 'clock', text), hear: (hear) => listen(db, 'clock', hear) }
      : undefined,
  })
}
