import type { Db } from '../../../db/database.ts'
import type { CompanyId, Flag, TrunkTable } from '../../../db/tables.ts'
import type { CodecName } from '../../../domain/trunk-line.ts'

export interface Trunk {
  id: number
  /** Null: a trunk of the operator, for the companies it is assigned to. */
  companyId: CompanyId | null
  name: string
  enabled: boolean
  host: string
  port: number | null
  transport: TrunkTable['transport']
  srtp: boolean
  registers: boolean
  username: string | null
  passwordSealed: string | null
  domain: string | null
  addresses: string[]
  prefixes: string[]
  numberForm: TrunkTable['number_form']
  behindNat: boolean
  emergency: boolean
  priority: number
  maxCalls: number
  inboundUsername: string | null
  inboundPasswordSealed: string | null
  /** `any`: SHA-256, then MD5. */
  inboundDigest: TrunkTable['inbound_digest']
  /** In the order of preference. */
  codecs: CodecName[]
  /** For trunks of the operator only. */
  country: string | null
  up: boolean | null
  upAt: number | null
  /** The last SIP response or error behind `up`. */
  upDetail: string | null
}

export type TrunkSettings = Omit<Trunk, 'id' | 'companyId' | 'up' | 'upAt' | 'upDetail'>

const trunkOf = (row: Omit<TrunkTable, 'id' | 'created_at'> & { id: number }): Trunk => ({
  id: row.id,
  companyId: row.company_id,
  name: row.name,
  enabled: row.enabled === 1,
  host: row.host,
  port: row.port,
  transport: row.transport,
  srtp: row.srtp === 1,
  registers: row.registers === 1,
  username: row.username,
  passwordSealed: row.password_sealed,
  domain: row.domain,
  addresses: JSON.parse(row.addresses),
  prefixes: JSON.parse(row.prefixes),
  numberForm: row.number_form,
  behindNat: row.behind_nat === 1,
  emergency: row.emergency === 1,
  priority: row.priority,
  maxCalls: row.max_calls,
  inboundUsername: row.inbound_username,
  inboundPasswordSealed: row.inbound_password_sealed,
  inboundDigest: row.inbound_digest,
  codecs: JSON.parse(row.codecs),
  country: row.country,
  up: row.up === null ? null : row.up === 1,
  upAt: row.up_at,
  upDetail: row.up_detail,
})

const flag = (value: boolean): Flag => (value ? 1 : 0)

const rowOf = (settings: TrunkSettings) => ({
  name: settings.name,
  enabled: flag(settings.enabled),
  host: settings.host,
  port: settings.port,
  transport: settings.transport,
  srtp: flag(settings.srtp),
  registers: flag(settings.registers),
  username: settings.username,
  password_sealed: settings.passwordSealed,
  domain: settings.domain,
  addresses: JSON.stringify(settings.addresses),
  prefixes: JSON.stringify(settings.prefixes),
  number_form: settings.numberForm,
  behind_nat: flag(settings.behindNat),
  emergency: flag(settings.emergency),
  priority: settings.priority,
  max_calls: settings.maxCalls,
  inbound_username: settings.inboundUsername,
  inbound_password_sealed: settings.inboundPasswordSealed,
  inbound_digest: settings.inboundDigest,
  codecs: JSON.stringify(settings.codecs),
  country: settings.country,
})

const inOrder = (db: Db) => db.selectFrom('trunk').selectAll().orderBy('priority').orderBy('id')

export async function trunksOf(db: Db, companyId: CompanyId): Promise<Trunk[]> {
  return (await inOrder(db).where('company_id', '=', companyId).execute()).map(trunkOf)
}

/** Trunks of the operator that are assigned to the company. */
export async function sharedTrunksOf(db: Db, companyId: CompanyId): Promise<Trunk[]> {
  const assigned = db.selectFrom('trunk_assignment').select('trunk_id').where('company_id', '=', companyId)
  const rows = await inOrder(db).where('company_id', 'is', null).where('id', 'in', assigned).execute()
  return rows.map(trunkOf)
}

/** All trunks the company can use, its own and the operator's, in order of priority. */
export async function usableTrunks(db: Db, companyId: CompanyId): Promise<Trunk[]> {
  const assigned = db.selectFrom('trunk_assignment').select('trunk_id').where('company_id', '=', companyId)
  const rows = await inOrder(db)
    .where(({ or, and, eb }) =>
      or([eb('company_id', '=', companyId), and([eb('company_id', 'is', null), eb('id', 'in', assigned)])]),
    )
    .execute()
  return rows.map(trunkOf)
}

export const usableTrunk = async (db: Db, companyId: CompanyId, id: number): Promise<Trunk | undefined> =>
  (await usableTrunks(db, companyId)).find((trunk) => trunk.id === id)

/** Of all companies: the SIP driver carries the calls of all companies. */
export async function allTrunks(db: Db): Promise<Trunk[]> {
  return (await inOrder(db).execute()).map(trunkOf)
}

export async function findTrunk(db: Db, companyId: CompanyId, id: number): Promise<Trunk | undefined> {
  const row = await db
    .selectFrom('trunk')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && trunkOf(row)
}

export async function insertTrunk(
  db: Db,
  companyId: CompanyId | null,
  settings: TrunkSettings,
  at: number,
): Promise<Trunk> {
  const row = await db
    .insertInto('trunk')
    .values({ ...rowOf(settings), company_id: companyId, up: null, up_at: null, up_detail: null, created_at: at })
    .returningAll()
    .executeTakeFirstOrThrow()
  return trunkOf(row)
}

/** Resets the state, which was observed with the previous settings. */
export async function updateTrunk(db: Db, companyId: CompanyId | null, id: number, settings: TrunkSettings) {
  const row = await db
    .updateTable('trunk')
    .set({ ...rowOf(settings), up: null, up_at: null, up_detail: null })
    .where('company_id', companyId === null ? 'is' : '=', companyId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  return row && trunkOf(row)
}

export async function deleteTrunk(db: Db, companyId: CompanyId | null, id: number): Promise<boolean> {
  const row = await db
    .deleteFrom('trunk')
    .where('company_id', companyId === null ? 'is' : '=', companyId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function noteTrunkState(
  db: Db,
  companyId: CompanyId | null,
  id: number,
  { up, detail, at }: { up: boolean; detail: string | null; at: number },
) {
  await db
    .updateTable('trunk')
    .set({ up: flag(up), up_at: at, up_detail: detail })
    .where('company_id', companyId === null ? 'is' : '=', companyId)
    .where('id', '=', id)
    .execute()
}

// Trunks of the operator.

export async function operatorTrunks(db: Db): Promise<Trunk[]> {
  return (await inOrder(db).where('company_id', 'is', null).execute()).map(trunkOf)
}

export async function assignedCompanies(db: Db, trunkId: number): Promise<CompanyId[]> {
  const rows = await db
    .selectFrom('trunk_assignment')
    .select('company_id')
    .where('trunk_id', '=', trunkId)
    .orderBy('company_id')
    .execute()
  return rows.map(({ company_id }) => company_id)
}

export async function assignTrunk(db: Db, companyId: CompanyId, trunkId: number): Promise<void> {
  await db
    .insertInto('trunk_assignment')
    .values({ trunk_id: trunkId, company_id: companyId })
    .onConflict((oc) => oc.doNothing())
    .execute()
}

export async function unassignTrunk(db: Db, companyId: CompanyId, trunkId: number): Promise<void> {
  await db.deleteFrom('trunk_assignment').where('company_id', '=', companyId).where('trunk_id', '=', trunkId).execute()
}
