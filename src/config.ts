import { existsSync, readFileSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import path from 'node:path'
import { createSecureContext } from 'node:tls'
import type { DatabaseOptions } from './db/database.ts'
import { type EngineKind, type EngineSettings, readEngineLine } from './domain/intelligence/engine-line.ts'
import type { S3Place } from './lib/files-s3.ts'
import { type LogLevel, logLevels } from './lib/log.ts'
import { withoutTrailing } from './lib/text.ts'
import type { Links, Tenancy } from './services.ts'

/** Locations of the data: all that backup, restore and migration commands need. */
export interface StoreConfig {
  dataDir: string
  database: DatabaseOptions
  /** Recordings, uploads and exports. */
  files: FilesPlace
  key: Buffer | undefined
}

export type FilesPlace = { kind: 'folder'; folder: string } | ({ kind: 's3' } & S3Place)

/** All settings, read once at startup. No other module reads the environment. */
export interface Config extends StoreConfig {
  mode: 'sandbox' | 'production'
  tenancy: Tenancy
  host: string
  port: number
  links: Links
  /** Base URL of paging links; undefined: taken from the Host header of the request. */
  linkBase: string | undefined
  tls: { certFile: string; keyFile: string } | undefined
  trustedProxies: string[]
  admin: { host: string; port: number } | undefined
  /** Roles of this process. */
  roles: { api: boolean; calls: boolean; worker: boolean }
  smtpUrl: string | undefined
  mailFrom: string
  rateHeaderPrefix: string
  rateLimitPerMinute: number
  loopbackReceivers: boolean
  /** Private address ranges that webhook receivers may use. */
  allowedRanges: string[]
  webhookTimeoutMs: number
  callEndedDelayMs: number
  strictContentType: boolean
  supportContact: string
  voice: VoiceConfig
  /** Folder of the models that `hookswitch models fetch` downloads. */
  modelsDir: string
  /** Default speech-to-text, LLM and text-to-speech engines; a company may override them. */
  engines: EngineSettings
  logLevel: LogLevel
}

/** SIP, RTP and TURN settings. */
export interface VoiceConfig {
  sip: {
    bind: string
    port: number
    tlsPort: number
    publicIp: string | undefined
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
}

/** The configuration is invalid. The message lists every problem. */
export class ConfigError extends Error {}

type Environment = Record<string, string | undefined>

/** Reads settings and collects all problems instead of stopping at the first one. */
class Reader {
  readonly mistakes: string[] = []
  private readonly env: Environment
  constructor(env: Environment) {
    this.env = env
  }

  text(name: string): string | undefined {
    const value = this.env[name]?.trim()
    return value === '' ? undefined : value
  }

  integer(name: string, fallback: number, from: number, to: number): number {
    const value = this.text(name)
    if (value === undefined) return fallback
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
    if (number >= from && number <= to) return number
    this.mistakes.push(`${name} must be a whole number from ${from} to ${to}`)
    return fallback
  }

  flag(name: string, fallback: boolean): boolean {
    const value = this.text(name)
    if (value === undefined) return fallback
    if (value !== '0' && value !== '1') this.mistakes.push(`${name} must be 1 or 0`)
    return value === '1'
  }

  choice<T extends string>(name: string, fallback: T, choices: readonly T[]): T {
    const value = this.text(name) ?? fallback
    const chosen = choices.find((choice) => choice === value)
    if (!chosen) this.mistakes.push(`${name} must be one of ${choices.join(', ')}`)
    return chosen ?? fallback
  }

  url(name: string, schemes: readonly string[]): string | undefined {
    const value = this.text(name)
    if (value === undefined) return undefined
    const url = URL.canParse(value) ? new URL(value) : undefined
    if (url && schemes.includes(url.protocol)) return withoutTrailing(value, '/')
    this.mistakes.push(`${name} must be a URL that begins with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`)
    return undefined
  }

  /** A base URL: appending a path to it must result in a valid URL. */
  base(name: string, schemes: readonly string[] = ['https:', 'http:']): string | undefined {
    const value = this.url(name, schemes)
    if (value === undefined) return undefined
    const { username, password, search, hash } = new URL(value)
    if (!(username || password || search || hash)) return value
    this.mistakes.push(`${name} must be a plain URL, without a password, ? or #`)
    return undefined
  }

  list(name: string): string[] {
    return (this.text(name) ?? '')
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean)
  }
}

export function readConfig(env: Environment = process.env): Config {
  const read = new Reader(env)
  const mode = read.choice('HOOKSWITCH_MODE', 'production', ['sandbox', 'production'])
  // An unknown mode is reported alone: which settings it requires is unknown.
  const production = mode === 'production' && read.mistakes.length === 0
  const host = readHost(read)
  const port = read.integer('PORT', 3_000, 1, 65_535)
  const publicUrl = read.base('PUBLIC_URL', production ? ['https:'] : ['https:', 'http:'])
  if (production && !read.text('PUBLIC_URL')) read.mistakes.push('PUBLIC_URL is mandatory in production')
  const api = publicUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  const store = readStore(read)
  if (production && store.database.kind === 'postgres' && !read.text('HOOKSWITCH_KEY')) {
    read.mistakes.push('HOOKSWITCH_KEY is mandatory in production with PostgreSQL')
  }
  const tls = readTls(read)
  const trustedProxies = readRanges(read, 'TRUSTED_PROXIES')
  if (production && !read.text('TLS_CERT') && !read.text('TLS_KEY') && !read.text('TRUSTED_PROXIES')) {
    read.mistakes.push('production answers HTTPS only: set TLS_CERT and TLS_KEY, or TRUSTED_PROXIES')
  }
  const loopbackReceivers = read.flag('HOOKSWITCH_ALLOW_LOOPBACK_RECEIVERS', !production && isLoopbackHost(host))
  if (production && loopbackReceivers) {
    read.mistakes.push('HOOKSWITCH_ALLOW_LOOPBACK_RECEIVERS=1 is refused in production')
  }
  const allowedRanges = readAllowedRanges(read)

  const config: Config = {
    mode,
    tenancy: read.choice('TENANCY', 'single', ['single', 'multi']),
    host,
    port,
    links: {
      api,
      dashboard: read.base('DASHBOARD_URL') ?? api,
      assets: read.base('ASSETS_URL') ?? api,
      short: read.base('SHORT_URL') ?? api,
    },
    linkBase: publicUrl,
    ...store,
    tls,
    trustedProxies,
    admin: readAdmin(read, production),
    roles: readRoles(read, store.database),
    smtpUrl: read.url('SMTP_URL', ['smtp:', 'smtps:']),
    mailFrom: read.text('MAIL_FROM') ?? `hookswitch@${new URL(api).hostname}`,
    rateHeaderPrefix: readHeaderPrefix(read),
    rateLimitPerMinute: read.integer('RATE_LIMIT_PER_MINUTE', 120, 1, 10_000_000),
    loopbackReceivers,
    allowedRanges,
    webhookTimeoutMs: read.integer('WEBHOOK_TIMEOUT_MS', 5_000, 1_000, 30_000),
    callEndedDelayMs: 1_000 * read.integer('CALL_ENDED_DELAY_SECONDS', 30, 0, 3_600),
    strictContentType: read.flag('STRICT_CONTENT_TYPE', false),
    supportContact: read.text('SUPPORT_CONTACT') ?? '',
    voice: readVoice(read, host),
    modelsDir: modelsDirIn(read),
    engines: readEngines(read),
    logLevel: read.choice('LOG_LEVEL', 'info', logLevels),
  }
  if (read.mistakes.length > 0) throw new ConfigError(read.mistakes.join('; '))
  return config
}

/** Settings of commands that read or replace the store without starting a server. */
export function readStoreConfig(env: Environment = process.env): StoreConfig {
  const read = new Reader(env)
  const store = readStore(read)
  if (read.mistakes.length > 0) throw new ConfigError(read.mistakes.join('; '))
  return store
}

/** Settings of commands that run without a server. A data folder with demo data belongs to a sandbox. */
export function readConfigOfData(env: Environment = process.env): Config {
  const isDemo = existsSync(path.join(readDataDir(env), 'demo.json'))
  return readConfig(isDemo ? { HOOKSWITCH_MODE: 'sandbox', ...env } : env)
}

/** The only setting needed to find a running server. */
export const readDataDir = (env: Environment = process.env): string => dataDirIn(new Reader(env))

/** Whether the sandbox mode is set; no other setting is validated. */
export const isSandbox = (env: Environment = process.env): boolean =>
  new Reader(env).text('HOOKSWITCH_MODE') === 'sandbox'

export const readModelsDir = (env: Environment = process.env): string => modelsDirIn(new Reader(env))

const modelsDirIn = (read: Reader) => path.resolve(read.text('AI_MODELS_DIR') ?? path.join(dataDirIn(read), 'models'))

const dataDirIn = (read: Reader) => path.resolve(read.text('DATA_DIR') ?? './data')

function readStore(read: Reader): StoreConfig {
  const dataDir = dataDirIn(read)
  const files = readFilesPlace(read, dataDir)
  return { dataDir, database: readDatabase(read, dataDir), files, key: readKey(read) }
}

function readDatabase(read: Reader, folder: string): DatabaseOptions {
  const url = read.url('DATABASE_URL', ['postgres:', 'postgresql:'])
  const poolSize = read.integer('DATABASE_POOL_SIZE', 10, 2, 500)
  return url ? { kind: 'postgres', url, poolSize } : { kind: 'embedded', folder }
}

function readFilesPlace(read: Reader, dataDir: string): FilesPlace {
  const place = read.text('FILES_URL')
  if (place === undefined) return { kind: 'folder', folder: path.join(dataDir, 'files') }
  if (/^s3:\/\//i.test(place)) return { kind: 's3', ...readS3(read, place) }
  if (/^[a-z0-9]+:\/\//i.test(place)) read.mistakes.push('FILES_URL must be a folder, or s3://bucket/prefix')
  const folder = path.resolve(place)
  // A restore deletes all files in this folder.
  if (`${dataDir}/`.startsWith(`${withoutTrailing(folder, '/')}/`)) {
    read.mistakes.push('FILES_URL must be a folder of its own, not one that holds DATA_DIR')
  }
  return { kind: 'folder', folder }
}

const s3Options = ['region', 'endpoint']

/** s3://bucket/prefix?region=…&endpoint=…, with credentials in the URL or in AWS_* variables. */
function readS3(read: Reader, text: string): S3Place {
  const url = URL.canParse(text) ? new URL(text) : new URL('s3://none')
  const { hostname: bucket, searchParams } = url
  const odd = [...searchParams.keys()].find((name) => !s3Options.includes(name))
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    read.mistakes.push('FILES_URL must name a bucket: s3://bucket/prefix')
  if (odd !== undefined) read.mistakes.push(`FILES_URL knows region and endpoint, not ${odd}`)
  const region = searchParams.get('region') ?? 'us-east-1'
  if (!/^[\w-]+$/.test(region)) read.mistakes.push('FILES_URL names a region of a wrong form')
  const endpoint = withoutTrailing(searchParams.get('endpoint') ?? `https://s3.${region}.amazonaws.com`, '/')
  if (!/^https?:\/\/[^/?#@]+(\/[^?#]*)?$/.test(endpoint) || !URL.canParse(endpoint))
    read.mistakes.push('the endpoint in FILES_URL must be an http(s) URL')
  const accessKeyId = unescaped(url.username) || read.text('AWS_ACCESS_KEY_ID')
  const secretAccessKey = unescaped(url.password) || read.text('AWS_SECRET_ACCESS_KEY')
  if (!accessKeyId || !secretAccessKey)
    read.mistakes.push('FILES_URL on S3 needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY')
  return {
    bucket,
    prefix: unescaped(url.pathname).split('/').filter(Boolean).join('/'),
    region,
    endpoint,
    accessKeyId: accessKeyId ?? '',
    secretAccessKey: secretAccessKey ?? '',
    ...(url.username === '' && { sessionToken: read.text('AWS_SESSION_TOKEN') }),
  }
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function readKey(read: Reader): Buffer | undefined {
  const text = read.text('HOOKSWITCH_KEY')
  if (text === undefined) return undefined
  const key = Buffer.from(text, 'base64')
  if (key.length !== 32 || key.toString('base64') !== text)
    read.mistakes.push('HOOKSWITCH_KEY must be 32 bytes in base64')
  else if (isKnownDefault(key)) read.mistakes.push('HOOKSWITCH_KEY is a known default; make a random one')
  return key
}

/**
 * Repeated bytes or printable text indicate a key copied from an example; random bytes practically never look like
 * this.
 */
const isKnownDefault = (key: Buffer) => new Set(key).size < 8 || key.every((byte) => byte >= 0x20 && byte < 0x7f)

function readHost(read: Reader): string {
  const host = read.text('HOST') ?? '127.0.0.1'
  if (isHost(host)) return host
  read.mistakes.push('HOST must be an address or a host name')
  return '127.0.0.1'
}

const isHost = (text: string) => isIP(text) !== 0 || /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(text)

function readVoice(read: Reader, host: string): VoiceConfig {
  const bind = readAddress(read, 'SIP_BIND') ?? (isIP(host) === 0 ? '0.0.0.0' : host)
  const publicIp = readAddress(read, 'SIP_PUBLIC_IP')
  const [from = '', to = ''] = (read.text('RTP_PORTS') ?? '20000-20999').split('-')
  const ports = { from: Number(from), to: Number(to) }
  const isPort = (port: number) => Number.isInteger(port) && port >= 1_024 && port <= 65_535
  if (!isPort(ports.from) || !isPort(ports.to) || ports.to < ports.from + 1) {
    read.mistakes.push('RTP_PORTS must be a range such as 20000-20999')
  }
  const url = read.text('TURN_URL')
  const secret = read.text('TURN_SECRET')
  if (url !== undefined && !/^turns?:[A-Za-z0-9.[\]:-]+(\?transport=(udp|tcp))?$/.test(url)) {
    read.mistakes.push('TURN_URL must look like turn:host:3478 or turns:host:5349?transport=tcp')
  }
  if ((url === undefined) !== (secret === undefined)) read.mistakes.push('TURN_URL and TURN_SECRET go together')
  return {
    sip: {
      bind,
      port: read.integer('SIP_PORT', 5_060, 1, 65_535),
      tlsPort: read.integer('SIP_TLS_PORT', 5_061, 1, 65_535),
      publicIp,
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
  }
}

function readEngines(read: Reader): EngineSettings {
  const engine = (kind: EngineKind, name: string, keyName: string, usual: 'embedded' | 'off') => {
    const found = readEngineLine(kind, read.text(name) ?? usual)
    const key = read.text(keyName)
    if ('flaw' in found) read.mistakes.push(`${name} ${found.flaw}`)
    if (key !== undefined && !/^[\x21-\x7e]{1,4096}$/.test(key)) {
      read.mistakes.push(`${keyName} must be letters, digits and signs, without blanks`)
    }
    return { line: 'flaw' in found ? ({ dialect: 'off' } as const) : found.line, key }
  }
  return {
    stt: engine('stt', 'AI_STT', 'AI_STT_KEY', 'embedded'),
    llm: engine('llm', 'AI_LLM', 'AI_LLM_KEY', 'off'),
    tts: engine('tts', 'AI_TTS', 'AI_TTS_KEY', 'embedded'),
    agent: engine('agent', 'AI_AGENT', 'AI_AGENT_KEY', 'off'),
  }
}

function readAddress(read: Reader, name: string): string | undefined {
  const value = read.text(name)
  if (value !== undefined && isIP(value) === 0) read.mistakes.push(`${name} must be an address`)
  return value
}

function readTls(read: Reader): Config['tls'] {
  const certFile = read.text('TLS_CERT')
  const keyFile = read.text('TLS_KEY')
  if (!certFile && !keyFile) return undefined
  if (!certFile || !keyFile) {
    read.mistakes.push('TLS_CERT and TLS_KEY go together')
    return undefined
  }
  try {
    createSecureContext({ cert: readFileSync(certFile), key: readFileSync(keyFile) })
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown'
    read.mistakes.push(`TLS_CERT and TLS_KEY cannot be used (${reason})`)
  }
  return { certFile, keyFile }
}

function readRanges(read: Reader, name: string): string[] {
  const ranges = read.list(name)
  for (const range of ranges)
    if (!isRange(range)) read.mistakes.push(`${name} holds ${range}, which is no address or range`)
  return ranges
}

function isRange(range: string): boolean {
  const [address = '', bits] = range.split('/')
  const family = isIP(address)
  return family !== 0 && (bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)))
}

// Private address ranges, and the addresses of cloud metadata services inside them.
const privateRanges = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '198.18.0.0/15', 'fc00::/7']
const metadata = ['100.100.100.200', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254']

/** Allows private ranges named by the operator, never loopback, link-local or metadata addresses. */
function readAllowedRanges(read: Reader): string[] {
  const ranges = readRanges(read, 'WEBHOOK_ALLOW_CIDRS')
  for (const range of ranges.filter(isRange)) {
    const isPrivate = privateRanges.some((whole) => holds(whole, range))
    if (isPrivate && !metadata.some((address) => holds(range, address))) continue
    read.mistakes.push(`WEBHOOK_ALLOW_CIDRS must name private ranges only, not ${range}`)
  }
  return ranges
}

/** Whether the second range is inside the first. */
function holds(whole: string, part: string): boolean {
  const [net = '', bits = ''] = whole.split('/')
  const [address = '', partBits] = part.split('/')
  const family = isIP(net) === 4 ? 'ipv4' : 'ipv6'
  const most = family === 'ipv4' ? 32 : 128
  if (isIP(address) !== isIP(net) || Number(partBits ?? most) < Number(bits || most)) return false
  const list = new BlockList()
  list.addSubnet(net, Number(bits || most), family)
  return list.check(address, family)
}

const roles = ['api', 'calls', 'worker']

function readRoles(read: Reader, database: DatabaseOptions): Config['roles'] {
  const asked = read.list('ROLES')
  if (asked.some((role) => !roles.includes(role))) read.mistakes.push(`ROLES must be of ${roles.join(', ')}`)
  if (asked.length > 0 && asked.length < roles.length && database.kind === 'embedded') {
    read.mistakes.push('ROLES splits the work over processes, which needs PostgreSQL; unset it or set DATABASE_URL')
  }
  const has = (role: string) => asked.length === 0 || asked.includes(role)
  return { api: has('api'), calls: has('calls'), worker: has('worker') }
}

function readAdmin(read: Reader, production: boolean): Config['admin'] {
  const text = read.text('ADMIN_PORT') ?? (production ? '9090' : undefined)
  if (text === undefined) return undefined
  const [, address = '127.0.0.1', port = ''] = /^(?:(.+):)?(\d{1,5})$/.exec(text) ?? []
  const host = address.replace(/^\[(.*)\]$/, '$1')
  if (port === '' || Number(port) > 65_535 || !isHost(host)) {
    read.mistakes.push('ADMIN_PORT must be a port, or ADDRESS:PORT')
    return undefined
  }
  return { host, port: Number(port) }
}

function readHeaderPrefix(read: Reader): string {
  const prefix = read.text('API_HEADER_PREFIX') ?? 'X-HookswitchApi'
  if (!/^[A-Za-z][A-Za-z0-9-]{0,40}$/.test(prefix))
    read.mistakes.push('API_HEADER_PREFIX must be letters, digits and -')
  return prefix
}

const isLoopbackHost = (host: string) => host === 'localhost' || host === '::1' || host.startsWith('127.')
