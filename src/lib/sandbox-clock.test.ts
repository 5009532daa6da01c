import { describe, expect, test } from 'vitest'
import { type Cancel, type Clock, createManualClock, day, hour, minute, second } from './clock.ts'
import { createLog } from './log.ts'
import { createSandboxClock, type SandboxClockParts } from './sandbox-clock.ts'
import { restoreClock } from './saved-clock.ts'
import { createTimers } from './timers.ts'

const noon = Date.UTC(2026, 5, 15, 12)

interface Machine extends Clock {
  /** Advances the machine by this time, or sets its clock. */
  pass(ms: number): Promise<void>
  set(ms: number): void
}

/** A machine whose time the test controls. */
function machine(): Machine {
  const timers = createTimers()
  let now = noon
  let steady = 0
  const machineNow = () => now
  const machineAfter = (ms: number, run: () => void): Cancel => {
    const timer = timers.add(steady + Math.max(ms, 0), run)
    return () => timers.remove(timer)
  }
  return {
    now: machineNow,
    after: machineAfter,
    machineNow,
    machineAfter,
    steadyNow: () => steady,
    async pass(ms) {
      const end = steady + ms
      for (let next = timers.first(); next && next.at <= end; next = timers.first()) {
        now += next.at - steady
        steady = next.at
        timers.remove(next)
        next.run()
        await everythingElse()
      }
      now += end - steady
      steady = end
      await everythingElse()
    },
    set(ms) {
      now += ms
    },
  }
}

/** Lets pending promises run as far as they can. */
const everythingElse = () => new Promise<void>((resolve) => setImmediate(resolve))

interface Store {
  setting: string | undefined
  /** Due work besides timers. */
  due: number
}

/** One process on the machine; the store outlives it. */
function open(host: Machine, store: Store, more: Partial<SandboxClockParts> = {}) {
  const clock = restoreClock(host, store.setting)
  let isDead = false
  const sandbox = createSandboxClock({
    clock,
    log: createLog('silent'),
    load: async () => store.setting,
    async save(text) {
      if (!isDead) store.setting = text
    },
    settle: async () => {},
    pending: async () => store.due,
    ...more,
  })
  sandbox.start()
  const die = () => {
    isDead = true
  }
  return { clock, sandbox, die }
}

const emptyStore = (): Store => ({ setting: undefined, due: 0 })

function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

/** Nothing is in progress now; later work takes its time. */
function onceTimeMoves(settle: () => Promise<void>): () => Promise<void> {
  let isPresent = true
  return async () => {
    if (isPresent) isPresent = false
    else await settle()
  }
}

describe('a clock that runs', () => {
  test('begins with the time of the machine and runs with it', async () => {
    const host = machine()
    const { clock, sandbox } = open(host, emptyStore())

    await host.pass(90 * second)

    expect(clock.now()).toBe(noon + 90 * second)
    expect(await sandbox.state()).toEqual({ now: noon + 90 * second, mode: 'running', speed: 1, pending: 0 })
  })

  test.each([0.1, 1, 12.5, 1_000])('at speed %d its timers come so much sooner or later', async (speed) => {
    const host = machine()
    const { clock, sandbox } = open(host, emptyStore())
    await sandbox.change({ speed })
    const started = clock.now()
    const fired: number[] = []
    clock.after(10 * minute, () => fired.push(clock.now() - started))

    await host.pass((10 * minute) / speed - 10)
    const before = [...fired]
    await host.pass(20)

    expect([before, fired]).toEqual([[], [10 * minute]])
  })

  test('each timer sees its own instant, however late the machine is, and those of one instant keep their order', async () => {
    const host = machine()
    const { clock, sandbox } = open(host, emptyStore())
    await sandbox.change({ speed: 1_000 })
    const started = clock.now()
    const fired: string[] = []
    const note = (name: string) => () => fired.push(`${name} ${clock.now() - started}`)
    clock.after(300, note('c'))
    clock.after(100, () => {
      note('a')()
      clock.after(100, note('set by a'))
    })
    clock.after(300, note('d'))
    clock.after(200, note('b'))

    await host.pass(5)

    expect(fired).toEqual(['a 100', 'b 200', 'set by a 200', 'c 300', 'd 300'])
    expect(clock.now() - started).toBe(5 * second)
  })

  test('a timer that was cancelled does not fire', async () => {
    const host = machine()
    const { clock } = open(host, emptyStore())
    const fired: number[] = []
    const cancels = Array.from({ length: 100 }, (_, n) => clock.after((n * 37) % 100, () => fired.push((n * 37) % 100)))
    for (const [n, cancel] of cancels.entries()) if (n % 3 !== 0) cancel()

    await host.pass(100)

    expect(fired).toHaveLength(34)
    expect(fired).toEqual([...fired].sort((a, b) => a - b))
  })

  test('stands still when frozen, and goes on from there; what is due at once still fires', async () => {
    const host = machine()
    const { clock, sandbox } = open(host, emptyStore())
    await host.pass(1_500)
    await sandbox.change({ mode: 'frozen' })
    const fired: string[] = []
    clock.after(0, () => fired.push('at once'))
    clock.after(1, () => fired.push('later'))

    await host.pass(day)
    const frozen = [clock.now() - noon, ...fired]
    await sandbox.change({ mode: 'running' })
    await host.pass(1)

    expect(frozen).toEqual([1_500, 'at once'])
    expect([clock.now() - noon, ...fired]).toEqual([1_501, 'at once', 'later'])
  })

  test('never goes back, also when the clock of the machine is set back', async () => {
    const host = machine()
    const { clock } = open(host, emptyStore())
    await host.pass(minute)

    host.set(-hour)
    const after = clock.now()
    await host.pass(second)

    expect([after - noon, clock.now() - noon]).toEqual([minute, minute + second])
  })

  test('a timer that fails does not take the others with it', async () => {
    const host = machine()
    const { clock } = open(host, emptyStore())
    const fired: string[] = []
    clock.after(1, () => {
      throw new Error('broken')
    })
    clock.after(2, () => fired.push('fine'))

    await expect(host.pass(1)).rejects.toThrow('broken')
    await host.pass(1)

    expect(fired).toEqual(['fine'])
  })
})

