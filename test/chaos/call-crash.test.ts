import { expect, onTestFinished, test } from 'vitest'
import { freshPostgresUrl, onPostgresInFullRun, temporaryFolder } from '../kit/databases.ts'
import { times } from '../kit/depth.ts'
import { callsLoop, problemsOfLoop } from './calls-loop.ts'
import { endAll } from './server.ts'

const kills = times({ quick: 2, full: 6 })

async function survives(databaseUrl?: string): Promise<void> {
  onTestFinished(endAll)
  const seed = 20_260_617

  const where = { folder: await temporaryFolder(), ...(databaseUrl && { databaseUrl }) }
  const report = await callsLoop({ kills, seed, ...where })

  console.log(`calls and crashes on ${databaseUrl ? 'PostgreSQL' : 'the embedded store'}, seed ${seed}:`, report)
  expect(problemsOfLoop(report)).toEqual([])
  expect(report.kills + report.stops).toBe(kills)
  expect(report.answered).toBeGreaterThan(kills)
}

test('calls of a process that is killed or stopped end once, in time, and leave nothing behind (embedded store)', () =>
  survives())

onPostgresInFullRun(
  'calls of a process that is killed or stopped end once, in time, and leave nothing behind (PostgreSQL)',
  async () => survives(await freshPostgresUrl()),
)
