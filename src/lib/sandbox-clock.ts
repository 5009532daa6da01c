import type { AdjustableClock, Pace } from './adjustable-clock.ts'
import { type Cancel, second } from './clock.ts'
import type { Log } from './log.ts'
import { followedTo, leadOf, limitOf, renewMs, restartAt, type SavedClock } from './saved-clock.ts'
import { randomId } from './secrets.ts'

export interface ClockState extends Pace {
  now: number
  /** Timers and work due up to the target that have not run. */
  pending: number
}

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

/**
 * All processes share one clock. The process that receives an advance takes the steps; at each step every other process
 * moves to the same instant, runs its due work, and reports its next timer. A second advance extends the target only in
 * the process that takes the steps; elsewhere it starts from the instant reached so far.
 */
export interface ClockPeers {
  /** An instant to move to; an empty string means that the saved state has changed. */
  publish(text: string): Promise<void>
  subscribe(listener: (text: string) => void): () => void
  /** Resolves when every other process has reached the instant and has no due work left. */
  settle?(at: number): Promise<SettledAt>
  /** Registers the handler for `settle` requests of other processes. */
  onSettle?(settle: (at: number) => Promise<SettledAt>): () => void
}

export interface SettledAt {
  /** The next instant at which a timer is due; infinity without timers. */
  next: number
  /** Whether this process has done any work since its last report. */
  wasBusy: boolean
}

export interface PersistentSandboxClock extends SandboxClock {
  /** Starts saving the clock and following other processes. */
  start(): void
  stop(): Promise<void>
}

const answerMs = 25 * second
const pollMs = 50
/** Limits how long a stepping process that has died blocks the other clocks. */
const maxStepMs = 30 * second

