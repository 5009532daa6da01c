import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import pg from 'pg'
import PgBoss from 'pg-boss'
import { Pool } from 'undici'
import type { WebhookRequest } from './receiver.ts'
import { serve } from './serve.ts'

// Job queues that webhooks are commonly built on, with settings for throughput; no others were tried. Like the product they hold
// the body in PostgreSQL and mark it as done; unlike it they neither sign nor log, and keep no order.

/** 0.16 fetches and completes one job per statement, so it needs many at a time. */
const graphile = { concurrency: 24, connections: 26 }
/** Batches are completed by one statement, and a worker that has found work does not pause. */
const boss = { workers: 4, batch: 100, connections: 10 }
const inFlight = 64

const settings =
  `graphile-worker 0.16.6: concurrency ${graphile.concurrency}, pool ${graphile.connections}, no queue names; ` +
  `pg-boss 10.4.2: ${boss.workers} workers, batches of ${boss.batch}, no pause while there is work, priority off`

interface Peer {
  fill(requests: WebhookRequest[], total: number): Promise<void>
  /** From the start of its worker until every job is marked as done. */
  work(): Promise<void>
  /** Jobs that come one by one, with a worker that waits for them or without one. */
  trickle?(requests: WebhookRequest[], trickle: Trickle): Promise<void>
}

export interface Trickle {
  total: number
  perSecond: number
  delivers: boolean
}

let http: Pool
let sent = 0

async function deliver({ path, headers, body }: WebhookRequest): Promise<void> {
  const answer = await http.request({ method: 'POST', path, headers, body })
  if (answer.statusCode !== 204) throw new Error(`the receiver answered ${answer.statusCode}`)
  await answer.body.dump()
  sent++
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

async function untilNone(pool: pg.Pool, total: number, left: string): Promise<void> {
  while (sent < total) await pause(2)
  while ((await pool.query<{ n: string }>(left)).rows[0]?.n !== '0') await pause(5)
}

async function openGraphile(url: string): Promise<Peer> {
  const quiet = new Logger(() => () => {})
  const pgPool = new pg.Pool({ connectionString: url, max: graphile.connections })
  const utils = await makeWorkerUtils({ pgPool, logger: quiet })
  await utils.migrate()
  await utils.release()
  let expected = 0
  return {
    async fill(requests, total) {
      expected = total
      await inThousands(requests, total, (some) =>
        pgPool.query(
          `select graphile_worker.add_jobs(array(
             select json_populate_recordset(null::graphile_worker.job_spec, $1::json)))`,
          [JSON.stringify(some.map((payload) => ({ identifier: 'deliver', payload })))],
        ),
      )
    },
    async work() {
      const taskList = { deliver: (request: unknown) => deliver(request as WebhookRequest) }
      const options = { pgPool, concurrency: graphile.concurrency, noHandleSignals: true, logger: quiet, taskList }
      const runner = await run({ ...options, parsedCronItems: [] })
      await untilNone(pgPool, expected, 'select count(*) as n from graphile_worker._private_jobs')
      done = performance.now()
      await runner.stop()
    },
    async trickle(requests, { total, perSecond, delivers }) {
      const taskList = { deliver: (request: unknown) => deliver(request as WebhookRequest) }
      const options = { pgPool, concurrency: graphile.concurrency, noHandleSignals: true, logger: quiet, taskList }
      const runner = delivers ? await run({ ...options, parsedCronItems: [] }) : undefined
      sent = 0
      begin = process.cpuUsage()
      const started = performance.now()
      for (let i = 0; i < total; i++) {
        await pause(Math.max(0, started + (i * 1_000) / perSecond - performance.now()))
        await pgPool.query('select graphile_worker.add_job($1, $2::json)', [
          'deliver',
          JSON.stringify(requests[i % requests.length]),
        ])
      }
      if (runner) await untilNone(pgPool, total, 'select count(*) as n from graphile_worker._private_jobs')
      spent = process.cpuUsage(begin)
      await runner?.stop()
      await pgPool.query('truncate graphile_worker._private_jobs')
    },
  }
}

let begin = process.cpuUsage()
let spent = process.cpuUsage()

async function openBoss(url: string): Promise<Peer> {
  const options = { connectionString: url, max: boss.connections, supervise: false, schedule: false }
  const queue = new PgBoss(options)
  queue.on('error', (error) => console.error('pg-boss', error))
  await queue.start()
  await queue.createQueue('deliver')
  const looking = new pg.Pool({ connectionString: url, max: 1 })
  let expected = 0
  return {
    async fill(requests, total) {
      expected = total
      await queue.purgeQueue('deliver')
      await inThousands(requests, total, (some) => queue.insert(some.map((data) => ({ name: 'deliver', data }))))
    },
    async work() {
      const work = { batchSize: boss.batch, pollingIntervalSeconds: 0.5, priority: false }
      for (let i = 0; i < boss.workers; i++) {
        const id: string = await queue.work<WebhookRequest>('deliver', work, async (jobs) => {
          await Promise.all(jobs.map(({ data }) => deliver(data)))
          queue.notifyWorker(id)
        })
      }
      const left = `select count(*) as n from pgboss.job where name = 'deliver' and state <> 'completed'`
      await untilNone(looking, expected, left)
      done = performance.now()
      await queue.offWork('deliver')
    },
  }
}

async function inThousands(
  requests: WebhookRequest[],
  total: number,
  add: (some: WebhookRequest[]) => Promise<unknown>,
) {
  for (let from = 0; from < total; from += 1_000) {
    const count = Math.min(1_000, total - from)
    await add(Array.from({ length: count }, (_, i) => requests[(from + i) % requests.length] as WebhookRequest))
  }
}

let peer: Peer | undefined
let done = 0

const actions = {
  settings: async () => settings,
  open: async ({ kind, url, origin }: { kind: 'graphile' | 'pgboss'; url: string; origin: string }) => {
    http = new Pool(origin, { connections: inFlight, pipelining: 1 })
    peer = await (kind === 'graphile' ? openGraphile(url) : openBoss(url))
  },
  trickle: async ({ requests, ...trickle }: Trickle & { requests: WebhookRequest[] }) => {
    await peer?.trickle?.(requests, trickle)
    return { cpuMicros: spent.user + spent.system }
  },
  drain: async ({ requests, total }: { requests: WebhookRequest[]; total: number }) => {
    await peer?.fill(requests, total)
    sent = 0
    const cpu = process.cpuUsage()
    const started = performance.now()
    await peer?.work()
    const { user, system } = process.cpuUsage(cpu)
    return { seconds: (done - started) / 1_000, cpuMicros: user + system }
  },
}

export type PeerActions = typeof actions
serve(actions)
