import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startPostgres } from '../kit/postgres.ts'
import { callsLoop, problemsOfLoop } from './calls-loop.ts'
import { campaignLoop, problemsOfCampaign } from './campaign-loop.ts'
import { startCluster } from './cluster.ts'
import { crashLoop } from './crash-loop.ts'
import { deliveryLoop, problemsOf } from './delivery-loop.ts'
import { exportLoop, problemsOfExports } from './export-loop.ts'
import { messageLoop, problemsOfMessages } from './message-loop.ts'

// The long form of the crash tests: `npm run chaos [-- KILLS [SEED [PART]]]`, the database being killed a tenth as often.
// PART runs those whose name holds it.
const [kills = '200', seed = String(Date.now()), part = ''] = process.argv.slice(2)
const perRun = { kills: Number(kills), seed: Number(seed) }
const databaseKills = Math.ceil(Number(kills) / 10)
let failed = false
let done = 0

async function run(name: string, work: (folder: string) => Promise<{ report: object; problems: string[] }>) {
  if (!name.includes(part)) return
  done++
  const folder = mkdtempSync(path.join(tmpdir(), 'hookswitch-chaos-'))
  const { report, problems } = await work(folder).finally(() => rmSync(folder, { recursive: true, force: true }))
  failed ||= problems.length > 0
  console.log(`${problems.length === 0 ? 'PASS' : `FAIL (${problems.join(', ')})`} ${name}, seed ${seed}`, report)
}

const writes = (databaseUrl?: string) => async (dataDir: string) => {
  const report = await crashLoop({ ...perRun, dataDir, ...(databaseUrl && { databaseUrl }) })
  const good =
    report.lost + report.wrongEvents + report.wrongTotals === 0 && report.killsWithWorkInFlight >= report.kills * 0.8
  return { report, problems: good ? [] : ['see the counts'] }
}

const deliveries = (databaseUrl?: string) => async (folder: string) => {
  const report = await deliveryLoop({ ...perRun, folder, ...(databaseUrl && { databaseUrl }) })
  return { report, problems: problemsOf(report) }
}

const calls = (databaseUrl?: string) => async (folder: string) => {
  const report = await callsLoop({ ...perRun, folder, ...(databaseUrl && { databaseUrl }) })
  return { report, problems: problemsOfLoop(report) }
}

const messages = (databaseUrl?: string) => async (folder: string) => {
  const report = await messageLoop({ ...perRun, folder, ...(databaseUrl && { databaseUrl }) })
  return { report, problems: problemsOfMessages(report) }
}

const exports = (databaseUrl?: string) => async (folder: string) => {
  const report = await exportLoop({ ...perRun, folder, ...(databaseUrl && { databaseUrl }) })
  return { report, problems: problemsOfExports(report) }
}

const campaigns = (databaseUrl?: string) => async (folder: string) => {
  const report = await campaignLoop({ ...perRun, folder, ...(databaseUrl && { databaseUrl }) })
  return { report, problems: problemsOfCampaign(report) }
}

const loops = { writes, deliveries, calls, messages, exports, campaigns }
for (const [kind, loop] of Object.entries(loops)) await run(`${kind}, embedded store`, loop())
for (const [kind, loop] of Object.entries(loops)) {
  const name = `${kind}, PostgreSQL`
  const postgres = name.includes(part) ? await startPostgres() : undefined
  if (postgres) await run(name, loop(postgres.url)).finally(() => postgres.stop())
  else if (name.includes(part)) console.error(`SKIPPED ${name}: no PostgreSQL server binaries here`)
}
const name = 'deliveries, the database killed'
const cluster = name.includes(part) ? await startCluster() : undefined
if (cluster) {
  await run(name, async (folder) => {
    const where = { folder, databaseUrl: cluster.url, crashDatabase: cluster.crash }
    const report = await deliveryLoop({ ...perRun, ...where, kills: databaseKills })
    return { report, problems: problemsOf(report) }
  }).finally(() => cluster.stop())
} else if (name.includes(part)) console.error(`SKIPPED ${name}: no PostgreSQL server binaries here`)
if (done === 0) console.error(`nothing was run: no part is called ${part}`)
process.exit(failed || done === 0 ? 1 : 0)
