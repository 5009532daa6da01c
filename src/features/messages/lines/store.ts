import type { Db } from '../../../db/database.ts'
import { hotQuery } from '../../../db/hot-query.ts'
import type { CarrierTable, CompanyId, MessageLineTable } from '../../../db/tables.ts'
import { defaultLine } from './view.ts'

// Messaging settings of a Number: carriers, rate limit, opt-outs and the callback configuration.

export interface MessageLine {
  numberId: number
  companyId: CompanyId
  texts: boolean
  carrierId: number | null
  perSecond: number | null
  whatsappCarrierId: number | null
  wabaId: string | null
  phoneNumberId: string | null
  whatsappStatus: MessageLineTable['whatsapp_status']
  whatsappTier: string
  whatsappQuality: MessageLineTable['whatsapp_quality']
  whatsappVerification: string
}

const lineOf = (row: MessageLineTable): MessageLine => ({
  numberId: row.number_id,
  companyId: row.company_id,
  texts: row.texts === 1,
  carrierId: row.carrier_id,
  perSecond: row.per_second,
  whatsappCarrierId: row.whatsapp_carrier_id,
  wabaId: row.waba_id,
  phoneNumberId: row.phone_number_id,
  whatsappStatus: row.whatsapp_status,
  whatsappTier: row.whatsapp_tier,
  whatsappQuality: row.whatsapp_quality,
  whatsappVerification: row.whatsapp_verification,
})

const rowOf = (line: MessageLine, at: number): MessageLineTable => ({
  number_id: line.numberId,
  company_id: line.companyId,
  texts: line.texts ? 1 : 0,
  carrier_id: line.carrierId,
  per_second: line.perSecond,
  whatsapp_carrier_id: line.whatsappCarrierId,
  waba_id: line.wabaId,
  phone_number_id: line.phoneNumberId,
  whatsapp_status: line.whatsappStatus,
  whatsapp_tier: line.whatsappTier,
  whatsapp_quality: line.whatsappQuality,
  whatsapp_verification: line.whatsappVerification,
  updated_at: at,
})

const lineById = hotQuery((db, v: { companyId: CompanyId; numberId: number }) =>
  db
    .selectFrom('message_line')
    .selectAll()
    .where('company_id', '=', v.companyId)
    .where('number_id', '=', v.numberId)
    .compile(),
)

export async function findLine(db: Db, companyId: CompanyId, numberId: number): Promise<MessageLine> {
  const [row] = await lineById(db, { companyId, numberId })
  return row ? lineOf(row) : defaultLine(companyId, numberId)
}

export async function linesOf(db: Db, companyId: CompanyId): Promise<MessageLine[]> {
  return (await db.selectFrom('message_line').selectAll().where('company_id', '=', companyId).execute()).map(lineOf)
}

export async function saveLine(db: Db, companyId: CompanyId, line: MessageLine, at: number): Promise<void> {
  const row = rowOf({ ...line, companyId }, at)
  await db
    .insertInto('message_line')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('number_id').doUpdateSet(row).where('message_line.company_id', '=', companyId),
    )
    .execute()
}

export interface Carrier {
  id: number
  companyId: CompanyId
  name: string
  kind: CarrierTable['kind']
  enabled: boolean
  settings: Record<string, unknown>
  secretsSealed: string | null
  up: boolean | null
  upAt: number | null
  trouble: string | null
}

const carrierOf = (row: Omit<CarrierTable, 'id' | 'created_at'> & { id: number }): Carrier => ({
  id: row.id,
  companyId: row.company_id,
  name: row.name,
  kind: row.kind,
  enabled: row.enabled === 1,
  settings: JSON.parse(row.settings),
  secretsSealed: row.secrets_sealed,
  up: row.up === null ? null : row.up === 1,
  upAt: row.up_at,
  trouble: row.trouble,
})

export async function carriersOf(db: Db, companyId: CompanyId): Promise<Carrier[]> {
  const rows = await db.selectFrom('carrier').selectAll().where('company_id', '=', companyId).orderBy('id').execute()
  return rows.map(carrierOf)
}

/** Across companies: one process runs the carrier connections of all of them. */
export async function allCarriers(db: Db): Promise<Carrier[]> {
  return (await db.selectFrom('carrier').selectAll().orderBy('id').execute()).map(carrierOf)
}

export async function findCarrier(db: Db, companyId: CompanyId, id: number): Promise<Carrier | undefined> {
  const row = await db
    .selectFrom('carrier')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && carrierOf(row)
}

export type CarrierSettings = Pick<Carrier, 'name' | 'kind' | 'enabled' | 'settings' | 'secretsSealed'>

const carrierRow = (carrier: CarrierSettings) => ({
  name: carrier.name,
  kind: carrier.kind,
  enabled: carrier.enabled ? (1 as const) : (0 as const),
  settings: JSON.stringify(carrier.settings),
  secrets_sealed: carrier.secretsSealed,
  up: null,
  up_at: null,
  trouble: null,
})

