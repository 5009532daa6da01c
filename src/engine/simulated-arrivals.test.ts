import { expect, test } from 'vitest'
import { createSimulatedArrivals } from './simulated-arrivals.ts'

test('a simulated caller receives the id of its call', async () => {
  const arrivals = createSimulatedArrivals()
  const call = arrivals.callOf('leg 1')

  arrivals.arrived('leg 1', 7)

  expect(await call).toBe(7)
})

test('nothing is kept of a leg that no simulated caller waits for', async () => {
  const arrivals = createSimulatedArrivals()
  arrivals.arrived('leg 1', 7)
  const call = arrivals.callOf('leg 1')

  arrivals.arrived('leg 1', 8)

  expect(await call).toBe(8)
})
