import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seed } from '../../../test/kit/depth.ts'
import { afterFailure, afterSuccess, atRestart, disablesAt, type EndpointHealth, fresh } from './health.ts'

const minute = 60_000
const hour = 60 * minute
const monday = Date.UTC(2026, 5, 15, 9)

const failed = (health: EndpointHealth, times: number, at = monday, timedOut = false): EndpointHealth =>
  times === 0 ? health : failed(afterFailure(health, at, timedOut).health, times - 1, at, timedOut)
const succeeded = (health: EndpointHealth, times: number): EndpointHealth =>
  times === 0 ? health : succeeded(afterSuccess(health, monday), times - 1)

const proven = afterSuccess(fresh, monday)

describe('the state of an endpoint', () => {
  test('a new endpoint is proven by its first success', () => {
    expect(fresh).toMatchObject({ state: 'unproven', cap: 2 })
    expect(afterSuccess(fresh, monday)).toMatchObject({ state: 'proven', cap: 2, lastSuccessAt: monday })
  })

  test.each([
    ['an unproven', fresh],
    ['a proven', proven],
  ])('%s endpoint fails with the third failure in a row', (_, health) => {
    expect(failed(health, 2).state).toBe(health.state)
    expect(failed(health, 3).state).toBe('failing')
    expect(failed(succeeded(failed(health, 2), 1), 2).state).toBe('proven')
  })

  test('one success ends the run', () => {
    const run = failed(proven, 7, monday + hour)

    expect(run).toMatchObject({ consecutiveFailures: 7, failingSince: monday + hour, lastSuccessAt: monday })
    expect(afterSuccess(run, monday + 2 * hour)).toMatchObject({
      state: 'proven',
      consecutiveFailures: 0,
      failingSince: null,
      lastSuccessAt: monday + 2 * hour,
      warnedLevel: 0,
    })
  })

  test('after a restart only endpoints proven more than a day ago become unproven', () => {
    expect(atRestart(proven, monday + 24 * hour)).toBe(proven)
    expect(atRestart(proven, monday + 24 * hour + 1)).toEqual({ ...proven, state: 'unproven' })
    expect(atRestart(failed(proven, 3), monday + 99 * hour).state).toBe('failing')
    expect(atRestart(fresh, monday)).toBe(fresh)
  })
})

describe('the cap of an endpoint', () => {
  test('grows by one with every 20 successes, up to 16', () => {
    expect([19, 20, 39, 40, 279, 280, 2_000].map((times) => succeeded(fresh, times).cap)).toEqual([
      2, 3, 3, 4, 15, 16, 16,
    ])
  })

  test('is halved by a time-out, at least 1, and by nothing else', () => {
    const wide = { ...proven, cap: 13, streak: 19 }

    expect([0, 1, 2, 3, 4, 5].map((times) => failed(wide, times, monday, true).cap)).toEqual([13, 6, 3, 1, 1, 1])
    expect(failed(wide, 5).cap).toBe(13)
    expect(succeeded(failed(wide, 1, monday, true), 1).cap).toBe(6)
  })

  test('restarts at 1 after failing and doubles with each success', () => {
    const back = failed({ ...proven, cap: 9 }, 3)

    expect([1, 2, 3, 4, 5, 6, 50].map((times) => succeeded(back, times).cap)).toEqual([1, 2, 4, 8, 16, 16, 16])
  })

  test('grows slowly again when a time-out breaks the doubling', () => {
    const broken = failed(succeeded(failed(proven, 3), 4), 1, monday, true)

    expect(broken.cap).toBe(4)
    expect([1, 19, 20].map((times) => succeeded(broken, times).cap)).toEqual([4, 4, 5])
  })

  test('starts anew once a restart has doubted the endpoint', () => {
    const doubted = atRestart({ ...proven, cap: 16 }, monday + 48 * hour)

    expect(succeeded(doubted, 1).cap).toBe(2)
    expect(succeeded({ ...doubted, cap: 1, streak: -4 }, 2).cap).toBe(1)
  })
})

describe('warnings', () => {
  test('come once per level, with three failures in a row', () => {
    let health = fresh
    const warnAfter = (ms: number) => {
      const result = afterFailure(health, monday + ms, false)
      health = result.health
      return result.warn
    }

    expect([0, hour, hour, 2 * hour, 24 * hour - 1, 24 * hour, 25 * hour, 96 * hour, 97 * hour].map(warnAfter)).toEqual(
      [null, null, 1, null, null, 2, null, 3, null],
    )
  })

  test('skip the levels that passed unseen', () => {
    const run = failed(fresh, 2)

    expect(afterFailure(run, monday + 30 * hour, false)).toMatchObject({ warn: 2, health: { warnedLevel: 2 } })
  })

  test('start over with the next run', () => {
    const warned = failed(failed(fresh, 3), 1, monday + hour)
    const nextRun = failed(afterSuccess(warned, monday + 2 * hour), 3, monday + 3 * hour)

    expect(warned.warnedLevel).toBe(1)
    expect(afterFailure(nextRun, monday + 4 * hour, false).warn).toBe(1)
  })
})

