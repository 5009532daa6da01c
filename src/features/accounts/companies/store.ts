import { sql, type Updateable } from 'kysely'
import { type Db, transaction } from '../../../db/database.ts'
import { lockRow } from '../../../db/dialect.ts'
import { hotQuery } from '../../../db/hot-query.ts'
import type { AiPackage, CompanyId, CompanyTable, Flag, Plan, WebhookTable } from '../../../db/tables.ts'
import type { Entitlements } from '../../../http/caller.ts'

export interface Company extends Entitlements {
  id: CompanyId
  name: string
  mandatoryTagging: boolean
  countries: string[] | null
  /** Country for national phone numbers; null: the country of the first number. */
  country: string | null
  /** Origins of pages that may embed the phone app. */
  embedOrigins: string[]
}

export const maxTeams: Record<Plan, number> = { essentials: 3, professional: 50, custom: Number.POSITIVE_INFINITY }

export const entitlementColumns = [
  'company.plan',
  'company.ai_package',
  'company.whatsapp',
  'company.analytics_plus',
  'company.ai_voice_agents',
  'company.active',
  'company.verified',
] as const

export type EntitlementRow = Pick<
  CompanyTable,
  'plan' | 'ai_package' | 'whatsapp' | 'analytics_plus' | 'ai_voice_agents' | 'active' | 'verified'
>

export const entitlementsOf = (row: EntitlementRow): Entitlements => ({
  plan: row.plan,
  aiPackage: row.ai_package,
  whatsapp: row.whatsapp === 1,
  analyticsPlus: row.analytics_plus === 1,
  aiVoiceAgents: row.ai_voice_agents === 1,
  active: row.active === 1,
  verified: row.verified === 1,
})

export interface NewCompany {
  name: string
  plan: Plan
  aiPackage: AiPackage
  addOns: boolean
}

/** The initial settings of a company. */
function freshCompany({ name, plan, aiPackage, addOns }: NewCompany) {
  const addOn: Flag = addOns ? 1 : 0
  return {
    name,
    plan,
    ai_package: aiPackage,
    whatsapp: addOn,
    analytics_plus: addOn,
    ai_voice_agents: addOn,
    active: 1,
    verified: 1,
    mandatory_tagging: 0,
    countries: null,
    country: null,
    embed_origins: null,
    retention: null,
    external_reports: 0,
    recording_notice: null,
  } as const
}

