import { sql } from 'kysely'
import { type Db, transaction } from '../../src/db/database.ts'
import { createMigrationTable, migrations } from '../../src/db/migrate.ts'
import { storeCompatibility } from '../../src/db/schema-compatibility.ts'
import type { ColumnShape, Schema, TableShape } from './schema.ts'

// A store as earlier releases left it: one migration after the other, with a row in every table at every version.

/** Applies the migrations up to this version, each as `migrate` does. */
export async function migrateTo(
  db: Db,
  version: number,
  afterEach: (version: number) => Promise<void> = async () => {},
): Promise<void> {
  await createMigrationTable(db)
  for (const [index, { name, up }] of migrations.slice(0, version).entries()) {
    const number = index + 1
    await transaction(db, async (tx) => {
      await up(tx)
      await tx.insertInto('schema_migration').values({ number, name, applied_at: number }).execute()
      await storeCompatibility(tx, migrations.slice(0, number))
    })
    await afterEach(number)
  }
}

/** Tables without rows of ours: the list of migrations, and what triggers derive. */
const withoutOwnRows = new Set(['schema_migration', 'phone_part'])

/** By table and key. */
export type Rows = Record<string, Record<string, Row>>
type Row = Record<string, unknown>

/** Adds row `n` to every table; its references are to row `n` of the other tables. */
export async function addRows(db: Db, schema: Schema, n: number): Promise<Rows> {
  const rows: Rows = {}
  await transaction(db, async (tx) => {
    for (const name of inOrder(schema)) {
      const { columns } = schema[name] as TableShape
      const row: Row = {}
      for (const [column, shape] of Object.entries(columns)) row[column] = valueFor(schema, name, column, shape, n)
      await sql`insert into ${sql.table(name)} (${sql.join(Object.keys(row).map((column) => sql.ref(column)))})
        values (${sql.join(Object.values(row))})`.execute(tx)
      rows[name] = { [keyOf(columns, row)]: row }
    }
  })
  return rows
}

const keyOf = (columns: TableShape['columns'], row: Row) =>
  JSON.stringify(Object.keys(columns).flatMap((column) => (columns[column]?.isKey ? [row[column]] : [])))

function valueFor(schema: Schema, table: string, column: string, { type }: ColumnShape, n: number): unknown {
  const reference = schema[table]?.references[column]
  if (reference) {
    const { table: of, column: to } = reference
    return valueFor(schema, of, to, schema[of]?.columns[to] as ColumnShape, n)
  }
  // Migrations add jobs of their own, with the ids that follow.
  return type === 'text' ? `${table}.${column} ${n}` : n * 1_000
}

/** Referenced tables first. */
function inOrder(schema: Schema): string[] {
  const done: string[] = []
  const visit = (name: string, path: string[]) => {
    if (done.includes(name) || path.includes(name)) return
    for (const { table } of Object.values(schema[name]?.references ?? {})) visit(table, [...path, name])
    done.push(name)
  }
  for (const name of Object.keys(schema)) if (!withoutOwnRows.has(name)) visit(name, [])
  return done
}

/** All rows of these tables. */
export async function rowsOf(db: Db, schema: Schema): Promise<Rows> {
  const found: Rows = {}
  for (const [name, { columns }] of Object.entries(schema)) {
    const { rows } = await sql<Row>`select * from ${sql.table(name)}`.execute(db)
    found[name] = Object.fromEntries(rows.map((row) => [keyOf(columns, row), row]))
  }
  return found
}

/** What is missing or has another value: `table key`, or `table.column key`. */
export function lostOrChanged(before: Rows, after: Rows): string[] {
  return Object.entries(before).flatMap(([table, rows]) =>
    Object.entries(rows).flatMap(([key, row]) => {
      const now = after[table]?.[key]
      if (!now) return [`${table} ${key}`]
      return Object.keys(row).flatMap((column) => (now[column] === row[column] ? [] : [`${table}.${column} ${key}`]))
    }),
  )
}