describe('disabling', () => {
  test.each([
    ['the 50th failure after 120 h', 49, 120 * hour, true],
    ['the 50th failure a little earlier', 49, 120 * hour - 1, false],
    ['the 49th failure after a month', 48, 720 * hour, false],
  ])('%s', (_, before, ms, disable) => {
    expect(afterFailure(failed(proven, before), monday + ms, false)).toMatchObject({
      disable,
      warn: disable ? null : 3,
    })
  })

  test('may come 120 h after the first failure of the run', () => {
    expect(disablesAt(proven)).toBeNull()
    expect(disablesAt(failed(proven, 1, monday + hour))).toBe(monday + 121 * hour)
    expect(disablesAt(afterSuccess(failed(proven, 5), monday))).toBeNull()
  })
})

describe('ten thousand random endpoints', () => {
  type Result = { kind: 'success' } | { kind: 'failure'; timedOut: boolean }
  type Step = { at: number; result: Result }

  // The rule computed from the whole history instead of from a running state.
  function model(steps: Step[]) {
    return steps.map((step, i) => {
      const history = steps.slice(0, i + 1)
      const run = history.slice(history.findLastIndex(({ result }) => result.kind === 'success') + 1)
      const levelOf = (failures: Step[]) => {
        const hours = failures.length < 3 ? 0 : ((failures.at(-1)?.at ?? 0) - (failures[0]?.at ?? 0)) / hour
        return [1, 24, 96].filter((limit) => hours >= limit).length
      }
      const disable = run.length >= 50 && step.at - (run[0]?.at ?? 0) >= 120 * hour
      const risen = levelOf(run) > levelOf(run.slice(0, -1))
      return { disable, warn: risen && !disable ? levelOf(run) : null, failing: run.length >= 3 }
    })
  }

  function play(steps: Step[]) {
    let health = fresh
    return steps.map(({ at, result }) => {
      if (result.kind === 'success') {
        health = afterSuccess(health, at)
        return { disable: false, warn: null, failing: false }
      }
      const { health: next, warn, disable } = afterFailure(health, at, result.timedOut)
      health = next
      return { disable, warn, failing: health.state === 'failing' }
    })
  }

  const maxWithoutSuccess = (steps: Step[]) => {
    const marks = [0, ...steps.filter(({ result }) => result.kind === 'success').map(({ at }) => at)]
    return Math.max(...marks.map((at, i) => (marks[i + 1] ?? steps.at(-1)?.at ?? 0) - at))
  }

  // Runs of failures at an uneven pace, each ended by a success; single failures would never add up to a disable.
  const anyRun = fc.record({
    failures: fc.oneof(fc.nat(90), fc.integer({ min: 48, max: 52 })),
    pace: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 600 }), fc.constantFrom(60, 144, 150)),
    uneven: fc.constantFrom(0, 0, 7, 13),
    timedOut: fc.boolean(),
  })
  const anySchedule = fc.array(anyRun, { minLength: 1, maxLength: 4 }).map((runs) => {
    const steps: Step[] = []
    let at = 0
    for (const { failures, pace, uneven, timedOut } of runs) {
      for (let n = 0; n < failures; n++) {
        at += (pace + ((n * 31) % (uneven + 1))) * minute
        steps.push({ at, result: { kind: 'failure', timedOut } })
      }
      at += pace * minute
      steps.push({ at, result: { kind: 'success' } })
    }
    return steps
  })

  test('are warned and disabled exactly like the model', () => {
    const counts = { schedules: 0, steps: 0, warnings: 0, disabled: 0, neverFiveDaysWithout: 0 }
    const property = fc.property(anySchedule, (steps) => {
      const played = play(steps)
      expect(played).toEqual(model(steps))

      const warned = new Set<number>()
      for (const [i, { warn }] of played.entries()) {
        if (steps[i]?.result.kind === 'success') warned.clear()
        if (warn === null) continue
        expect(warned.has(warn)).toBe(false)
        warned.add(warn)
        counts.warnings++
      }
      const disabled = played.some(({ disable }) => disable)
      if (maxWithoutSuccess(steps) < 120 * hour) {
        expect(disabled).toBe(false)
        counts.neverFiveDaysWithout++
      }
      counts.schedules++
      counts.steps += steps.length
      if (disabled) counts.disabled++
    })

    fc.assert(property, { seed, numRuns: 10_000 })

    console.log(`endpoint health: seed ${seed}, ${JSON.stringify(counts)}`)
    expect(counts.schedules).toBe(10_000)
    expect(Math.min(counts.disabled, counts.neverFiveDaysWithout)).toBeGreaterThan(1_000)
  })
})
