import path from 'node:path'
import { freePort } from '../../test/kit/postgres.ts'
import { perSecond, print, type Row } from '../kit.ts'
import { end, root, run, untilReady } from '../servers.ts'
import { queueFlow } from './adoption.ts'
import { startWriteMeter, writesText } from './database-writes.ts'
import type { Installation } from './installation.ts'
import { cpuSecondsOf } from './processes.ts'
import { startQuietCalls } from './quiet-calls.ts'

// Inbound calls that are answered and hung up at once, as many per second as the system takes with twenty at a time.

const calls = 300
const concurrent = 20

interface Rate {
  perSecond: number
  /** Per call, of each group of processes. */
  cpuMs: number[]
}

export async function setUpRows(installation: Installation, databaseUrl: string): Promise<Row[]> {
  const { json } = await installation.api('GET', '/v1/users')
  const { digits } = await installation.number(queueFlow(json.users[0].id))
  const nodes = installation.lineNodes()
  const groups = [
    [installation.server().child.pid ?? 0],
    nodes.map(({ lineNode }) => lineNode),
    nodes.flatMap(({ media }) => media),
  ]
  await rateOf(digits, installation.sipPort, groups)
  const meter = await startWriteMeter(databaseUrl)
  const product = await rateOf(digits, installation.sipPort, groups)
  const writes = await meter.perCall(calls)
  const bare = await bareStack(digits)
  const [engine = 0, signalling = 0, media = 0] = product.cpuMs
  print(`CPU per set-up: engine ${ms(engine)}, line node ${ms(signalling)}, media program ${ms(media)}`)
  return [
    {
      row: 'call set-ups, answered and hung up, against the SIP stack alone',
      figure: rateText(product),
      baseline: rateText(bare),
      ratio: product.perSecond / bare.perSecond,
    },
    { row: 'CPU of a set-up in the engine', figure: ms(engine) },
    { row: 'CPU of a set-up in line node and media program', figure: ms(signalling + media) },
    { row: 'PostgreSQL per call that is answered and hung up', figure: writesText(writes) },
  ]
}

const ms = (value: number) => `${value.toFixed(1)} ms`
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
const rateText = (rate: Rate) => `${perSecond(rate.perSecond)} (${ms(sum(rate.cpuMs))} of CPU each)`

async function bareStack(digits: string): Promise<Rate> {
  const port = await freePort()
  const args = ['--import', 'tsx', path.join(root, 'bench', 'fleet', 'bare-stack.ts')]
  const child = run(args, { PORT: String(port) })
  await untilReady(child)
  const groups = [[child.pid ?? 0]]
  await rateOf(digits, port, groups)
  const rate = await rateOf(digits, port, groups)
  child.kill('SIGKILL')
  await end(child)
  return rate
}

async function rateOf(to: string, sipPort: number, groups: readonly (readonly number[])[]): Promise<Rate> {
  const cpu = () => Promise.all(groups.map(cpuSecondsOf))
  const [before, from] = [await cpu(), performance.now()]
  const sipp = await startQuietCalls({ to, sipPort, count: calls, concurrent, perSecond: 2_000, seconds: 0 })
  await sipp.ended
  const seconds = (performance.now() - from) / 1_000
  const after = await cpu()
  return {
    perSecond: calls / seconds,
    cpuMs: after.map((one, n) => ((one - (before[n] ?? 0)) / calls) * 1_000),
  }
}
