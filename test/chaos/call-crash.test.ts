import { expect, onTestFinished, test } from 'vitest'
import type { Kind } from '../cli/installation.ts'
import { onPostgresInFullRun } from '../kit/databases.ts'
import { times } from '../kit/depth.ts'
import { callsLoop, problemsOfLoop } from './calls-loop.ts'
import { placeOf } from './place.ts'
import { endAll } from './server.ts'

const kills = times({ quick: 2, full: 6 })

async function survives(kind: Kind): Promise<void> {
  onTestFinished(endAll)
  const seed = 20_260_617

  const report = await callsLoop({ kills, seed, ...(await placeOf(kind)) })

  console.log(`calls and crashes on ${kind}, seed ${seed}:`, report)
  expect(problemsOfLoop(report)).toEqual([])
  expect(report.kills + report.stops).toBe(kills)
  expect(report.answered).toBeGreaterThan(kills)
}

test('calls of a process that is killed or stopped end once, in time, and leave nothing behind (embedded store)', () =>
  survives('embedded'))

onPostgresInFullRun(
  'calls of a process that is killed or stopped end once, in time, and leave nothing behind (PostgreSQL)',
  () => survives('postgres'),
)