export function createSandboxClock(parts: SandboxClockParts): PersistentSandboxClock {
  const { clock, log, peers } = parts
  const me = randomId()
  const openAnswers = new Set<() => void>()
  let saved = snapshot(clock.pace())
  let written: string | undefined
  let life: 'new' | 'started' | 'stopped' = 'new'
  let advances = 0
  let lastTurn: Promise<unknown> = Promise.resolve()
  let cancelSync: Cancel = () => {}
  let unsubscribe = () => {}
  let stopAnswering = () => {}
  let release: Cancel = () => {}
  let reportedActivity = 0
  clock.holdAt(limitOf(saved))
  clock.settleWith(settleEverywhere)

  // Stepping

  /** Work in one process may cause work in another, so settling ends with a round without work. */
  async function settleEverywhere(): Promise<number | undefined> {
    if (!peers?.settle) {
      await publish(String(clock.now()))
      await parts.settle()
      return undefined
    }
    for (;;) {
      const [elsewhere] = await Promise.all([peers.settle(clock.now()), parts.settle()])
      const wasBusy = hasWorked()
      if (!wasBusy && !elsewhere.wasBusy) return elsewhere.next
    }
  }

  function hasWorked(): boolean {
    const now = parts.activity?.() ?? 0
    const was = reportedActivity
    reportedActivity = now
    return now !== was
  }

  /** Another process takes the steps. Until the next step, or a timeout, this clock does not run by itself. */
  async function settleAt(at: number): Promise<SettledAt> {
    release()
    clock.holdAt(at)
    release = clock.machineAfter(maxStepMs, () => clock.holdAt(limitOf(saved)))
    clock.moveTo(at)
    await parts.settle()
    // A process that takes steps itself fires its own timers.
    while (clock.nextDue() <= at && clock.target() === undefined) {
      await new Promise<void>((resolve) => clock.machineAfter(0, resolve))
      await parts.settle()
    }
    return { next: clock.nextDue(), wasBusy: hasWorked() }
  }

  // Persistence

  function snapshot({ mode, speed }: Pace, ceiling = 0): SavedClock {
    const now = clock.now()
    return { mode, speed, now, at: clock.machineNow(), ceiling: Math.max(ceiling, now), by: me }
  }

  /** Serializes changes: concurrent ones would start from stale state. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = lastTurn.then(work)
    lastTurn = turn.catch(() => {})
    return turn
  }

  async function save(pace: Pace, ceiling = clock.target() ?? 0) {
    const lead = leadOf(pace)
    const next = snapshot(pace, Math.max(ceiling, lead > 0 ? clock.reached() + lead : clock.now()))
    await write(next)
    clock.holdAt(limitOf(next))
    await publish('')
  }

  async function write(next: SavedClock) {
    const text = JSON.stringify(next)
    await parts.save(text)
    saved = next
    written = text
  }

  async function publish(text: string) {
    await peers
      ?.publish(text)
      .catch((error) => log.warn({ event: 'clock.publish_failed', error }, 'clock change could not be published'))
  }

  /** Product time is frozen while the new pace is saved, so that it cannot run past the saved limit. */
  async function setPace(wanted: Pace) {
    const before = clock.pace()
    clock.setPace({ ...before, mode: 'frozen' })
    try {
      await save(wanted)
      clock.setPace(wanted)
    } catch (error) {
      clock.setPace(before)
      throw error
    }
  }

  // Advancing

  async function advance(ms: number): Promise<ClockState> {
    const { target, stepped } = await inTurn(async () => {
      const target = (clock.target() ?? clock.now()) + ms
      await save(saved, target)
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
      return isDone && !isSteppedElsewhere() ? { ...current(), pending: 0 } : await state()
    } finally {
      answer.close()
    }
  }

  const saveEnd = () => inTurn(async () => life !== 'stopped' && save(saved))

  /** Work of other processes is not settled here, but counted. */
  async function nothingDue(until: number, isWanted: () => boolean): Promise<boolean> {
    while (isWanted()) {
      if ((await parts.pending(until)) === 0) return true
      await new Promise<void>((resolve) => clock.machineAfter(pollMs, resolve))
    }
    return false
  }

  function answerInTime() {
    let giveUp = () => {}
    const over = new Promise<false>((resolve) => {
      giveUp = () => resolve(false)
    })
    const cancel = clock.machineAfter(parts.answerWithinMs ?? answerMs, giveUp)
    openAnswers.add(giveUp)
    const close = () => {
      cancel()
      openAnswers.delete(giveUp)
    }
    return { over, isOpen: () => openAnswers.has(giveUp), close }
  }

  const current = () => ({ now: clock.now(), mode: saved.mode, speed: saved.speed })

  async function state(): Promise<ClockState> {
    const target = clock.target()
    const until = target ?? clock.now()
    const due = clock.waiting(until) + (await parts.pending(until))
    // A step in progress counts as pending even without other work.
    const isOnItsWay = target !== undefined || isSteppedElsewhere()
    return { ...current(), pending: isOnItsWay ? Math.max(due, 1) : due }
  }

  /** Another process is advancing and has not finished. A fast clock is always saved ahead. */
  const isSteppedElsewhere = () => saved.by !== me && leadOf(saved) === 0 && saved.ceiling > clock.now()

  // Following

  async function sync() {
    const text = peers && (await parts.load())
    if (text !== undefined && text !== written) follow(text)
    if (life === 'started' && isStale()) await save(saved)
  }

  function follow(text: string) {
    release()
    const received: SavedClock = JSON.parse(text)
    // A stepping process has saved its target and keeps it.
    saved = clock.target() === undefined ? received : { ...saved, mode: received.mode, speed: received.speed }
    written = text
    clock.setPace(received)
    clock.holdAt(limitOf(saved))
    clock.moveTo(followedTo(received, clock.machineNow()))
  }

  function isStale(): boolean {
    if (clock.target() !== undefined) return false
    const lead = leadOf(saved)
    const ahead = restartAt(saved, clock.machineNow()) - clock.now()
    return ahead < lead / 2 || (saved.by === me && ahead > lead + second)
  }

  /** Serialized: moving to an instant before reading that the clock is frozen would let it run on from there. */
  const handleMessage = (text: string) => (text === '' ? syncNow() : inTurn(async () => clock.moveTo(Number(text))))

  const syncNow = () =>
    inTurn(sync).catch((error) => log.warn({ event: 'clock.sync_failed', error }, 'clock could not be synchronized'))

  function scheduleSync(ms: number) {
    cancelSync = clock.machineAfter(ms, async () => {
      await syncNow()
      if (life === 'started') scheduleSync(renewMs)
    })
  }

  return {
    state,
    async change({ mode, speed, advanceMs }) {
      const isNewPace = mode !== undefined || speed !== undefined
      if (isNewPace) await inTurn(() => setPace({ mode: mode ?? saved.mode, speed: speed ?? saved.speed }))
      return advanceMs === undefined ? state() : advance(advanceMs)
    },
    start() {
      life = 'started'
      unsubscribe = peers?.subscribe((text) => void handleMessage(text)) ?? unsubscribe
      stopAnswering = peers?.onSettle?.((at) => inTurn(() => settleAt(at))) ?? stopAnswering
      scheduleSync(0)
    },
    async stop() {
      for (const giveUp of openAnswers) giveUp()
      // A test may be advancing the clock directly.
      if (advances > 0) clock.halt()
      cancelSync()
      unsubscribe()
      stopAnswering()
      release()
      if (life !== 'started') return
      life = 'stopped'
      await inTurn(saveExactly).catch((error) =>
        log.warn({ event: 'clock.save_failed', error }, 'clock could not be saved'),
      )
    },
  }

  /** A clean shutdown need not save ahead, unless other processes continue. */
  async function saveExactly() {
    clock.setPace({ ...clock.pace(), mode: 'frozen' })
    // Late timers still fire, and later reads see the instant that the clock has reached.
    const now = clock.reached()
    await write({ ...snapshot(saved, Math.max(now, peers ? saved.ceiling : 0)), now })
  }
}
