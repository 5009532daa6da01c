import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import {
  listensOnLoopback,
  readAdmin,
  readAllowedRanges,
  readHeaderPrefix,
  readHost,
  readRanges,
  readTlsSettings,
} from './config/network-config.ts'
import { readRemovedSettings } from './config/removed-settings.ts'
import { ConfigError, type Environment, SettingReader } from './config/setting-reader.ts'
import { dataDirIn, modelsDirIn, readStore, type StoreConfig } from './config/store-config.ts'
import { readEngines, readVoice, type VoiceConfig } from './config/voice-config.ts'
import type { DatabaseOptions } from './db/database.ts'
import type { EngineSettings } from './domain/intelligence/engine-line.ts'
import { type LogLevel, logLevels } from './lib/log.ts'
import type { Links, Tenancy } from './services.ts'

export { ConfigError } from './config/setting-reader.ts'
export type { FilesPlace, StoreConfig } from './config/store-config.ts'
export type { VoiceConfig } from './config/voice-config.ts'

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
  /** Where alerts of the operator go. */
  alerts: { email: string | undefined; webhookUrl: string | undefined }
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
  /** Settings that are set although this release does not use them. */
  removedSettings: string[]
  logLevel: LogLevel
}

export function readConfig(env: Environment = process.env): Config {
  const read = new SettingReader(env)
  const mode = read.choice('HOOKSWITCH_MODE', 'production', ['sandbox', 'production'])
  // An unknown mode is reported alone: which settings it requires is unknown.
  const production = mode === 'production' && read.problems.length === 0
  const host = readHost(read)
  const port = read.integer('PORT', 3_000, 1, 65_535)
  const publicUrl = read.base('PUBLIC_URL', production ? ['https:'] : ['https:', 'http:'])
  if (production && !read.text('PUBLIC_URL')) read.problems.push('PUBLIC_URL is mandatory in production')
  const api = publicUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  const store = readStore(read)
  if (production && store.database.kind === 'postgres' && !read.text('HOOKSWITCH_KEY')) {
    read.problems.push('HOOKSWITCH_KEY is mandatory in production with PostgreSQL')
  }
  const tls = readTlsSettings(read)
  const trustedProxies = readRanges(read, 'TRUSTED_PROXIES')
  if (production && !read.text('TLS_CERT') && !read.text('TLS_KEY') && !read.text('TRUSTED_PROXIES')) {
    read.problems.push('production answers HTTPS only: set TLS_CERT and TLS_KEY, or TRUSTED_PROXIES')
  }
  const loopbackReceivers = read.flag('HOOKSWITCH_ALLOW_LOOPBACK_RECEIVERS', !production && listensOnLoopback(host))
  if (production && loopbackReceivers) {
    read.problems.push('HOOKSWITCH_ALLOW_LOOPBACK_RECEIVERS=1 is refused in production')
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
    alerts: { email: read.text('ALERT_EMAIL'), webhookUrl: read.url('ALERT_WEBHOOK_URL', ['https:', 'http:']) },
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
    removedSettings: readRemovedSettings(read),
    logLevel: read.choice('LOG_LEVEL', 'info', logLevels),
  }
  if (read.problems.length > 0) throw new ConfigError(read.problems.join('; '))
  return config
}

/** Settings of commands that read or replace the store without starting a server. */
export function readStoreConfig(env: Environment = process.env): StoreConfig {
  const read = new SettingReader(env)
  const store = readStore(read)
  if (read.problems.length > 0) throw new ConfigError(read.problems.join('; '))
  return store
}

/** Settings of commands that run without a server. A data folder with demo data belongs to a sandbox. */
export function readConfigOfData(env: Environment = process.env): Config {
  const isDemo = existsSync(path.join(readDataDir(env), 'demo.json'))
  return readConfig(isDemo ? { HOOKSWITCH_MODE: 'sandbox', ...env } : env)
}

/** The only setting needed to find a running server. */
export const readDataDir = (env: Environment = process.env): string => dataDirIn(new SettingReader(env))

/** The server that commands use when no option names one. */
export function readApiAccess(env: Environment = process.env) {
  const reader = new SettingReader(env)
  return {
    url: reader.text('HOOKSWITCH_URL'),
    apiId: reader.text('HOOKSWITCH_API_ID'),
    token: reader.text('HOOKSWITCH_API_TOKEN'),
  }
}

/** A variable that a configuration file names, for its secrets. */
export const readVariable = (name: string, env: Environment = process.env): string | undefined => env[name]

/** Whether the sandbox mode is set; no other setting is validated. */
export const isSandbox = (env: Environment = process.env): boolean =>
  new SettingReader(env).text('HOOKSWITCH_MODE') === 'sandbox'

/** Where the command line stores servers and API keys of its user. */
export const profilesFile = (env: Environment = process.env): string =>
  path.join(env.HOME || homedir(), '.config', 'hookswitch', 'profiles.json')

export const readModelsDir = (env: Environment = process.env): string => modelsDirIn(new SettingReader(env))

const roles = ['api', 'calls', 'worker']

function readRoles(read: SettingReader, database: DatabaseOptions): Config['roles'] {
  const asked = read.list('ROLES')
  if (asked.some((role) => !roles.includes(role))) read.problems.push(`ROLES must be of ${roles.join(', ')}`)
  if (asked.length > 0 && asked.length < roles.length && database.kind === 'embedded') {
    read.problems.push('ROLES splits the work over processes, which needs PostgreSQL; unset it or set DATABASE_URL')
  }
  const has = (role: string) => asked.length === 0 || asked.includes(role)
  return { api: has('api'), calls: has('calls'), worker: has('worker') }
}
