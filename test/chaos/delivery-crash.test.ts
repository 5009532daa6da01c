import { expect, inject, onTestFinished, test } from 'vitest'
import { freshPostgresUrl, temporaryFolder } from '../kit/databases.ts'
import { deliveryLoop, flawsOf } from './delivery-loop.ts'
import { endAll } from './server.ts'

const kills = 20

async function survives(databaseUrl?: string): Promise<void> {
  onTestFinished(endAll)
  const seed = 20_260_615

  const where = { folder: await temporaryFolder(), ...(databaseUrl && { databaseUrl }) }
  const report = await deliveryLoop({ kills, seed, hurry: true, ...where })

  console.log(`delivery crash loop on ${databaseUrl ? 'PostgreSQL' : 'the embedded store'}:`, report)
  expect(report.kills).toBe(kills)
  expect(flawsOf(report)).toEqual([])
}

test('a process that is killed while it delivers loses nothing and repeats only what was out (embedded store)', () =>
  survives())

test.skipIf(inject('postgresUrl') === null)(
  'processes that are killed while they deliver lose nothing and repeat only what was out (PostgreSQL)',
  async () => survives(await freshPostgresUrl()),
)
