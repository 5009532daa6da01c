// jobs/ is for deferred work: enqueued in the transaction that causes it, run at least once, idempotent.
import type { Db } from '../db/database.ts'
import { notify } from '../db/dialect.ts'
import { hotQuery } from '../db/hot-query.ts'
import type { Clock } from '../lib/clock.ts'
import { jobKind } from './aliases.ts'
import { hasTurns } from './company-turns.ts'
import type { JobKind, JobPayloads } from './payloads.ts'

/** A job with a key replaces a pending job with the same key. */
export async function enqueue<K extends JobKind>(
  tx: Db,
  kind: K,
  payload: JobPayloads[K],
  runAt: number,
  key?: string,
): Promise<void> {
  const companyId = companyOf(kind, payload)
  await insertJob(tx, { kind, payload: JSON.stringify(payload), runAt, key: key ?? null, companyId })
  await notify(tx, 'jobs')
}

const companyOf = (kind: JobKind, payload: object) =>
  hasTurns(kind) && 'companyId' in payload && typeof payload.companyId === 'number' ? payload.companyId : null

interface NewJob {
  kind: string
  payload: string
  runAt: number
  key: string | null
  companyId: number | null
}

const insertJob = hotQuery((db, v: NewJob) => {
  const common = { kind: v.kind, payload: v.payload, run_at: v.runAt, turn_of: v.companyId }
  const row = { ...common, attempts: 0, failed_at: null, last_error: null }
  return db
    .insertInto('job')
    .values({ ...row, key: v.key, leased_until: 0, lease_token: null })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ ...row, lease_token: null, leased_until: 0 }))
    .compile()
})

/** Does nothing if a job with this key is pending; jobs that failed for good are ignored. */
export async function enqueueOnce<K extends JobKind>(
  tx: Db,
  kind: K,
  payload: JobPayloads[K],
  runAt: number,
  key: string,
): Promise<void> {
  const common = { kind, payload: JSON.stringify(payload), run_at: runAt, turn_of: companyOf(kind, payload) }
  const row = { ...common, attempts: 0, failed_at: null, last_error: null }
  await tx
    .insertInto('job')
    .values({ ...row, key, leased_until: 0, lease_token: null })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({ ...row, lease_token: null, leased_until: 0 })
        .where('job.failed_at', 'is not', null),
    )
    .execute()
  await notify(tx, 'jobs')
}

export async function cancelJob(tx: Db, key: string): Promise<void> {
  await deleteJob(tx, { key })
}

/** Whether a job with this key is pending or running; jobs that failed for good are ignored. */
export async function isWaiting(tx: Db, key: string): Promise<boolean> {
  const job = await tx.selectFrom('job').select('id').where('key', '=', key).where('failed_at', 'is', null).execute()
  return job.length > 0
}

const deleteJob = hotQuery((db, v: { key: string }) => db.deleteFrom('job').where('key', '=', v.key).compile())

/** Cancels all jobs of a company whose data is reset. Returns the payloads: some reference files. */
export async function cancelJobsOf(tx: Db, companyId: number): Promise<string[]> {
  const jobs = await deletedJobsOf(tx, companyId).returning('payload').execute()
  return jobs.map(({ payload }) => payload)
}

/** Takes the jobs of this kind that are due and do not run, so that one job does the work of all. */
export async function takeDueJobs<K extends JobKind>(
  tx: Db,
  companyId: number,
  kind: K,
  clock: Clock,
): Promise<JobPayloads[K][]> {
  const jobs = await deletedJobsOf(tx, companyId)
    .where('kind', '=', kind)
    .where('failed_at', 'is', null)
    .where('run_at', '<=', clock.now())
    .where('leased_until', '<=', clock.machineNow())
    .returning('payload')
    .execute()
  return jobs.map(({ payload }) => JSON.parse(payload) as JobPayloads[K])
}

function deletedJobsOf(tx: Db, companyId: number) {
  const named = [`%"companyId":${companyId},%`, `%"companyId":${companyId}}%`]
  return tx.deleteFrom('job').where(({ or, eb }) => or(named.map((text) => eb('payload', 'like', text))))
}

/** Jobs that are due and have not completed, by kind, and since when the oldest one is due. */
export async function dueJobsByKind(db: Db, now: number): Promise<{ kind: string; n: number; since: number }[]> {
  const rows = await db
    .selectFrom('job')
    .select(({ fn }) => ['kind', fn.countAll<number>().as('n'), fn.min('run_at').as('since')])
    .where('run_at', '<=', now)
    .where('failed_at', 'is', null)
    .groupBy('kind')
    .execute()
  return rows.map(({ kind, n, since }) => ({ kind: jobKind(kind), n: Number(n), since: Number(since) }))
}

/** Number of jobs due by this time that have not completed. */
export async function countDueJobs(db: Db, until: number): Promise<number> {
  const { n } = await db
    .selectFrom('job')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('run_at', '<=', until)
    .where('failed_at', 'is', null)
    .executeTakeFirstOrThrow()
  return n
}
