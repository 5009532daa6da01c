import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from './database.ts'
import { idsFromJson, wordsFromJson } from './dialect.ts'
import { ServerAdapter } from './postgres.ts'

// Conditions for long lists. PostgreSQL would join a subquery row by row: it expects few elements, and a table that has grown
// since its last ANALYZE to be small. An array is looked up in an index, or hashed.

export const isOneOfWords = (db: Db, column: string, words: readonly string[]): RawBuilder<SqlBool> =>
  isOneOf(db, column, wordsFromJson(db, JSON.stringify(words)))

export const isOneOfIds = (db: Db, column: string, ids: readonly number[]): RawBuilder<SqlBool> =>
  isOneOf(db, column, idsFromJson(db, JSON.stringify(ids)))

const isOneOf = (db: Db, column: string, list: RawBuilder<unknown>): RawBuilder<SqlBool> =>
  db.getExecutor().adapter instanceof ServerAdapter
    ? sql`${sql.ref(column)} = any(array${list})`
    : sql`${sql.ref(column)} in ${list}`
