import type { Db, Tx } from '../db/database.ts'
import { looseTransaction } from '../db/database.ts'
import { claimRows, wordsFromJson } from '../db/dialect.ts'
import { hotQuery } from '../db/hot-query.ts'
import { type Clock, hour, minute, second } from '../lib/clock.ts'
import { randomId } from '../lib/secrets.ts'
import { jobKind, storedNamesOf } from './aliases.ts'
import type { CompanyTurn } from './company-turns.ts'
import type { JobKind } from './payloads.ts'

export const leaseMs = minute
const maxAttempts = 20
const maxBatch = 64

/** Without other processes, every lease belongs to a process that has ended. */
export async function releaseAllLeases(db: Db) {
  await db.updateTable('job').set({ leased_until: 0, lease_token: null }).where('leased_until', '>', 0).execute()
}

export interface ClaimedJob {
  id: number
  kind: JobKind
  payload: string
  attempts: number
  token: string
  runAt: number
  /** Of kinds that companies take turns with; null for others, and for jobs of the previous release. */
  companyId: number | null
}

/**
 * Claims the next job, with others of its kind if they run together. Leases use machine time: a frozen product clock
 * must not keep the lease of a dead process. A claim lost in a power failure is repeated. Kinds that a newer release has
 * enqueued during a rolling upgrade are left to it.
 */
export async function claimJobs(
  db: Db,
  clock: Clock,
  runsInBatches: (kind: JobKind) => boolean,
  kinds: readonly JobKind[],
  turnOf: (kind: JobKind) => CompanyTurn,
): Promise<ClaimedJob[]> {
  return looseTransaction(db, async (tx) => {
    const [earliest] = await dueJobs(tx, clock, 1, kinds)
    if (!earliest) return []
    const kind = jobKind(earliest.kind)
    const first = earliest.turn_of === null ? earliest : await jobInTurn(tx, clock, kind, turnOf(kind), earliest)
    const jobs = runsInBatches(kind) ? await dueJobs(tx, clock, maxBatch, [kind]) : [first]
    const token = randomId()
    const until = clock.machineNow() + leaseMs
    await leaseJobs(tx, token, until, jobs)
    return jobs.map(({ run_at: runAt, turn_of: companyId, ...job }) => ({
      ...job,
      kind,
      attempts: job.attempts + 1,
      token,
      runAt,
      companyId,
    }))
  })
}

const jobsDue = (tx: Tx, clock: Clock) =>
  tx
    .selectFrom('job')
    .select(['id', 'kind', 'payload', 'attempts', 'run_at', 'turn_of'])
    .where('run_at', '<=', clock.now())
    .where('leased_until', '<=', clock.machineNow())
    .where('failed_at', 'is', null)

/** The earliest job of the next company that has one due: first of those below their share, then of any. */
async function jobInTurn<J>(tx: Tx, clock: Clock, kind: JobKind, { after, full }: CompanyTurn, earliest: J) {
  const jobOf = (afterCompany: number, except: readonly number[]) => {
    let waiting = jobsDue(tx, clock)
      .where('kind', 'in', storedNamesOf([kind]))
      .where('turn_of', '>', afterCompany)
    if (except.length > 0) waiting = waiting.where('turn_of', 'not in', except)
    const inOrder = waiting.orderBy('turn_of').orderBy('run_at').orderBy('id').limit(1)
    return claimRows(tx, inOrder).executeTakeFirst()
  }
  return (await jobOf(after, full)) ?? (await jobOf(0, full)) ?? (await jobOf(after, [])) ?? earliest
}

function dueJobs(tx: Tx, clock: Clock, limit: number, kinds: readonly JobKind[]) {
  const waiting = jobsDue(tx, clock).where('kind', 'in', storedNamesOf(kinds))
  return claimRows(tx, waiting.orderBy('run_at').orderBy('id').limit(limit)).execute()
}

async function leaseJobs(tx: Tx, token: string, until: number, jobs: readonly { id: number }[]) {
  await tx
    .updateTable('job')
    .set(({ eb }) => ({ leased_until: until, lease_token: token, attempts: eb('attempts', '+', 1) }))
    .where(
      'id',
      'in',
      jobs.map(({ id }) => id),
    )
    .execute()
}

/** Only the lease holder may complete a job: a run that was taken over, or whose job was replaced, has no effect. */
export async function completeJobs(db: Db, jobs: readonly ClaimedJob[]) {
  await looseTransaction(db, (tx) =>
    tx
      .deleteFrom('job')
      .where(
        'id',
        'in',
        jobs.map(({ id }) => id),
      )
      .where('lease_token', '=', jobs[0]?.token ?? '')
      .execute(),
  )
}

export async function renewLease(db: Db, id: number, token: string, until: number) {
  await db
    .updateTable('job')
    .set({ leased_until: until })
    .where('id', '=', id)
    .where('lease_token', '=', token)
    .execute()
}

export async function retryJobLater(db: Db, clock: Clock, { id, token, attempts }: ClaimedJob, error: unknown) {
  const wait = Math.min(second * 2 ** attempts, hour)
  const reason = error instanceof Error ? error.message.slice(0, 500) : 'unknown'
  await db
    .updateTable('job')
    .set({
      run_at: clock.now() + wait,
      leased_until: 0,
      lease_token: null,
      last_error: reason,
      failed_at: attempts >= maxAttempts ? clock.now() : null,
    })
    .where('id', '=', id)
    .where('lease_token', '=', token)
    .execute()
}

/** Leased jobs are left to the sweep: they are already due, and polling for them would be a busy loop. */
export async function nextRunAt(db: Db, clock: Clock, kinds: readonly JobKind[]): Promise<number | undefined> {
  const [row] = await firstJob(db, { machineNow: clock.machineNow(), kinds: JSON.stringify(storedNamesOf(kinds)) })
  return row?.run_at
}

const firstJob = hotQuery((db, v: { machineNow: number; kinds: string }) =>
  db
    .selectFrom('job')
    .select('run_at')
    .where('leased_until', '<=', v.machineNow)
    .where('failed_at', 'is', null)
    .where('kind', 'in', wordsFromJson(db, v.kinds) as never)
    .orderBy('run_at')
    .limit(1)
    .compile(),
)
