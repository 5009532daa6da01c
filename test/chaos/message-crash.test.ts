import { expect, onTestFinished, test } from 'vitest'
import type { Kind } from '../cli/installation.ts'
import { onPostgresInFullRun } from '../kit/databases.ts'
import { seed, times } from '../kit/depth.ts'
import { messageLoop, problemsOfMessages } from './message-loop.ts'
import { placeOf } from './place.ts'
import { endAll } from './server.ts'

const kills = times({ quick: 2, full: 6 })

async function survives(kind: Kind): Promise<void> {
  onTestFinished(endAll)

  const report = await messageLoop({ kills, seed, ...(await placeOf(kind)) })

  console.log(`message crash loop on ${kind}:`, report)
  expect(report.kills).toBe(kills)
  expect(problemsOfMessages(report)).toEqual([])
}

test('text messages of a killed process reach the carrier once, or fail in doubt (embedded store)', () =>
  survives('embedded'))

onPostgresInFullRun('text messages of killed processes reach the carrier once, or fail in doubt (PostgreSQL)', () =>
  survives('postgres'),
)
