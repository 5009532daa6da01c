import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { LanguageTag } from '../../../domain/intelligence/transcript.ts'

/** Whether conversation intelligence is enabled, and the spoken language; null: not set. */
export interface IntelligenceSettings {
  enabled: boolean
  language: LanguageTag | null
}

/** Stored instead of a Number ID for the company-wide default. */
export const wholeCompany = 0

export async function settingsByNumber(db: Db, companyId: CompanyId): Promise<Map<number, IntelligenceSettings>> {
  const rows = await db
    .selectFrom('intelligence_switch')
    .select(['number_id', 'enabled', 'language'])
    .where('company_id', '=', companyId)
    .orderBy('number_id')
    .execute()
  return new Map(rows.map(({ number_id, enabled, language }) => [number_id, { enabled: enabled === 1, language }]))
}

/** Settings of a Number override those of the company. Off by default. */
export async function settingsForNumber(db: Db, companyId: CompanyId, numberId: number): Promise<IntelligenceSettings> {
  const all = await settingsByNumber(db, companyId)
  const company = all.get(wholeCompany) ?? { enabled: false, language: null }
  const own = all.get(numberId)
  return own ? { enabled: own.enabled, language: own.language ?? company.language } : company
}

/** Names and terms of the company that speech-to-text should recognize. */
export async function vocabularyOf(db: Db, companyId: CompanyId): Promise<string[]> {
  const row = await db
    .selectFrom('intelligence_switch')
    .select('vocabulary')
    .where('company_id', '=', companyId)
    .where('number_id', '=', wholeCompany)
    .executeTakeFirst()
  return row?.vocabulary == null ? [] : JSON.parse(row.vocabulary)
}

/** Replaces all settings. */
export async function replaceIntelligenceSettings(
  db: Db,
  companyId: CompanyId,
  settings: ReadonlyMap<number, IntelligenceSettings>,
  vocabulary: readonly string[],
): Promise<void> {
  await db.deleteFrom('intelligence_switch').where('company_id', '=', companyId).execute()
  const rows = [...settings].map(([number_id, { enabled, language }]) => ({
    company_id: companyId,
    number_id,
    enabled: enabled ? (1 as const) : (0 as const),
    language,
    vocabulary: number_id === wholeCompany && vocabulary.length > 0 ? JSON.stringify(vocabulary) : null,
  }))
  if (rows.length > 0) await db.insertInto('intelligence_switch').values(rows).execute()
}