export async function insertCompany(db: Db, company: NewCompany, at: number): Promise<CompanyId> {
  const { id } = await db
    .insertInto('company')
    .values({ ...freshCompany(company), created_at: at })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Restores the initial settings; id and creation date stay. */
export async function renewCompany(db: Db, companyId: CompanyId, company: NewCompany): Promise<void> {
  await updateCompany(db, companyId, freshCompany(company))
}

export async function findCompany(db: Db, companyId: CompanyId): Promise<Company> {
  const row = await db.selectFrom('company').selectAll().where('id', '=', companyId).executeTakeFirstOrThrow()
  return {
    ...entitlementsOf(row),
    id: row.id,
    name: row.name,
    mandatoryTagging: row.mandatory_tagging === 1,
    countries: row.countries === null ? null : JSON.parse(row.countries),
    country: row.country,
    embedOrigins: row.embed_origins === null ? [] : JSON.parse(row.embed_origins),
  }
}

/** Of one company, or of all active companies: the page of the phone app is served before the company is known. */
export async function embedOrigins(db: Db, companyId?: CompanyId): Promise<string[]> {
  let query = db
    .selectFrom('company')
    .select('embed_origins')
    .where('embed_origins', 'is not', null)
    .where('active', '=', 1)
  if (companyId !== undefined) query = query.where('id', '=', companyId)
  const rows = await query.execute()
  return [...new Set(rows.flatMap(({ embed_origins }): string[] => JSON.parse(embed_origins ?? '[]')))]
}

/** Country for national phone numbers: the setting, otherwise the country of the first number; null without both. */
export const countryOfCompany = {
  value: (companyId: CompanyId) => sql<string | null>`(
  select coalesce(c.country, (select n.country from number as n where n.company_id = c.id order by n.created_at, n.id limit 1))
  from company as c where c.id = ${companyId})`,
}

const countryQuery = hotQuery((db, { companyId }: { companyId: CompanyId }) =>
  sql<{ country: string | null }>`select ${countryOfCompany.value(companyId)} as country`.compile(db),
)

export async function companyCountry(db: Db, companyId: CompanyId): Promise<string | null> {
  const [row] = await countryQuery(db, { companyId })
  return row?.country ?? null
}

/** The countries of the company and of its numbers. */
export async function countriesOfCompany(db: Db, companyId: CompanyId): Promise<string[]> {
  const own = await companyCountry(db, companyId)
  const rows = await db.selectFrom('number').select('country').distinct().where('company_id', '=', companyId).execute()
  return [...new Set([...(own === null ? [] : [own]), ...rows.map(({ country }) => country)])]
}

/** Locks are taken from the company inwards: a transaction that needs several takes this one first. */
export async function lockCompany(db: Db, companyId: CompanyId): Promise<void> {
  await lockRow(db, db.selectFrom('company').select('id').where('id', '=', companyId)).execute()
}

export async function listCompanies(db: Db): Promise<{ id: CompanyId; name: string }[]> {
  return db.selectFrom('company').select(['id', 'name']).orderBy('id').execute()
}

export type CompanyChange = Omit<Updateable<CompanyTable>, 'id' | 'created_at'>

export async function updateCompany(db: Db, companyId: CompanyId, change: CompanyChange): Promise<void> {
  if (Object.keys(change).length === 0) return
  await db.updateTable('company').set(change).where('id', '=', companyId).execute()
}

export async function countUsersAndNumbers(db: Db, companyId: CompanyId): Promise<{ users: number; numbers: number }> {
  const users = await db
    .selectFrom('user')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('company_id', '=', companyId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  const numbers = await db
    .selectFrom('number')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('company_id', '=', companyId)
    .executeTakeFirstOrThrow()
  return { users: users.n, numbers: numbers.n }
}

export async function readSetting(db: Db, key: string): Promise<string | undefined> {
  const row = await db.selectFrom('setting').select('value').where('key', '=', key).executeTakeFirst()
  return row?.value
}

export async function writeSetting(db: Db, key: string, value: string): Promise<void> {
  await db
    .insertInto('setting')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute()
}

/** One write and one read, for /readyz. */
export async function storeAnswers(db: Db, at: number): Promise<boolean> {
  return transaction(db, async (tx) => {
    await writeSetting(tx, 'ready', String(at))
    return (await readSetting(tx, 'ready')) === String(at)
  })
}

const taggingRule = hotQuery((db, { companyId }: { companyId: CompanyId }) =>
  db
    .selectFrom('company')
    .select('id')
    .where('id', '=', companyId)
    .where('mandatory_tagging', '=', 1)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('tag').select('tag.id').where('tag.company_id', '=', companyId)),
    )
    .compile(),
)

/** Whether wrap-up after an answered call lasts until the call has a tag. Without any tag it could not end. */
export async function tagsAreMandatory(db: Db, companyId: CompanyId): Promise<boolean> {
  return (await taggingRule(db, { companyId })).length > 0
}

export async function deleteSetting(db: Db, key: string): Promise<void> {
  await db.deleteFrom('setting').where('key', '=', key).execute()
}

/** The webhooks of a deleted key stay: those that its deactivation had stopped are paused, and an admin can activate them. */
export async function pauseWebhooksOfKey(db: Db, companyId: CompanyId, keyId: number): Promise<void> {
  const paused: WebhookTable['status'] = 'paused'
  await db
    .updateTable('webhook')
    .set({ integration: 'on', status: paused })
    .where('company_id', '=', companyId)
    .where('api_key_id', '=', keyId)
    .where('integration', '=', 'off')
    .where('status', '=', 'active')
    .execute()
  await db
    .updateTable('webhook')
    .set({ integration: 'on' })
    .where('company_id', '=', companyId)
    .where('api_key_id', '=', keyId)
    .where('integration', '=', 'off')
    .execute()
}

export async function hasTags(db: Db, companyId: CompanyId): Promise<boolean> {
  return (await db.selectFrom('tag').select('id').where('company_id', '=', companyId).executeTakeFirst()) !== undefined
}
