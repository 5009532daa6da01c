import { type Cancel, second } from './clock.ts'
import { followedTo, type KeptClock, leadOf, limitOf, renewMs, restartAt } from './kept-clock.ts'
import type { Log } from './log.ts'
import { randomId } from './secrets.ts'
import type { Pace, WoundClock } from './wound-clock.ts'

export interface ClockState extends Pace {
  now: number
  /** What is due up to where the clock is wound to, and has not run. */
  pending: number
}

export interface ClockWish extends Partial<Pace> {
  advanceMs?: number
}

/** The clock of an installation, as its users wind it. */
export interface SandboxClock {
  state(): Promise<ClockState>
  /** Answers when the clock is there and nothing due is left, or after 25 s, while it goes on. */
  change(wish: ClockWish): Promise<ClockState>
}

export interface SandboxClockParts {
  clock: WoundClock
  log: Log
  load(): Promise<string | undefined>
  save(text: string): Promise<void>
  /** Resolves when all that is due has run. */
  settle(): Promise<void>
  /** Grows whenever this process has done something that may lead to more work, here or in another process. */
  activity?(): number
  /** How much work, timers aside, is due up to the instant. */
  pending(until: number): Promise<number>
  /** Processes on the same data. */
  others?: Others | undefined
  answerWithinMs?: number
}

/**
 * Several processes have one clock. The process that is asked to advance it takes the steps; at each of them every other
 * process moves to the same instant, does what is due there, and reports when its own next timer is due. A second advance
 * is added to the target only in the process that takes the steps; in another it counts from the instant that one has
 * come to.
 */
export interface Others {
  /** An instant to move to; an empty text means that the setting was written. */
  tell(text: string): Promise<void>
  hear(listen: (text: string) => void): () => void
  /** Resolves when every other process has come to the instant and has nothing left to do there. */
  settle?(at: number): Promise<SettledAt>
  /** How this process answers the others' `settle`. */
  answer?(settle: (at: number) => Promise<SettledAt>): () => void
}

export interface SettledAt {
  /** The next instant at which a timer is due; infinity when there is none. */
  next: number
  /** Something was done since the last report. */
  wasBusy: boolean
}

export interface KeptSandboxClock extends SandboxClock {
  /** From now on the clock is kept, and follows the others'. */
  start(): void
  stop(): Promise<void>
}

const answerMs = 25 * second
const lookAgainMs = 50
/** A process that takes steps and dies does not stop the clock of the others for longer. */
const maxStepMs = 30 * second

