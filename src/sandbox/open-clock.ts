import type { Db } from '../db/database.ts'
import { listen, notify } from '../db/dialect.ts'
import { countDueDeliveries } from '../delivery/schedule-store.ts'
import { readSetting, writeSetting } from '../features/accounts/companies/store.ts'
import { countDueJobs } from '../jobs/queue.ts'
import type { AdjustableClock } from '../lib/adjustable-clock.ts'
import { type Clock, second } from '../lib/clock.ts'
import type { ClockPeers, SettledAt } from '../lib/clock-peers.ts'
import type { Log } from '../lib/log.ts'
import { createSandboxClock, type PersistentSandboxClock } from '../lib/sandbox-clock.ts'
import { restoreClock } from '../lib/saved-clock.ts'
import { randomId } from '../lib/secrets.ts'

const setting = 'clock'

/** Clock state stored by the previous run. */
export async function storedClock(db: Db, machine: Clock): Promise<AdjustableClock> {
  return restoreClock(machine, await readSetting(db, setting))
}

export interface ClockParts {
  db: Db
  clock: AdjustableClock
  log: Log
  settle(): Promise<void>
  activity(): number
  /** Whether other processes use the same database. */
  shared: boolean
  /** Number of other live processes. */
  otherProcesses(): Promise<readonly string[]>
}

/** The sandbox clock of this installation, stored in the database. */
export function openSandboxClock(parts: ClockParts): PersistentSandboxClock {
  const { db, clock, log, settle, activity, shared } = parts
  return createSandboxClock({
    clock,
    log,
    settle,
    activity,
    load: () => readSetting(db, setting),
    save: (text) => writeSetting(db, setting, text),
    pending: async (until) => (await countDueJobs(db, until)) + (await countDueDeliveries(db, until)),
    peers: shared
      ? {
          publish: (text) => notify(db, 'clock', text),
          subscribe: (listener) => listen(db, 'clock', listener),
          ...stepsTogether(parts),
        }
      : undefined,
  })
}

const stepChannel = 'clock_step'
const settledChannel = 'clock_settled'
/** A hanging process does not stop the clock of the installation. */
const stepTimeoutMs = 10 * second

/** Coordinates a clock step across processes: a request to all, and a report from each. */
function stepsTogether({
  db,
  clock,
  log,
  otherProcesses,
}: ClockParts): Required<Pick<ClockPeers, 'settle' | 'onSettle'>> {
  const me = randomId()

  async function settle(at: number): Promise<SettledAt> {
    const expected = (await otherProcesses()).length
    if (expected === 0) return { next: Number.POSITIVE_INFINITY, wasBusy: false }
    const step = randomId()
    const reports = new Map<string, SettledAt>()
    let stop = () => {}
    const isComplete = new Promise<boolean>((resolve) => {
      const cancel = clock.machineAfter(stepTimeoutMs, () => resolve(false))
      const unsubscribe = listen(db, settledChannel, (text) => {
        const [of, from = '', next, work] = text.split(' ')
        if (of !== step) return
        reports.set(from, { next: Number(next), wasBusy: work === 'busy' })
        if (reports.size === expected) resolve(true)
      })
      stop = () => {
        cancel()
        unsubscribe()
      }
    })
    try {
      await notify(db, stepChannel, `${step} ${me} ${at}`)
      if (!(await isComplete)) {
        log.warn(
          { event: 'clock.step_incomplete', expected, reports: reports.size },
          'a process did not follow the clock',
        )
      }
    } finally {
      stop()
    }
    const all = [...reports.values()]
    return { next: Math.min(...all.map(({ next }) => next)), wasBusy: all.some(({ wasBusy }) => wasBusy) }
  }

  return {
    settle,
    onSettle: (settleAt) =>
      listen(db, stepChannel, (text) => {
        const [step = '', from, at] = text.split(' ')
        if (from === me) return
        settleAt(Number(at))
          .then(({ next, wasBusy }) => notify(db, settledChannel, `${step} ${me} ${next} ${wasBusy ? 'busy' : 'idle'}`))
          .catch((error) => log.warn({ event: 'clock.step_failed', error }, 'could not follow the clock'))
      }),
  }
}
