import type { Db } from '../db/database.ts'
import { type Cancel, type Clock, minute } from '../lib/clock.ts'
import { every } from '../lib/every.ts'
import type { Log } from '../lib/log.ts'
import type { Metrics } from '../lib/metrics.ts'
import { type CompanyTurn, createCompanyTurns } from './company-turns.ts'
import { type ClaimedJob, completeJobs, leaseMs, renewLease, retryJobLater } from './leases.ts'
import type { JobKind, JobPayloads } from './payloads.ts'

export type JobHandlers = { [K in JobKind]: JobHandler<JobPayloads[K]> }

/**
 * A handler runs one job at a time; or a `batch`, for kinds whose cost is the transaction; or in the `background`, for
 * kinds that wait for a remote server while other jobs continue. Kinds that take minutes limit their own `concurrency`,
 * so that they never occupy all slots.
 */
export type JobHandler<P> =
  | ((payload: P) => Promise<void>)
  | { batch: (payloads: readonly P[]) => Promise<void> }
  | { background: (payload: P, isStopped: () => boolean) => Promise<void>; concurrency?: number }

export interface JobRunner {
  runsInBatches(kind: JobKind): boolean
  /** Kinds of this release whose concurrency limit is not reached. */
  claimableKinds(): JobKind[]
  /** Resolves when the next jobs may be claimed: background jobs may still be running. */
  run(jobs: readonly ClaimedJob[]): Promise<void>
  unfinished(): Promise<void>[]
  /** The company whose job is next. */
  turnOf(kind: JobKind): CompanyTurn
}

export interface JobRunnerOptions {
  db: Db
  clock: Clock
  log: Log
  metrics: Metrics
  handlers: JobHandlers
  isStopped(): boolean
  onSlotFree(): void
}

const maxInBackground = 4
const lateMs = 5 * minute
const warnEveryMs = 10 * minute

export function createJobRunner(options: JobRunnerOptions): JobRunner {
  const { db, clock, log, metrics, handlers, isStopped, onSlotFree } = options
  const inBackground = new Set<Promise<void>>()
  const limited = new Map<JobKind, Set<Promise<void>>>()

  const kinds = Object.keys(handlers) as JobKind[]
  const turns = createCompanyTurns(limitOf)
  const warned = new Map<string, number>()

  const handlerOf = (kind: JobKind) => handlers[kind] as JobHandler<unknown>

  /** Concurrency limit of a kind; 0: no limit of its own. */
  function limitOf(kind: JobKind): number {
    const handler = handlerOf(kind)
    return typeof handler !== 'function' && 'background' in handler ? (handler.concurrency ?? 0) : 0
  }

  const isFull = (kind: JobKind) => (limited.get(kind)?.size ?? -1) >= limitOf(kind)

  function slotsOf(kind: JobKind): Set<Promise<void>> {
    if (limitOf(kind) === 0) return inBackground
    const known = limited.get(kind) ?? new Set()
    limited.set(kind, known)
    return known
  }

  async function runInBackground(jobs: readonly ClaimedJob[]): Promise<void> {
    for (const job of jobs) {
      const slots = slotsOf(job.kind)
      turns.started(job)
      warnIfLate(job)
      const stopRenewing = keepLease(job)
      const running = runOne(job)
        // The store may be unavailable: the job stays leased and is claimed again when the lease ends.
        .catch((error: unknown) =>
          log.warn(
            { event: 'job.completion_not_saved', error, jobId: job.id },
            'completion of a job could not be saved',
          ),
        )
        .finally(() => {
          stopRenewing()
          slots.delete(running)
          turns.ended(job)
          onSlotFree()
        })
      slots.add(running)
    }
    if (inBackground.size >= maxInBackground) await Promise.race(inBackground)
  }

  /** Engines are overloaded: the operator learns it from the log, once in a while per company. */
  function warnIfLate({ kind, companyId, runAt }: ClaimedJob): void {
    const now = clock.now()
    const key = `${kind} ${companyId}`
    if (companyId === null || now - runAt < lateMs || now - (warned.get(key) ?? 0) < warnEveryMs) return
    warned.set(key, now)
    log.warn({ event: 'job.late', kind, companyId, waitedMs: now - runAt }, 'jobs of a company wait for an engine')
  }

  /** A lease proves that the process is alive, independent of how long the job takes. */
  function keepLease({ id, token }: ClaimedJob): Cancel {
    return every(clock, leaseMs / 3, () =>
      renewLease(db, id, token, clock.machineNow() + leaseMs).catch((error: unknown) =>
        log.warn({ event: 'job.lease_not_renewed', error, jobId: id }, 'job lease could not be renewed'),
      ),
    )
  }

  /** If the batch fails, its jobs run one by one, so that one failing job does not block the others. */
  async function runBatch(jobs: readonly ClaimedJob[]): Promise<void> {
    const [first] = jobs
    const handler = first && handlerOf(first.kind)
    if (!handler || !('batch' in handler) || jobs.length === 1) return runEach(jobs)
    try {
      await handler.batch(jobs.map(({ payload }) => JSON.parse(payload)))
    } catch (error) {
      log.debug({ event: 'job.batch_failed', kind: first.kind, error }, 'job batch failed; running its jobs one by one')
      return runEach(jobs)
    }
    await completeJobs(db, jobs)
    metrics.jobs.inc({ kind: first.kind, outcome: 'done' }, jobs.length)
  }

  async function runEach(jobs: readonly ClaimedJob[]): Promise<void> {
    for (const job of jobs) await runOne(job)
  }

  async function runOne(job: ClaimedJob): Promise<void> {
    try {
      const handler = handlerOf(job.kind)
      const payload: unknown = JSON.parse(job.payload)
      if (typeof handler === 'function') await handler(payload)
      else if ('background' in handler) await handler.background(payload, isStopped)
      else await handler.batch([payload])
      await completeJobs(db, [job])
      metrics.jobs.inc({ kind: job.kind, outcome: 'done' })
    } catch (error) {
      await retryJobLater(db, clock, job, error)
      metrics.jobs.inc({ kind: job.kind, outcome: 'failed' })
      log.warn({ event: 'job.failed', jobId: job.id, kind: job.kind, attempts: job.attempts, error }, 'job failed')
    }
  }

  return {
    turnOf: turns.next,
    runsInBatches: (kind) => 'batch' in handlers[kind],
    claimableKinds: () => kinds.filter((kind) => !isFull(kind)),
    async run(jobs) {
      const [first] = jobs
      if (first && 'background' in handlers[first.kind]) await runInBackground(jobs)
      else await runBatch(jobs)
    },
    unfinished: () => [...inBackground, ...[...limited.values()].flatMap((running) => [...running])],
  }
}
