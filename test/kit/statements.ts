import { createHash } from 'node:crypto'
import { appendFileSync, readFileSync } from 'node:fs'
import SqliteFile from 'libsql'
import { afterEach, beforeEach, type TestContext } from 'vitest'

// In the full run a story of a feature is repeated on PostgreSQL only if SQL is at stake: if it is one of the stories that
// together run every statement of all feature tests, or if it runs a statement that is not known yet. `npm run
// postgres-stories` chooses the stories again; see docs/decisions/0078.

const { stories, statements } = JSON.parse(
  readFileSync(new URL('./postgres-stories.json', import.meta.url), 'utf8'),
) as { stories: string[]; statements: string[] }
const chosen = new Set(stories)
const known = new Set(statements)

/** The file that stories and their statements are written to, to choose again. */
export const recordingFile = process.env.TEST_STATEMENTS

export interface StoryRecord {
  /** Feature tests, or tests that always run on both databases. */
  kind: 'any' | 'both'
  story: string
  ms: number
  statements: string[]
}

/** Statements of the stories on the embedded store so far, by story. */
const noted = new Map<string, Set<string>>()
let current: Set<string> | undefined

/** In a suite on the embedded store. */
export function noteStatements(kind: 'any' | 'both'): void {
  watchStatements()
  let startedAt = 0
  beforeEach(({ task }) => {
    startedAt = performance.now()
    current = new Set()
    noted.set(nameOf(task), current)
  })
  afterEach(({ task }) => {
    if (recordingFile) {
      const ms = performance.now() - startedAt
      const line: StoryRecord = { kind, story: nameOf(task), ms, statements: [...(current ?? [])] }
      appendFileSync(recordingFile, `${JSON.stringify(line)}\n`)
    }
    current = undefined
  })
}

/** In the same suite on PostgreSQL, which runs after it. */
export function leaveOutCovered(title: string): void {
  const mustRun = stories.filter((story) => story.startsWith(`${title} > `))
  const added = new Set<string>()
  beforeEach(({ task, skip }) => {
    const own = noted.get(nameOf(task))
    // After a renaming it is unknown which story has replaced the chosen one.
    const isComplete = mustRun.every((story) => noted.has(story))
    if (!own || !isComplete || chosen.has(nameOf(task))) return
    const unknown = [...own].filter((statement) => !known.has(statement) && !added.has(statement))
    for (const statement of unknown) added.add(statement)
    if (unknown.length > 0) return
    task.meta.isCovered = true
    skip('other stories run its statements on PostgreSQL')
  })
}

declare module 'vitest' {
  interface TaskMeta {
    /** Its statements run on PostgreSQL in other stories: not counted as skipped. */
    isCovered?: boolean
  }
}

/** Equal on both databases. */
const nameOf = ({ fullTestName }: TestContext['task']): string =>
  fullTestName.replace(/ \((embedded store|PostgreSQL)\)/, '')

let isWatching = false

function watchStatements(): void {
  if (isWatching) return
  isWatching = true
  const files = SqliteFile.prototype as unknown as { prepare(sql: string): Executable }
  const { prepare } = files
  files.prepare = function (sql) {
    const statement = prepare.call(this, sql)
    const key = keyOf(sql)
    for (const way of ['all', 'run'] as const) {
      const execute = statement[way].bind(statement)
      statement[way] = (parameters) => {
        try {
          const result = execute(parameters)
          current?.add(key)
          return result
        } catch (error) {
          // The databases also report constraints differently.
          current?.add(`${key}!`)
          throw error
        }
      }
    }
    return statement
  }
}

type Executable = Record<'all' | 'run', (parameters: unknown) => unknown>

/** The same for lists of any length. */
function keyOf(sql: string): string {
  const shape = sql.replace(/\(\?(, \?)+\)/g, '(?)').replace(/\(\?\)(, \(\?\))+/g, '(?)')
  return createHash('sha256').update(shape).digest('hex').slice(0, 10)
}
