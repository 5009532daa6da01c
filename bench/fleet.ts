import { type PostgresServer, startPostgres } from '../test/kit/postgres.ts'
import { type Adoption, adoption, type Successor } from './fleet/adoption.ts'
import { type AudioOptions, audioRows } from './fleet/audio.ts'
import { type FleetCarrier, openFleetCarrier } from './fleet/carrier.ts'
import { query } from './fleet/database-writes.ts'
import { openInstallation } from './fleet/installation.ts'
import { nodeLimitRows } from './fleet/node-limit.ts'
import { sippIsMissing } from './fleet/quiet-calls.ts'
import { setUpRows } from './fleet/set-ups.ts'
import { milliseconds, print, type Row } from './kit.ts'
import { buildProgram } from './servers.ts'
import { startLoadGenerator } from './voice/load-generator.ts'

// Line nodes: how soon calls are adopted after a crash, call set-ups per second, and what conversations cost on one and
// on two nodes. The figures of docs/pages/capacity.md are from here.

/** Of a node: half of it stays in use while ticks are late. */
const maxCalls = 1_000
const conversations = 20

export async function bench(): Promise<Row[]> {
  const missing = sippIsMissing()
  if (missing !== null) return [{ row: 'everything', figure: `skipped: ${missing}` }]
  await buildProgram()
  const postgres = await startPostgres(undefined, { durable: true })
  if (!postgres) return [{ row: 'everything', figure: 'skipped: PostgreSQL is not installed' }]
  print(
    'calls to be adopted have no RTP: they are on hold from the beginning; conversations have audio and are recorded',
  )
  const carrier = await openFleetCarrier()
  const database = databasesOf(postgres)
  const rows = [...(await adoptions(carrier, database)), ...(await setUps(carrier, database))]
  const load = startLoadGenerator()
  const audio: AudioOptions = { carrier, load, database, calls: conversations }
  rows.push(...(await audioRows(audio)), ...(await nodeLimitRows(audio)))
  await load.stop()
  carrier.close()
  await postgres.stop()
  return rows
}

type NewDatabase = () => Promise<string>

function databasesOf({ url }: PostgresServer): NewDatabase {
  let count = 0
  return async () => {
    const name = `fleet${++count}`
    await query(url, `create database ${name}`)
    return url.replace(/\/postgres$/, `/${name}`)
  }
}

const aims = [
  { calls: 1, seconds: 1 },
  { calls: 50, seconds: 2 },
  { calls: 500, seconds: 5 },
] as const

async function adoptions(carrier: FleetCarrier, database: NewDatabase): Promise<Row[]> {
  const rows: Row[] = []
  for (const { calls, seconds } of aims) {
    const databaseUrl = await database()
    rows.push(...adoptionRows(await adopted(carrier, calls, 'restart', databaseUrl), 'PostgreSQL, restart', seconds))
  }
  rows.push(...adoptionRows(await adopted(carrier, 500, 'restart'), 'SQLite, restart', 5))
  const databaseUrl = await database()
  rows.push(...adoptionRows(await adopted(carrier, 500, 'standby', databaseUrl), 'PostgreSQL, standby', 5))
  return rows
}

async function adopted(
  carrier: FleetCarrier,
  calls: number,
  successor: Successor,
  databaseUrl?: string,
): Promise<Adoption> {
  const place = databaseUrl === undefined ? {} : { databaseUrl }
  const installation = await openInstallation({ carrierPort: carrier.port, maxCalls, ...place })
  const result = await adoption(installation, calls, successor)
  await installation.stop()
  return result
}

function adoptionRows({ calls, ...of }: Adoption, how: string, seconds: number): Row[] {
  const what = calls === 1 ? '1 call' : `${calls} calls`
  const memory = ((of.memory.busy - of.memory.idle) / calls).toFixed(2)
  const row: Row = {
    row: `${how}: ${what}, until each has executed a command, against the same commands before the kill`,
    figure: `${milliseconds(of.acceptedMs)} (resumed ${milliseconds(of.resumedMs)}; from the kill ${milliseconds(of.fromKill.acceptedMs)})`,
    baseline: milliseconds(of.commandsMs),
    ratio: of.acceptedMs / of.commandsMs,
    aim: { atMost: seconds, of: of.acceptedMs / 1_000, onClock: true },
  }
  return calls === 500 ? [row, { row: `${how}: memory per call without RTP`, figure: `${memory} MB` }] : [row]
}

async function setUps(carrier: FleetCarrier, database: NewDatabase): Promise<Row[]> {
  const databaseUrl = await database()
  const installation = await openInstallation({ carrierPort: carrier.port, maxCalls, databaseUrl })
  const rows = await setUpRows(installation, databaseUrl)
  await installation.stop()
  return rows
}
