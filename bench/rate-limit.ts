import { openDatabase } from '../src/db/database.ts'
import { migrate } from '../src/db/migrate.ts'
import { rateStore } from '../src/features/accounts/credentials/store.ts'
import { countByLeases, countInMemory, type RateLimit } from '../src/http/rate-limit.ts'
import { minute, systemClock } from '../src/lib/clock.ts'
import { createLog } from '../src/lib/log.ts'
import { startPostgres } from '../test/kit/postgres.ts'
import { microseconds, print, type Row } from './kit.ts'

const aim = 50

/** CPU time of the process per request; time spent waiting for PostgreSQL is not counted. */
export async function rateLimitRows(): Promise<Row[]> {
  const clock = systemClock()
  const memory = countInMemory(Number.POSITIVE_INFINITY, clock)
  await cpuPerSpending(memory, 50_000)
  const rows = [row('rate limit in memory, CPU per request', await cpuPerSpending(memory, 200_000))]
  const server = await startPostgres()
  if (!server) {
    print('PostgreSQL is not installed: its leases were not measured')
    return rows
  }
  try {
    return [...rows, ...(await leaseRows(server.url))]
  } finally {
    await server.stop()
  }
}

async function leaseRows(url: string): Promise<Row[]> {
  const log = createLog('silent')
  const machine = systemClock()
  const database = await openDatabase({ kind: 'postgres', url, poolSize: 4 }, machine)
  await migrate(database, { clock: machine, log })
  // A new minute begins after 120 requests, so that each window is spent from its first request to its last.
  let windows = 0
  const clock = { ...machine, machineNow: () => machine.machineNow() + windows * minute }
  const spendWindows = async (limit: RateLimit, count: number) => {
    let cpu = 0
    for (let i = 0; i < count; i++) {
      windows++
      cpu += await cpuPerSpending(limit, 120)
    }
    return cpu / count
  }
  const usual = countByLeases(120, clock, rateStore(database.db))
  const high = countByLeases(1_000_000, clock, rateStore(database.db))
  await spendWindows(usual, 50)
  const whole = await spendWindows(usual, 100)
  const leased = await cpuPerSpending(high, 10_000)
  await usual.stop()
  await high.stop()
  await database.close()
  print('rate limit by leases measured')
  return [
    row('rate limit by leases (PostgreSQL), far from the limit', leased),
    row('rate limit by leases (PostgreSQL), whole windows of 120', whole),
  ]
}

async function cpuPerSpending(limit: RateLimit, count: number): Promise<number> {
  const before = process.cpuUsage()
  for (let i = 0; i < count; i++) await limit.spend(1)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / count
}

const row = (name: string, value: number): Row => ({
  row: name,
  figure: microseconds(value),
  aim: { atMost: aim, of: value },
})