describe('a restart', () => {
  test('finds a frozen clock where it stood', async () => {
    const host = machine()
    const store = emptyStore()
    const first = open(host, store)
    await first.sandbox.change({ mode: 'frozen', advanceMs: 3 * hour })
    await first.sandbox.stop()
    await host.pass(2 * day)

    const again = open(host, store)
    await host.pass(minute)

    expect(await again.sandbox.state()).toEqual({ now: noon + 3 * hour, mode: 'frozen', speed: 1, pending: 0 })
  })

  test('finds a running clock as much later as the machine is', async () => {
    const host = machine()
    const store = emptyStore()
    const first = open(host, store)
    await first.sandbox.change({ speed: 100, advanceMs: hour })
    await host.pass(3 * second)
    await first.sandbox.stop()
    const left = first.clock.now()
    await host.pass(minute)

    const again = open(host, store)

    expect(left).toBe(noon + hour + 300 * second)
    expect(await again.sandbox.state()).toEqual({ now: left + minute, mode: 'running', speed: 100, pending: 0 })
  })

  test.each([
    { mode: 'running', speed: 0.1 },
    { mode: 'running', speed: 1 },
    { mode: 'running', speed: 7 },
    { mode: 'running', speed: 1_000 },
    { mode: 'frozen', speed: 1 },
  ] as const)('after a crash at any moment the clock is not set back: $mode at $speed', async (pace) => {
    const host = machine()
    const store = emptyStore()
    let living = open(host, store)
    await living.sandbox.change(pace)
    for (let crash = 0; crash < 40; crash++) {
      await host.pass(crash * 173)
      if (crash % 7 === 3) await living.sandbox.change({ advanceMs: 90 * second })
      const seen = living.clock.now()
      living.die()
      living = open(host, store)
      expect(living.clock.now()).toBeGreaterThanOrEqual(seen)
      expect(living.clock.now() - seen).toBeLessThanOrEqual(2 * second * Math.max(pace.speed, 1))
    }
  })

  test('a stop while a timer is late does not set the clock back behind what runs after it', async () => {
    const host = machine()
    const store = emptyStore()
    const first = open(host, store)
    await first.sandbox.change({ speed: 60 })
    first.clock.after(10 * second, () => {})
    // The process stalled: a second of machine time, a minute of product time, and the timer has not fired.
    host.set(second)

    await first.sandbox.stop()
    await host.pass(second)
    const seen = first.clock.now()
    const again = open(host, store)

    expect(seen).toBe(noon + minute)
    expect(again.clock.now()).toBeGreaterThanOrEqual(seen)
  })

  test('in the middle of an advance leaves nothing of what was reached behind', async () => {
    const host = machine()
    const store = emptyStore()
    const first = open(host, store, { settle: onceTimeMoves(() => new Promise(() => {})) })
    await first.sandbox.change({ mode: 'frozen' })
    first.clock.after(hour, () => {})
    void first.sandbox.change({ advanceMs: 2 * hour })
    await everythingElse()
    const seen = first.clock.now()

    const again = open(host, store)

    expect(seen).toBe(noon + hour)
    expect(again.clock.now()).toBe(noon + 2 * hour)
  })

  test('a store that is away stops a fast clock rather than let it run ahead of what is kept', async () => {
    const host = machine()
    const store = emptyStore()
    let isAway = false
    const { clock, sandbox } = open(host, store, {
      async save(text) {
        if (isAway) throw new Error('away')
        store.setting = text
      },
    })
    await sandbox.change({ speed: 1_000 })
    isAway = true
    await host.pass(minute)
    const seen = clock.now()
    isAway = false
    await host.pass(minute)

    expect(seen).toBe(noon + 2_000 * second)
    expect(clock.now()).toBeGreaterThan(noon + 50_000 * second)
  })
})

