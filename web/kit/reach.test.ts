import { expect, test } from 'vitest'
import { createReach, isOutage } from './reach.ts'

/** A server that can be stopped, and a manual clock. */
function setUp() {
  const timers = new Set<{ at: number; run: () => void }>()
  const probes: number[] = []
  let now = 0
  let isUp = true
  let isUrgent = false
  const reach = createReach({
    probe: () => {
      probes.push(now)
      return Promise.resolve(isUp)
    },
    schedule(run, ms) {
      const timer = { at: now + ms, run }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    random: () => 0.5,
    isUrgent: () => isUrgent,
  })
  async function advance(ms: number) {
    const end = now + ms
    // A probe that was started before must have scheduled the next one, otherwise time passes without it.
    await settled()
    for (;;) {
      const next = [...timers].sort((a, b) => a.at - b.at).find(({ at }) => at <= end)
      if (!next) break
      now = next.at
      timers.delete(next)
      next.run()
      await settled()
    }
    now = end
  }
  return {
    reach,
    advance,
    probes,
    async goDown() {
      isUp = false
      reach.suspect()
      await settled()
    },
    comeUp() {
      isUp = true
    },
    setUrgent(value: boolean) {
      isUrgent = value
    },
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

const minute = 60_000

test.each([
  ['30 seconds', minute / 2],
  ['10 minutes', 10 * minute],
  ['8 hours', 480 * minute],
])('an outage of %s is recovered from within a pause of at most ten seconds', async (_title, ms) => {
  const { reach, advance, goDown, comeUp } = setUp()

  await goDown()
  await advance(ms)
  const during = reach.isReachable()
  comeUp()
  await advance(12_500)

  expect([during, reach.isReachable()]).toEqual([false, true])
})

test('pauses between probes grow, and a reachable server is not probed', async () => {
  const { reach, advance, goDown, comeUp, probes } = setUp()

  await advance(10 * minute)
  await goDown()
  await advance(minute)

  expect(probes.map((at) => at - 10 * minute)).toEqual([0, 1_000, 3_000, 7_000, 15_000, 25_000, 35_000, 45_000, 55_000])
  comeUp()
  await advance(minute)
  const known = probes.length
  await advance(10 * minute)
  expect(reach.isReachable()).toBe(true)
  expect(probes.length).toBe(known)
})

test('waiting requests continue when the server responds', async () => {
  const { reach, goDown, comeUp, advance } = setUp()
  const seen: string[] = []

  await goDown()
  const waiting = reach.back().then(() => seen.push('continued'))
  await advance(minute)
  seen.push('still waiting')
  comeUp()
  await advance(minute)
  await waiting

  expect(seen).toEqual(['still waiting', 'continued'])
})

test('a request that fails while the server responds to others is no outage', async () => {
  const { reach, advance, probes } = setUp()
  const changes: boolean[] = []
  reach.watch(() => changes.push(reach.isReachable()))

  reach.suspect()
  await advance(minute)

  expect([changes, probes.length]).toEqual([[], 1])
})

test('a machine that wakes up probes at once', async () => {
  const { reach, advance, goDown, comeUp } = setUp()

  await goDown()
  await advance(minute)
  comeUp()
  reach.hurry()
  await settled()

  expect(reach.isReachable()).toBe(true)
})

test('a proxy without an upstream server is an outage, a rejected request is not', () => {
  expect([0, 502, 503, 504].map(isOutage)).toEqual([true, true, true, true])
  expect([200, 401, 403, 404, 422, 429, 500].some(isOutage)).toBe(false)
})

test('during a call the server is probed at least every two seconds', async () => {
  const { goDown, advance, probes, setUrgent } = setUp()
  setUrgent(true)

  await goDown()
  await advance(minute)

  const pauses = probes.slice(1).map((at, i) => at - (probes[i] ?? 0))
  expect(Math.max(...pauses)).toBeLessThanOrEqual(2_000)
})
