import type { ColumnShape, Schema, TableShape } from './schema.ts'

/** What the statements of an earlier release may fail on in a later schema, as `table.column: reason`. */
export function contractions(earlier: Schema, later: Schema): string[] {
  return Object.entries(earlier).flatMap(([table, before]) => {
    const now = later[table]
    return now ? ofTable(before, now).map((what) => `${table}${what}`) : [`${table}: removed or renamed`]
  })
}

const ofTable = (before: TableShape, now: TableShape): string[] => [
  ...Object.entries(before.columns).flatMap(([name, column]) => ofColumn(column, now.columns[name]).map(at(name))),
  ...added(before.columns, now.columns).flatMap(([name, column]) => ofNewColumn(column).map(at(name))),
  ...Object.entries(before.indexes).flatMap(([name, { definition }]) =>
    ofIndex(definition, now.indexes[name]).map(at(name)),
  ),
  ...added(before.indexes, now.indexes).flatMap(([name, { unique }]) => (unique ? [at(name)('new unique index')] : [])),
  ...added(before.references, now.references).flatMap(([name]) =>
    name in before.columns ? [at(name)('new foreign key')] : [],
  ),
  ...now.triggers.filter((name) => !before.triggers.includes(name)).map((name) => at(name)('new trigger')),
]

const at = (name: string) => (reason: string) => `.${name}: ${reason}`

const added = <T>(before: Record<string, T>, now: Record<string, T>): [string, T][] =>
  Object.entries(now).filter(([name]) => !(name in before))

function ofColumn(before: ColumnShape, now: ColumnShape | undefined): string[] {
  if (!now) return ['removed or renamed']
  return [
    ...(before.type === now.type ? [] : ['another type']),
    ...(before.nullable && !now.nullable ? ['not null'] : []),
    ...(before.hasDefault && !now.hasDefault ? ['no default'] : []),
    ...(before.isKey === now.isKey ? [] : ['another primary key']),
  ]
}

const ofNewColumn = ({ nullable, hasDefault }: ColumnShape): string[] =>
  nullable || hasDefault ? [] : ['new, not null and without a default']

/** Statements on SQLite name the index that they read. */
function ofIndex(before: string, now: { definition: string } | undefined): string[] {
  if (!now) return ['index removed or renamed']
  return now.definition === before ? [] : ['another index']
}
