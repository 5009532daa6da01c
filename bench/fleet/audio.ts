import { print, type Row } from '../kit.ts'
import type { LoadGenerator } from '../voice/load-generator.ts'
import { measure, pause, percent } from '../voice/measure.ts'
import { startOurs } from '../voice/ours.ts'
import type { FleetCarrier } from './carrier.ts'
import { openConversations } from './conversations.ts'
import { startWriteMeter, type WriteMeter, writesText } from './database-writes.ts'
import { type Installation, openInstallation } from './installation.ts'
import { cpuSecondsOf, memoryOf, pidsOf } from './processes.ts'

// What a conversation costs in each process: a trunk, a phone app with WebRTC, the room between them and its recording.

const settleMs = 4_000
const measureMs = 8_000

interface Shares {
  /** Of one core, per call. */
  media: number
  signalling: number
  engine: number
  /** Audio packets per second that each party received. */
  packetsPerSecond: number
}

interface Measured extends Shares {
  memoryMb: number
  rows: Row[]
}

export interface AudioOptions {
  carrier: FleetCarrier
  load: LoadGenerator
  /** A database for an installation of its own. */
  database(): Promise<string>
  calls: number
}

export async function audioRows(options: AudioOptions): Promise<Row[]> {
  const { load, calls } = options
  const alone = await mediaAlone(load, calls)
  const one = await conversations(options, 1, calls)
  const two = await conversations(options, 2, 2 * calls)
  const total = one.media + one.signalling + one.engine
  const node = (shares: Shares) => shares.media + shares.signalling
  const factor = (2 * node(one)) / node(two)
  print(`two nodes: ${percent(node(two))} per call, ${two.packetsPerSecond.toFixed(1)} packets/s to each party`)
  return [
    {
      row: `${calls} recorded conversations: media program, against itself without line node and engine`,
      figure: percent(one.media),
      baseline: percent(alone),
      ratio: one.media / alone,
      aim: { atMost: 1.1 },
    },
    { row: 'SIP and protocol of the line node, per call', figure: percent(one.signalling) },
    { row: 'engine and API, per call in conversation', figure: percent(one.engine) },
    { row: 'all three, share of a core per call', figure: percent(total), aim: { atMost: 1, of: total * 100 } },
    { row: 'memory of server, line node and media program per conversation', figure: `${one.memoryMb.toFixed(1)} MB` },
    ...one.rows,
    {
      row: `calls of two line nodes (${2 * calls}) at the CPU of one (${calls}) each, against one`,
      figure: `${percent(node(two))} per call`,
      baseline: `${percent(node(one))} per call`,
      ratio: factor,
      aim: { atLeast: 1.8 },
    },
    {
      row: `packets per second to each of the ${4 * calls} parties, two nodes`,
      figure: two.packetsPerSecond.toFixed(1),
      aim: { atLeast: 49.5, of: two.packetsPerSecond, onClock: true },
    },
  ]
}

/** The measurement of `bench voice`. */
async function mediaAlone(load: LoadGenerator, calls: number): Promise<number> {
  const carrier = await startOurs(calls)
  const { share } = await measure('media program alone', carrier, load, calls, {})
  await carrier.stop()
  await load.ask('leave', {})
  return share
}

async function conversations(options: AudioOptions, nodes: number, calls: number): Promise<Measured> {
  const { carrier, load, database } = options
  const databaseUrl = await database()
  const env = { LINE_NODES: String(nodes) }
  const installation = await openInstallation({ carrierPort: carrier.port, databaseUrl, maxCalls: 2 * calls, env })
  const talks = await openConversations({ installation, databaseUrl, carrier, load, count: calls })
  const memoryBefore = await memoryNow(installation)
  const meter = nodes === 1 ? await startWriteMeter(databaseUrl) : undefined
  for (let n = 0; n < calls; n++) await talks.begin(n, installation.sipPort + 10 * (n % nodes))
  const shares = await sharesOf(installation, load, calls)
  const memoryMb = ((await memoryNow(installation)) - memoryBefore) / calls
  await talks.endAll()
  talks.close()
  const rows = meter ? await costsOf(installation, meter, calls) : []
  await installation.stop()
  return { ...shares, memoryMb, rows }
}

/** Known when all recordings are stored. */
async function costsOf(installation: Installation, meter: WriteMeter, calls: number): Promise<Row[]> {
  const bytesPerSecond = await storedPerSecond(installation, calls)
  return [
    {
      row: 'PostgreSQL per recorded conversation, set-up to recording',
      figure: writesText(await meter.perCall(calls)),
    },
    { row: 'storage of an hour of recording, MP3', figure: `${((bytesPerSecond * 3_600) / 1e6).toFixed(1)} MB` },
  ]
}

async function sharesOf(installation: Installation, load: LoadGenerator, calls: number): Promise<Shares> {
  await pause(settleMs)
  const nodes = installation.lineNodes()
  const groups = [
    nodes.flatMap(({ media }) => media),
    nodes.map(({ lineNode }) => lineNode),
    [installation.server().child.pid ?? 0],
  ]
  const cpu = () => Promise.all(groups.map(cpuSecondsOf))
  await load.ask('received', {})
  const [before, from] = [await cpu(), performance.now()]
  await pause(measureMs)
  const [after, seconds] = [await cpu(), (performance.now() - from) / 1_000]
  const { packets, withoutAudio, lateMs } = await load.ask('received', {})
  if (withoutAudio > 0) throw new Error(`${withoutAudio} of ${2 * calls} parties received no audio`)
  const [media = 0, signalling = 0, engine = 0] = after.map((one, n) => (one - (before[n] ?? 0)) / seconds / calls)
  const packetsPerSecond = packets / 2 / calls / seconds
  print(
    `${calls} conversations on ${nodes.length} line node(s): media ${percent(media)}, SIP ${percent(signalling)}, ` +
      `engine ${percent(engine)}, ${packetsPerSecond.toFixed(1)} packets/s, talkers at most ${lateMs.toFixed(0)} ms late`,
  )
  return { media, signalling, engine, packetsPerSecond }
}

const memoryNow = (installation: Installation) =>
  memoryOf([installation.server().child.pid ?? 0, ...installation.lineNodes().flatMap(pidsOf)])

/** Bytes of recordings per second of call, once all are converted. */
async function storedPerSecond({ api }: Installation, calls: number): Promise<number> {
  for (;;) {
    const { json } = await api('GET', '/v1/calls?order=desc&per_page=50')
    const recorded = json.calls.slice(0, calls).filter((call: { recording: string | null }) => call.recording !== null)
    if (recorded.length === calls) {
      const [{ recording, duration }] = recorded
      const file = await (await fetch(recording)).arrayBuffer()
      return file.byteLength / duration
    }
    await pause(500)
  }
}
