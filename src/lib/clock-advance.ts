import type { AdjustableClock } from './adjustable-clock.ts'
import { second } from './clock.ts'
import type { ClockPersistence } from './clock-persistence.ts'
import type { Log } from './log.ts'
import type { Pace } from './paced-time.ts'

export interface ClockState extends Pace {
  now: number
  /** Timers and work due up to the target that have not run. */
  pending: number
}

/** Advances a sandbox clock on request, and reports its state. */
export interface ClockAdvance {
  state(): Promise<ClockState>
  /** Resolves when the clock has arrived and no due work is left, or after 25 s while it continues. */
  advance(ms: number): Promise<ClockState>
  /** Responds to pending requests and stops after the current step. */
  stop(): void
}

export interface ClockAdvanceOptions {
  clock: AdjustableClock
  log: Log
  persistence: ClockPersistence
  /** Serializes changes: concurrent ones would start from stale state. */
  inTurn<T>(work: () => Promise<T>): Promise<T>
  isStopped(): boolean
  /** Amount of work due by this time, not counting timers. */
  pending(until: number): Promise<number>
  answerWithinMs?: number
}

const answerMs = 25 * second
const pollMs = 50

export function createClockAdvance(options: ClockAdvanceOptions): ClockAdvance {
  const { clock, log, persistence, inTurn, isStopped, pending, answerWithinMs = answerMs } = options
  const openAnswers = new Set<() => void>()
  let advances = 0

  const saveEnd = () => inTurn(async () => !isStopped() && persistence.save())

  /** Work of other processes is not settled here, but counted. */
  async function nothingDue(until: number, isWanted: () => boolean): Promise<boolean> {
    while (isWanted()) {
      if ((await pending(until)) === 0) return true
      await new Promise<void>((resolve) => clock.machineAfter(pollMs, resolve))
    }
    return false
  }

  function answerInTime() {
    let giveUp = () => {}
    const over = new Promise<false>((resolve) => {
      giveUp = () => resolve(false)
    })
    const cancel = clock.machineAfter(answerWithinMs, giveUp)
    openAnswers.add(giveUp)
    const close = () => {
      cancel()
      openAnswers.delete(giveUp)
    }
    return { over, isOpen: () => openAnswers.has(giveUp), close }
  }

  const current = () => ({ now: clock.now(), ...persistence.pace() })

  async function state(): Promise<ClockState> {
    const target = clock.target()
    const until = target ?? clock.now()
    const due = clock.waiting(until) + (await pending(until))
    // A step in progress counts as pending even without other work.
    const isOnItsWay = target !== undefined || persistence.isSteppedElsewhere()
    return { ...current(), pending: isOnItsWay ? Math.max(due, 1) : due }
  }

  return {
    state,
    async advance(ms) {
      const { target, stepped } = await inTurn(async () => {
        const target = (clock.target() ?? clock.now()) + ms
        await persistence.save(target)
        return { target, stepped: clock.advanceTo(target).then(saveEnd) }
      })
      advances++
      stepped
        .catch((error) => log.error({ event: 'clock.advance_failed', error }, 'clock could not be advanced'))
        .finally(() => {
          advances--
        })
      const answer = answerInTime()
      try {
        const arrived = stepped.then(() => nothingDue(target, answer.isOpen))
        const isDone = await Promise.race([arrived, answer.over])
        return isDone && !persistence.isSteppedElsewhere() ? { ...current(), pending: 0 } : await state()
      } finally {
        answer.close()
      }
    },
    stop() {
      for (const giveUp of openAnswers) giveUp()
      // A test may be advancing the clock directly.
      if (advances > 0) clock.halt()
    },
  }
}
