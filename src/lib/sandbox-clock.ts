import type { AdjustableClock } from './adjustable-clock.ts'
import type { Cancel } from './clock.ts'
import { type ClockState, createClockAdvance } from './clock-advance.ts'
import type { ClockPeers } from './clock-peers.ts'
import { createClockPersistence } from './clock-persistence.ts'
import { createClockSettling } from './clock-settling.ts'
import type { Log } from './log.ts'
import type { Pace } from './paced-time.ts'
import { renewMs } from './saved-clock.ts'
import { createSerialQueue } from './serial-queue.ts'

export interface ClockChange extends Partial<Pace> {
  advanceMs?: number
}

/** The product clock of a sandbox installation, controlled by its users. */
export interface SandboxClock {
  state(): Promise<ClockState>
  /** Resolves when the clock has arrived and no due work is left, or after 25 s while it continues. */
  change(change: ClockChange): Promise<ClockState>
}

export interface SandboxClockParts {
  clock: AdjustableClock
  log: Log
  load(): Promise<string | undefined>
  save(text: string): Promise<void>
  /** Resolves when all due work has run. */
  settle(): Promise<void>
  /** Increases whenever this process has done something that may cause more work, here or in another process. */
  activity?(): number
  /** Amount of work due by this time, not counting timers. */
  pending(until: number): Promise<number>
  /** Other processes on the same data. */
  peers?: ClockPeers | undefined
  answerWithinMs?: number
}

export interface PersistentSandboxClock extends SandboxClock {
  /** Starts saving the clock and following other processes. */
  start(): void
  stop(): Promise<void>
}

export function createSandboxClock(parts: SandboxClockParts): PersistentSandboxClock {
  const { clock, log, peers } = parts
  const persistence = createClockPersistence(parts)
  const { settleEverywhere, settleAt } = createClockSettling({ ...parts, persistence })
  const turns = createSerialQueue()
  const inTurn = <T>(work: () => Promise<T>) => turns.run('clock', work)
  let life: 'new' | 'started' | 'stopped' = 'new'
  const isStopped = () => life === 'stopped'
  const stepping = createClockAdvance({ ...parts, persistence, inTurn, isStopped })
  let cancelSync: Cancel = () => {}
  let unsubscribe = () => {}
  let stopAnswering = () => {}
  clock.settleWith(settleEverywhere)

  async function sync(): Promise<void> {
    await persistence.follow()
    if (life === 'started' && persistence.isStale()) await persistence.save()
  }

  /** Serialized: moving to an instant before reading that the clock is frozen would let it run on from there. */
  const handleMessage = (text: string) => (text === '' ? syncNow() : inTurn(async () => clock.moveTo(Number(text))))

  const syncNow = () =>
    inTurn(sync).catch((error) => log.warn({ event: 'clock.sync_failed', error }, 'clock could not be synchronized'))

  function scheduleSync(ms: number): void {
    cancelSync = clock.machineAfter(ms, async () => {
      await syncNow()
      if (life === 'started') scheduleSync(renewMs)
    })
  }

  return {
    state: stepping.state,
    async change({ mode, speed, advanceMs }) {
      const isNewPace = mode !== undefined || speed !== undefined
      if (isNewPace) {
        await inTurn(() => {
          const pace = persistence.pace()
          return persistence.setPace({ mode: mode ?? pace.mode, speed: speed ?? pace.speed })
        })
      }
      return advanceMs === undefined ? stepping.state() : stepping.advance(advanceMs)
    },
    start() {
      life = 'started'
      unsubscribe = peers?.subscribe((text) => void handleMessage(text)) ?? unsubscribe
      stopAnswering = peers?.onSettle?.((at) => inTurn(() => settleAt(at))) ?? stopAnswering
      scheduleSync(0)
    },
    async stop() {
      stepping.stop()
      cancelSync()
      unsubscribe()
      stopAnswering()
      persistence.releaseHold()
      if (life !== 'started') return
      life = 'stopped'
      await inTurn(persistence.saveExactly).catch((error) =>
        log.warn({ event: 'clock.save_failed', error }, 'clock could not be saved'),
      )
    },
  }
}
