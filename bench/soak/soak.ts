import path from 'node:path'
import { cleanup } from 'node-datachannel'
import { openCarrier } from '../../test/kit/carrier.ts'
import { type Installation, openInstallation } from '../fleet/installation.ts'
import { median, print } from '../kit.ts'
import { buildProgram, end } from '../servers.ts'
import { pause } from '../voice/measure.ts'
import { launchSource, type Remote } from '../webhooks/remote.ts'
import { type Agents, openAgents } from './agents.ts'
import { audit } from './audit.ts'
import { type Callers, openNumbers, startCallers } from './callers.ts'
import { type ApiTraffic, type Company, connectUsers, openCompanies, startApiTraffic } from './companies.ts'
import { startDashboards } from './dashboards.ts'
import { inject } from './faults.ts'
import { createLoops, type Loops } from './loops.ts'
import { outageOf, type Plan } from './plan.ts'
import type { SoakReceiverActions } from './receiver-program.ts'
import { judge } from './report.ts'
import { createSamples, type Samples } from './samples.ts'
import { postgresStore, type Store, sqliteStore } from './store.ts'

export interface Soak {
  /** Resolves with the problems found. */
  run(signal: AbortSignal): Promise<string[]>
  close(): Promise<void>
}

const agentCount = 6
const conversations = 4
const windDownMs = 150_000
const quietPolls = 3
const minTalkMs = 3_000

export async function openSoak(plan: Plan): Promise<Soak> {
  await buildProgram()
  const warnings = new Map<string, { count: number; line: string }>()
  const store = plan.database === 'postgres' ? await postgresStore() : sqliteStore()
  const receiver = launchSource<SoakReceiverActions>(path.join(import.meta.dirname, 'receiver-program.ts'))
  const base = `http://127.0.0.1:${await receiver.ask('open')}`
  let sipPort = 0
  const carrier = await openCarrier(() => sipPort)
  const installation = await openInstallation({
    carrierPort: carrier.port,
    maxCalls: 40,
    ...(store.databaseUrl && { databaseUrl: store.databaseUrl }),
    onWarning(event, line) {
      const known = warnings.get(event)
      warnings.set(event, { count: (known?.count ?? 0) + 1, line: known?.line ?? line })
    },
  })
  sipPort = installation.sipPort
  const companies = await openCompanies(installation, base)
  const userIds = await newAgents(installation, store)
  const [agentIds, nobody = 0] = [userIds.slice(0, agentCount), userIds[agentCount]]
  const numbers = await openNumbers(installation, agentIds, nobody)
  await connectUsers(companies, userIds)
  const lastCall = await newestCall(installation)
  const loops = createLoops()
  const agents = openAgents(installation, agentIds)
  const samples = createSamples({ installation, store, lateness: () => receiver.ask('lateness') })

  async function run(signal: AbortSignal): Promise<string[]> {
    const traffic = startApiTraffic(loops, companies)
    startDashboards(loops, installation)
    const callers = startCallers(loops, carrier, numbers, conversations)
    const load = { plan, installation, store, receiver, samples, traffic, callers, signal }
    print(`soak on ${plan.database} for ${plan.durationMs / 60_000} minutes`)
    const failures = await observe(load)
    await loops.stop()
    const judged = judge(samples, plan.warmUpMs)
    console.log(`\n${judged.lines.join('\n')}\n`)
    tell({ loops, callers, agents, traffic, samples })
    if (signal.aborted) return judged.problems
    await untilQuiet(traffic, receiver)
    await agents.close()
    const { child } = installation.server()
    await end(child)
    if (child.exitCode !== 0) failures.push(`the server ended with exit code ${child.exitCode} when it was stopped`)
    const { dataDir } = installation
    const found = await audit({ store, dataDir, lastCall, placed: callers.placed, traffic, receiver })
    console.log(`calls stored: ${found.calls}; deliveries:`, found.deliveries, await receiver.ask('counts'))
    for (const [event, { count, line }] of warnings)
      console.log(`log: ${count} × ${event}, first: ${line.slice(0, 300)}`)
    return [...failures, ...judged.problems, ...found.problems, ...wrongOf(traffic, callers, agents)]
  }

  return {
    run,
    async close() {
      await loops.stop()
      await agents.close()
      await installation.stop()
      await carrier.close()
      await receiver.stop()
      await store.stop()
      cleanup()
    },
  }
}

interface Load {
  plan: Plan
  installation: Installation
  store: Store
  receiver: Remote<SoakReceiverActions>
  samples: Samples
  traffic: ApiTraffic
  callers: Callers
  signal: AbortSignal
}