describe('an advance', () => {
  test('goes from instant to instant, and each settles before the next', async () => {
    const log: string[] = []
    const host = machine()
    const { clock, sandbox } = open(host, emptyStore(), {
      async settle() {
        await everythingElse()
        log.push(`settled ${(clock.now() - noon) / second}`)
      },
    })
    const note = (name: string) => () => log.push(`${name} ${(clock.now() - noon) / second}`)
    await sandbox.change({ mode: 'frozen' })
    clock.after(20 * second, note('b'))
    clock.after(10 * second, () => {
      note('a')()
      clock.after(5 * second, note('set by a'))
    })
    clock.after(20 * second, note('c'))
    clock.after(31 * second, note('not yet'))

    const state = await sandbox.change({ advanceMs: 30 * second })

    expect(log).toEqual([
      'settled 0',
      'a 10',
      'settled 10',
      'set by a 15',
      'settled 15',
      'b 20',
      'c 20',
      'settled 20',
      'settled 30',
    ])
    expect(state).toEqual({ now: noon + 30 * second, mode: 'frozen', speed: 1, pending: 0 })
  })

  test('what settling makes due at the target runs too', async () => {
    const fired: string[] = []
    const host = machine()
    let isFirst = true
    const { clock, sandbox } = open(host, emptyStore(), {
      async settle() {
        if (isFirst) clock.after(0, () => fired.push('late'))
        isFirst = false
      },
    })

    const state = await sandbox.change({ mode: 'frozen', advanceMs: minute })

    expect([fired, state.pending]).toEqual([['late'], 0])
  })

  test('of 92 hours with 20,000 timers, of which nearly all are cancelled, is a matter of its instants', async () => {
    const clock = createManualClock(noon)
    let instants = 0
    clock.settleWith(async () => {
      instants++
    })
    let fired = 0
    for (let call = 0; call < 2_000; call++) {
      const cancels = Array.from({ length: 10 }, (_, n) => clock.after((call * 7_919 + n) % (92 * hour), () => fired++))
      for (const cancel of cancels.slice(1)) cancel()
    }
    const tick = () => {
      fired++
      clock.after(hour, tick)
    }
    clock.after(hour, tick)

    await clock.advance(92 * hour)

    expect(fired).toBe(2_000 + 92)
    expect(instants).toBeLessThanOrEqual(2_000 + 92 + 1)
    expect(clock.now()).toBe(noon + 92 * hour)
  })

  test('works while the clock runs, and then it runs on', async () => {
    const host = machine()
    const { clock, sandbox } = open(host, emptyStore(), { settle: () => host.pass(second) })
    const fired: number[] = []
    clock.after(30 * minute, () => fired.push(clock.now() - noon))

    const state = await sandbox.change({ advanceMs: hour })
    await host.pass(5 * second)

    expect(fired).toEqual([30 * minute])
    expect(state.now).toBe(noon + hour)
    expect(clock.now()).toBe(noon + hour + 5 * second)
  })

  test('that takes too long is answered with what is pending, goes on, and takes a second one in', async () => {
    const host = machine()
    const store = emptyStore()
    const held = gate()
    const { clock, sandbox } = open(host, store, {
      settle: onceTimeMoves(() => held.opened),
      answerWithinMs: 25 * second,
    })
    await sandbox.change({ mode: 'frozen' })
    const fired: number[] = []
    for (const minutes of [10, 20, 30, 100]) clock.after(minutes * minute, () => fired.push(minutes))
    store.due = 2

    const first = sandbox.change({ advanceMs: hour })
    await host.pass(25 * second)
    const answer = await first
    const later = sandbox.change({ advanceMs: hour })
    await everythingElse()
    const progress = await sandbox.state()
    store.due = 0
    held.open()
    const end = await later

    expect(answer).toEqual({ now: noon + 10 * minute, mode: 'frozen', speed: 1, pending: 2 + 2 })
    expect(progress).toEqual({ now: noon + 10 * minute, mode: 'frozen', speed: 1, pending: 3 + 2 })
    expect(end).toEqual({ now: noon + 2 * hour, mode: 'frozen', speed: 1, pending: 0 })
    expect(fired).toEqual([10, 20, 30, 100])
  })

  test('is not over while its last step has not settled', async () => {
    const host = machine()
    const held = gate()
    const { sandbox } = open(host, emptyStore(), { settle: onceTimeMoves(() => held.opened) })
    await sandbox.change({ mode: 'frozen' })

    const asked = sandbox.change({ advanceMs: hour })
    await everythingElse()

    expect(await sandbox.state()).toMatchObject({ now: noon + hour, pending: 1 })
    held.open()
    expect(await asked).toMatchObject({ now: noon + hour, pending: 0 })
  })

  test('waits for due work of others, which no settling here can see', async () => {
    const host = machine()
    const store = emptyStore()
    const { sandbox } = open(host, store)
    store.due = 3

    const asked = sandbox.change({ mode: 'frozen', advanceMs: hour })
    await host.pass(10 * second)
    store.due = 0
    await host.pass(second)

    expect(await asked).toMatchObject({ now: noon + hour, pending: 0 })
  })

  test('is cancelled by a stop, which answers pending requests', async () => {
    const host = machine()
    const store = emptyStore()
    const held = gate()
    const { clock, sandbox } = open(host, store, { settle: onceTimeMoves(() => held.opened) })
    await sandbox.change({ mode: 'frozen' })
    clock.after(minute, () => {})

    const asked = sandbox.change({ advanceMs: hour })
    await everythingElse()
    await sandbox.stop()
    const answer = await asked
    held.open()
    await everythingElse()

    expect(answer).toMatchObject({ now: noon + minute, pending: 1 })
    expect(open(host, store).clock.now()).toBe(noon + minute)
  })
})

