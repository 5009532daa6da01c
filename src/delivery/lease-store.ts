import { type RawBuilder, sql } from 'kysely'
import { type Db, type Tx, transaction } from '../db/database.ts'
import { leaseClock, livingKeys, notify, wordsFromJson } from '../db/dialect.ts'
import type { DeliveryTable } from '../db/tables.ts'
import { blockingAttempts, maxAttempts } from '../domain/delivery/schedule.ts'
import type { Services } from '../services.ts'
import { record } from './attempt-store.ts'
import { scheduleDigest } from './consequences.ts'

/** Frees expired leases, or all leases when no other process can hold one. */
export async function freeLeases(
  services: Services,
  which: { deadSince: number } | { machineNow: number },
): Promise<string[]> {
  return 'deadSince' in which
    ? freed(services, sql`true`, which.deadSince)
    : freed(services, sql`lease_until < ${leaseClock(services.db, which.machineNow)}`, undefined)
}

export const freeLeasesOf = (
  services: Services,
  workerIds: readonly string[],
  deadSince: number | undefined,
): Promise<string[]> =>
  freed(services, sql`worker_id in ${wordsFromJson(services.db, JSON.stringify(workerIds))}`, deadSince)

const freed = (services: Services, whose: RawBuilder<unknown>, deadSince: number | undefined): Promise<string[]> =>
  transaction(services.db, (tx) => freeAll(services, tx, whose, deadSince))

type FreedRow = Pick<DeliveryTable, 'id' | 'webhook_id' | 'company_id' | 'event_row' | 'kind' | 'attempts' | 'state'>

/** The deliveries are due at once, and no attempt is counted. A delivery that lost five leases has failed once. */
async function freeAll(
  services: Services,
  db: Tx,
  whose: RawBuilder<unknown>,
  deadSince: number | undefined,
): Promise<string[]> {
  const now = services.clock.now()
  const isLast = sql`lost_leases >= 4 and attempts + 1 >= ${sql.lit(maxAttempts)}`
  const { rows } = await sql<FreedRow>`
    update delivery set lease_token = null, lease_until = null,
      state = case when ${isLast} then 'exhausted' else 'queued' end,
      finished_at = case when ${isLast} then cast(${now} as bigint) else finished_at end,
      blocking = case when lost_leases >= 4 and attempts + 1 >= ${sql.lit(blockingAttempts)} then 0 else blocking end,
      attempts = case when lost_leases >= 4 then attempts + 1 else attempts end,
      lost_leases = case when lost_leases >= 4 then 0 else lost_leases + 1 end
    where state = 'leased' and ${whose}
    returning id, webhook_id, company_id, event_row, kind, attempts, state`.execute(db)
  for (const { state, kind, company_id } of rows) {
    if (state === 'exhausted' && kind !== 'test') await scheduleDigest(services, db, company_id, now)
  }
  // A hanging process may still report its result. A dead one cannot, and the receiver may have received the request.
  const lost = deadSince === undefined ? [] : rows
  const attempts = lost.map((row) => ({
    delivery_id: row.id,
    company_id: row.company_id,
    event_row: row.event_row,
    n: row.attempts + 1,
    kind: row.kind,
    started_at: deadSince ?? 0,
    duration_ms: 0,
    phase: 'sent',
    status: null,
    error_class: 'lost',
    detail: 'the process that sent it ended',
    request_headers: '',
    response_headers: '',
    response_body: '',
    worker_id: '',
  }))
  for (let i = 0; i < attempts.length; i += 500) await record(db, [], attempts.slice(i, i + 500))
  const webhookIds = rows.map(({ webhook_id }) => webhook_id)
  // Another process may own the webhook; the notification saves it the wait for its next sweep.
  const woken = [...new Set(webhookIds)]
  for (let i = 0; i < woken.length; i += 100) await notify(db, 'delivery', woken.slice(i, i + 100).join(','))
  return webhookIds
}

/** At an orderly shutdown the process returns deliveries that it has not sent. */
export async function returnLeases(db: Db, workerId: string): Promise<void> {
  await sql`
    update delivery set state = 'queued', lease_token = null, lease_until = null
    where state = 'leased' and worker_id = ${workerId}`.execute(db)
}

export interface Worker {
  id: string
  fresh: boolean
  /** No heartbeat for so long that other processes may take its leases. */
  gone: boolean
  /** The process has ended; otherwise it may only hang. */
  dead: boolean
}

/** Writes the heartbeat of this process and returns all workers. */
export async function beat(
  db: Db,
  me: { id: string; startedAt: number; build: string; lifeKey: number },
  limits: { beatMs: number; freshMs: number; goneMs: number; machineNow: number },
): Promise<Worker[]> {
  const now = leaseClock(db, limits.machineNow)
  await sql`
    insert into worker (id, started_at, heartbeat_at, build, life_key)
    values (${me.id}, ${me.startedAt}, ${now}, ${me.build}, ${me.lifeKey})
    on conflict (id) do update set heartbeat_at = excluded.heartbeat_at`.execute(db)
  const { rows } = await sql<{ id: string; age: number; life_key: number }>`
    select id, ${now} - heartbeat_at as age, life_key from worker`.execute(db)
  const living = await livingKeys(db)
  return rows.map(({ id, age, life_key }) => {
    // Waits for one heartbeat, because the connection may be re-established; a hanging process keeps its connection.
    const isDead = !living.has(life_key) && age > limits.beatMs
    return { id, fresh: age < limits.freshMs && !isDead, gone: age > limits.goneMs || isDead, dead: isDead }
  })
}

export async function forgetWorkers(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length > 0)
    await db
      .deleteFrom('worker')
      .where('id', 'in', [...ids])
      .execute()
}
