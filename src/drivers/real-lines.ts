import path from 'node:path'
import type { MediaId } from '../domain/voice.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { prepareCallSounds } from './call-sounds.ts'
import { createEmbeddedDriver, type EmbeddedDriver } from './embedded.ts'
import { createMediaProcess } from './media-process.ts'
import type { TrunkCallsOptions } from './trunk-calls/options.ts'
import { createTrunkCalls } from './trunk-calls.ts'

export interface RealLinesOptions {
  clock: Clock
  log: Log
  dataDir: string
  sip: { bind: string; port: number; tlsPort: number; publicIp: string | undefined; refusesEmergency: boolean }
  rtp: {
    from: number
    to: number
    browserPort: number
    publicIp: string | undefined
    maxCalls: number
    timeoutMs: number
  }
  tls: { certFile: string; keyFile: string } | undefined
  /** Other processes may use the same data. */
  shared: boolean
  /** The file of an uploaded audio file; undefined while there is none. */
  soundOf(media: MediaId): Promise<string | undefined>
  routeCall: TrunkCallsOptions['routeCall']
  admits: TrunkCallsOptions['admits']
}

const lagAlarmMs = 60

/** Assembles trunks, browsers and the media process. Nothing is opened or started before it is needed. */
export function createRealLines({
  clock,
  log,
  dataDir,
  sip,
  rtp,
  tls,
  shared,
  soundOf,
  routeCall,
  admits,
}: RealLinesOptions): EmbeddedDriver {
  const recordingsFolder = path.join(dataDir, 'recordings')
  // Two legs per call. Emergency calls are not counted, so there is always room for one more.
  const maxLegs = 2 * rtp.maxCalls
  const media = createMediaProcess({
    clock,
    log,
    options: {
      bindAddress: sip.bind,
      publicAddress: rtp.publicIp ?? null,
      trunkPorts: [rtp.from, rtp.to],
      browserPort: rtp.browserPort,
      recordingsFolder,
      maxLegs,
      lagAlarmMs,
      rtpTimeoutMs: rtp.timeoutMs,
    },
  })
  const trunks = createTrunkCalls({
    clock,
    log,
    bind: sip.bind,
    ports: { udp: sip.port, tcp: sip.port, tls: sip.tlsPort },
    publicIp: sip.publicIp,
    mediaIp: rtp.publicIp,
    refusesEmergency: sip.refusesEmergency,
    shared,
    tls,
    routeCall,
    admits,
  })
  return createEmbeddedDriver({
    clock,
    log,
    media,
    sip: trunks,
    prepareSounds: () => prepareCallSounds(path.join(dataDir, 'sounds'), 'en'),
    soundOf,
    maxLegs,
    recordingsFolder,
  })
}