describe('processes on one store', () => {
  /** Two processes and the messages between them. */
  async function pair() {
    const host = machine()
    const store = emptyStore()
    const listeners = new Set<(text: string) => void>()
    const peers = {
      async publish(text: string) {
        for (const listener of listeners) listener(text)
      },
      subscribe(listen: (text: string) => void) {
        listeners.add(listen)
        return () => listeners.delete(listen)
      },
    }
    return { host, store, listeners, peers, a: open(host, store, { peers }), b: open(host, store, { peers }) }
  }

  test('share one clock', async () => {
    const { host, a, b } = await pair()

    await a.sandbox.change({ mode: 'frozen' })
    await everythingElse()
    await host.pass(minute)
    const frozen = b.clock.now()
    await b.sandbox.change({ mode: 'running', speed: 10 })
    await everythingElse()
    await host.pass(30 * second)

    expect(frozen).toBe(noon)
    expect(await a.sandbox.state()).toEqual({ now: noon + 300 * second, mode: 'running', speed: 10, pending: 0 })
    expect(b.clock.now()).toBe(noon + 300 * second)
  })

  test('follow each step of the process that advances it', async () => {
    const { host, a, b } = await pair()
    await a.sandbox.change({ mode: 'frozen' })
    const order: string[] = []
    a.clock.after(20 * minute, () => order.push('a'))
    b.clock.after(10 * minute, () => order.push('b before a'))
    b.clock.after(30 * minute, () => order.push('b after a'))

    await a.sandbox.change({ advanceMs: hour })
    await host.pass(1)

    expect(order.sort()).toEqual(['a', 'b after a', 'b before a'])
    expect(b.clock.now()).toBe(noon + hour)
  })

  test('stay at the target of a frozen clock, however late one of them reads that it is frozen', async () => {
    const { host, store, peers, a } = await pair()
    const reading = gate()
    const slow = open(host, store, { peers, load: () => reading.opened.then(() => store.setting) })

    await a.sandbox.change({ mode: 'frozen', advanceMs: hour })
    await host.pass(second)
    reading.open()
    await host.pass(second)

    expect(slow.clock.now()).toBe(noon + hour)
  })

  test('notice a change even when the notification is lost', async () => {
    const { host, listeners, a, b } = await pair()
    listeners.clear()

    await a.sandbox.change({ mode: 'frozen', advanceMs: hour })
    await host.pass(2 * second)

    expect(await b.sandbox.state()).toMatchObject({ now: noon + hour, mode: 'frozen' })
  })

  test('continue when the process that saves a fast clock has ended', async () => {
    const { host, a, b } = await pair()
    await a.sandbox.change({ speed: 100 })
    await everythingElse()
    await a.sandbox.stop()

    await host.pass(minute)

    expect(b.clock.now()).toBe(noon + 6_000 * second)
  })
})
