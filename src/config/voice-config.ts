import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { type EngineKind, type EngineSettings, readEngineLine } from '../domain/intelligence/engine-line.ts'
import { readAddress } from './network-config.ts'
import type { SettingReader } from './setting-reader.ts'

/** SIP, RTP and TURN settings. */
export interface VoiceConfig {
  sip: {
    bind: string
    port: number
    tlsPort: number
    publicIp: string | undefined
    /** The server name shown to users for their devices. */
    host: string | undefined
    /** Rejects emergency calls: for test installations with a production trunk. */
    refusesEmergency: boolean
  }
  rtp: {
    from: number
    to: number
    browserPort: number
    publicIp: string | undefined
    maxCalls: number
    timeoutMs: number
  }
  turn: { url: string; secret: string } | undefined
  lineNodes: {
    /** Nodes that this installation starts on this machine. */
    local: number
    /** The address a node on its own host is reached at by other hosts. */
    listen: { host: string; port: number } | undefined
    /** Known to nodes on other hosts; undefined: all nodes are on this machine. */
    secret: string | undefined
    /** The name of a node on its own host. */
    name: string | undefined
  }
}

export function readVoice(read: SettingReader, host: string): VoiceConfig {
  const bind = readAddress(read, 'SIP_BIND') ?? (isIP(host) === 0 ? '0.0.0.0' : host)
  const publicIp = readAddress(read, 'SIP_PUBLIC_IP')
  const [from = '', to = ''] = (read.text('RTP_PORTS') ?? '20000-20999').split('-')
  const ports = { from: Number(from), to: Number(to) }
  const isPort = (port: number) => Number.isInteger(port) && port >= 1_024 && port <= 65_535
  if (!isPort(ports.from) || !isPort(ports.to) || ports.to < ports.from + 1) {
    read.problems.push('RTP_PORTS must be a range such as 20000-20999')
  }
  const sipHost = read.text('SIP_HOST')
  if (sipHost !== undefined && !/^[A-Za-z0-9.:-]{1,253}$/.test(sipHost)) {
    read.problems.push('SIP_HOST must be a host name or an IP address')
  }
  const url = read.text('TURN_URL')
  const secret = read.text('TURN_SECRET')
  if (url !== undefined && !/^turns?:[A-Za-z0-9.[\]:-]+(\?transport=(udp|tcp))?$/.test(url)) {
    read.problems.push('TURN_URL must look like turn:host:3478 or turns:host:5349?transport=tcp')
  }
  if ((url === undefined) !== (secret === undefined)) read.problems.push('TURN_URL and TURN_SECRET go together')
  return {
    sip: {
      bind,
      port: read.integer('SIP_PORT', 5_060, 1, 65_535),
      tlsPort: read.integer('SIP_TLS_PORT', 5_061, 1, 65_535),
      publicIp,
      host: sipHost,
      refusesEmergency: read.flag('SIP_REFUSE_EMERGENCY', false),
    },
    rtp: {
      ...ports,
      browserPort: read.integer('RTP_BROWSER_PORT', 21_000, 1_024, 65_535),
      publicIp: readAddress(read, 'RTP_PUBLIC_IP') ?? publicIp,
      maxCalls: read.integer('RTP_MAX_CALLS', 50, 1, 1_000),
      timeoutMs: 1_000 * read.integer('RTP_TIMEOUT_SECONDS', 30, 0, 3_600),
    },
    turn: url !== undefined && secret !== undefined ? { url, secret } : undefined,
    lineNodes: readLineNodes(read),
  }
}

function readLineNodes(read: SettingReader): VoiceConfig['lineNodes'] {
  const count = read.text('LINE_NODES') ?? '1'
  if (!/^(auto|[0-9]|[1-5][0-9]|6[0-4])$/.test(count))
    read.problems.push('LINE_NODES must be auto or a number from 0 to 64')
  // One processor is left to the server.
  const local = count === 'auto' ? Math.max(1, availableParallelism() - 1) : Number(count)
  const secret = read.text('LINE_NODE_SECRET')
  if (secret !== undefined && secret.length < minSecretLength)
    read.problems.push(`LINE_NODE_SECRET must have at least ${minSecretLength} characters`)
  const address = read.text('LINE_NODE_LISTEN')
  const [, bracketed, plain, port] = /^(?:\[([0-9a-fA-F:]+)\]|([A-Za-z0-9.-]+)):(\d{1,5})$/.exec(address ?? '') ?? []
  const host = bracketed ?? plain
  if (address !== undefined && (host === undefined || Number(port) > 65_535 || Number(port) < 1))
    read.problems.push('LINE_NODE_LISTEN must be an address and a port such as 10.0.0.5:5070')
  if (address !== undefined && secret === undefined) read.problems.push('LINE_NODE_LISTEN needs LINE_NODE_SECRET')
  if (local === 0 && secret === undefined)
    read.problems.push('LINE_NODES=0 needs LINE_NODE_SECRET: calls are on other hosts')
  const name = read.text('LINE_NODE_NAME')
  if (name !== undefined && !/^[\w.-]{1,64}$/.test(name))
    read.problems.push('LINE_NODE_NAME must be letters, digits, dots, hyphens and underscores')
  return { local, secret, name, listen: host === undefined ? undefined : { host, port: Number(port) } }
}

const minSecretLength = 32

export function readEngines(read: SettingReader): EngineSettings {
  const engine = (kind: EngineKind, name: string, keyName: string, defaultEngine: 'embedded' | 'off') => {
    const found = readEngineLine(kind, read.text(name) ?? defaultEngine)
    const key = read.text(keyName)
    if ('problem' in found) read.problems.push(`${name} ${found.problem}`)
    if (key !== undefined && !/^[\x21-\x7e]{1,4096}$/.test(key)) {
      read.problems.push(`${keyName} must be letters, digits and signs, without blanks`)
    }
    return { line: 'problem' in found ? ({ kind: 'off' } as const) : found.line, key }
  }
  return {
    stt: engine('stt', 'AI_STT', 'AI_STT_KEY', 'embedded'),
    llm: engine('llm', 'AI_LLM', 'AI_LLM_KEY', 'off'),
    tts: engine('tts', 'AI_TTS', 'AI_TTS_KEY', 'embedded'),
  }
}
