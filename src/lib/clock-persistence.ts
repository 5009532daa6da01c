import type { AdjustableClock } from './adjustable-clock.ts'
import { type Cancel, second } from './clock.ts'
import type { ClockPeers } from './clock-peers.ts'
import type { Log } from './log.ts'
import type { Pace } from './paced-time.ts'
import { followedTo, leadOf, limitOf, restartAt, type SavedClock } from './saved-clock.ts'
import { randomId } from './secrets.ts'

/** The saved state of a sandbox clock, which limits how far the clock runs by itself. */
export interface ClockPersistence {
  pace(): Pace
  /** At the saved pace; the clock may run up to the ceiling. */
  save(ceiling?: number): Promise<void>
  /** Product time is frozen while the new pace is saved, so that it cannot run past the saved limit. */
  setPace(pace: Pace): Promise<void>
  /** Another process takes the steps: until the next one, a saved state or a timeout, the clock stays at this instant. */
  holdAt(at: number): void
  releaseHold(): void
  /** Reads what other processes have saved. */
  follow(): Promise<void>
  /** The saved state does not cover a restart any more, or is too far ahead. */
  isStale(): boolean
  /** Another process is advancing and has not finished. */
  isSteppedElsewhere(): boolean
  /** A clean shutdown need not save ahead, unless other processes continue. */
  saveExactly(): Promise<void>
  publish(text: string): Promise<void>
}

export interface ClockPersistenceOptions {
  clock: AdjustableClock
  log: Log
  load(): Promise<string | undefined>
  save(text: string): Promise<void>
  peers?: ClockPeers | undefined
}

/** Limits how long a stepping process that has died blocks the other clocks. */
const maxStepMs = 30 * second

export function createClockPersistence({ clock, log, load, save, peers }: ClockPersistenceOptions): ClockPersistence {
  const me = randomId()
  let saved = snapshot(clock.pace())
  let written: string | undefined
  let releaseHold: Cancel = () => {}
  clock.holdAt(limitOf(saved))

  function snapshot({ mode, speed }: Pace, ceiling = 0): SavedClock {
    const now = clock.now()
    return { mode, speed, now, at: clock.machineNow(), ceiling: Math.max(ceiling, now), by: me }
  }

  async function savePace(pace: Pace, ceiling = clock.target() ?? 0): Promise<void> {
    const lead = leadOf(pace)
    const next = snapshot(pace, Math.max(ceiling, lead > 0 ? clock.reached() + lead : clock.now()))
    await write(next)
    clock.holdAt(limitOf(next))
    await publish('')
  }

  async function write(next: SavedClock): Promise<void> {
    const text = JSON.stringify(next)
    await save(text)
    saved = next
    written = text
  }

  async function publish(text: string): Promise<void> {
    await peers
      ?.publish(text)
      .catch((error) => log.warn({ event: 'clock.publish_failed', error }, 'clock change could not be published'))
  }

  function adopt(text: string): void {
    releaseHold()
    const received: SavedClock = JSON.parse(text)
    // A stepping process has saved its target and keeps it.
    saved = clock.target() === undefined ? received : { ...saved, mode: received.mode, speed: received.speed }
    written = text
    clock.setPace(received)
    clock.holdAt(limitOf(saved))
    clock.moveTo(followedTo(received, clock.machineNow()))
  }

  return {
    pace: () => ({ mode: saved.mode, speed: saved.speed }),
    save: (ceiling) => savePace(saved, ceiling),
    async setPace(pace) {
      const before = clock.pace()
      clock.setPace({ ...before, mode: 'frozen' })
      try {
        await savePace(pace)
        clock.setPace(pace)
      } catch (error) {
        clock.setPace(before)
        throw error
      }
    },
    holdAt(at) {
      releaseHold()
      clock.holdAt(at)
      releaseHold = clock.machineAfter(maxStepMs, () => clock.holdAt(limitOf(saved)))
    },
    releaseHold: () => releaseHold(),
    async follow() {
      const text = peers && (await load())
      if (text !== undefined && text !== written) adopt(text)
    },
    isStale() {
      if (clock.target() !== undefined) return false
      const lead = leadOf(saved)
      const ahead = restartAt(saved, clock.machineNow()) - clock.now()
      return ahead < lead / 2 || (saved.by === me && ahead > lead + second)
    },
    // A fast clock is always saved ahead.
    isSteppedElsewhere: () => saved.by !== me && leadOf(saved) === 0 && saved.ceiling > clock.now(),
    async saveExactly() {
      clock.setPace({ ...clock.pace(), mode: 'frozen' })
      // Late timers still fire, and later reads see the instant that the clock has reached.
      const now = clock.reached()
      await write({ ...snapshot(saved, Math.max(now, peers ? saved.ceiling : 0)), now })
    },
    publish,
  }
}
