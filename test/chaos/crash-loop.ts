import { openDatabase } from '../../src/db/database.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { seededRandom } from '../../src/lib/random.ts'
import { type Api, clientOf, ended, launch } from './server.ts'

// Kills the built server with SIGKILL while clients write, starts it again on the same data, and looks for what was promised:
// every acknowledged contact exists with exactly one contact.created, and the total is exact.

export interface CrashReport {
  kills: number
  killsWithWorkInFlight: number
  acknowledged: number
  lost: number
  wrongEvents: number
  wrongTotals: number
}

export async function crashLoop(options: { kills: number; seed: number; dataDir: string; databaseUrl?: string }) {
  const random = seededRandom(options.seed)
  const report: CrashReport = {
    kills: 0,
    killsWithWorkInFlight: 0,
    acknowledged: 0,
    lost: 0,
    wrongEvents: 0,
    wrongTotals: 0,
  }
  const promised = new Set<number>()

  for (let round = 0; round <= options.kills; round++) {
    const server = await launch(options)
    const api = clientOf(server, options.dataDir)
    await inspect(api, promised, report)
    if (round === options.kills) {
      server.child.kill('SIGTERM')
      await ended(server.child)
      break
    }
    const target = promised.size + random.integer(5, 60)
    const flight = { now: 0 }
    const acknowledged = (id: number) => {
      promised.add(id)
      if (promised.size !== target) return
      if (flight.now > 1) report.killsWithWorkInFlight++
      server.child.kill('SIGKILL')
      report.kills++
    }
    const writers = Array.from({ length: 8 }, () => writeUntilKilled(api, flight, acknowledged))
    await ended(server.child)
    await Promise.all(writers)
  }
  report.acknowledged = promised.size
  report.wrongEvents = await countWrongEvents(options, promised)
  return report
}

async function writeUntilKilled(api: Api, flight: { now: number }, acknowledged: (id: number) => void): Promise<void> {
  const body = { first_name: 'Crash', phone_numbers: [{ label: 'Work', value: '+33199001234' }] }
  for (;;) {
    flight.now++
    try {
      const { status, json } = await api('POST', '/v1/contacts', body)
      if (status === 201) acknowledged(json.contact.id)
    } catch {
      return
    } finally {
      flight.now--
    }
  }
}

async function inspect(api: Api, promised: Set<number>, report: CrashReport): Promise<void> {
  const found = new Set<number>()
  let total = 0
  for (let page = 1; ; page++) {
    const { json } = await api('GET', `/v1/contacts?per_page=50&page=${page}`)
    total = json.meta.total
    for (const { id } of json.contacts) found.add(id)
    if (json.meta.next_page_link === null) break
  }
  for (const id of promised) if (!found.has(id)) report.lost++
  if (total !== found.size) report.wrongTotals++
}

/** Whether or not its answer arrived: an existing contact has one event, a missing one has none. */
async function countWrongEvents(
  where: { dataDir: string; databaseUrl?: string },
  promised: Set<number>,
): Promise<number> {
  const { dataDir: folder, databaseUrl: url } = where
  const options = url ? { kind: 'postgres' as const, url, poolSize: 2 } : { kind: 'embedded' as const, folder }
  const { db, close } = await openDatabase(options, systemClock())
  const events = await db.selectFrom('event').select('resource_key').where('name', '=', 'contact.created').execute()
  const contacts = await db.selectFrom('contact').select('id').where('first_name', '=', 'Crash').execute()
  await close()
  const eventCounts = new Map<string, number>()
  for (const { resource_key } of events) eventCounts.set(resource_key, (eventCounts.get(resource_key) ?? 0) + 1)
  const there = new Set(contacts.map(({ id }) => `contact:${id}`))
  const wrongCounts = [...there].filter((key) => eventCounts.get(key) !== 1).length
  const phantoms = [...eventCounts.keys()].filter((key) => !there.has(key)).length
  const missing = [...promised].filter((id) => !there.has(`contact:${id}`)).length
  return wrongCounts + phantoms + missing
}
