import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { inject } from 'vitest'

// The release after this one, as far as the processes of this one notice it: a higher version, a migration that expands the
// schema, values in a new column, and jobs of a new kind.

const repository = path.resolve(import.meta.dirname, '../..')

export const nextVersion = '999.0.0'

/** The kind of job that only the next release knows. It stores each run in the table `next_release_run`. */
export const nextJobKind = 'next_release.run'

const migration = `import { sql } from 'kysely'
import type { Db } from '../database.ts'

export async function up(db: Db) {
  await db.schema.alterTable('contact').addColumn('next_release_state', 'text', (c) => c.defaultTo('unset')).execute()
  await sql\`create table next_release_run (payload text not null, process integer not null)\`.execute(db)
}
`

const handler = `
    '${nextJobKind}': async (payload: unknown) => {
      await sql\`insert into next_release_run values (\${JSON.stringify(payload)}, \${process.pid})\`.execute(services.db)
    },`

/** A folder with the sources of this release and the changes above. */
export function nextRelease(): string {
  const folder = path.join(inject('runFolder'), 'release-next')
  if (existsSync(folder)) return folder
  mkdirSync(folder)
  for (const name of ['src', 'package.json', 'tsconfig.json']) {
    cpSync(path.join(repository, name), path.join(folder, name), { recursive: true })
  }
  symlinkSync(path.join(repository, 'node_modules'), path.join(folder, 'node_modules'))
  writeFileSync(path.join(folder, 'src/db/migrations/9999_next_release.ts'), migration)
  change(folder, 'package.json', /"version": "[^"]*"/, `"version": "${nextVersion}"`)
  change(
    folder,
    'src/db/migrate.ts',
    /^import /m,
    "import * as nextRelease from './migrations/9999_next_release.ts'\nimport ",
  )
  change(
    folder,
    'src/db/migrate.ts',
    /(export const migrations[^[]*\[\] = \[[\s\S]*?\n)\]/,
    "$1  { name: 'next_release', up: nextRelease.up },\n]",
  )
  change(folder, 'src/app/job-handlers.ts', /^import /m, "import { sql } from 'kysely'\nimport ")
  change(folder, 'src/app/job-handlers.ts', /(\): JobHandlers \{\n {2}return \{)/, `$1${handler}`)
  return folder
}

function change(folder: string, name: string, pattern: RegExp, text: string): void {
  const file = path.join(folder, name)
  const before = readFileSync(file, 'utf8')
  const after = before.replace(pattern, text)
  if (after === before) throw new Error(`${name} has nothing like ${pattern}: adapt test/kit/next-release.ts`)
  writeFileSync(file, after)
}
