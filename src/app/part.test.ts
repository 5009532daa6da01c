import { expect, test } from 'vitest'
import { type ProcessPart, startAll, startOf, stopAll, stopOf } from './part.ts'

function recorded() {
  const steps: string[] = []
  const part = (name: string): ProcessPart => ({
    name,
    start: async () => void steps.push(`start ${name}`),
    stop: async () => void steps.push(`stop ${name}`),
  })
  return { steps, part }
}

test('parts start in order and stop in reverse order, a part with two entries at each of its places', async () => {
  const { steps, part } = recorded()
  const streams = part('streams')
  const parts = [part('database'), startOf(streams), part('jobs'), part('listeners'), stopOf(streams)]

  await startAll(parts)
  await stopAll(parts)

  expect(steps).toEqual([
    'start database',
    'start streams',
    'start jobs',
    'start listeners',
    'stop streams',
    'stop listeners',
    'stop jobs',
    'stop database',
  ])
})

test('a part that fails to start ends the start, and all parts can be stopped', async () => {
  const { steps, part } = recorded()
  const failing: ProcessPart = {
    ...part('listeners'),
    start: async () => {
      throw new Error('port in use')
    },
  }
  const parts = [part('database'), failing, part('calls')]

  await expect(startAll(parts)).rejects.toThrow('port in use')
  await stopAll(parts)

  expect(steps).toEqual(['start database', 'stop calls', 'stop listeners', 'stop database'])
})
