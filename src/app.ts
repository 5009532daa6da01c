import { statfsSync } from 'node:fs'
import type { Server } from 'node:http'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Config } from './config.ts'
import { type Database, openDatabase } from './db/database.ts'
import { migrate, schemaIsCurrent } from './db/migrate.ts'
import { adminCommands } from './features/admin.ts'
import { storeAnswers } from './features/companies/store.ts'
import { credentialLookups, rateStore } from './features/doors/store.ts'
import { routes } from './features/index.ts'
import { mailSender } from './features/mail.ts'
import { numberHoursTurn } from './features/numbers/actions.ts'
import { farewellEraser, userEraser, userHoursTurn } from './features/users/actions.ts'
import { type AdminCommands, openAdminSocket } from './http/admin-socket.ts'
import { defaultAudio } from './http/default-audio.ts'
import { docsPages } from './http/docs.ts'
import { createAdminServer, healthPages } from './http/health.ts'
import { countByLeases, countInMemory } from './http/rate-limit.ts'
import { createServer } from './http/server.ts'
import { Throttle } from './http/throttle.ts'
import { createJobs } from './jobs/queue.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { readOrMakeKey } from './lib/key-file.ts'
import { createLog, type Log } from './lib/log.ts'
import { connectMailServer } from './lib/mail.ts'
import { createMetrics } from './lib/metrics.ts'
import { createVault } from './lib/secrets.ts'
import { version } from './lib/version.ts'
import type { Services } from './services.ts'

export interface App {
  services: Services
  commands: AdminCommands
  http: FastifyInstance
  database: Database
  start(): Promise<void>
  /** /readyz says 503 from now on. */
  drain(): void
  stop(): Promise<void>
  /** Resolves when no work is pending: tests wait for it. */
  settle(): Promise<void>
}

/** What tests wind by hand. */
export interface Overrides {
  clock?: Clock
  log?: Log
  requestTimeoutMs?: number
}

/** The composition root: every part, once, in the order of the folders. */
export async function createApp(config: Config, overrides: Overrides = {}): Promise<App> {
  const log = overrides.log ?? createLog(config.logLevel)
  const clock = overrides.clock ?? systemClock()
  const metrics = createMetrics()
  const database = await openDatabase(config.database, clock)
  const { db } = database
  await migrate(database, { clock, log, backupFolder: path.join(config.dataDir, 'backups') }).catch(closing(database))
  const services: Services = {
    db,
    clock,
    log,
    vault: createVault(config.key ?? readOrMakeKey(config.dataDir)),
    links: config.links,
    rules: { supportContact: config.supportContact, loopbackReceivers: config.loopbackReceivers },
  }
  const mailServer = connectMailServer({ smtpUrl: config.smtpUrl, from: config.mailFrom })
  const jobs = createJobs(
    { db, clock, log, metrics },
    {
      'mail.send': mailSender(services, mailServer),
      'user.erase': userEraser(services),
      'user.farewell': farewellEraser(services),
      'user.hours': userHoursTurn(services),
      'number.hours': numberHoursTurn(services),
    },
  )

  let draining = false
  const sandbox = config.mode === 'sandbox'
  const rateLimit = database.shared
    ? countByLeases(config.rateLimitPerMinute, clock, rateStore(db))
    : countInMemory(config.rateLimitPerMinute, clock)
  const health = healthPages({
    metrics,
    draining: () => draining,
    checks: {
      store: async () => (await storeAnswers(db, clock.machineNow())) || 'does not read back what was written',
      schema: async () => (await schemaIsCurrent(db)) || 'is not this release’s',
      disk: async () => hasRoom(config.dataDir) || 'less than 5 % free',
    },
  })
  const http = createServer(
    {
      trustedProxies: config.trustedProxies,
      tls: config.tls,
      httpsOnly: !sandbox,
      ...(overrides.requestTimeoutMs !== undefined && { requestTimeoutMs: overrides.requestTimeoutMs }),
    },
    {
      routes,
      surroundings: { services, linkBase: config.linkBase, strictContentType: config.strictContentType },
      doors: {
        lookups: credentialLookups(db, clock),
        throttle: new Throttle(clock),
        rateLimit,
        rateHeaderPrefix: config.rateHeaderPrefix,
        metrics,
        clock,
        ownOrigins: [...new Set([config.links.api, config.links.dashboard].map((link) => new URL(link).origin))],
        cookieName: sandbox ? 'hookswitch_session' : '__Host-hookswitch_session',
      },
      pages: [defaultAudio, docsPages({ routes, server: config.links.api, version }), ...(sandbox ? [health] : [])],
    },
  )
  const adminServer = config.admin && createAdminServer(health)
  const commands = adminCommands(services)
  let adminSocket: Server | undefined
  metrics.unsafeOption.set({ option: 'loopback_receivers' }, config.loopbackReceivers ? 1 : 0)

  return {
    services,
    commands,
    http,
    database,
    async start() {
      if (config.roles.worker) jobs.start()
      adminSocket = await openAdminSocket(path.join(config.dataDir, 'admin.sock'), commands).catch((error) => {
        log.warn({ error }, 'no admin socket: commands must wait until this process has stopped')
        return undefined
      })
      if (adminServer && config.admin) await adminServer.listen(config.admin)
      if (config.roles.api) await http.listen({ host: config.host, port: config.port })
    },
    drain() {
      draining = true
    },
    async stop() {
      draining = true
      await http.close()
      adminSocket?.close()
      await adminServer?.close()
      await jobs.stop()
      await rateLimit.stop()
      mailServer?.close()
      await database.close()
    },
    settle: () => jobs.settle(),
  }
}

function closing(database: Database) {
  return async (error: unknown) => {
    await database.close()
    throw error
  }
}

function hasRoom(folder: string): boolean {
  const { bavail, blocks } = statfsSync(folder)
  return blocks === 0 || bavail / blocks > 0.05
}
