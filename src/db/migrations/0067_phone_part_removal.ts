import type { Db } from '../database.ts'
import { definePhoneFunctions } from '../phone-parts.ts'

/** Deleting a contact read all phone parts of the company on PostgreSQL. */
export const up = (db: Db) => definePhoneFunctions(db)
