import { connect } from 'node:net'
import { localNodes, ownNode } from '../app/line-node-settings.ts'
import type { Config } from '../config.ts'
import { socketFileIn } from '../drivers/line-node/process.ts'
import { tcpProblem, udpProblem } from '../lib/port-problem.ts'
import type { DoctorFinding } from './doctor-finding.ts'

// Every port that this process and its line nodes open, by the settings.

export interface PortUsers {
  /** The server of this data directory. */
  server: boolean
  /** A line node of this data directory; it may run without a server. */
  lineNode: boolean
}

interface Port {
  protocol: 'TCP' | 'UDP'
  host: string
  port: number
  /** The setting that changes it. */
  setting: string
  purpose: string
  isOfLineNode: boolean
}

export function portFindings(config: Config, users: PortUsers): Promise<DoctorFinding[]> {
  return Promise.all(portsOf(config).map((port) => portFinding(port, users)))
}

export const hasLineNodes = ({ roles, voice: { lineNodes } }: Config): boolean =>
  roles.calls && (lineNodes.local > 0 || lineNodes.listen !== undefined)

const nodesOf = (config: Config) => {
  if (!hasLineNodes(config)) return []
  return config.voice.lineNodes.listen ? [ownNode(config)] : localNodes(config)
}

/** A line node keeps its ports while the server is stopped: calls go on. */
export async function isLineNodeRunning(config: Config): Promise<boolean> {
  const found = await Promise.all(nodesOf(config).map(({ index }) => accepts(socketFileIn(config.dataDir, index))))
  return found.includes(true)
}

function accepts(socketFile: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketFile, () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

function portsOf(config: Config): Port[] {
  const { roles, host, port, admin, tls, voice } = config
  const server = { protocol: 'TCP', isOfLineNode: false } as const
  const { listen } = voice.lineNodes
  return [
    // Without the role `api` a sandbox has its health endpoints there.
    ...(roles.api || !admin ? [{ ...server, host, port, setting: 'PORT', purpose: tls ? 'HTTPS' : 'HTTP' }] : []),
    ...(admin ? [{ ...server, ...admin, setting: 'ADMIN_PORT', purpose: 'health and metrics' }] : []),
    ...nodesOf(config).flatMap(({ settings: { sip, rtp } }): Port[] => {
      const node = { host: sip.bind, isOfLineNode: true }
      return [
        { ...node, protocol: 'UDP', port: sip.port, setting: 'SIP_PORT', purpose: 'SIP' },
        { ...node, protocol: 'TCP', port: sip.port, setting: 'SIP_PORT', purpose: 'SIP' },
        ...(tls
          ? [{ ...node, protocol: 'TCP' as const, port: sip.tlsPort, setting: 'SIP_TLS_PORT', purpose: 'SIP over TLS' }]
          : []),
        { ...node, protocol: 'UDP', port: rtp.browserPort, setting: 'RTP_BROWSER_PORT', purpose: 'WebRTC' },
      ]
    }),
    ...(listen
      ? [{ ...server, ...listen, setting: 'LINE_NODE_LISTEN', purpose: 'line node', isOfLineNode: true }]
      : []),
  ]
}

async function portFinding(wanted: Port, users: PortUsers): Promise<DoctorFinding> {
  const { protocol, host, port, setting, purpose, isOfLineNode } = wanted
  const about = `${protocol} ${port} (${purpose})`
  const problem = await (protocol === 'UDP' ? udpProblem : tcpProblem)(host, port)
  if (problem === undefined) return { about, state: 'fine', says: `free on ${host}` }
  if (problem === 'EADDRINUSE') {
    if (isOfLineNode && users.lineNode) return { about, state: 'fine', says: 'in use by the running line node' }
    if (users.server) return { about, state: 'fine', says: 'in use by the running service' }
  }
  return { about, state: 'wrong', says: `cannot be opened on ${host} (${problem}); ${remedyOf(problem, setting)}` }
}

function remedyOf(problem: string, setting: string): string {
  if (problem === 'EACCES') return `ports below 1024 need the capability CAP_NET_BIND_SERVICE, or change ${setting}`
  if (problem === 'EADDRNOTAVAIL' || problem === 'ENOTFOUND') {
    const address = /^(SIP|RTP)_/.test(setting) ? 'SIP_BIND' : setting === 'PORT' ? 'HOST' : setting
    return `this machine does not have that address; change ${address}`
  }
  return `stop the process that uses it, or change ${setting}`
}

/** Every port of the range, one after the other: a call that gets an occupied port has no audio. */
export async function rtpFinding({ voice: { sip, rtp } }: Config, users: PortUsers): Promise<DoctorFinding> {
  const about = `RTP ${rtp.from}-${rtp.to}`
  const mayBeOccupied = users.server || users.lineNode
  const occupied: number[] = []
  for (let port = rtp.from; port <= rtp.to; port++) {
    const problem = await udpProblem(sip.bind, port)
    if (problem !== undefined && !(mayBeOccupied && problem === 'EADDRINUSE')) occupied.push(port)
  }
  if (occupied.length > 0) {
    const [first] = occupied
    const says = `${occupied.length} ports cannot be opened (${first} is the first); stop the process that uses them, or change RTP_PORTS`
    return { about, state: 'wrong', says }
  }
  const legs = Math.floor((rtp.to - rtp.from + 1) / 2)
  if (legs >= rtp.maxCalls) return { about, state: 'fine', says: `${legs} call legs; open the range in the firewall` }
  return {
    about,
    state: 'look',
    says: `enough for ${legs} call legs; RTP_MAX_CALLS is ${rtp.maxCalls}: extend RTP_PORTS`,
  }
}
