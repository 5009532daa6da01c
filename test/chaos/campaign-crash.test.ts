import { expect, onTestFinished, test } from 'vitest'
import type { Kind } from '../cli/installation.ts'
import { onPostgresInFullRun } from '../kit/databases.ts'
import { seed, times } from '../kit/depth.ts'
import { campaignLoop, problemsOfCampaign } from './campaign-loop.ts'
import { placeOf } from './place.ts'
import { endAll } from './server.ts'

const kills = times({ quick: 2, full: 6 })

async function survives(kind: Kind): Promise<void> {
  onTestFinished(endAll)

  const report = await campaignLoop({ kills, seed, ...(await placeOf(kind)) })

  console.log(`campaign crash loop on ${kind}:`, report)
  expect(report.kills).toBe(kills)
  expect(problemsOfCampaign(report)).toEqual([])
}

test('a campaign of a killed process calls each recipient once (embedded store)', () => survives('embedded'))

onPostgresInFullRun('a campaign of killed processes calls each recipient once (PostgreSQL)', () => survives('postgres'))
