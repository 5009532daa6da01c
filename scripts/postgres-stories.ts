// Chooses the feature tests that the full run repeats on PostgreSQL: few stories that together run every statement which no
// test of both databases runs. Runs all of them on the embedded store, which takes some minutes.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { StoryRecord } from '../test/kit/statements.ts'

const root = path.resolve(import.meta.dirname, '..')
/** What a story on PostgreSQL takes in addition: its database. */
const databaseMs = 300

const folder = mkdtempSync(path.join(tmpdir(), 'hookswitch-stories-'))
const records = recordStories(path.join(folder, 'stories.jsonl'))
rmSync(folder, { recursive: true })
const everywhere = new Set(records.filter(({ kind }) => kind === 'both').flatMap(({ statements }) => statements))
const features = records.filter(({ kind }) => kind === 'any')
const stories = choose(features)
const statements = [...new Set(records.flatMap((record) => record.statements))].sort()
const file = path.join(root, 'test/kit/postgres-stories.json')
writeFileSync(file, `${JSON.stringify({ stories, statements }, null, 2)}\n`)
console.log(`${stories.length} of ${features.length} stories also run on PostgreSQL`)

function recordStories(target: string): StoryRecord[] {
  const files = ['src', 'test'].flatMap((top) =>
    readdirSync(path.join(root, top), { recursive: true, encoding: 'utf8' }).map((name) => path.join(top, name)),
  )
  const usesStore = (name: string) => /on(Any|Both)Database/.test(readFileSync(path.join(root, name), 'utf8'))
  const tests = files.filter((name) => name.endsWith('.test.ts') && usesStore(name))
  const command = ['vitest', 'run', '--maxWorkers=2', ...tests]
  const env = { ...process.env, TEST_STATEMENTS: target, TEST_DEPTH: 'quick' }
  const { status } = spawnSync('npx', command, { cwd: root, stdio: 'inherit', env })
  if (status !== 0 || !existsSync(target)) throw new Error('only stories that pass can be chosen')
  const lines = readFileSync(target, 'utf8').trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line))
}

/** The next story is always the one with the most statements that are still missing, for its duration. */
function choose(candidates: readonly StoryRecord[]): string[] {
  const missing = new Set(candidates.flatMap(({ statements }) => statements).filter((one) => !everywhere.has(one)))
  const chosen: string[] = []
  while (missing.size > 0) {
    const gain = ({ statements, ms }: StoryRecord) =>
      statements.filter((one) => missing.has(one)).length / (ms + databaseMs)
    const best = candidates.reduce((one, other) => (gain(other) > gain(one) ? other : one))
    chosen.push(best.story)
    for (const statement of best.statements) missing.delete(statement)
  }
  return chosen.sort()
}
