import type { Db } from '../../src/db/database.ts'
import { livingKeys } from '../../src/db/dialect.ts'
import { seededRandom } from '../../src/lib/random.ts'
import { auditOffice } from '../calls/office-audit.ts'
import { closeOffice, openOffice, startCalls } from './calls-traffic.ts'
import { createFleet, type Fleet, type Member } from './fleet.ts'

// Ends the built server while people are on the phone, mostly with SIGKILL, and starts it again on the same data. In the
// evening every call has one beginning and one end, and nobody and nothing is left over.

export interface CallsOptions {
  kills: number
  seed: number
  folder: string
  databaseUrl?: string
}

export interface CallsReport {
  kills: number
  stops: number
  /** Ends that hit at least one call that was going on. */
  withLiveCalls: number
  /** Calls that were going on when their process was killed. */
  cutOff: number
  acknowledged: number
  calls: number
  answered: number
  flaws: string[]
}

interface CutOff {
  callId: number
  /** Product time at which its process, or another, was there again. */
  backAt: number
}

export async function callsLoop({ kills, seed, folder, databaseUrl }: CallsOptions): Promise<CallsReport> {
  const random = seededRandom(seed)
  const fleet = await createFleet({ folder, ...(databaseUrl && { databaseUrl }) })
  const report = { kills: 0, stops: 0, withLiveCalls: 0, cutOff: 0, acknowledged: 0, calls: 0, answered: 0 }
  const flaws: string[] = []
  const cutOff: CutOff[] = []
  const [one] = fleet.members
  if (!one) throw new Error('a fleet has members')
  try {
    const company = await openOffice(fleet, one.dataDir)
    const traffic = startCalls(fleet, company, random)
    for (let round = 0; round < kills; round++) {
      await traffic.until(random.integer(25, 60))
      const member = random.pick(fleet.members)
      const isStop = round % 4 === 3
      const before = await liveCalls(fleet, member, !isStop || databaseUrl !== undefined)
      const code = await fleet.end(member, isStop ? 'SIGTERM' : 'SIGKILL')
      const left = await fleet.read((db) => orphansIn(db, databaseUrl !== undefined))
      if (isStop) {
        report.stops++
        if (code !== 0) flaws.push(`a process that was told to stop ended with ${code}`)
        if (left.length > 0) flaws.push(`a process that was told to stop left ${left.length} calls`)
      } else {
        report.kills++
      }
    }
    await traffic.stop()
  } finally {
    await fleet.close()
  }
  return { ...report, flaws }
}