export async function insertCarrier(
  db: Db,
  companyId: CompanyId,
  carrier: CarrierSettings,
  at: number,
): Promise<Carrier> {
  const row = await db
    .insertInto('carrier')
    .values({ ...carrierRow(carrier), company_id: companyId, created_at: at })
    .returningAll()
    .executeTakeFirstOrThrow()
  return carrierOf(row)
}

/** Resets the connection state: it described the previous settings. */
export async function updateCarrier(
  db: Db,
  companyId: CompanyId,
  id: number,
  carrier: CarrierSettings,
): Promise<Carrier | undefined> {
  const row = await db
    .updateTable('carrier')
    .set(carrierRow(carrier))
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  return row && carrierOf(row)
}

/** Numbers that used the carrier have none afterwards. */
export async function deleteCarrier(db: Db, companyId: CompanyId, id: number): Promise<boolean> {
  for (const column of ['carrier_id', 'whatsapp_carrier_id'] as const) {
    await db
      .updateTable('message_line')
      .set({ [column]: null })
      .where('company_id', '=', companyId)
      .where(column, '=', id)
      .execute()
  }
  const done = await db
    .deleteFrom('carrier')
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .executeTakeFirst()
  return done.numDeletedRows > 0n
}

export async function setCarrierState(
  db: Db,
  companyId: CompanyId,
  id: number,
  state: { up: boolean; trouble: string | null },
  at: number,
): Promise<void> {
  await db
    .updateTable('carrier')
    .set({ up: state.up ? 1 : 0, trouble: state.trouble, up_at: at })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .execute()
}

export interface Configuration {
  numberId: number
  token: string
  callbackUrl: string
  type: string
}

const configurationById = hotQuery((db, v: { companyId: CompanyId; numberId: number }) =>
  db
    .selectFrom('message_configuration')
    .selectAll()
    .where('company_id', '=', v.companyId)
    .where('number_id', '=', v.numberId)
    .compile(),
)

export async function findConfiguration(
  db: Db,
  companyId: CompanyId,
  numberId: number,
): Promise<Configuration | undefined> {
  const [row] = await configurationById(db, { companyId, numberId })
  return row && { numberId, token: row.token, callbackUrl: row.callback_url, type: row.type }
}

/** Keeps the token of an existing configuration. */
export async function saveConfiguration(
  db: Db,
  companyId: CompanyId,
  { numberId, token, callbackUrl, type }: Configuration,
  at: number,
): Promise<Configuration> {
  const changed = { callback_url: callbackUrl, type }
  const row = await db
    .insertInto('message_configuration')
    .values({ ...changed, number_id: numberId, company_id: companyId, token, created_at: at })
    .onConflict((conflict) => conflict.column('number_id').doUpdateSet(changed))
    .returningAll()
    .executeTakeFirstOrThrow()
  return { numberId, token: row.token, callbackUrl: row.callback_url, type: row.type }
}

export async function deleteConfiguration(db: Db, companyId: CompanyId, numberId: number): Promise<boolean> {
  const done = await db
    .deleteFrom('message_configuration')
    .where('company_id', '=', companyId)
    .where('number_id', '=', numberId)
    .executeTakeFirst()
  return done.numDeletedRows > 0n
}

const optOut = hotQuery((db, v: { companyId: CompanyId; numberId: number; phone: string }) =>
  db
    .selectFrom('opt_out')
    .select('at')
    .where('company_id', '=', v.companyId)
    .where('number_id', '=', v.numberId)
    .where('phone', '=', v.phone)
    .compile(),
)

export async function hasOptedOut(db: Db, companyId: CompanyId, numberId: number, phone: string): Promise<boolean> {
  return (await optOut(db, { companyId, numberId, phone })).length > 0
}

export async function setOptOut(
  db: Db,
  companyId: CompanyId,
  numberId: number,
  phone: string,
  at: number | null,
): Promise<void> {
  if (at === null) {
    await db
      .deleteFrom('opt_out')
      .where('company_id', '=', companyId)
      .where('number_id', '=', numberId)
      .where('phone', '=', phone)
      .execute()
    return
  }
  await db
    .insertInto('opt_out')
    .values({ company_id: companyId, number_id: numberId, phone, at })
    .onConflict((conflict) => conflict.columns(['number_id', 'phone']).doNothing())
    .execute()
}

/** Removes all messaging data of a deleted Number. */
export async function deleteLineData(db: Db, companyId: CompanyId, numberId: number): Promise<void> {
  for (const table of ['message_line', 'message_configuration', 'opt_out'] as const) {
    await db.deleteFrom(table).where('company_id', '=', companyId).where('number_id', '=', numberId).execute()
  }
}