/** Samples and faults until the time is over; resolves with the faults that could not be injected. */
async function observe({ plan, samples, signal, callers, traffic, ...parts }: Load): Promise<string[]> {
  const began = performance.now()
  const elapsed = () => performance.now() - began
  const setOutage = async (is: boolean) => void (await parts.receiver.ask('outage', is))
  const options = { ...parts, setOutage, outageMs: outageOf(plan), activeCalls: callers.active }
  const faults = [...plan.faults]
  // One after the other: on a busy machine a start can last longer than the time until the next fault.
  let injected = Promise.resolve()
  const failures: string[] = []
  for (let due = 0; elapsed() < plan.durationMs && !signal.aborted; ) {
    await pause(Math.min(250, plan.sampleMs))
    const [next] = faults
    if (next && elapsed() >= next.atMs) {
      faults.shift()
      injected = injected
        .then(() => inject(next, options))
        .then(print, (error) => void failures.push(`${next.kind}: ${error}`))
    }
    if (elapsed() < due) continue
    due += plan.sampleMs
    print(await samples.take(callers.placed.length + traffic.calls.length))
  }
  await injected
  return failures
}

/** Users whose invitation counts as accepted; the last one is never connected. */
async function newAgents({ api, dataDir }: Installation, store: Store): Promise<number[]> {
  const ids: number[] = []
  for (let n = 0; n <= agentCount; n++) {
    const user = { email: `agent${n}@soak.test`, first_name: 'Agent', last_name: String(n) }
    const made = await api('POST', '/v2/users', user)
    if (made.status !== 201) throw new Error(`no user: ${made.text}`)
    ids.push(made.json.user.id)
  }
  await store.execute(dataDir, `update "user" set confirmed_at = 1 where email like 'agent%@soak.test'`)
  return ids
}

async function newestCall({ api }: Installation): Promise<number> {
  const { json } = await api('GET', '/v1/calls?order=desc&per_page=1')
  return json.calls[0]?.id ?? 0
}

/** Calls have ended and healthy receivers have everything, or the time for that is over: the audit finds what is missing. */
async function untilQuiet({ companies }: ApiTraffic, receiver: Remote<SoakReceiverActions>): Promise<void> {
  const until = performance.now() + windDownMs
  let received = -1
  for (let polls = 0; polls < quietPolls && performance.now() < until; polls++) {
    await pause(5_000)
    const { healthy } = await receiver.ask('counts')
    if (healthy !== received || (await isOnCall(companies))) polls = -1
    received = healthy
  }
}

async function isOnCall(companies: readonly Company[]): Promise<boolean> {
  const open = await Promise.all(
    companies.map(async ({ api }) => {
      const { json } = await api('GET', '/v1/calls?order=desc&per_page=50')
      return json.calls.some(({ status }: { status: string }) => status !== 'done')
    }),
  )
  return open.includes(true)
}

interface Told {
  loops: Loops
  callers: Callers
  agents: Agents
  traffic: ApiTraffic
  samples: Samples
}

function tell({ loops, callers, agents, traffic, samples }: Told): void {
  for (const [name, count] of loops.done)
    console.log(`${name}: ${count}, ${loops.failed.get(name) ?? 0} without an answer`)
  const { placed } = callers
  const rejected = placed.filter(({ rejection }) => rejection !== undefined)
  console.log(
    `SIP calls: ${placed.length}, ${placed.filter(({ isAnswered }) => isAnswered).length} answered, ` +
      `${rejected.length} rejected; answered in the phone app: ${agents.answered()}`,
  )
  console.log(
    `acknowledged changes: ${traffic.changes.length}, simulated calls: ${traffic.calls.length}, messages: ${traffic.messages.length}`,
  )
  const cores = (kind: 'own' | 'machine') => median(samples.cores.map((each) => each[kind])).toFixed(2)
  if (samples.cores.length > 0)
    console.log(`cores in use, median: ${cores('own')} by the installation, ${cores('machine')} by all of the machine`)
}

function wrongOf({ wrong }: ApiTraffic, { placed }: Callers, agents: Agents): string[] {
  const silent = placed.filter(({ to, talkedMs, hasAudio }) => to === 'agents' && talkedMs > minTalkMs && !hasAudio)
  return [
    ...[...wrong].map(([what, count]) => `${count} × ${what}`),
    ...(silent.length > 0
      ? [`${silent.length} callers received no audio: ${silent.map(({ from }) => from).join(', ')}`]
      : []),
    ...agents.errors(),
    ...(agents.withoutAudio() > 0 ? [`${agents.withoutAudio()} conversations without audio in the phone app`] : []),
  ]
}
