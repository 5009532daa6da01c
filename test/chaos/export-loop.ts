import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Db } from '../../src/db/database.ts'
import { seededRandom } from '../../src/lib/random.ts'
import { createFleet, type Fleet } from './fleet.ts'
import { pollUntil } from './poll.ts'
import type { RoundsOptions, RoundsReport } from './rounds.ts'

// Kills every process again and again while it writes report exports. Each export that was acknowledged must be completed
// after the restart, equal to one that nothing interrupted, published once, with no partial file left in the store.

export interface ExportReport extends RoundsReport {
  /** Rounds in which an acknowledged export was not completed. */
  roundsWithInflight: number
  /** Exports that were being written at a kill. */
  inflight: number
  acknowledged: number
  /** Not completed, or completed without the rows of an uninterrupted one. */
  lost: number
  /** Events beyond the one of each export. */
  duplicated: number
  /** Completed without an event. */
  unpublished: number
  /** Files in the store that belong to no completed export. */
  leftFiles: number
}

const route = '/v1/analytics/report/export'
const exportsPerRound = 3

export async function exportLoop(options: RoundsOptions): Promise<ExportReport> {
  const { kills, seed, folder } = options
  const random = seededRandom(seed)
  // Shared, because any process may serve what another one has written.
  const files = path.join(folder, 'files')
  const fleet = await createFleet({ ...options, env: { FILES_URL: files } })
  try {
    const uninterrupted = await download(fleet, (await request(fleet)) ?? '')
    if (uninterrupted.split('\n').length < 50) throw new Error('the export of the demo company is too small')
    const ids: string[] = []
    let roundsWithInflight = 0
    let inFlight = 0
    let lost = 0
    const rounds = Math.ceil(kills / fleet.members.length)
    for (let round = 0; round < rounds; round++) {
      const asked = Array.from({ length: exportsPerRound }, () => request(fleet))
      const acknowledgement = await Promise.race(asked)
      if (acknowledgement === undefined) throw new Error('no export was acknowledged')
      // Anywhere between the acknowledgement and the last completed export.
      await wait(random.integer(0, 60))
      await fleet.killAll()
      const left = await fleet.read(interrupted)
      if (left.length > 0) roundsWithInflight++
      inFlight += left.filter(({ tries }) => tries > 0).length
      for (const member of fleet.members) await fleet.start(member)
      const acknowledged = (await Promise.all(asked)).flatMap((id) => id ?? [])
      for (const id of acknowledged) if ((await download(fleet, id)) !== uninterrupted) lost++
      ids.push(...acknowledged)
    }
    const codes = await Promise.all(fleet.members.map((member) => fleet.end(member, 'SIGTERM')))
    return {
      seed,
      kills: rounds * fleet.members.length,
      rounds,
      roundsWithInflight,
      inflight: inFlight,
      acknowledged: ids.length,
      lost,
      ...(await fleet.read((db) => audit(db, files))),
      badExits: codes.filter((code) => code !== 0).length,
    }
  } finally {
    await fleet.close()
  }
}

/** Its id; undefined when a kill interrupted the request. */
async function request(fleet: Fleet): Promise<string | undefined> {
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  const absoluteRange = { fromDate: day(-60), toDate: day(-1) }
  const input = { reportName: 'CALLS_HISTORY', filter: { timezone: 'UTC', dateFilter: { absoluteRange } } }
  const api = await fleet.api(first)
  const reply = await api('POST', route, { input }).catch(() => undefined)
  if (reply && reply.status !== 201) throw new Error(`no export: ${reply.status} ${JSON.stringify(reply.json)}`)
  return reply?.json.exportID
}

/** Its content, as soon as it is completed. */
async function download(fleet: Fleet, id: string): Promise<string> {
  const api = await fleet.api(first)
  let url = ''
  await pollUntil(async () => {
    const { json } = await api('GET', `${route}/${id}`)
    url = json.downloadUrl ?? ''
    return json.status !== 'PENDING'
  }, `export ${id} has ended`)
  return url === '' ? '' : (await fetch(url)).text()
}

function first<T>([item]: readonly T[]): T {
  if (item === undefined) throw new Error('no process is running')
  return item
}

/** Exports that are not completed. The leases of the killed processes end now, not in a minute. */
async function interrupted(db: Db): Promise<{ id: string; tries: number }[]> {
  await db.updateTable('job').set({ leased_until: 1 }).where('leased_until', '>', 1).execute()
  return db.selectFrom('analytics_export').select(['id', 'tries']).where('status', '=', 'PENDING').execute()
}

/** Of all exports, including those whose acknowledgement a kill interrupted. */
async function audit(db: Db, store: string) {
  const exports = await db.selectFrom('analytics_export').select(['id', 'file', 'status', 'created_by']).execute()
  const events = await db
    .selectFrom('event')
    .select('resource_key')
    .where('name', '=', 'analytics.report_created')
    .execute()
  const published = new Set(events.map(({ resource_key }) => resource_key))
  const completed = exports.filter(({ status }) => status === 'COMPLETED')
  const files = new Set(completed.map(({ file }) => file))
  const stored = await readdir(path.join(store, 'exports'), { recursive: true, withFileTypes: true })
  const names = stored.flatMap((entry) => (entry.isFile() ? [path.join(entry.parentPath, entry.name)] : []))
  // The demo company has an export of its past by a user, without an event.
  const ours = completed.filter(({ created_by }) => created_by === null)
  return {
    duplicated: events.length - published.size,
    unpublished: ours.filter(({ id }) => !published.has(`export:${id}`)).length,
    leftFiles: names.filter((name) => !files.has(path.relative(store, name))).length,
  }
}

/** Empty when the report is good. */
export function problemsOfExports(report: ExportReport): string[] {
  const { rounds, lost, duplicated, unpublished, leftFiles, badExits } = report
  const none = { lost, duplicated, unpublished, leftFiles, badExits }
  return [
    ...Object.entries(none).flatMap(([name, count]) => (count > 0 ? [`${name}: ${count}`] : [])),
    ...(report.roundsWithInflight < rounds * 0.8 ? ['too few rounds with an export in flight'] : []),
    ...(report.acknowledged < rounds ? ['too few exports'] : []),
  ]
}
