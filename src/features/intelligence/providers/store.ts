import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { type EngineKind, ofKnownKinds } from '../../../domain/intelligence/engine-line.ts'
import type { LlmTask } from '../../../domain/intelligence/engines.ts'

/** Engine settings of a company. */
export interface CompanyEngines {
  /** Whether external providers may receive audio and transcripts of calls. */
  externalAllowed: boolean
  /** Overrides the operator's engines. */
  lines: Partial<Record<EngineKind, string>>
  models: Partial<Record<LlmTask, string>>
  keysSealed: string | null
}

export const nothingSet: CompanyEngines = { externalAllowed: false, lines: {}, models: {}, keysSealed: null }

export async function enginesOf(db: Db, companyId: CompanyId): Promise<CompanyEngines> {
  const row = await db
    .selectFrom('company_engine')
    .select(['external_allowed', 'settings', 'keys_sealed'])
    .where('company_id', '=', companyId)
    .executeTakeFirst()
  if (!row) return nothingSet
  const { lines, models } = JSON.parse(row.settings) as Pick<CompanyEngines, 'lines' | 'models'>
  return {
    externalAllowed: row.external_allowed === 1,
    lines: ofKnownKinds(lines),
    models,
    keysSealed: row.keys_sealed,
  }
}

export async function writeEngines(db: Db, companyId: CompanyId, engines: CompanyEngines, at: number): Promise<void> {
  const { externalAllowed, lines, models, keysSealed } = engines
  const columns = {
    external_allowed: externalAllowed ? (1 as const) : (0 as const),
    settings: JSON.stringify({ lines, models }),
    keys_sealed: keysSealed,
    updated_at: at,
  }
  await db
    .insertInto('company_engine')
    .values({ company_id: companyId, ...columns })
    .onConflict((conflict) => conflict.column('company_id').doUpdateSet(columns))
    .execute()
}
