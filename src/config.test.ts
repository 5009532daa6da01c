import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../test/kit/databases.ts'
import { type Config, ConfigError, readConfig, readDataDir, readStoreConfig } from './config.ts'

type Env = Record<string, string>

const sandbox: Env = { HOOKSWITCH_MODE: 'sandbox' }
const production: Env = { PUBLIC_URL: 'https://phone.example.test', TRUSTED_PROXIES: '10.0.0.1' }
const key = Buffer.from(Array.from({ length: 32 }, (_, place) => (place * 37 + 11) % 256)).toString('base64')
const database = 'postgres://u:secret@db.example.test/phone'

function mistakesIn(env: Env): string {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return ''
}

test('a sandbox needs no settings', () => {
  expect(readConfig(sandbox)).toEqual({
    mode: 'sandbox',
    tenancy: 'single',
    host: '127.0.0.1',
    port: 3000,
    links: {
      api: 'http://127.0.0.1:3000',
      dashboard: 'http://127.0.0.1:3000',
      assets: 'http://127.0.0.1:3000',
      short: 'http://127.0.0.1:3000',
    },
    linkBase: undefined,
    dataDir: path.resolve('data'),
    database: { kind: 'embedded', folder: path.resolve('data') },
    key: undefined,
    tls: undefined,
    trustedProxies: [],
    admin: undefined,
    roles: { api: true, calls: true, worker: true },
    smtpUrl: undefined,
    mailFrom: 'hookswitch@127.0.0.1',
    rateHeaderPrefix: 'X-HookswitchApi',
    rateLimitPerMinute: 120,
    loopbackReceivers: true,
    allowedRanges: [],
    webhookTimeoutMs: 5_000,
    callEndedDelayMs: 30_000,
    files: { kind: 'folder', folder: path.resolve('data/files') },
    strictContentType: false,
    supportContact: '',
    voice: {
      sip: {
        bind: '127.0.0.1',
        port: 5_060,
        tlsPort: 5_061,
        publicIp: undefined,
        host: undefined,
        refusesEmergency: false,
      },
      rtp: { from: 20_000, to: 20_999, browserPort: 21_000, publicIp: undefined, maxCalls: 50, timeoutMs: 30_000 },
      turn: undefined,
      lineNodes: { local: 1, listen: undefined, secret: undefined, name: undefined },
    },
    alerts: { email: undefined, webhookUrl: undefined },
    modelsDir: path.resolve('data/models'),
    engines: {
      stt: { line: { kind: 'embedded', options: {} }, key: undefined },
      llm: { line: { kind: 'off' }, key: undefined },
      tts: { line: { kind: 'embedded', options: {} }, key: undefined },
    },
    removedSettings: [],
    logLevel: 'info',
  } satisfies Config)
})

test('the default mode is production, with its own defaults', () => {
  expect(readConfig(production)).toMatchObject({
    mode: 'production',
    links: { api: 'https://phone.example.test', short: 'https://phone.example.test' },
    linkBase: 'https://phone.example.test',
    admin: { host: '127.0.0.1', port: 9090 },
    mailFrom: 'hookswitch@phone.example.test',
    trustedProxies: ['10.0.0.1'],
    loopbackReceivers: false,
  })
})

