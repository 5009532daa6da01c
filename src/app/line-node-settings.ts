import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import path from 'node:path'
import type { Config } from '../config.ts'
import type { LineNodeSettings } from '../drivers/line-node/driver.ts'
import { receiversOf } from './network.ts'

/** A line node of this machine. */
export interface LocalNode {
  /** The same for all processes of this data folder. */
  id: string
  /** From 1. */
  index: number
  settings: LineNodeSettings
}

/** The line nodes of this machine: each has its own ports. */
export function localNodes(config: Config): LocalNode[] {
  const { lineNodes } = config.voice
  const settings = settingsOf(config)
  const id = localNodeId(config)
  return Array.from({ length: lineNodes.local }, (_none, at) => ({
    id: at === 0 ? id : `${id}-${at + 1}`,
    index: at + 1,
    settings: shareOf(settings, at, lineNodes.local),
  }))
}

/** The node that runs as a service of its own on this host. */
export function ownNode(config: Config): LocalNode {
  return { id: config.voice.lineNodes.name ?? localNodeId(config), index: 1, settings: settingsOf(config) }
}

function localNodeId({ dataDir }: Config): string {
  const place = createHash('sha256').update(path.resolve(dataDir)).digest('hex').slice(0, 6)
  return `${hostname().slice(0, 40)}-${place}`
}

function settingsOf(config: Config): LineNodeSettings {
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

/** SIP ports of the second node are ten above those of the first, and so on: 5060, 5070. */
const sipPortStep = 10

/** An equal part of the RTP ports, starting at an even one (RFC 3550 §11). */
function shareOf(settings: LineNodeSettings, at: number, count: number): LineNodeSettings {
  if (count === 1) return settings
  const { sip, rtp } = settings
  const size = Math.floor((rtp.to - rtp.from + 1) / count / 2) * 2
  const from = rtp.from + at * size
  return {
    ...settings,
    sip: { ...sip, port: sip.port + at * sipPortStep, tlsPort: sip.tlsPort + at * sipPortStep },
    rtp: { ...rtp, from, to: from + size - 1, browserPort: rtp.browserPort + at },
  }
}
