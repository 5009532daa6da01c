import path from 'node:path'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { freshPostgresUrl, temporaryFolder } from '../../test/kit/databases.ts'
import { type Db, openDatabase, transaction } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { type Clock, createManualClock, hour, minute, second } from '../lib/clock.ts'
import { createLog } from '../lib/log.ts'
import { createMetrics } from '../lib/metrics.ts'
import { cancelJob, enqueue } from './queue.ts'
import type { JobHandlers } from './runner.ts'
import { createJobWorker, type JobWorker } from './worker.ts'

type Work = (mailId: number) => Promise<void>
type Fetching = (url: string) => Promise<void>

/** A store, a manual clock, and as many worker processes as a test needs. */
async function workshop(kind: 'embedded' | 'postgres') {
  const clock = createManualClock(Date.UTC(2026, 5, 15, 12))
  const folder = await temporaryFolder()
  const url = kind === 'postgres' ? await freshPostgresUrl() : undefined
  const database = await openDatabase(
    url ? { kind: 'postgres', url, poolSize: 4 } : { kind: 'embedded', folder },
    clock,
  )
  onTestFinished(() => database.close())
  const log = createLog('silent')
  await migrate(database, { clock, log, backupFolder: path.join(folder, 'backups') })
  const { db } = database
  const later = (mailId: number, ms: number, key?: string) =>
    enqueue(db, 'mail.send', { mailId }, clock.now() + ms, key)
  const process = (
    work: Work,
    processClock: Clock = clock,
    shared = true,
    fetching?: Fetching,
    exporting?: Fetching,
  ): JobWorker => {
    const parts = { db, clock: processClock, log, metrics: createMetrics(), shared }
    const jobs = createJobWorker(parts, handlersWith(work, fetching, exporting))
    onTestFinished(() => jobs.stop())
    clock.settleWith(() => jobs.settle())
    return jobs
  }
  const processWith = (special: Partial<JobHandlers>): JobWorker => {
    const parts = { db, clock, log, metrics: createMetrics(), shared: true }
    const jobs = createJobWorker(parts, { ...handlersWith(async () => {}), ...special })
    onTestFinished(() => jobs.stop())
    return jobs
  }
  return { db, clock, later, process, processWith }
}

function handlersWith(work: Work, fetching?: Fetching, exporting?: Fetching): JobHandlers {
  const unexpected = async () => {
    throw new Error('no such job was written')
  }
  return {
    'mail.send': ({ mailId }) => work(mailId),
    'password.reset': unexpected,
    'operator.alert': unexpected,
    'trunk.down': unexpected,
    'live.watch': unexpected,
    'user.erase': unexpected,
    'contact.erase': unexpected,
    'contact.farewell': unexpected,
    'contact.bulk_change': unexpected,
    'company.import': unexpected,
    'user.import': unexpected,
    'user.import_invitations': unexpected,
    'contact.forget_words': unexpected,
    'contact.index_names': unexpected,
    'contact.index_phones': unexpected,
    'transcript.index': unexpected,
    'user.farewell': unexpected,
    'user.wrap_up': unexpected,
    'call.ended': unexpected,
    'call.assets': unexpected,
    'voicemail.email': unexpected,
    'call.speech_to_text': unexpected,
    'call.build_transcript': unexpected,
    'call.analyse': unexpected,
    'call.think': unexpected,
    'callback.serve': unexpected,
    'agent_calls.serve': unexpected,
    'campaigns.serve': unexpected,
    'agent_data.extract': unexpected,
    'agent_document.fetch': unexpected,
    'agent_document.embed': unexpected,
    'user.absence_end': unexpected,
    'user.hours': unexpected,
    'number.hours': unexpected,
    'webhook.follow': unexpected,
    'webhook.probe': unexpected,
    'webhook.digest': unexpected,
    'replay.fill': unexpected,
    'oauth.clear': unexpected,
    'recording.convert': unexpected,
    'sound.fetch': { background: ({ url }) => (fetching ?? unexpected)(url) },
    'message.media': unexpected,
    'message.upload': unexpected,
    'message.simulated': unexpected,
    'sandbox.step': unexpected,
    'analytics.export': { background: ({ exportId }) => (exporting ?? unexpected)(exportId), concurrency: 1 },
    'report.due': unexpected,
    'report.send': unexpected,
    retention: unexpected,
  }
}

const rows = (db: Db) => db.selectFrom('job').selectAll().orderBy('id').execute()

