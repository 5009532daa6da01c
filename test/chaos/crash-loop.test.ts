import { expect, inject, onTestFinished, test } from 'vitest'
import { freshPostgresUrl, temporaryFolder } from '../kit/databases.ts'
import { crashLoop } from './crash-loop.ts'
import { endAll } from './server.ts'

const kills = 5

async function survives(databaseUrl?: string): Promise<void> {
  onTestFinished(endAll)
  const seed = 20_260_615
  const dataDir = await temporaryFolder()

  const report = await crashLoop({ kills, seed, dataDir, ...(databaseUrl && { databaseUrl }) })

  console.log(`crash loop on ${databaseUrl ? 'PostgreSQL' : 'the embedded store'}, seed ${seed}:`, report)
  expect(report).toMatchObject({ kills, lost: 0, wrongEvents: 0, wrongTotals: 0 })
  expect(report.killsWithWorkInFlight / kills).toBeGreaterThanOrEqual(0.8)
  expect(report.acknowledged).toBeGreaterThan(kills * 5)
}

test('a server that is killed while it writes loses nothing it has acknowledged (embedded store)', () => survives())

test.skipIf(inject('postgresUrl') === null)(
  'a server that is killed while it writes loses nothing it has acknowledged (PostgreSQL)',
  async () => survives(await freshPostgresUrl()),
)
