import { sql } from 'kysely'
import type { Db } from '../../src/db/database.ts'
import { isServer, tableNames } from '../../src/db/dump.ts'

/** What the statements of a release rely on, by table. */
export type Schema = Record<string, TableShape>

export interface TableShape {
  columns: Record<string, ColumnShape>
  /** By name, with the definition. */
  indexes: Record<string, { unique: boolean; definition: string }>
  /** The referenced table and column, by column. */
  references: Record<string, { table: string; column: string }>
  triggers: string[]
}

export interface ColumnShape {
  type: string
  nullable: boolean
  hasDefault: boolean
  /** Part of the primary key. */
  isKey: boolean
}

type Flag = number | boolean
type ColumnRow = { of: string; name: string; type: string; nullable: Flag; has_default: Flag; is_key: Flag }
type IndexRow = { of: string; name: string; unique: Flag; definition: string }
type ReferenceRow = { of: string; from: string; table: string; to: string | null }
type TriggerRow = { of: string; name: string }

export async function schemaOf(db: Db): Promise<Schema> {
  const { columns, indexes, references, triggers } = isServer(db) ? onServer : inFile
  const schema: Schema = {}
  for (const name of await tableNames(db)) schema[name] = { columns: {}, indexes: {}, references: {}, triggers: [] }
  for (const { of, name, type, nullable, has_default: hasDefault, is_key: isKey } of (await columns.execute(db)).rows) {
    const column = { type: type.toLowerCase(), nullable: !!nullable, hasDefault: !!hasDefault, isKey: !!isKey }
    if (schema[of]) schema[of].columns[name] = column
  }
  for (const { of, name, unique, definition } of (await indexes.execute(db)).rows) {
    if (schema[of]) schema[of].indexes[name] = { unique: !!unique, definition }
  }
  for (const { of, from, table, to } of (await references.execute(db)).rows) {
    if (schema[of]) schema[of].references[from] = { table, column: to ?? 'id' }
  }
  for (const { of, name } of (await triggers.execute(db)).rows) schema[of]?.triggers.push(name)
  return schema
}

const inFile = {
  columns: sql<ColumnRow>`select m.name as "of", c.name, c.type, c."notnull" = 0 and c.pk = 0 as nullable,
      c.dflt_value is not null as has_default, c.pk > 0 as is_key
    from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table'`,
  indexes: sql<IndexRow>`select m.name as "of", i.name, i."unique", coalesce(x.sql,
      (select group_concat(name) from pragma_index_info(i.name))) as definition
    from sqlite_master m, pragma_index_list(m.name) i left join sqlite_master x on x.name = i.name and x.type = 'index'
    where m.type = 'table'`,
  references: sql<ReferenceRow>`select m.name as "of", f."from", f."table", f."to"
    from sqlite_master m, pragma_foreign_key_list(m.name) f where m.type = 'table'`,
  triggers: sql<TriggerRow>`select tbl_name as "of", name from sqlite_master where type = 'trigger' order by 2`,
}

const ours = sql`pg_class.relnamespace = current_schema()::regnamespace`
const onServer = {
  columns: sql<ColumnRow>`select pg_class.relname as "of", attname as name, format_type(atttypid, atttypmod) as type,
      not attnotnull as nullable, atthasdef or attidentity <> '' as has_default,
      exists (select 1 from pg_index where indrelid = attrelid and indisprimary and attnum = any(indkey)) as is_key
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where ${ours} and relkind = 'r' and attnum > 0 and not attisdropped`,
  indexes: sql<IndexRow>`select t.relname as "of", pg_class.relname as name, indisunique as unique,
      regexp_replace(pg_get_indexdef(indexrelid), '^.* USING ', '') as definition
    from pg_index join pg_class on pg_class.oid = indexrelid join pg_class t on t.oid = indrelid
    where ${ours}`,
  references: sql<ReferenceRow>`select pg_class.relname as "of", a.attname as "from", t.relname as "table", b.attname as "to"
    from pg_constraint join pg_class on pg_class.oid = conrelid join pg_class t on t.oid = confrelid
      join pg_attribute a on a.attrelid = conrelid and a.attnum = conkey[1]
      join pg_attribute b on b.attrelid = confrelid and b.attnum = confkey[1]
    where contype = 'f' and ${ours}`,
  triggers: sql<TriggerRow>`select relname as "of", tgname as name from pg_trigger
    join pg_class on pg_class.oid = tgrelid where ${ours} and not tgisinternal order by 2`,
}
