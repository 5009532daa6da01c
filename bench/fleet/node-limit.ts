import { print, type Row } from '../kit.ts'
import type { LoadGenerator } from '../voice/load-generator.ts'
import { pause } from '../voice/measure.ts'
import type { AudioOptions } from './audio.ts'
import { openConversations } from './conversations.ts'
import { cpuQuota, cpuQuotaIsMissing } from './cpu-quota.ts'
import { openInstallation } from './installation.ts'
import { pidsOf } from './processes.ts'

// How many conversations line nodes carry until their parties no longer receive all packets. Each node has the same share
// of a core, so that two nodes at their limit leave enough of two cores to the callers and the engine.

/** Of a core, for each node. */
const share = 0.1
const most = 40
const stepPerNode = 2
/** Without the limit: code is compiled while the first calls run. */
const warmUpMs = 10_000
const settleMs = 4_000
const measureMs = 4_000
/** Of the 50 that are sent. */
const fullRate = 49.5

export async function nodeLimitRows(options: AudioOptions): Promise<Row[]> {
  const missing = cpuQuotaIsMissing()
  if (missing !== null)
    return [{ row: 'conversations of two line nodes at their limit', figure: `skipped: ${missing}` }]
  const one = await limitOf(options, 1)
  const two = await limitOf(options, 2)
  return [
    {
      row: `conversations at the full packet rate, two line nodes with ${share * 100} % of a core each, against one`,
      figure: String(two),
      baseline: String(one),
      ratio: two / one,
      aim: { atLeast: 1.8 },
    },
  ]
}

async function limitOf({ carrier, load, database }: AudioOptions, nodes: number): Promise<number> {
  const databaseUrl = await database()
  const count = nodes * most
  const env = { LINE_NODES: String(nodes) }
  const installation = await openInstallation({ carrierPort: carrier.port, databaseUrl, maxCalls: 500, env })
  const talks = await openConversations({ installation, databaseUrl, carrier, load, count })
  let calls = 0
  const add = async () => {
    for (const until = calls + nodes * stepPerNode; calls < until; calls++) {
      await talks.begin(calls, installation.sipPort + 10 * (calls % nodes))
    }
  }
  await add()
  await pause(warmUpMs)
  const quotas = installation.lineNodes().map((node, n) => {
    const quota = cpuQuota(String(n), share)
    quota.limit(pidsOf(node))
    return quota
  })
  let carried = 0
  let isAtLimit = false
  while (calls < count && !isAtLimit) {
    const rate = await packetRate(load, calls)
    print(`${nodes} line node(s), ${calls} conversations: ${rate.toFixed(1)} packets/s to each party`)
    isAtLimit = rate < fullRate
    if (isAtLimit) continue
    carried = calls
    await add()
  }
  await talks.endAll()
  talks.close()
  await installation.stop()
  for (const quota of quotas) await removed(quota.remove)
  if (!isAtLimit)
    throw new Error(`${nodes} line node(s) carried all ${carried} conversations: lower the share of a core`)
  return carried
}

/** The best of three: a set-up costs as much as seconds of a conversation, and so does compiled code that is new. */
async function packetRate(load: LoadGenerator, calls: number): Promise<number> {
  let best = 0
  for (let round = 0; round < 3 && best < fullRate; round++) best = Math.max(best, await roundOf(load, calls))
  return best
}

async function roundOf(load: LoadGenerator, calls: number): Promise<number> {
  await pause(settleMs)
  await load.ask('received', {})
  const from = performance.now()
  await pause(measureMs)
  const { packets } = await load.ask('received', {})
  return packets / 2 / calls / ((performance.now() - from) / 1_000)
}

/** A control group can be removed once its processes are gone, shortly after they were killed. */
async function removed(remove: () => void): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    try {
      return remove()
    } catch {
      await pause(50)
    }
  }
}