function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

const stories = (open: () => ReturnType<typeof workshop>) => {
  test('jobs run when due, in time order, and are deleted afterwards', async () => {
    const { db, clock, later, process } = await open()
    const done: number[] = []
    await later(3, 2 * second)
    await later(1, 0)
    await later(2, 1 * second)
    const jobs = process(async (id) => void done.push(id))

    jobs.start()
    await jobs.settle()
    const atOnce = [...done]
    await clock.advance(5 * second)

    expect(atOnce).toEqual([1])
    expect(done).toEqual([1, 2, 3])
    expect(await rows(db)).toEqual([])
  })

  test('a job of a failed transaction is not enqueued', async () => {
    const { db, process } = await open()
    const done: number[] = []
    const jobs = process(async (id) => void done.push(id))
    jobs.start()

    const failing = transaction(db, async (tx) => {
      await enqueue(tx, 'mail.send', { mailId: 1 }, 0)
      throw new Error('changed my mind')
    })

    await expect(failing).rejects.toThrow('changed my mind')
    await jobs.settle()
    expect(done).toEqual([])
  })

  test('a failing job is retried with exponential backoff up to an hour, then kept for inspection', async () => {
    const { db, clock, later, process } = await open()
    const tries: number[] = []
    const jobs = process(async () => {
      tries.push(clock.now())
      throw new Error('the mail server is away')
    })
    await later(1, 0)
    jobs.start()
    await jobs.settle()

    await clock.advance(24 * hour)

    const waits = tries.slice(1).map((at, index) => (at - (tries[index] ?? 0)) / second)
    expect(waits.slice(0, 12)).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600])
    expect(Math.max(...waits)).toBe(3600)
    expect(tries).toHaveLength(20)
    expect(await rows(db)).toMatchObject([{ attempts: 20, last_error: 'the mail server is away', leased_until: 0 }])
    expect((await rows(db))[0]?.failed_at).toBe(tries.at(-1))
  })

  test('a failing job does not block others', async () => {
    const { clock, later, process } = await open()
    const done: number[] = []
    let broken = true
    const jobs = process(async (id) => {
      if (id === 1 && broken) throw new Error('not yet')
      done.push(id)
    })
    await later(1, 0)
    await later(2, 0)

    jobs.start()
    await jobs.settle()
    broken = false
    await clock.advance(2 * second)

    expect(done).toEqual([2, 1])
  })

  test('a background job does not block others, and a stop waits for it', async () => {
    const { db, clock, later, process } = await open()
    const { open: answer, opened } = gate()
    const started = gate()
    const done: (number | string)[] = []
    const jobs = process(
      async (id) => void done.push(id),
      clock,
      true,
      async (url) => {
        started.open()
        await opened
        done.push(url)
      },
    )
    await enqueue(db, 'sound.fetch', { companyId: 1, url: 'slow', tries: 0 }, clock.now())
    await later(1, 0)
    await later(2, 0)

    jobs.start()
    await started.opened
    const settled = jobs.settle()
    while (done.length < 2) await new Promise((resolve) => setImmediate(resolve))
    const meanwhile = [...done]
    answer()
    await settled

    expect(meanwhile).toEqual([1, 2])
    expect(done).toEqual([1, 2, 'slow'])
    expect(await rows(db)).toEqual([])
  })

  test('a kind with limited concurrency blocks no other, and its lease is renewed while it runs', async () => {
    const { db, clock, later, process } = await open()
    const { open: finish, opened } = gate()
    const done: (number | string)[] = []
    const started: string[] = []
    const work = async (id: number) => void done.push(id)
    const exporting = async (id: string) => {
      started.push(id)
      await opened
      done.push(id)
    }
    const renewals: (() => void)[] = []
    const watched: Clock = {
      ...clock,
      machineAfter(ms, run) {
        if (ms === 20 * second) renewals.push(run)
        return () => {}
      },
    }
    const jobs = process(work, watched, true, undefined, exporting)
    for (const exportId of ['first', 'second']) {
      await enqueue(db, 'analytics.export', { companyId: 1, exportId }, clock.now())
    }
    for (let id = 1; id <= 6; id++) await later(id, 0)

    jobs.start()
    while (done.length < 6) await new Promise((resolve) => setImmediate(resolve))
    const meanwhile = [...started]
    clock.shiftMachine(50 * second)
    renewals.shift()?.()
    const leaseOf = async () => (await rows(db))[0]?.leased_until ?? 0
    while ((await leaseOf()) < clock.machineNow() + 50 * second) await new Promise((resolve) => setImmediate(resolve))
    finish()
    await jobs.settle()

    expect(meanwhile).toEqual(['first'])
    expect(done).toEqual([1, 2, 3, 4, 5, 6, 'first', 'second'])
    expect(await rows(db)).toEqual([])
  })

  test('jobs of an ended process are taken over when the lease ends; its late completion has no effect', async () => {
    const { db, clock, later, process } = await open()
    const { open: wakeUp, opened } = gate()
    const started = gate()
    const dead = process(async () => {
      started.open()
      await opened
    })
    const done: number[] = []
    let broken = true
    const heir = process(async (id) => {
      done.push(id)
      if (broken) throw new Error('once more')
    })
    await later(7, 0)
    dead.start()
    await started.opened
    heir.start()

    await heir.settle()
    const duringLease = [...done]
    clock.shiftMachine(minute + second)
    await heir.settle()
    const takenOver = [...done]
    wakeUp()
    await dead.stop()
    const afterLateEnd = await rows(db)
    broken = false
    await clock.advance(hour)

    expect(duringLease).toEqual([])
    expect(takenOver).toEqual([7])
    expect(afterLateEnd).toMatchObject([{ attempts: 2, last_error: 'once more' }])
    expect(done).toEqual([7, 7])
    expect(await rows(db)).toEqual([])
  })

  test('a single process takes over leases at once: they belong to a process that has ended', async () => {
    const { clock, later, process } = await open()
    const started = gate()
    const { open: wakeUp, opened } = gate()
    const dead = process(async () => {
      started.open()
      await opened
    })
    await later(7, 0)
    dead.start()
    await started.opened
    const done: number[] = []
    const heir = process(async (id) => void done.push(id), clock, false)

    heir.start()
    await heir.settle()

    expect(done).toEqual([7])
    wakeUp()
    await dead.stop()
  })

  test('while another process holds the only due job, a process does not poll in a busy loop', async () => {
    const { clock, later, process } = await open()
    const { open: wakeUp, opened } = gate()
    const started = gate()
    const busy = process(async () => {
      started.open()
      await opened
    })
    const waits: number[] = []
    const watched: Clock = {
      ...clock,
      after(ms, run) {
        waits.push(ms)
        return clock.after(ms, run)
      },
    }
    const idle = process(async () => {}, watched)
    await later(1, 0)
    await later(2, 10 * minute)
    busy.start()
    await started.opened

    idle.start()
    await idle.settle()
    wakeUp()

    expect(waits.length).toBeGreaterThan(0)
    for (const wait of waits) expect(wait).toBe(10 * minute)
  })

  test('two processes share the work and run each job once', async () => {
    const { db, later, process } = await open()
    const done: number[] = []
    const ids = Array.from({ length: 30 }, (_, i) => i + 1)
    for (const id of ids) await later(id, 0)
    const one = process(async (id) => void done.push(id))
    const two = process(async (id) => void done.push(id))

    one.start()
    two.start()
    await Promise.all([one.settle(), two.settle()])

    expect(done.toSorted((a, b) => a - b)).toEqual(ids)
    expect(await rows(db)).toEqual([])
  })

  test('a job replaces the pending one with the same key, and a cancelled one never runs', async () => {
    const { db, clock, later, process } = await open()
    const done: number[] = []
    const jobs = process(async (id) => void done.push(id))
    await later(1, minute, 'hours:7')
    await later(2, hour, 'hours:7')
    await later(3, minute, 'hours:8')
    await cancelJob(db, 'hours:8')

    jobs.start()
    await jobs.settle()
    await clock.advance(hour - 1)
    const early = [...done]
    await clock.advance(1)

    expect(early).toEqual([])
    expect(done).toEqual([2])
  })

  test('a job that enqueues its successor with the same key does not complete the successor', async () => {
    const { clock, later, process } = await open()
    const done: number[] = []
    const jobs = process(async (id) => {
      done.push(id)
      if (id < 3) await later(id + 1, hour, 'hours:7')
    })
    await later(1, 0, 'hours:7')

    jobs.start()
    await jobs.settle()
    await clock.advance(3 * hour)

    expect(done).toEqual([1, 2, 3])
  })

  test('a job of a newer release waits for a process of that release and does not delay others', async () => {
    const { db, clock, later, process } = await open()
    const done: number[] = []
    const jobs = process(async (id) => void done.push(id))
    const row = { payload: '{}', run_at: clock.now() - minute, attempts: 0, leased_until: 0 }
    for (const turn_of of [null, 1]) {
      await db
        .insertInto('job')
        .values({ ...row, kind: 'next_release.work', turn_of })
        .execute()
    }
    await later(1, 0)

    jobs.start()
    await jobs.settle()

    expect(done).toEqual([1])
    expect(await rows(db)).toMatchObject([
      { kind: 'next_release.work', attempts: 0, lease_token: null },
      { kind: 'next_release.work', attempts: 0, lease_token: null },
    ])
  })

  test('jobs that the previous release enqueues under old names run with the handlers of the new names', async () => {
    const { db, clock, processWith } = await open()
    const { open: finish, opened } = gate()
    const started: string[] = []
    const jobs = processWith({
      'call.speech_to_text': {
        background: async ({ source }) => {
          started.push(source)
          await opened
        },
        concurrency: 1,
      },
      'call.build_transcript': { background: async ({ callId }) => void started.push(`transcript ${callId}`) },
    })
    const row = { run_at: clock.now(), attempts: 0, leased_until: 0 }
    const recording = { companyId: 1, callId: 7, kind: 'recording', tries: 0 } as const
    for (const [kind, payload] of [
      ['call.listen', { ...recording, source: 'old name' }],
      ['call.listen', { ...recording, source: 'old name again' }],
      ['call.speech_to_text', { ...recording, source: 'new name' }],
      ['call.transcribe', { companyId: 1, callId: 7 }],
    ] as const) {
      await db
        .insertInto('job')
        .values({ ...row, kind, payload: JSON.stringify(payload) })
        .execute()
    }

    jobs.start()
    while (started.length < 2) await new Promise((resolve) => setImmediate(resolve))
    const together = [...started]
    finish()
    await jobs.settle()

    // The old and the new name share the concurrency limit of the kind.
    expect(together).toEqual(['old name', 'transcript 7'])
    expect(started).toEqual(['old name', 'transcript 7', 'old name again', 'new name'])
    expect(await rows(db)).toEqual([])
  })

  test('companies take turns with the engine, and none occupies it while another is waiting', async () => {
    const { db, clock, processWith } = await open()
    const { open: finish, opened } = gate()
    const started: number[] = []
    const think = (companyId: number, callId: number) =>
      enqueue(db, 'call.think', { companyId, callId, output: 'summary', tries: 0 }, clock.now())
    const jobs = processWith({
      'call.think': {
        background: async ({ companyId, callId }) => {
          started.push(companyId)
          // Requests of the first company take long.
          if (companyId === 1 && callId < 3) await opened
        },
        concurrency: 4,
      },
    })
    for (let callId = 0; callId < 20; callId++) await think(1, callId)
    for (let callId = 0; callId < 4; callId++) await think(2, callId)
    await think(3, 0)

    jobs.start()
    while (started.filter((companyId) => companyId !== 1).length < 5)
      await new Promise((resolve) => setImmediate(resolve))
    finish()
    await jobs.settle()

    expect(started.slice(0, 3)).toEqual([1, 2, 3])
    const othersDone = Math.max(started.lastIndexOf(2), started.lastIndexOf(3))
    expect(started.slice(0, othersDone).filter((companyId) => companyId === 1).length).toBeLessThanOrEqual(3)
    expect(started.filter((companyId) => companyId === 1)).toHaveLength(20)
    expect(await rows(db)).toEqual([])
  })

  test('a stopped process leaves no leased jobs', async () => {
    const { db, later, process } = await open()
    const done: number[] = []
    await later(1, 0)
    await later(2, 0)
    const jobs = process(async (id) => void done.push(id))

    jobs.start()
    await jobs.stop()

    const left = (await rows(db)).map(({ payload, attempts, leased_until }) => ({ payload, attempts, leased_until }))
    const untouched = [1, 2].filter((id) => !done.includes(id))
    expect(left).toEqual(untouched.map((id) => ({ payload: `{"mailId":${id}}`, attempts: 0, leased_until: 0 })))
  })
}

describe('jobs (embedded store)', () => stories(() => workshop('embedded')))
describe.skipIf(inject('postgres') === null)('jobs (PostgreSQL)', () => stories(() => workshop('postgres')))