describe('every variable is read', () => {
  const cases: [env: Env, seen: object][] = [
    [
      { PORT: '8080', HOST: '::1' },
      { port: 8080, host: '::1', links: { api: 'http://[::1]:8080' } },
    ],
    [{ HOST: '0.0.0.0' }, { host: '0.0.0.0', loopbackReceivers: false }],
    [{ PUBLIC_URL: 'http://phone.test/base/' }, { linkBase: 'http://phone.test/base' }],
    [
      { DASHBOARD_URL: 'https://d.test', ASSETS_URL: 'https://a.test/', SHORT_URL: 'https://s.test' },
      { links: { dashboard: 'https://d.test', assets: 'https://a.test', short: 'https://s.test' } },
    ],
    [
      { ALERT_EMAIL: 'noc@example.test', ALERT_WEBHOOK_URL: 'http://10.0.0.9/alerts' },
      { alerts: { email: 'noc@example.test', webhookUrl: 'http://10.0.0.9/alerts' } },
    ],
    [{ AI_MODELS_DIR: '/srv/models' }, { modelsDir: '/srv/models' }],
    [{ DATA_DIR: '/srv/phone' }, { dataDir: '/srv/phone', database: { kind: 'embedded', folder: '/srv/phone' } }],
    [{ DATABASE_URL: database }, { database: { kind: 'postgres', url: database, poolSize: 10 } }],
    [{ DATABASE_URL: database, DATABASE_POOL_SIZE: '3' }, { database: { poolSize: 3 } }],
    [{ HOOKSWITCH_KEY: key }, { key: Buffer.from(key, 'base64') }],
    [{ DATABASE_URL: database, ROLES: 'api, worker' }, { roles: { api: true, calls: false, worker: true } }],
    [{ ROLES: 'api,calls,worker' }, { roles: { api: true, calls: true, worker: true } }],
    [{ TRUSTED_PROXIES: '10.0.0.0/8, fd00::/8' }, { trustedProxies: ['10.0.0.0/8', 'fd00::/8'] }],
    [{ ADMIN_PORT: '9191' }, { admin: { host: '127.0.0.1', port: 9191 } }],
    [{ ADMIN_PORT: '0.0.0.0:9191' }, { admin: { host: '0.0.0.0', port: 9191 } }],
    [{ ADMIN_PORT: '[::1]:9191' }, { admin: { host: '::1', port: 9191 } }],
    [
      { SMTP_URL: 'smtp://mail.test', MAIL_FROM: 'phone@x.test' },
      { smtpUrl: 'smtp://mail.test', mailFrom: 'phone@x.test' },
    ],
    [{ API_HEADER_PREFIX: 'X-Phone' }, { rateHeaderPrefix: 'X-Phone' }],
    [{ RATE_LIMIT_PER_MINUTE: '60' }, { rateLimitPerMinute: 60 }],
    [{ HOOKSWITCH_ALLOW_LOOPBACK_RECEIVERS: '0' }, { loopbackReceivers: false }],
    [{ STRICT_CONTENT_TYPE: '1' }, { strictContentType: true }],
    [{ SUPPORT_CONTACT: ' help@x.test ' }, { supportContact: 'help@x.test' }],
    [{ LOG_LEVEL: 'debug' }, { logLevel: 'debug' }],
    [{ WEBHOOK_ALLOW_CIDRS: '10.1.0.0/16' }, {}],
    [
      { PORT: '', LOG_LEVEL: ' ' },
      { port: 3000, logLevel: 'info' },
    ],
  ]

  test.each(cases)('%j', (env, seen) => {
    expect(readConfig({ ...sandbox, ...env })).toMatchObject(seen)
  })
})

