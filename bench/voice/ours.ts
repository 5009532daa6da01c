import path from 'node:path'
import { createMediaProcess } from '../../src/drivers/media-process.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import type { NodeStats } from '../../src/voice-node/protocol.ts'
import { temporaryFolder } from '../servers.ts'
import type { Carrier } from './carrier.ts'
import { freeRange } from './free-range.ts'

export interface OurCarrier extends Carrier {
  stats(): Promise<NodeStats>
  end(call: number): Promise<void>
}

/** The media program: a room for each call, mixed, and recorded with a channel for each side. */
export async function startOurs(calls: number): Promise<OurCarrier> {
  const [browserPort] = await freeRange(20)
  const media = createMediaProcess({
    clock: systemClock(),
    log: createLog('error'),
    options: {
      bindAddress: '127.0.0.1',
      publicAddress: null,
      trunkPorts: await freeRange(1_000),
      browserPort,
      recordingsFolder: path.join(temporaryFolder(), 'recordings'),
      maxLegs: 2 * calls,
      lagAlarmMs: Number.MAX_SAFE_INTEGER,
      rtpTimeoutMs: 0,
    },
  })
  await media.start()

  return {
    pid: media.pid ?? 0,
    address: '127.0.0.1',
    stats: () => media.request('stats', {}),
    async connect(call, offer, farPort) {
      const { room, browser, trunk } = namesOf(call)
      await media.request('createRoom', { room })
      const { port } = await media.request('openTrunk', { leg: trunk })
      const far = {
        address: '127.0.0.1',
        port: farPort,
        codec: 'PCMU',
        payloadType: 0,
        telephoneEvent: 101,
        direction: 'sendrecv',
        isPrivate: true,
      } as const
      await media.request('connect', { leg: trunk, far })
      const { answer } = await media.request('attachBrowser', { leg: browser, offer })
      for (const leg of [browser, trunk]) await media.request('join', { room, leg, options: {} })
      await media.request('record', { recId: room, target: { room }, options: { channels: 2 } })
      return { answer, port }
    },
    async end(call) {
      const { room, browser, trunk } = namesOf(call)
      await media.request('closeRoom', { room })
      for (const leg of [browser, trunk]) await media.request('close', { leg })
    },
    stop: media.stop,
  }
}

const namesOf = (call: number) => ({ room: `room-${call}`, browser: `browser-${call}`, trunk: `trunk-${call}` })
