import path from 'node:path'
import type { Config } from '../config.ts'
import type { LineNodeSettings } from '../drivers/line-node/driver.ts'
import { receiversOf } from './network.ts'

/** The settings of the line node of this machine. */
export function lineNodeSettings(config: Config): LineNodeSettings {
  const { voice, tls, tenancy, database, dataDir } = config
  const { sip, rtp } = voice
  const { host: _host, ...signalling } = sip
  return {
    dataDir: path.resolve(dataDir),
    shared: database.kind === 'postgres',
    sip: { ...signalling, publicIp: sip.publicIp ?? null },
    rtp: { ...rtp, publicIp: rtp.publicIp ?? null },
    tls: tls ?? null,
    // Processes that share a node may listen on different ports; trunks are judged by address only.
    trunkHosts: { isRestricted: tenancy === 'multi', ...receiversOf(config), ownPorts: [] },
  }
}
