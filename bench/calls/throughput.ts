import { createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { connectUser } from '../../src/features/accounts/presence/actions.ts'
import { createManualClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { temporaryFolder } from '../servers.ts'
import { type CallOffice, seedOffice } from './office.ts'

const agents = 100

export interface Throughput {
  calls: number
  events: number
  seconds: number
  cpuSeconds: number
}

/** Complete calls through engine, database and events, as fast as one process can; waiting times are skipped. */
export async function throughput(rounds: number): Promise<Throughput> {
  const clock = createManualClock(Date.UTC(2026, 5, 15, 12))
  const config = readConfig({ HOOKSWITCH_MODE: 'sandbox', DATA_DIR: temporaryFolder(), PORT: '1', LOG_LEVEL: 'error' })
  const app = await createApp(
    { ...config, roles: { api: false, calls: true, worker: true } },
    { clock, log: createLog('error') },
  )
  clock.settleWith(app.settle)
  await app.start()
  const office = await seedOffice(app.services, { agents, wrapUpSeconds: 10, ringSeconds: 20, maxWaitSeconds: 0 })
  for (const userId of office.users) {
    const session = { id: `s${userId}`, userId, name: 'default', kind: 'sandbox', owner: '', at: clock.now() } as const
    await connectUser(app.services, office.companyId, session)
  }
  await app.settle()
  await round(app, office)
  await clock.advance(60_000)
  const before = await eventsOf(app, office)
  const started = performance.now()
  const cpuBefore = process.cpuUsage()
  for (let n = 0; n < rounds; n++) {
    await round(app, office)
    await clock.advance(60_000)
  }
  const seconds = (performance.now() - started) / 1_000
  const cpu = process.cpuUsage(cpuBefore)
  const events = (await eventsOf(app, office)) - before
  await app.stop()
  return { calls: rounds * agents, events, seconds, cpuSeconds: (cpu.user + cpu.system) / 1_000_000 }
}

type App = Awaited<ReturnType<typeof createApp>>

async function round({ services, settle }: App, office: CallOffice): Promise<void> {
  const network = services.sandbox?.network
  if (!network) throw new Error('there is no simulated network')
  const caller = { to: office.digits, script: [], patienceSeconds: null }
  await Promise.all(office.users.map((_, n) => network.call({ ...caller, from: `+3361${String(n).padStart(7, '0')}` })))
  await settle()
  for (const kind of ['answer', 'hold', 'unhold', 'hang_up'] as const) {
    await Promise.all(
      office.users.map(async (by) => {
        const key = await services.calls.ofUser(office.companyId, by)
        const reply = await services.calls.send(key ?? '', { kind, by })
        if (!reply.ok) throw new Error(`${kind}: ${reply.why}`)
      }),
    )
    await settle()
  }
}

async function eventsOf({ services }: App, { companyId }: CallOffice): Promise<number> {
  const { n } = await services.db
    .selectFrom('event')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('company_id', '=', companyId)
    .executeTakeFirstOrThrow()
  return Number(n)
}