describe('every invalid setting is reported', () => {
  const cases: [env: Env, mistake: string][] = [
    [{ PORT: '0' }, 'PORT must be a whole number from 1 to 65535'],
    [{ PORT: '80a' }, 'PORT must be a whole number from 1 to 65535'],
    [{ HOST: 'two words' }, 'HOST must be an address or a host name'],
    [{ PUBLIC_URL: 'phone.test' }, 'PUBLIC_URL must be a URL that begins with https:// or http://'],
    [{ PUBLIC_URL: 'https://u:p@phone.test' }, 'PUBLIC_URL must be a plain URL, without a password, ? or #'],
    [{ DASHBOARD_URL: 'https://d.test/?x=1' }, 'DASHBOARD_URL must be a plain URL, without a password, ? or #'],
    [{ ASSETS_URL: 'ftp://a.test' }, 'ASSETS_URL must be a URL that begins with https:// or http://'],
    [{ SHORT_URL: 's' }, 'SHORT_URL must be a URL that begins with https:// or http://'],
    [{ DATABASE_URL: 'mysql://db' }, 'DATABASE_URL must be a URL that begins with postgres:// or postgresql://'],
    [{ DATABASE_POOL_SIZE: '1' }, 'DATABASE_POOL_SIZE must be a whole number from 2 to 500'],
    [{ HOOKSWITCH_KEY: 'short' }, 'HOOKSWITCH_KEY must be 32 bytes in base64'],
    [{ HOOKSWITCH_KEY: `${key}!` }, 'HOOKSWITCH_KEY must be 32 bytes in base64'],
    [
      { HOOKSWITCH_KEY: Buffer.from('a password of thirty-two letters').toString('base64') },
      'HOOKSWITCH_KEY is a known default; make a random one',
    ],
    [{ ROLES: 'api,phone', DATABASE_URL: database }, 'ROLES must be of api, calls, worker'],
    [{ ROLES: 'api' }, 'ROLES splits the work over processes, which needs PostgreSQL; unset it or set DATABASE_URL'],
    [{ TLS_CERT: '/some/file' }, 'TLS_CERT and TLS_KEY go together'],
    [{ TRUSTED_PROXIES: '10.0.0.0/33' }, 'TRUSTED_PROXIES holds 10.0.0.0/33, which is no address or range'],
    [{ ADMIN_PORT: '90909' }, 'ADMIN_PORT must be a port, or ADDRESS:PORT'],
    [{ ADMIN_PORT: 'a b:1' }, 'ADMIN_PORT must be a port, or ADDRESS:PORT'],
    [{ SMTP_URL: 'mail.test' }, 'SMTP_URL must be a URL that begins with smtp:// or smtps://'],
    [{ API_HEADER_PREFIX: 'X Phone' }, 'API_HEADER_PREFIX must be letters, digits and -'],
    [{ RATE_LIMIT_PER_MINUTE: '-1' }, 'RATE_LIMIT_PER_MINUTE must be a whole number from 1 to 10000000'],
    [{ HOOKSWITCH_ALLOW_LOOPBACK_RECEIVERS: 'yes' }, 'HOOKSWITCH_ALLOW_LOOPBACK_RECEIVERS must be 1 or 0'],
    [{ STRICT_CONTENT_TYPE: 'true' }, 'STRICT_CONTENT_TYPE must be 1 or 0'],
    [{ LOG_LEVEL: 'silent' }, 'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace'],
    [{ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' }, 'WEBHOOK_ALLOW_CIDRS must name private ranges only, not 127.0.0.0/8'],
    ...[
      '0.0.0.0/0',
      '100.64.0.0/1',
      '10.0.0.0/7',
      '100.100.100.0/24',
      '169.254.169.254',
      '224.0.0.0/4',
      '::1',
      '::/0',
      'fe80::/10',
      'ff00::/8',
      'fd00::/8',
      '::ffff:10.0.0.0/104',
    ].map((range): [Record<string, string>, string] => [
      { WEBHOOK_ALLOW_CIDRS: range },
      `WEBHOOK_ALLOW_CIDRS must name private ranges only, not ${range}`,
    ]),
    [{ WEBHOOK_ALLOW_CIDRS: '8.8.8.0/24' }, 'WEBHOOK_ALLOW_CIDRS must name private ranges only, not 8.8.8.0/24'],
    [{ FILES_URL: 'ftp://files' }, 'FILES_URL must be a folder, or s3://bucket/prefix'],
    ...['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'].map((name): [Record<string, string>, string] => [
      { FILES_URL: 's3://bucket', [name]: 'x' },
      'FILES_URL on S3 needs both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or neither for a role',
    ]),
    ...[
      { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '@evil.example/' },
      { AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://evil.example/' },
    ].map((env): [Record<string, string>, string] => [
      { FILES_URL: 's3://bucket', ...env },
      'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI must be a path, and AWS_CONTAINER_CREDENTIALS_FULL_URI an https URL or one of this host',
    ]),
    [{ FILES_URL: 's3:///x' }, 'FILES_URL must name a bucket: s3://bucket/prefix'],
    [{ FILES_URL: 's3://k:s@bucket?acl=public' }, 'FILES_URL knows region and endpoint, not acl'],
    [{ FILES_URL: 's3://k:s@bucket?endpoint=ftp://x' }, 'the endpoint in FILES_URL must be an http(s) URL'],
    ...['/srv/phone', '/srv', '/'].map((folder): [Record<string, string>, string] => [
      { DATA_DIR: '/srv/phone', FILES_URL: folder },
      'FILES_URL must be a folder of its own, not one that holds DATA_DIR',
    ]),
    [{ HOOKSWITCH_MODE: 'Sandbox' }, 'HOOKSWITCH_MODE must be one of sandbox, production'],
  ]

  test.each(cases)('%j', (env, mistake) => {
    expect(mistakesIn({ ...sandbox, ...env })).toBe(mistake)
  })

  test.each<[env: Env, mistake: string]>([
    [{ PUBLIC_URL: '' }, 'PUBLIC_URL is mandatory in production'],
    [{ PUBLIC_URL: 'http://phone.test' }, 'PUBLIC_URL must be a URL that begins with https://'],
    [{ TRUSTED_PROXIES: '' }, 'production answers HTTPS only: set TLS_CERT and TLS_KEY, or TRUSTED_PROXIES'],
    [{ DATABASE_URL: database }, 'HOOKSWITCH_KEY is mandatory in production with PostgreSQL'],
    [{ HOOKSWITCH_ALLOW_LOOPBACK_RECEIVERS: '1' }, 'HOOKSWITCH_ALLOW_LOOPBACK_RECEIVERS=1 is refused in production'],
  ])('in production: %j', (env, mistake) => {
    expect(mistakesIn({ ...production, ...env })).toBe(mistake)
  })

  test('all problems in one line, without secrets', () => {
    const problems = mistakesIn({
      PORT: 'x',
      DATABASE_URL: 'mysql://u:hush@db',
      HOOKSWITCH_KEY: 'hush',
      LOG_LEVEL: 'loud',
    })

    expect(problems.split('; ')).toEqual([
      'PORT must be a whole number from 1 to 65535',
      'PUBLIC_URL is mandatory in production',
      'DATABASE_URL must be a URL that begins with postgres:// or postgresql://',
      'HOOKSWITCH_KEY must be 32 bytes in base64',
      'production answers HTTPS only: set TLS_CERT and TLS_KEY, or TRUSTED_PROXIES',
      'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace',
    ])
    expect(problems).not.toMatch(/hush|\n/)
  })

  test('an invalid certificate is reported', async () => {
    const file = path.join(await temporaryFolder(), 'cert.pem')
    writeFileSync(file, 'not a certificate')

    expect(mistakesIn({ ...sandbox, TLS_CERT: file, TLS_KEY: file })).toMatch(/^TLS_CERT and TLS_KEY cannot be used \(/)
  })
})

test('commands next to a running server need the data folder only', () => {
  expect(readDataDir({ DATA_DIR: '/srv/phone' })).toBe('/srv/phone')
  expect(readStoreConfig({ DATABASE_URL: database })).toMatchObject({ database: { kind: 'postgres' }, key: undefined })
  expect(() => readStoreConfig({ DATABASE_URL: 'x', HOOKSWITCH_KEY: 'y' })).toThrow(/^DATABASE_URL .*; HOOKSWITCH_KEY /)
})

test('each engine is one setting, and an invalid one is reported', () => {
  const { engines } = readConfig({ ...sandbox, AI_LLM: 'openai+http://ollama:11434/v1#qwen3:8b', AI_LLM_KEY: 'k' })

  expect(engines.llm).toEqual({
    line: { kind: 'openai', url: 'http://ollama:11434/v1', model: 'qwen3:8b', options: {} },
    key: 'k',
  })
  expect(mistakesIn({ ...sandbox, AI_LLM: 'gpt' })).toBe('AI_LLM must be off, or openai+https://host/path#model')
  expect(mistakesIn({ ...sandbox, AI_STT_KEY: 'two words' })).toContain('AI_STT_KEY must be')
})

test('settings of earlier releases are reported and do not prevent a start', () => {
  const env = { ...sandbox, AI_AGENT: 'openai-realtime+wss://host/path#model', AI_AGENT_KEY: 'k' }

  expect(readConfig(env).removedSettings).toEqual(['AI_AGENT', 'AI_AGENT_KEY'])
  expect(readConfig({ ...sandbox, AI_AGENT: 'off' }).removedSettings).toEqual([])
})
