import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../lib/random.ts'
import { owner } from './share.ts'

const random = seededRandom(20260615)
const hex = () => random.integer(0, 15).toString(16)
const uuids = Array.from({ length: 10_000 }, () => 'xxxxxxxx-xxxx-4xxx-xxxx-xxxxxxxxxxxx'.replace(/x/g, hex))
// Alike but for their last letters, which is where a weak hash shows.
const counted = Array.from({ length: 10_000 }, (_, n) => `webhook-${n}`)

const namings = [
  ['numbered', (n: number) => `worker-${n}`],
  ['bare numbers as', (n: number) => `${n}`],
  ['randomly named', (n: number) => uuids[n] ?? ''],
] as const
const workersOf = (count: number, name: (n: number) => string) => Array.from({ length: count }, (_, n) => name(n))

function sharesOf(ids: string[], workers: string[]): number[] {
  const shares = new Map<string | undefined, number>()
  for (const id of ids) {
    const worker = owner(id, workers)
    shares.set(worker, (shares.get(worker) ?? 0) + 1)
  }
  return [...shares.values()]
}

describe('the worker of a webhook', () => {
  test('is undefined without workers, and the only worker if there is one', () => {
    expect(owner('a', [])).toBeUndefined()
    expect(owner('a', ['one'])).toBe('one')
  })

  test.each(namings)('%s workers get even shares', (_, name) => {
    for (const count of [2, 3, 5, 8, 16]) {
      for (const ids of [uuids, counted]) {
        const shares = sharesOf(ids, workersOf(count, name))

        const fair = ids.length / count
        expect(shares).toHaveLength(count)
        expect(Math.min(...shares)).toBeGreaterThan(0.85 * fair)
        expect(Math.max(...shares)).toBeLessThan(1.15 * fair)
      }
    }
  })

  test.each(
    namings,
  )('when one of the %s workers leaves, only its own webhooks move, to all others alike', (_, name) => {
    const workers = workersOf(5, name)
    for (const gone of workers) {
      const left = workers.filter((worker) => worker !== gone)
      const heirs = new Map<string | undefined, number>()
      let disturbed = 0
      for (const id of uuids) {
        const before = owner(id, workers)
        const after = owner(id, left)
        if (before === gone) heirs.set(after, (heirs.get(after) ?? 0) + 1)
        else if (after !== before) disturbed++
      }

      expect(disturbed).toBe(0)
      expect(heirs.size).toBe(4)
      expect(Math.min(...heirs.values())).toBeGreaterThan(400)
    }
  })

  test('does not depend on the order in which workers are listed', () => {
    const workers = workersOf(7, (n) => `worker-${n}`)

    for (const id of uuids.slice(0, 1_000)) expect(owner(id, workers.toReversed())).toBe(owner(id, workers))
  })
})
