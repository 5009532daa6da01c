import { expect, onTestFinished, test } from 'vitest'
import type { Kind } from '../cli/installation.ts'
import { onPostgresInFullRun } from '../kit/databases.ts'
import { seed, times } from '../kit/depth.ts'
import { exportLoop, problemsOfExports } from './export-loop.ts'
import { placeOf } from './place.ts'
import { endAll } from './server.ts'

const kills = times({ quick: 2, full: 4 })

async function survives(kind: Kind): Promise<void> {
  onTestFinished(endAll)

  const report = await exportLoop({ kills, seed, ...(await placeOf(kind)) })

  console.log(`export crash loop on ${kind}:`, report)
  expect(report.kills).toBe(kills)
  expect(problemsOfExports(report)).toEqual([])
}

test('an export whose process is killed is completed by the next one, whole and once (embedded store)', () =>
  survives('embedded'))

onPostgresInFullRun('an export whose process is killed is completed by the next one, whole and once (PostgreSQL)', () =>
  survives('postgres'),
)
