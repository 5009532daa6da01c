import { expect, inject, onTestFinished, test } from 'vitest'
import { type Kind, seeded } from '../cli/installation.ts'
import { times } from '../kit/depth.ts'
import { crashLoop } from './crash-loop.ts'
import { endAll } from './server.ts'

const kills = times({ quick: 3, full: 6 })

async function survives(kind: Kind): Promise<void> {
  onTestFinished(endAll)
  const seed = 20_260_615
  const { DATA_DIR: dataDir = '', DATABASE_URL: databaseUrl } = await seeded(kind)

  const report = await crashLoop({ kills, seed, dataDir, ...(databaseUrl && { databaseUrl }) })

  console.log(`crash loop on ${kind}, seed ${seed}:`, report)
  expect(report).toMatchObject({ kills, lost: 0, wrongEvents: 0, wrongTotals: 0 })
  expect(report.killsWithWorkInFlight / kills).toBeGreaterThanOrEqual(0.8)
  expect(report.acknowledged).toBeGreaterThan(kills * 5)
}

test('a server that is killed while it writes loses nothing it has acknowledged (embedded store)', () =>
  survives('embedded'))

test.skipIf(inject('postgres') === null)(
  'a server that is killed while it writes loses nothing it has acknowledged (PostgreSQL)',
  () => survives('postgres'),
)