export function createSandboxClock(parts: SandboxClockParts): KeptSandboxClock {
  const { clock, log, others } = parts
  const me = randomId()
  const answersOpen = new Set<() => void>()
  let kept = snapshot(clock.pace())
  let written: string | undefined
  let life: 'new' | 'started' | 'stopped' = 'new'
  let windings = 0
  let lastTurn: Promise<unknown> = Promise.resolve()
  let nextLook: Cancel = () => {}
  let deafen = () => {}
  let stopAnswering = () => {}
  let release: Cancel = () => {}
  let reportedActivity = 0
  clock.holdAt(limitOf(kept))
  clock.settleWith(settleEverywhere)

  // Stepping together

  /** Work in one process may lead to work in another, so it ends with a round in which there was none. */
  async function settleEverywhere(): Promise<number | undefined> {
    if (!others?.settle) {
      await tell(String(clock.now()))
      await parts.settle()
      return undefined
    }
    for (;;) {
      const [elsewhere] = await Promise.all([others.settle(clock.now()), parts.settle()])
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

  /** Another process takes the steps. Until the next one, or until it is gone, this clock does not run by itself. */
  async function settleAt(at: number): Promise<SettledAt> {
    release()
    clock.holdAt(at)
    release = clock.machineAfter(maxStepMs, () => clock.holdAt(limitOf(kept)))
    clock.moveTo(at)
    await parts.settle()
    // A process that takes steps itself fires its own timers.
    while (clock.nextDue() <= at && clock.target() === undefined) {
      await new Promise<void>((resolve) => clock.machineAfter(0, resolve))
      await parts.settle()
    }
    return { next: clock.nextDue(), wasBusy: hasWorked() }
  }

  // Keeping

  function snapshot({ mode, speed }: Pace, ceiling = 0): KeptClock {
    const now = clock.now()
    return { mode, speed, now, at: clock.machineNow(), ceiling: Math.max(ceiling, now), by: me }
  }

  /** Two changes at once would each begin with what the other has not written yet. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = lastTurn.then(work)
    lastTurn = turn.catch(() => {})
    return turn
  }

  async function keep(pace: Pace, ceiling = clock.target() ?? 0) {
    const lead = leadOf(pace)
    const next = snapshot(pace, Math.max(ceiling, lead > 0 ? clock.reached() + lead : clock.now()))
    await write(next)
    clock.holdAt(limitOf(next))
    await tell('')
  }

  async function write(next: KeptClock) {
    const text = JSON.stringify(next)
    await parts.save(text)
    kept = next
    written = text
  }

  async function tell(text: string) {
    await others?.tell(text).catch((error) => log.warn({ error }, 'the clock could not be told'))
  }

  /** Time stands still while the new pace is written: neither the old nor the new one runs ahead of what is kept. */
  async function setPace(wanted: Pace) {
    const before = clock.pace()
    clock.setPace({ ...before, mode: 'frozen' })
    try {
      await keep(wanted)
      clock.setPace(wanted)
    } catch (error) {
      clock.setPace(before)
      throw error
    }
  }

  // Winding

  async function advance(ms: number): Promise<ClockState> {
    const { target, stepped } = await inTurn(async () => {
      const target = (clock.target() ?? clock.now()) + ms
      await keep(kept, target)
      return { target, stepped: clock.advanceTo(target).then(keepEnd) }
    })
    windings++
    stepped
      .catch((error) => log.error({ error }, 'the clock could not be wound on'))
      .finally(() => {
        windings--
      })
    const answer = answerInTime()
    try {
      const arrived = stepped.then(() => nothingDue(target, answer.isOpen))
      const isDone = await Promise.race([arrived, answer.over])
      return isDone && !isSteppedElsewhere() ? { ...face(), pending: 0 } : await state()
    } finally {
      answer.close()
    }
  }

  const keepEnd = () => inTurn(async () => life !== 'stopped' && keep(kept))

  /** What another process does is not settled here, but it is looked for. */
  async function nothingDue(until: number, isWanted: () => boolean): Promise<boolean> {
    while (isWanted()) {
      if ((await parts.pending(until)) === 0) return true
      await new Promise<void>((resolve) => clock.machineAfter(lookAgainMs, resolve))
    }
    return false
  }

  function answerInTime() {
    let giveUp = () => {}
    const over = new Promise<false>((resolve) => {
      giveUp = () => resolve(false)
    })
    const cancel = clock.machineAfter(parts.answerWithinMs ?? answerMs, giveUp)
    answersOpen.add(giveUp)
    const close = () => {
      cancel()
      answersOpen.delete(giveUp)
    }
    return { over, isOpen: () => answersOpen.has(giveUp), close }
  }

  const face = () => ({ now: clock.now(), mode: kept.mode, speed: kept.speed })

  async function state(): Promise<ClockState> {
    const target = clock.target()
    const until = target ?? clock.now()
    const due = clock.waiting(until) + (await parts.pending(until))
    // A step that has not settled is something that has not run, also when nothing else is left.
    const isOnItsWay = target !== undefined || isSteppedElsewhere()
    return { ...face(), pending: isOnItsWay ? Math.max(due, 1) : due }
  }

  /** Another process takes steps and is not at their end yet. Running fast, the clock is kept ahead anyway. */
  const isSteppedElsewhere = () => kept.by !== me && leadOf(kept) === 0 && kept.ceiling > clock.now()

  // Looking after it

  async function look() {
    const text = others && (await parts.load())
    if (text !== undefined && text !== written) follow(text)
    if (life === 'started' && isStale()) await keep(kept)
  }

  function follow(text: string) {
    release()
    const told: KeptClock = JSON.parse(text)
    // Whoever takes steps has written down where they lead, and goes on to guard that.
    kept = clock.target() === undefined ? told : { ...kept, mode: told.mode, speed: told.speed }
    written = text
    clock.setPace(told)
    clock.holdAt(limitOf(kept))
    clock.moveTo(followedTo(told, clock.machineNow()))
  }

  function isStale(): boolean {
    if (clock.target() !== undefined) return false
    const lead = leadOf(kept)
    const ahead = restartAt(kept, clock.machineNow()) - clock.now()
    return ahead < lead / 2 || (kept.by === me && ahead > lead + second)
  }

  /** In turn: whoever moved to an instant before it had read that the clock is frozen would run on from there. */
  const hear = (text: string) => (text === '' ? lookNow() : inTurn(async () => clock.moveTo(Number(text))))

  const lookNow = () => inTurn(look).catch((error) => log.warn({ error }, 'the clock could not be looked after'))

  function lookAfter(ms: number) {
    nextLook = clock.machineAfter(ms, async () => {
      await lookNow()
      if (life === 'started') lookAfter(renewMs)
    })
  }

  return {
    state,
    async change({ mode, speed, advanceMs }) {
      const isNewPace = mode !== undefined || speed !== undefined
      if (isNewPace) await inTurn(() => setPace({ mode: mode ?? kept.mode, speed: speed ?? kept.speed }))
      return advanceMs === undefined ? state() : advance(advanceMs)
    },
    start() {
      life = 'started'
      deafen = others?.hear((text) => void hear(text)) ?? deafen
      stopAnswering = others?.answer?.((at) => inTurn(() => settleAt(at))) ?? stopAnswering
      lookAfter(0)
    },
    async stop() {
      for (const giveUp of answersOpen) giveUp()
      // Somebody else may be winding it: a test.
      if (windings > 0) clock.halt()
      nextLook()
      deafen()
      stopAnswering()
      release()
      if (life !== 'started') return
      life = 'stopped'
      await inTurn(keepExactly).catch((error) => log.warn({ error }, 'the clock could not be kept'))
    },
  }

  /** Who ends in peace need not keep ahead, unless others go on. */
  async function keepExactly() {
    clock.setPace({ ...clock.pace(), mode: 'frozen' })
    // Timers that are late still fire, and what follows sees the instant that the clock has reached.
    const now = clock.reached()
    await write({ ...snapshot(kept, Math.max(now, others ? kept.ceiling : 0)), now })
  }
}
