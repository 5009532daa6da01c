import path from 'node:path'
import { cleanup } from 'node-datachannel'
import { createMediaProcess, type MediaProcess } from '../src/drivers/media-process.ts'
import { systemClock } from '../src/lib/clock.ts'
import { createLog } from '../src/lib/log.ts'
import { milliseconds, quantile, type Row, say } from './kit.ts'
import { temporaryFolder } from './servers.ts'
import { farEnd, phone, type Talker } from './voice/talkers.ts'

// What a call costs: a browser, a trunk, the room between them and its recording, as shares of one core of the media
// process. The talkers live in this process and are not counted, but they take their part of the machine.

const settleMs = 2_000
const measureMs = 8_000
const lagAlarmMs = 60

interface Measured {
  corePerCall: number
  lagMs: number
  underrunsPerLegSecond: number
  dropped: number
  packetsPerSecond: number
  memoryMb: number
  setUps: number[]
}

type Kind = 'browser and trunk, recorded' | 'two trunks'

export async function bench(): Promise<Row[]> {
  const plain = await measure(20, 'two trunks')
  say(`20 calls of two trunks: ${percent(plain.corePerCall)} per call`)
  const rows: Row[] = []
  for (const calls of [20, 50]) {
    const { corePerCall, lagMs, underrunsPerLegSecond, dropped, packetsPerSecond, memoryMb, setUps } = await measure(
      calls,
      'browser and trunk, recorded',
    )
    say(
      `${calls} calls: ${packetsPerSecond.toFixed(1)} packets/s to each talker, ${memoryMb.toFixed(0)} MB, ${dropped} dropped`,
    )
    rows.push(
      {
        row: `${calls} recorded calls with a browser, share of a core per call; against two trunks`,
        figure: percent(corePerCall),
        baseline: percent(plain.corePerCall),
        ratio: corePerCall / plain.corePerCall,
        aim: { atMost: 1, of: corePerCall * 100 },
      },
      {
        row: `${calls} calls, latest tick`,
        figure: milliseconds(lagMs),
        aim: { atMost: lagAlarmMs, of: lagMs, onClock: true },
      },
      {
        row: `${calls} calls, underruns per leg and second`,
        figure: underrunsPerLegSecond.toFixed(3),
        aim: { atMost: 0.01, of: underrunsPerLegSecond, onClock: true },
      },
      {
        row: `${calls} calls, offer of a browser until sound can flow, p50`,
        figure: milliseconds(quantile(setUps, 0.5)),
        aim: { atMost: 150, of: quantile(setUps, 0.5), onClock: true },
      },
    )
  }
  cleanup()
  return rows
}

const percent = (share: number) => `${(share * 100).toFixed(2)} %`
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

async function measure(calls: number, kind: Kind): Promise<Measured> {
  const media = createMediaProcess({
    clock: systemClock(),
    log: createLog('error'),
    options: {
      bindAddress: '127.0.0.1',
      publicAddress: null,
      trunkPorts: [24_000, 24_999],
      browserPort: 25_001,
      recordingsFolder: path.join(temporaryFolder(), 'recordings'),
      mostLegs: 2 * calls,
      lagAlarmMs: Number.MAX_SAFE_INTEGER,
    },
  })
  await media.start()
  const talkers: Talker[] = []
  const setUps: number[] = []
  for (let call = 0; call < calls; call++) talkers.push(...(await connect(media, call, kind, setUps)))
  await pause(settleMs)
  const [before, heardBefore] = [await media.ask('stats', {}), heardBy(talkers)]
  const from = performance.now()
  await pause(measureMs)
  const [after, seconds] = [await media.ask('stats', {}), (performance.now() - from) / 1_000]
  const heard = heardBy(talkers) - heardBefore
  for (const talker of talkers) await talker.close()
  await media.stop()
  return {
    corePerCall: (after.cpuMs - before.cpuMs) / 1_000 / seconds / calls,
    lagMs: after.tickLagMs.most,
    underrunsPerLegSecond: (after.underruns - before.underruns) / talkers.length / seconds,
    dropped: after.dropped - before.dropped,
    packetsPerSecond: heard / talkers.length / seconds,
    memoryMb: after.memoryMb,
    setUps,
  }
}

const heardBy = (talkers: readonly Talker[]) => talkers.reduce((sum, { heard }) => sum + heard, 0)

async function connect(media: MediaProcess, call: number, kind: Kind, setUps: number[]): Promise<Talker[]> {
  const room = `room-${call}`
  const legs = [`left-${call}`, `right-${call}`] as const
  const talkers = [
    kind === 'two trunks' ? await farEnd(media, legs[0]) : await phone(media, legs[0], setUps),
    await farEnd(media, legs[1]),
  ]
  await media.ask('createRoom', { room })
  for (const leg of legs) await media.ask('join', { room, leg, options: {} })
  if (kind !== 'two trunks') await media.ask('record', { recId: room, target: { room }, options: { channels: 2 } })
  return talkers
}
