import type { Db } from '../../src/db/database.ts'
import { livingKeys } from '../../src/db/dialect.ts'
import { seededRandom } from '../../src/lib/random.ts'
import { auditOffice, type Scope } from '../calls/office-audit.ts'
import { closeOffice, goingOn, openOffice, productTime, startCalls } from './calls-traffic.ts'
import { createFleet } from './fleet.ts'
import { pollUntil } from './poll.ts'
import { doubleRings, watchRings } from './ring-watch.ts'

// Ends the built server during calls, mostly with SIGKILL, and starts it again on the same data. In the
// end every call has one start and one end, and no reservation or recording is left.

export interface CallsOptions {
  kills: number
  seed: number
  folder: string
  databaseUrl?: string
  /** A data folder with the demo company; without it the first start creates one. */
  from?: string
}

export interface CallsReport {
  kills: number
  stops: number
  /** Ends that hit at least one call that was going on. */
  withLiveCalls: number
  /** Calls that were going on when their process was killed. */
  cutOff: number
  calls: number
  answered: number
  problems: string[]
}

interface CutOff {
  callId: number
  /** Product time when its process was back. */
  backAt: number
}

export async function callsLoop({ kills, seed, folder, databaseUrl, from }: CallsOptions): Promise<CallsReport> {
  const random = seededRandom(seed)
  const isShared = databaseUrl !== undefined
  const fleet = await createFleet({ folder, ...(isShared && { databaseUrl }), ...(from && { from }) })
  const report: CallsReport = { kills: 0, stops: 0, withLiveCalls: 0, cutOff: 0, calls: 0, answered: 0, problems: [] }
  const cutOff: CutOff[] = []
  try {
    const company = await openOffice(fleet)
    if (isShared) await fleet.read(watchRings)
    const traffic = startCalls(fleet, company, random)
    for (let round = 0; round < kills; round++) {
      await traffic.until(random.integer(30, 60))
      const member = random.pick(fleet.members)
      if (member.api) await traffic.call(member.api)
      // Every fourth receives SIGTERM: it must end its calls itself.
      const isStop = round % 4 === 3
      const live = isStop ? await goingOn(fleet) : 0
      const code = await fleet.end(member, isStop ? 'SIGTERM' : 'SIGKILL')
      // Calls of an earlier killed process may not be taken over yet.
      const known = new Set(cutOff.map(({ callId }) => callId))
      const left = (await fleet.read((db) => leftBehind(db, isShared))).filter((callId) => !known.has(callId))
      if (isStop) report.problems.push(...problemsOfStop(code, left))
      if (isStop) report.stops++
      else report.kills++
      if (live + left.length > 0) report.withLiveCalls++
      await fleet.read(forgetLeases)
      await fleet.start(member)
      const backAt = await productTime(fleet)
      cutOff.push(...left.map((callId) => ({ callId, backAt })))
    }
    await traffic.stop()
    // A process counts as gone when its connection has been missing for some seconds.
    if (isShared) {
      const nothingLeft = async () => (await fleet.read((db) => leftBehind(db, isShared))).length === 0
      await pollUntil(nothingLeft, 'the calls of the killed processes are ended')
    }
    await closeOffice(fleet, company)
    for (const member of fleet.members) {
      const code = await fleet.end(member, 'SIGTERM')
      if (code !== 0) report.problems.push(`the last stop ended with ${code}`)
    }
    const evening = {
      lastCall: company.lastCall,
      compare: isShared ? ('nothing' as const) : ('all rings' as const),
      acknowledged: traffic.calls,
      cutOff,
    }
    const findings = await fleet.read((db) => audit(db, evening))
    if (isShared) report.problems.push(...(await fleet.read(doubleRings)))
    return { ...report, ...findings, cutOff: cutOff.length, problems: [...report.problems, ...findings.problems] }
  } finally {
    await fleet.close()
  }
}

/** As if the process had ended long ago: its leases have expired. */
async function forgetLeases(db: Db): Promise<void> {
  await db.updateTable('job').set({ leased_until: 1 }).where('leased_until', '>', 1).execute()
}

/** Calls whose process is gone. */
async function leftBehind(db: Db, isShared: boolean): Promise<number[]> {
  const rows = await db.selectFrom('live_call').select(['call_id', 'owner']).where('call_id', 'is not', null).execute()
  const living = isShared ? await livingKeys(db) : new Set<number>()
  return rows.flatMap(({ call_id, owner }) => {
    const isGone = !living.has(Number(owner.split(':')[0]))
    return isGone && call_id !== null ? [call_id] : []
  })
}

function problemsOfStop(code: number | null, left: readonly number[]): string[] {
  return [
    ...(code === 0 ? [] : [`a process that was asked to stop ended with ${code}`]),
    ...(left.length === 0 ? [] : [`a process that was asked to stop left calls ${left.join(', ')}`]),
  ]
}

interface Evening {
  lastCall: number
  compare: Scope['compare'] & string
  acknowledged: readonly number[]
  cutOff: readonly CutOff[]
}

async function audit(db: Db, { lastCall, compare, acknowledged, cutOff }: Evening) {
  const rows = await db.selectFrom('call').select(['id', 'company_id', 'ended_at']).where('id', '>', lastCall).execute()
  const companyId = rows[0]?.company_id ?? 0
  const { calls, answered, problems } = await auditOffice(db, companyId, { after: lastCall, compare })
  const endOf = new Map(rows.map(({ id, ended_at }) => [id, ended_at ?? Number.POSITIVE_INFINITY]))
  const lost = acknowledged.filter((id) => !endOf.has(id)).map((id) => `call ${id} was acknowledged and is not there`)
  const late = cutOff
    .filter(({ callId, backAt }) => (endOf.get(callId) ?? 0) > backAt)
    .map(({ callId }) => `call ${callId} ended after its process was back`)
  return { calls, answered, problems: [...problems, ...lost, ...late, ...(await early(db, endOf))] }
}

/** Calls that ended before something that happened on them. */
async function early(db: Db, endOf: ReadonlyMap<number, number>): Promise<string[]> {
  const events = await db
    .selectFrom('event')
    .select(['name', 'resource_key', 'occurred_at'])
    .where('name', 'in', before)
    .execute()
  return events.flatMap(({ name, resource_key, occurred_at }) => {
    const end = endOf.get(Number(resource_key.split(':')[1])) ?? occurred_at
    return end < occurred_at ? [`${resource_key} ended at ${end}, before its ${name} at ${occurred_at}`] : []
  })
}

/** What happens before the end of a call, never after it. */
const before = ['created', 'ringing_on_agent', 'answered', 'hold', 'unhold', 'transferred', 'hungup'].map(
  (word) => `call.${word}`,
)

/** For a report that must be good. */
export function problemsOfLoop({ kills, stops, withLiveCalls, problems }: CallsReport): string[] {
  const isEmpty = withLiveCalls < (kills + stops) * 0.8
  return isEmpty ? [...problems, 'too few processes ended during a call'] : problems
}
