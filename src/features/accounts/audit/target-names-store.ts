import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'

// The names of the objects that audit log entries are about: `user:5`, `webhook:…`.

export interface AuditTarget {
  /** Null: not known any more, or the kind has no names. */
  name: string | null
  exists: boolean
}

interface Row {
  id: number | string
  name: string
  deleted?: number | null
}

/** By target; those whose row is gone are missing. */
export async function namedTargets(
  db: Db,
  companyId: CompanyId,
  targets: readonly string[],
): Promise<Map<string, AuditTarget>> {
  const idsOf = new Map<string, string[]>()
  for (const target of new Set(targets)) {
    const at = target.indexOf(':')
    const kind = target.slice(0, at)
    idsOf.set(kind, [...(idsOf.get(kind) ?? []), target.slice(at + 1)])
  }
  const found = new Map<string, AuditTarget>()
  for (const [kind, ids] of idsOf) {
    for (const { id, name, deleted = null } of (await readers[kind]?.(db, companyId, ids)) ?? []) {
      const target = `${kind}:${id}`
      if (!found.has(target)) found.set(target, { name: name.trim() || null, exists: deleted === null })
    }
  }
  return found
}

type Reader = (db: Db, companyId: CompanyId, ids: readonly string[]) => Promise<Row[]>

const numeric = (ids: readonly string[]) => ids.map(Number).filter(Number.isSafeInteger)

/** Tables with a number as id and a name, whose rows are deleted with the object. */
const plain =
  (table: 'trunk' | 'carrier' | 'device' | 'api_key' | 'scheduled_report'): Reader =>
  (db, companyId, ids) =>
    db
      .selectFrom(table)
      .select(['id', 'name'])
      .where('company_id', '=', companyId)
      .where('id', 'in', [0, ...numeric(ids)])
      .execute()

async function users(db: Db, companyId: CompanyId, ids: readonly string[]): Promise<Row[]> {
  const rows = await db
    .selectFrom('user')
    .select(['id', 'first_name', 'last_name', 'deleted_at'])
    .where('company_id', '=', companyId)
    .where('id', 'in', [0, ...numeric(ids)])
    .execute()
  return rows.map((row) => ({ id: row.id, name: `${row.first_name} ${row.last_name}`, deleted: row.deleted_at }))
}

async function numbers(db: Db, companyId: CompanyId, ids: readonly string[]): Promise<Row[]> {
  const wanted = [0, ...numeric(ids)]
  const rows: Row[] = await db
    .selectFrom('number')
    .select(['id', 'name'])
    .where('company_id', '=', companyId)
    .where('id', 'in', wanted)
    .execute()
  const past = await db
    .selectFrom('past_number')
    .select(['id', 'data', 'deleted_at'])
    .where('company_id', '=', companyId)
    .where('id', 'in', wanted)
    .execute()
  return [...rows, ...past.map(({ id, data, deleted_at }) => ({ id, name: nameIn(data), deleted: deleted_at }))]
}

function nameIn(data: string): string {
  const { name } = JSON.parse(data) as { name?: unknown }
  return typeof name === 'string' ? name : ''
}

const webhooks: Reader = (db, companyId, ids) =>
  db
    .selectFrom('webhook')
    .select(['id', 'custom_name as name', 'deleted_at as deleted'])
    .where('company_id', '=', companyId)
    .where('id', 'in', ['', ...ids])
    .execute()

const oauthApps: Reader = (db, companyId, ids) =>
  db
    .selectFrom('oauth_app')
    .select(['id', 'name', 'deleted_at as deleted'])
    .where('company_id', '=', companyId)
    .where('id', 'in', [0, ...numeric(ids)])
    .execute()

const agents: Reader = (db, companyId, ids) =>
  db
    .selectFrom('ai_voice_agent')
    .select(['id', 'name'])
    .where('company_id', '=', companyId)
    .where('id', 'in', ['', ...ids])
    .execute()

const exportedReports: Reader = (db, companyId, ids) =>
  db
    .selectFrom('analytics_export')
    .select(['id', 'name'])
    .where('company_id', '=', companyId)
    .where('id', 'in', ['', ...ids])
    .execute()

const blockedCallers: Reader = (db, companyId, ids) =>
  db
    .selectFrom('blocked_caller')
    .select(['id', 'phone as name'])
    .where('company_id', '=', companyId)
    .where('id', 'in', [0, ...numeric(ids)])
    .execute()

const readers: Partial<Record<string, Reader>> = {
  user: users,
  number: numbers,
  webhook: webhooks,
  oauth_app: oauthApps,
  ai_voice_agent: agents,
  export: exportedReports,
  blocked_caller: blockedCallers,
  api_key: plain('api_key'),
  carrier: plain('carrier'),
  device: plain('device'),
  scheduled_report: plain('scheduled_report'),
  trunk: plain('trunk'),
}
