// jobs/ is for deferred work: enqueued in the transaction that causes it, run at least once, idempotent.
import type { Db, Tx } from '../db/database.ts'
import { looseTransaction } from '../db/database.ts'
import { claimRows, listen, notify, wordsFromJson } from '../db/dialect.ts'
import { hotQuery } from '../db/hot-query.ts'
import { type Cancel, type Clock, hour, minute, second } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Metrics } from '../lib/metrics.ts'
import { randomId } from '../lib/secrets.ts'

/** Job kinds and their payloads. */
export interface JobPayloads {
  'mail.send': { mailId: number }
  'password.reset': { email: string }
  'user.erase': { companyId: number; userId: number }
  'user.farewell': { companyId: number; userId: number; until?: number }
  'contact.erase': { companyId: number; contactId: number }
  'contact.farewell': { companyId: number; contactId: number; until: number }
  /** Words no longer used by a contact; those that no other contact uses are removed. */
  'contact.forget_words': { companyId: number; words: string[] }
  /** Indexes contacts created before names were indexed, starting after this id. */
  'contact.index_names': { after: number }
  'user.wrap_up': { companyId: number; userId: number; callId: number }
  'call.ended': { companyId: number; callId: number; notes: number }
  'call.assets': { companyId: number; callId: number }
  /** Builds the transcript from recognized speech; `again`: speech recognition runs again. */
  'call.transcribe': { companyId: number; callId: number; again?: true }
  /** Derives one output from the transcript; `again`: replaces the output of an earlier run. */
  'call.analyse': { companyId: number; callId: number; output: CallOutput; again?: boolean }
  /** As `call.analyse`, with an LLM; `tries` counts earlier attempts. */
  'call.think': { companyId: number; callId: number; output: CallOutput; again?: boolean; tries: number }
  'callback.serve': { companyId: number; requestId: string }
  'agent_calls.serve': { companyId: number }
  'user.hours': { companyId: number; userId: number; wasOpen: boolean }
  'number.hours': { companyId: number; numberId: number; wasOpen: boolean }
  'webhook.follow': { companyId: number; webhookId: string }
  'webhook.probe': { companyId: number; webhookId: string }
  'webhook.digest': { companyId: number; since: number }
  'replay.fill': { companyId: number; replayId: string }
  'oauth.clear': { appId: number }
  /** `source` is the file written by the voice driver. */
  'recording.convert': {
    companyId: number
    callId: number
    kind: 'recording' | 'voicemail'
    source: string
    ms: number
  }
  /** Runs speech-to-text on the recording of a real call; `understood`: only the audio remains to be deleted. */
  'call.listen': {
    companyId: number
    callId: number
    kind: 'recording' | 'voicemail'
    source: string
    tries: number
    understood?: true
  }
  /** `tries` counts earlier attempts. */
  'sound.fetch': { companyId: number; url: string; tries: number }
  /** `tries` counts earlier attempts. */
  'message.media': { companyId: number; messageRow: number; tries: number }
  /** Deletes an upload that was never sent. */
  'message.upload': { file: string }
  /** Reaction of a simulated recipient to a message. */
  'message.simulated': {
    companyId: number
    messageRow: number
    deed: 'delivered' | 'read' | 'undelivered' | 'failed' | 'reply'
  }
  /** `deed` is the JSON of a scenario step. */
  'sandbox.scene': { companyId: number; runId: string; deed: string }
  'analytics.export': { companyId: number; exportId: string }
  /** When the last complete run was. */
  retention: { dailyAt?: number }
}

export const callOutputs = [
  'sentiment',
  'topics',
  'summary',
  'action_items',
  'custom_summary',
  'playbook_result',
  'evaluation',
  'predicted_csat',
] as const
export type CallOutput = (typeof callOutputs)[number]

export type JobKind = keyof JobPayloads
export type JobHandlers = { [K in JobKind]: JobHandler<JobPayloads[K]> }
/**
 * A handler runs one job at a time; or `together`, for kinds whose cost is the transaction; or `aside`, for kinds that
 * wait for a remote server while other jobs continue. Kinds that take minutes limit their concurrency with `inTurn`, so
 * that they never occupy all slots.
 */
export type JobHandler<P> =
  | ((payload: P) => Promise<void>)
  | { together: (payloads: readonly P[]) => Promise<void> }
  | { aside: (payload: P, isStopped: () => boolean) => Promise<void>; inTurn?: number }

const leaseMs = minute
const sweepMs = 5 * second
const maxAttempts = 20
const maxTogether = 64
const maxAside = 4

/** A job with a key replaces a pending job with the same key. */
export async function enqueue<K extends JobKind>(
  tx: Db,
  kind: K,
  payload: JobPayloads[K],
  runAt: number,
  key?: string,
): Promise<void> {
  await insertJob(tx, { kind, payload: JSON.stringify(payload), runAt, key: key ?? null })
  await notify(tx, 'jobs')
}

