import fc from 'fast-check'
import { expect, test } from 'vitest'
import { play } from '../../../test/calls/call-world.ts'
import { anyScene } from '../../../test/calls/random-call.ts'

// P12: whatever people, the network and the machine do to a call, and in whatever order, the rules of the ledger hold.

const calls = 60_000

test('a call is right under any order of events', () => {
  const seed = Date.now() % 2 ** 31
  const counts: Record<string, number> = {}
  let events = 0
  const property = fc.property(anyScene, (scene) => {
    const played = play(scene)
    events += played.events
    for (const what of [...played.phases, ...played.ledger.told, ...played.ledger.wished]) {
      counts[what] = (counts[what] ?? 0) + 1
    }
  })

  fc.assert(property, { seed, numRuns: calls })

  console.log(`P12 machine: seed ${seed}, ${calls} calls, ${events} events`, counts)
  expect(events).toBeGreaterThan(calls * 10)
})
