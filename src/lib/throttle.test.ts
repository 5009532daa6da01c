import { expect, test } from 'vitest'
import { createManualClock, minute } from './clock.ts'
import { Throttle, type Verdict } from './throttle.ts'

const address = '192.0.2.1'
const valid: Verdict<string> = { kind: 'valid', value: 'caller' }
const invalid: Verdict<string> = { kind: 'invalid' }
const unknown: Verdict<string> = { kind: 'unknown' }

function setUp() {
  const clock = createManualClock(0)
  const throttle = new Throttle(clock)
  let evaluated = 0
  const attempt = (verdict: Verdict<string>, identifier: string | undefined = 'key', from = address) =>
    throttle.attempt(from, identifier, async () => {
      evaluated++
      await new Promise((resolve) => setImmediate(resolve))
      return verdict
    })
  const burst = (n: number, verdict: Verdict<string>, identifierOf = (_: number) => 'key') =>
    Promise.all(Array.from({ length: n }, (_, i) => attempt(verdict, identifierOf(i))))
  return { clock, throttle, attempt, burst, evaluated: () => evaluated }
}

const waits = (attempts: readonly { kind: string; retryAfterSeconds?: number }[]) =>
  attempts.flatMap(({ retryAfterSeconds }) => retryAfterSeconds ?? [])

test('of a thousand parallel wrong tokens twenty are evaluated, and the burst is one offence', async () => {
  const { burst, evaluated, attempt, clock } = setUp()

  const attempts = await burst(1_000, invalid)

  expect(evaluated()).toBe(20)
  expect(attempts.filter(({ kind }) => kind === 'blocked')).toHaveLength(980)
  expect(Math.max(...waits(attempts))).toBe(60)
  clock.shiftMachine(minute)
  expect((await attempt(valid)).kind).toBe('valid')
})

test('a thousand parallel valid requests of one key all pass', async () => {
  const { burst } = setUp()

  const attempts = await burst(1_000, valid)

  expect(new Set(attempts.map(({ kind }) => kind))).toEqual(new Set(['valid']))
})

test('of a thousand parallel unknown identifiers two hundred are evaluated', async () => {
  const { burst, evaluated, attempt } = setUp()

  const attempts = await burst(1_000, unknown, (i) => `guess-${i}`)

  expect(evaluated()).toBe(200)
  expect(Math.max(...waits(attempts))).toBe(60)
  expect((await attempt(valid, undefined)).kind).toBe('blocked')
  expect((await attempt(valid, 'key', '198.51.100.7')).kind).toBe('valid')
})

test('a block doubles with each burst, never exceeds 15 minutes, and is short again after half an hour of calm', async () => {
  const { burst, clock } = setUp()
  const maxWaits: number[] = []

  for (let offence = 0; offence < 8; offence++) {
    maxWaits.push(Math.max(...waits(await burst(200, invalid))))
    clock.shiftMachine((maxWaits.at(-1) ?? 0) * 1_000)
  }
  clock.shiftMachine(30 * minute)
  const calm = Math.max(...waits(await burst(200, invalid)))

  expect(maxWaits).toEqual([60, 120, 240, 480, 900, 900, 900, 900])
  expect(calm).toBe(60)
})

test('an evaluation that fails neither counts nor keeps its place', async () => {
  const { throttle, attempt } = setUp()
  const fail = () =>
    throttle.attempt(address, 'key', async () => {
      throw new Error('the database is away')
    })

  const failures = await Promise.allSettled(Array.from({ length: 100 }, fail))

  expect(new Set(failures.map(({ status }) => status))).toEqual(new Set(['rejected']))
  expect((await attempt(valid)).kind).toBe('valid')
})