const insertJob = hotQuery((db, v: { kind: string; payload: string; runAt: number; key: string | null }) => {
  const row = { kind: v.kind, payload: v.payload, run_at: v.runAt, attempts: 0, failed_at: null, last_error: null }
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
  const row = { kind, payload: JSON.stringify(payload), run_at: runAt, attempts: 0, failed_at: null, last_error: null }
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
  const named = [`%"companyId":${companyId},%`, `%"companyId":${companyId}}%`]
  const jobs = await tx
    .deleteFrom('job')
    .where(({ or, eb }) => or(named.map((text) => eb('payload', 'like', text))))
    .returning('payload')
    .execute()
  return jobs.map(({ payload }) => payload)
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

export interface Jobs {
  start(): void
  stop(): Promise<void>
  /** Resolves when no due job is left; used by tests. */
  settle(): Promise<void>
  /** Number of jobs run by this process. */
  activity(): number
}

export interface JobParts {
  db: Db
  clock: Clock
  log: Log
  metrics: Metrics
  /** Other processes may run jobs of the same queue. */
  shared: boolean
}

export function createJobs({ db, clock, log, metrics, shared }: JobParts, handlers: JobHandlers): Jobs {
  let mayBeLeft = !shared
  let running: Promise<void> | undefined
  const aside = new Set<Promise<void>>()
  const inTurn = new Map<JobKind, Set<Promise<void>>>()
  let again = false
  let jobsRun = 0
  let stopped = true
  let wake: Cancel = () => {}
  let sweep: Cancel = () => {}
  let unsubscribe = () => {}

  function poke() {
    if (stopped) return
    if (running) again = true
    else running = drain().finally(finished)
  }

  function finished() {
    running = undefined
    if (again) {
      again = false
      poke()
    }
  }

  async function drain() {
    try {
      if (mayBeLeft) await freeAll(db)
      mayBeLeft = false
      for (;;) {
        const except = [...inTurn].filter(([kind, running]) => running.size >= placesOf(kind)).map(([kind]) => kind)
        const next = await nextRunAt(db, clock, except)
        if (stopped) return
        // Claimed jobs always run: a leased job that is skipped would be blocked until the lease ends.
        const claimed = next !== undefined && next <= clock.now() ? await claim(db, clock, isTogether, except) : []
        if (claimed.length === 0) return sleepUntil(next)
        jobsRun += claimed.length
        if (isAside(claimed)) await runAside(claimed)
        else await runAll(claimed)
      }
    } catch (error) {
      // The store may be unavailable; the next sweep retries.
      log.warn({ event: 'jobs.read_failed', error }, 'jobs could not be read')
    }
  }

  function sleepUntil(next: number | undefined): void {
    wake()
    if (next !== undefined && !stopped) wake = clock.after(next - clock.now(), poke)
  }

  const isTogether = (kind: JobKind) => 'together' in handlers[kind]

  /** Concurrency limit of a kind; 0: no limit of its own. */
  function placesOf(kind: JobKind): number {
    const handler = handlers[kind] as JobHandler<unknown>
    return typeof handler !== 'function' && 'aside' in handler ? (handler.inTurn ?? 0) : 0
  }

  function placesInTurn(kind: JobKind): Set<Promise<void>> {
    const known = inTurn.get(kind) ?? new Set()
    inTurn.set(kind, known)
    return known
  }

  const isAside = ([job]: readonly ClaimedJob[]) => job !== undefined && 'aside' in handlers[job.kind]

  /** Resolves when there is a free slot. */
  async function runAside(jobs: readonly ClaimedJob[]) {
    for (const job of jobs) {
      const places = placesOf(job.kind) > 0 ? placesInTurn(job.kind) : aside
      const stopRenewing = renew(job)
      const running = run(job)
        // The store may be unavailable: the job stays leased and is claimed again when the lease ends.
        .catch((error: unknown) =>
          log.warn(
            { event: 'job.completion_not_saved', error, jobId: job.id },
            'completion of a job could not be saved',
          ),
        )
        .finally(() => {
          stopRenewing()
          places.delete(running)
          poke()
        })
      places.add(running)
    }
    if (aside.size >= maxAside) await Promise.race(aside)
  }

  /** A lease proves that the process is alive, independent of how long the job takes. */
  function renew({ id, token }: ClaimedJob): Cancel {
    let cancel: Cancel = () => {}
    const again = () => {
      cancel = clock.machineAfter(leaseMs / 3, () => {
        again()
        prolong(db, id, token, clock.machineNow() + leaseMs).catch((error: unknown) =>
          log.warn({ event: 'job.lease_not_renewed', error, jobId: id }, 'job lease could not be renewed'),
        )
      })
    }
    again()
    return () => cancel()
  }

  const unfinished = () => [...aside, ...[...inTurn.values()].flatMap((running) => [...running])]

  /** If the batch fails, its jobs run one by one, so that one failing job does not block the others. */
  async function runAll(jobs: readonly ClaimedJob[]) {
    const [first] = jobs
    const handler = first && (handlers[first.kind] as JobHandler<unknown>)
    if (!handler || !('together' in handler) || jobs.length === 1) {
      for (const job of jobs) await run(job)
      return
    }
    try {
      await handler.together(jobs.map(({ payload }) => JSON.parse(payload)))
    } catch (error) {
      log.debug({ event: 'job.batch_failed', kind: first.kind, error }, 'job batch failed; running its jobs one by one')
      for (const job of jobs) await run(job)
      return
    }
    await finish(db, jobs)
    metrics.jobs.inc({ kind: first.kind, outcome: 'done' }, jobs.length)
  }

  async function run(job: ClaimedJob) {
    try {
      const handler = handlers[job.kind] as JobHandler<unknown>
      const payload: unknown = JSON.parse(job.payload)
      if (typeof handler === 'function') await handler(payload)
      else if ('aside' in handler) await handler.aside(payload, () => stopped)
      else await handler.together([payload])
      await finish(db, [job])
      metrics.jobs.inc({ kind: job.kind, outcome: 'done' })
    } catch (error) {
      await postpone(db, clock, job, error)
      metrics.jobs.inc({ kind: job.kind, outcome: 'failed' })
      log.warn({ event: 'job.failed', jobId: job.id, kind: job.kind, attempts: job.attempts, error }, 'job failed')
    }
  }

  function sweepAgain() {
    sweep = clock.machineAfter(sweepMs, () => {
      poke()
      sweepAgain()
    })
  }

  return {
    start() {
      stopped = false
      unsubscribe = listen(db, 'jobs', poke)
      sweepAgain()
      poke()
    },
    async stop() {
      stopped = true
      unsubscribe()
      wake()
      sweep()
      await running
      await Promise.all(unfinished())
    },
    activity: () => jobsRun,
    async settle() {
      poke()
      while (running || unfinished().length > 0) await (running ?? Promise.race(unfinished()))
    },
  }
}

/** Without other processes, every lease belongs to a process that has ended. */
async function freeAll(db: Db) {
  await db.updateTable('job').set({ leased_until: 0, lease_token: null }).where('leased_until', '>', 0).execute()
}

interface ClaimedJob {
  id: number
  kind: JobKind
  payload: string
  attempts: number
  token: string
}

/**
 * Claims the next job, with others of its kind if they run together. Leases use machine time: a frozen product clock
 * must not keep the lease of a dead process. A claim lost in a power failure is repeated.
 */
async function claim(
  db: Db,
  clock: Clock,
  isTogether: (kind: JobKind) => boolean,
  except: readonly JobKind[],
): Promise<ClaimedJob[]> {
  return looseTransaction(db, async (tx) => {
    const [first] = await due(tx, clock, 1, { except })
    if (!first) return []
    const kind = first.kind as JobKind
    const jobs = isTogether(kind) ? await due(tx, clock, maxTogether, { only: kind }) : [first]
    const token = randomId()
    const until = clock.machineNow() + leaseMs
    await lease(tx, token, until, jobs)
    return jobs.map((job) => ({ ...job, kind, attempts: job.attempts + 1, token }))
  })
}

function due(tx: Tx, clock: Clock, most: number, kinds: { only: JobKind } | { except: readonly JobKind[] }) {
  let waiting = tx
    .selectFrom('job')
    .select(['id', 'kind', 'payload', 'attempts'])
    .where('run_at', '<=', clock.now())
    .where('leased_until', '<=', clock.machineNow())
    .where('failed_at', 'is', null)
  if ('only' in kinds) waiting = waiting.where('kind', '=', kinds.only)
  else if (kinds.except.length > 0) waiting = waiting.where('kind', 'not in', kinds.except)
  return claimRows(tx, waiting.orderBy('run_at').orderBy('id').limit(most)).execute()
}

async function lease(tx: Tx, token: string, until: number, jobs: readonly { id: number }[]) {
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
async function finish(db: Db, jobs: readonly ClaimedJob[]) {
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

async function prolong(db: Db, id: number, token: string, until: number) {
  await db
    .updateTable('job')
    .set({ leased_until: until })
    .where('id', '=', id)
    .where('lease_token', '=', token)
    .execute()
}

async function postpone(db: Db, clock: Clock, { id, token, attempts }: ClaimedJob, error: unknown) {
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
async function nextRunAt(db: Db, clock: Clock, except: readonly JobKind[]): Promise<number | undefined> {
  const [row] = await firstJob(db, { machineNow: clock.machineNow(), except: JSON.stringify(except) })
  return row?.run_at
}

const firstJob = hotQuery((db, v: { machineNow: number; except: string }) =>
  db
    .selectFrom('job')
    .select('run_at')
    .where('leased_until', '<=', v.machineNow)
    .where('failed_at', 'is', null)
    .where('kind', 'not in', wordsFromJson(db, v.except) as never)
    .orderBy('run_at')
    .limit(1)
    .compile(),
)
