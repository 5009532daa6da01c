// jobs/ is for work that may wait: written in the transaction that causes it, run at least once, safe to run twice.
import type { Db, Tx } from '../db/database.ts'
import { looseTransaction } from '../db/database.ts'
import { claimRows, listen, notify, wordsFromJson } from '../db/dialect.ts'
import { hotQuery } from '../db/hot-query.ts'
import { type Cancel, type Clock, hour, minute, second } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Metrics } from '../lib/metrics.ts'
import { randomId } from '../lib/secrets.ts'

/** All that can be put off, and what it needs to know. */
export interface JobPayloads {
  'mail.send': { mailId: number }
  'password.reset': { email: string }
  'user.erase': { companyId: number; userId: number }
  'user.farewell': { companyId: number; userId: number; until?: number }
  'contact.erase': { companyId: number; contactId: number }
  'contact.farewell': { companyId: number; contactId: number; until: number }
  /** Words that no longer belong to a contact: those that no other contact has are removed. */
  'contact.forget_words': { companyId: number; words: string[] }
  /** Contacts made before names were indexed, from the one behind this id on. */
  'contact.index_names': { after: number }
  'user.wrap_up': { companyId: number; userId: number; callId: number }
  'call.ended': { companyId: number; callId: number; notes: number }
  'call.assets': { companyId: number; callId: number }
  /** What was heard becomes a transcript; `again`: the sound is listened to once more. */
  'call.transcribe': { companyId: number; callId: number; again?: true }
  /** One thing is made of a transcript; `again`: what an engine made before is replaced. */
  'call.analyse': { companyId: number; callId: number; output: CallOutput; again?: boolean }
  /** The same where a model is asked, and how often it was tried before. */
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
  /** `source` is what the voice driver wrote. */
  'recording.convert': {
    companyId: number
    callId: number
    kind: 'recording' | 'voicemail'
    source: string
    ms: number
  }
  /** Somebody listens to what was recorded on a real line; `understood`: the sound is only to be removed. */
  'call.listen': {
    companyId: number
    callId: number
    kind: 'recording' | 'voicemail'
    source: string
    tries: number
    understood?: true
  }
  /** How often it was tried before. */
  'sound.fetch': { companyId: number; url: string; tries: number }
  /** How often it was tried before. */
  'message.media': { companyId: number; messageRow: number; tries: number }
  /** A file that somebody has chosen to send: it has lain long enough. */
  'message.upload': { file: string }
  /** What a synthetic person makes of a message. */
  'message.simulated': {
    companyId: number
    messageRow: number
    deed: 'delivered' | 'read' | 'undelivered' | 'failed' | 'reply'
  }
  /** `deed` is JSON of what is done. */
  'sandbox.scene': { companyId: number; runId: string; deed: string }
  'analytics.export': { companyId: number; exportId: string }
  /** When it was last thorough. */
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
 * One at a time; or, where many fall due together and a transaction is what costs, several at once; or, where somebody
 * else's server is waited for, aside: the others go on meanwhile. What takes minutes is done aside and in turn: so many of
 * its kind at a time, so that it never takes the place of the rest.
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

/** A job with a key replaces the one that waits under the same key. */
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

/** Unless one waits under the key already: that one stays as it is. One that was given up does not count. */
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

/** Whether one waits, or runs, under the key; one that was given up does not count. */
export async function isWaiting(tx: Db, key: string): Promise<boolean> {
  const job = await tx.selectFrom('job').select('id').where('key', '=', key).where('failed_at', 'is', null).execute()
  return job.length > 0
}

const deleteJob = hotQuery((db, v: { key: string }) => db.deleteFrom('job').where('key', '=', v.key).compile())

/** All that waits for a company, whose data begins anew. Returns the payloads: some name files. */
export async function cancelJobsOf(tx: Db, companyId: number): Promise<string[]> {
  const named = [`%"companyId":${companyId},%`, `%"companyId":${companyId}}%`]
  const jobs = await tx
    .deleteFrom('job')
    .where(({ or, eb }) => or(named.map((text) => eb('payload', 'like', text))))
    .returning('payload')
    .execute()
  return jobs.map(({ payload }) => payload)
}

/** How many are due up to the instant and have not run to their end. */
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
  /** Resolves when nothing due is left: tests wait for it. */
  settle(): Promise<void>
  /** How many jobs this process has run. */
  activity(): number
}

export interface JobParts {
  db: Db
  clock: Clock
  log: Log
  metrics: Metrics
  /** Other processes may work on the same jobs. */
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
  let deafen = () => {}

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
        // What is claimed is run: a job left with a lease would have to wait for the lease to end.
        const claimed = next !== undefined && next <= clock.now() ? await claim(db, clock, isTogether, except) : []
        if (claimed.length === 0) return sleepUntil(next)
        jobsRun += claimed.length
        if (isAside(claimed)) await runAside(claimed)
        else await runAll(claimed)
      }
    } catch (error) {
      // The store may be away for a while; the sweep comes back.
      log.warn({ error }, 'jobs could not be read')
    }
  }

  function sleepUntil(next: number | undefined): void {
    wake()
    if (next !== undefined && !stopped) wake = clock.after(next - clock.now(), poke)
  }

  const isTogether = (kind: JobKind) => 'together' in handlers[kind]

  /** How many of a kind run at a time where they take turns; 0: they take none. */
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

  /** Resolves when there is room for the next one. */
  async function runAside(jobs: readonly ClaimedJob[]) {
    for (const job of jobs) {
      const places = placesOf(job.kind) > 0 ? placesInTurn(job.kind) : aside
      const stopRenewing = renew(job)
      const running = run(job)
        // The store may be away: the job stays leased, and is claimed again when the lease ends.
        .catch((error: unknown) => log.warn({ error, jobId: job.id }, 'the end of a job could not be written'))
        .finally(() => {
          stopRenewing()
          places.delete(running)
          poke()
        })
      places.add(running)
    }
    if (aside.size >= maxAside) await Promise.race(aside)
  }

  /** A lease says that somebody lives, not how long the work takes. */
  function renew({ id, token }: ClaimedJob): Cancel {
    let cancel: Cancel = () => {}
    const again = () => {
      cancel = clock.machineAfter(leaseMs / 3, () => {
        again()
        prolong(db, id, token, clock.machineNow() + leaseMs).catch((error: unknown) =>
          log.warn({ error, jobId: id }, 'the lease of a job could not be prolonged'),
        )
      })
    }
    again()
    return () => cancel()
  }

  const unfinished = () => [...aside, ...[...inTurn.values()].flatMap((running) => [...running])]

  /** What cannot be done together is done one by one, so that one bad job holds up no other. */
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
      log.debug({ kind: first.kind, error }, 'jobs could not be done together')
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
      log.warn({ jobId: job.id, kind: job.kind, attempts: job.attempts, error }, 'job failed')
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
      deafen = listen(db, 'jobs', poke)
      sweepAgain()
      poke()
    },
    async stop() {
      stopped = true
      deafen()
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

/** Where nobody else works, every lease is of a process that is gone. */
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
 * The next one, with others of its kind where they are done together. The lease is in machine time: a frozen product clock
 * must not keep a dead process's work for ever. A claim that a power cut undoes is made again.
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

/** Only the holder of the lease may end a job: a run that was taken over, or replaced under its key, ends nothing. */
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

/** Jobs that somebody works on are left to the sweep: they are due already, and asking again at once would never end. */
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
