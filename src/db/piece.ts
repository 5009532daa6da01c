import type { RawBuilder } from 'kysely'
import type { Db } from './database.ts'
import type { CompanyId } from './tables.ts'

/**
 * Subquery that returns objects of a company by a JSON list of ids as one value, so that one statement reads several
 * kinds.
 */
export interface JsonSubquery<T> {
  value(db: Db, companyId: CompanyId, wanted: string): RawBuilder<string>
  read(value: string): T
}
