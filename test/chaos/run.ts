import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startPostgres } from '../kit/postgres.ts'
import { crashLoop } from './crash-loop.ts'

// The long form of the crash tests: `npm run chaos [-- KILLS [SEED]]`.
const [kills = '100', seed = String(Date.now())] = process.argv.slice(2)
let failed = false

async function run(name: string, databaseUrl?: string) {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'hookswitch-chaos-'))
  const report = await crashLoop({
    kills: Number(kills),
    seed: Number(seed),
    dataDir,
    ...(databaseUrl && { databaseUrl }),
  })
  rmSync(dataDir, { recursive: true, force: true })
  const good =
    report.lost + report.wrongEvents + report.wrongTotals === 0 && report.killsWithWorkInFlight >= report.kills * 0.8
  failed ||= !good
  console.log(`${good ? 'PASS' : 'FAIL'} crash loop, ${name}, seed ${seed}`, report)
}

await run('embedded store')
const postgres = await startPostgres()
if (postgres) await run('PostgreSQL', postgres.url).finally(() => postgres.stop())
else console.error('SKIPPED: no PostgreSQL server binaries here')
process.exit(failed ? 1 : 0)
