import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { lockRow, wordsFromJson } from '../db/dialect.ts'
import { hotQuery } from '../db/hot-query.ts'
import type { CompanyId, WebhookTable } from '../db/tables.ts'
import type { EndpointHealth } from '../domain/delivery/health.ts'
import { type TargetRow, targetColumns } from '../events/direct-dispatch.ts'

// The dispatcher works for all companies: it selects rows by webhook.

/** A webhook as the dispatcher needs it: URL, secrets and health. */
export interface Endpoint {
  id: string
  companyId: CompanyId
  url: string
  customName: string
  token: string
  /** Also `paused` while its integration is switched off. */
  status: WebhookTable['status']
  isDeleted: boolean
  /** Its integration was removed: `integration.deleted` is the last event it receives. */
  isIntegrationRemoved: boolean
  secrets: { current: string | null; previous: string | null; previousUntil: number | null }
  probeUntil: number | null
  createdBy: number | null
  health: EndpointHealth
}

const endpointColumns = [
  ...targetColumns,
  'company_id',
  'custom_name',
  'probe_until',
  'created_by',
  'health',
  'consecutive_failures',
  'failing_since',
  'last_success_at',
  'warned_level',
  'cap',
  'streak',
] as const

/** URL and secrets at the time of the claim, so that a change applies to the next attempt. */
export type DeliveryTarget = Pick<
  Endpoint,
  'id' | 'url' | 'token' | 'status' | 'isDeleted' | 'isIntegrationRemoved' | 'secrets'
>

const destinationsById = hotQuery<{ ids: string }, TargetRow>((db, { ids }) =>
  db
    .selectFrom('webhook')
    .select(targetColumns)
    .where('id', 'in', wordsFromJson(db, ids) as RawBuilder<string>)
    .compile(),
)

export async function readDestinations(db: Db, ids: readonly string[]): Promise<Map<string, DeliveryTarget>> {
  const rows = await destinationsById(db, { ids: JSON.stringify(ids) })
  return new Map(rows.map((row) => [row.id, destinationOf(row)]))
}

export const destinationOf = (row: TargetRow): DeliveryTarget => ({
  id: row.id,
  url: row.url,
  token: row.token,
  status: statusOf(row),
  isDeleted: row.deleted_at !== null,
  isIntegrationRemoved: row.integration === 'removed',
  secrets: { current: row.secret_current, previous: row.secret_previous, previousUntil: row.secret_previous_until },
})

const statusOf = ({ status, integration }: Pick<EndpointRow, 'status' | 'integration'>) =>
  integration === 'off' ? 'paused' : status

const endpointsById = hotQuery<{ ids: string }, EndpointRow>((db, { ids }) =>
  db
    .selectFrom('webhook')
    .select(endpointColumns)
    .where('id', 'in', wordsFromJson(db, ids) as RawBuilder<string>)
    .compile(),
)

export type EndpointRow = Pick<Selectable<WebhookTable>, (typeof endpointColumns)[number]>

export async function readEndpoints(db: Db, ids: readonly string[]): Promise<Endpoint[]> {
  return (await endpointsById(db, { ids: JSON.stringify(ids) })).map(endpointOf)
}

/** Active webhooks of all companies, at most `limit`. */
export async function activeWebhookIds(db: Db, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('webhook')
    .select('id')
    .where('status', '=', 'active')
    .where('deleted_at', 'is', null)
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Locked in one order, so that two processes cannot deadlock. */
const lockedById = hotQuery<{ ids: string }, EndpointRow>((db, { ids }) => {
  const query = db
    .selectFrom('webhook')
    .select(endpointColumns)
    .where('id', 'in', wordsFromJson(db, ids) as RawBuilder<string>)
    .orderBy('id')
  return lockRow(db, query).compile()
})

export async function lockEndpoints(tx: Tx, ids: readonly string[]): Promise<Endpoint[]> {
  return (await lockedById(tx, { ids: JSON.stringify(ids) })).map(endpointOf)
}

function endpointOf(row: EndpointRow): Endpoint {
  return {
    id: row.id,
    companyId: row.company_id,
    url: row.url,
    customName: row.custom_name,
    token: row.token,
    status: statusOf(row),
    isDeleted: row.deleted_at !== null,
    isIntegrationRemoved: row.integration === 'removed',
    secrets: { current: row.secret_current, previous: row.secret_previous, previousUntil: row.secret_previous_until },
    probeUntil: row.probe_until,
    createdBy: row.created_by,
    health: {
      state: row.health,
      consecutiveFailures: row.consecutive_failures,
      failingSince: row.failing_since,
      lastSuccessAt: row.last_success_at,
      warnedLevel: row.warned_level as EndpointHealth['warnedLevel'],
      cap: row.cap,
      streak: row.streak,
    },
  }
}

const updateHealth = hotQuery<EndpointHealth & { id: string }, never>((db, v) =>
  sql<never>`
    update webhook set health = ${v.state}, consecutive_failures = ${v.consecutiveFailures},
      failing_since = ${v.failingSince}, last_success_at = ${v.lastSuccessAt}, warned_level = ${v.warnedLevel},
      cap = ${v.cap}, streak = ${v.streak}
    where id = ${v.id}`.compile(db),
)

export async function saveHealth(tx: Db, id: string, health: EndpointHealth): Promise<void> {
  await updateHealth(tx, { ...health, id })
}

const updateSuccess = hotQuery<Pick<EndpointHealth, 'cap' | 'streak' | 'lastSuccessAt'> & { id: string }, never>(
  (db, v) =>
    sql<never>`
    update webhook set last_success_at = ${v.lastSuccessAt}, cap = ${v.cap}, streak = ${v.streak}
    where id = ${v.id}`.compile(db),
)

/** The receiver stays healthy: its other columns do not change. */
export async function saveSuccess(
  tx: Db,
  id: string,
  success: Pick<EndpointHealth, 'cap' | 'streak' | 'lastSuccessAt'>,
): Promise<void> {
  await updateSuccess(tx, { ...success, id })
}
