import { expect, inject, onTestFinished, test } from 'vitest'
import type { Kind } from '../cli/installation.ts'
import { times } from '../kit/depth.ts'
import { deliveryLoop, problemsOf } from './delivery-loop.ts'
import { placeOf } from './place.ts'
import { endAll } from './server.ts'

const kills = times({ quick: 2, full: 10 })

async function survives(kind: Kind): Promise<void> {
  onTestFinished(endAll)
  const seed = 20_260_615

  const report = await deliveryLoop({ kills, seed, hurry: true, ...(await placeOf(kind)) })

  console.log(`delivery crash loop on ${kind}:`, report)
  expect(report.kills).toBe(kills)
  expect(problemsOf(report)).toEqual([])
}

test('a process that is killed while it delivers loses nothing and repeats only requests in flight (embedded store)', () =>
  survives('embedded'))

test.skipIf(inject('postgres') === null)(
  'processes that are killed while they deliver lose nothing and repeat only what was out (PostgreSQL)',
  () => survives('postgres'),
)
