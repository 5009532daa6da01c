import type { RawBuilder } from 'kysely'
import type { Db } from './database.ts'
import type { CompanyId } from './tables.ts'

/** Things of a company, wanted by a list in JSON, as one value of a larger statement: several kinds are read in one go. */
export interface Piece<T> {
  value(db: Db, companyId: CompanyId, wanted: string): RawBuilder<string>
  read(value: string): T
}
