import { statfsSync } from 'node:fs'
import type { Server } from 'node:http'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import { adminCommands } from './admin.ts'
import type { Config } from './config.ts'
import { type Database, openDatabase } from './db/database.ts'
import { notify } from './db/dialect.ts'
import { isUnavailable } from './db/errors.ts'
import { installationKey, isInstallationKey, type KeySource } from './db/installation-key.ts'
import { migrate, schemaIsCurrent } from './db/migrate.ts'
import { reviewWebhooks } from './delivery/at-start.ts'
import { digestSender } from './delivery/consequences.ts'
import { createDispatcher } from './delivery/dispatcher.ts'
import { webhookFollower, webhookProber } from './delivery/jobs.ts'
import { createWorkers, onlyWorker } from './delivery/workers.ts'
import { noLine } from './drivers/no-line.ts'
import { createRealLines } from './drivers/real-lines.ts'
import { createAgents } from './drivers/simulator/agents.ts'
import { createSimulator } from './drivers/simulator/network.ts'
import { createCalls } from './engine/calls.ts'
import { assetPublisher, assetReady, callEndedPublisher } from './engine/post-call.ts'
import { createTollGuard, dialledCleaner } from './engine/toll-guard.ts'
import { createTrunkManager, trunkForCall, trunksChannel } from './engine/trunk-manager.ts'
import { createFeed } from './events/feed.ts'
import { createSequencer } from './events/sequencer.ts'
import { createRefusals } from './features/accounts/audit/refusals.ts'
import { embedOrigins, storeAnswers } from './features/accounts/companies/store.ts'
import { warnOfSeveralCompanies } from './features/accounts/companies/tenancy-warning.ts'
import { credentialLookups, rateStore } from './features/accounts/credentials/store.ts'
import { mailSender } from './features/accounts/emails/queue.ts'
import { wrapUpTimer } from './features/accounts/presence/actions.ts'
import { resetMailer } from './features/accounts/sign-in/actions.ts'
import { createSignIns } from './features/accounts/sign-in/throttle.ts'
import { deletionEventEraser, userEraser } from './features/accounts/users/actions.ts'
import { userHoursTurn } from './features/accounts/users/change.ts'
import { exportReportJob } from './features/analytics/exports/make-report.ts'
import { downloadPage } from './features/analytics/exports/pages.ts'
import { assetPages } from './features/calls/recordings/pages.ts'
import { contactDeletionEventEraser, contactEraser } from './features/contacts/contacts/actions.ts'
import { nameIndexer, wordForgetter } from './features/contacts/names/index-names.ts'
import { routes as always } from './features/index.ts'
import { factRenderers, samplesFor } from './features/integrations/catalogue/catalogue.ts'
import { appRemover } from './features/integrations/oauth/actions.ts'
import { authorizeGuard, integrationLogo } from './features/integrations/oauth/pages.ts'
import { fillReplayJob } from './features/integrations/replays/fill.ts'
import { recordingConverter } from './features/intelligence/recordings/convert.ts'
import { analysisJob, llmAnalysisJob } from './features/intelligence/results/analyse.ts'
import { transcriptJob } from './features/intelligence/results/build-transcript.ts'
import { deleteOldRecordings } from './features/intelligence/results/raw-audio.ts'
import { speechToTextJob } from './features/intelligence/results/speech-to-text.ts'
import { uploadRemover } from './features/messages/inbox/uploads.ts'
import { mediaPage } from './features/messages/messages/pages.ts'
import { soundFetcher } from './features/numbers/audio/fetch.ts'
import { uploadPage } from './features/numbers/audio/pages.ts'
import { numberHoursTurn } from './features/numbers/numbers/actions.ts'
import { type AdminCommands, openAdminSocket } from './http/admin-socket.ts'
import { defaultAudio } from './http/default-audio.ts'
import { docsPages } from './http/docs.ts'
import { createAdminServer, healthPages } from './http/health.ts'
import { countByLeases, countInMemory } from './http/rate-limit.ts'
import { readinessChecks } from './http/readiness.ts'
import { createServer } from './http/server.ts'
import { sessionCookies } from './http/session-cookie.ts'
import { webPages } from './http/web-pages.ts'
import { createEmbeddedSpeech } from './intelligence/embedded.ts'
import { createEngines } from './intelligence/engines.ts'
import { createJobWorker } from './jobs/worker.ts'
import { createAddressPolicy } from './lib/address-policy.ts'
import type { AdjustableClock } from './lib/adjustable-clock.ts'
import { createAudioCache } from './lib/audio-cache.ts'
import { systemClock } from './lib/clock.ts'
import { type Files, filesIn } from './lib/files.ts'
import { filesOnS3 } from './lib/files-s3.ts'
import { keyFileIn, makeKey, readKey } from './lib/key-file.ts'
import { createLog, type Log, oneOutageLineASecond } from './lib/log.ts'
import { connectMailServer } from './lib/mail.ts'
import { createMetrics } from './lib/metrics.ts'
import { fractionOf, secureRandom } from './lib/random.ts'
import { createSafeFetch, type SafeFetchOptions } from './lib/safe-fetch.ts'
import { createVault, randomId } from './lib/secrets.ts'
import { Throttle } from './lib/throttle.ts'
import { createTrunkHosts } from './lib/trunk-hosts.ts'
import { version } from './lib/version.ts'
import { createHub } from './live/hub.ts'
import { bySessionOrKey, liveSocket } from './live/live-socket.ts'
import { turnServers } from './live/turn-credentials.ts'
import { applyKeptReports } from './messaging/arrivals.ts'
import { createMessageCallbacks } from './messaging/callbacks.ts'
import { createCarriers } from './messaging/carriers.ts'
import { createLines } from './messaging/lines.ts'
import { mediaFetcher } from './messaging/media.ts'
import { simulatedReader } from './messaging/simulator.ts'
import { createRetentionJob, scheduleRetention } from './retention.ts'
import { act } from './sandbox/actions.ts'
import { createFaults, stormy } from './sandbox/faults.ts'
import { sandboxRoutes } from './sandbox/index.ts'
import { lineFaultsOf, outsidersOf } from './sandbox/network.ts'
import { openSandboxClock, storedClock } from './sandbox/open-clock.ts'
import { scenarioStepJob } from './sandbox/run.ts'
import { defaultSeed } from './sandbox/seed.ts'
import { autopilotOf } from './sandbox/settings.ts'
import type { Services, SimulatedCaller } from './services.ts'

export interface App {
  services: Services
  commands: AdminCommands
  http: FastifyInstance
  database: Database
  start(): Promise<void>
  /** /readyz says 503 from now on, and nobody new gets a real line; resolves when the last one on a real line hung up. */
  drain(): Promise<void>
  stop(): Promise<void>
  /** Resolves when no work is pending: tests wait for it. */
  settle(): Promise<void>
}

/** What tests wind by hand. */
export interface Overrides {
  clock?: AdjustableClock
  log?: Log
  requestTimeoutMs?: number
  /** The jitter of retries. */
  random?: () => number
  /** Name servers and certificates of the test. */
  network?: Pick<SafeFetchOptions, 'dnsServers' | 'ca'>
  /** Who listens, thinks and speaks. */
  ai?: Partial<Services['ai']>
  /** False: no real lines, whatever trunks are set. */
  voice?: boolean
}

const everywhere = [...always, ...sandboxRoutes]

/** The composition root: every part, once, in the order of the folders. */
export async function createApp(config: Config, overrides: Overrides = {}): Promise<App> {
  const machine = overrides.clock ?? systemClock()
  const log = oneOutageLineASecond(overrides.log ?? createLog(config.logLevel), isUnavailable, machine)
  const metrics = createMetrics()
  const database = await openDatabase(config.database, machine)
  const { db } = database
  await migrate(database, { clock: machine, log, backupFolder: path.join(config.dataDir, 'backups') }).catch(
    closing(database),
  )
  const key = await installationKey(db, keySource(config)).catch(closing(database))
  const vault = createVault(key)
  const sandbox = config.mode === 'sandbox'
  const routes = sandbox ? everywhere : always
  const wound = overrides.clock ?? (sandbox ? await storedClock(db, machine).catch(closing(database)) : undefined)
  const clock = wound ?? machine
  const { shared } = database
  const sandboxClock =
    sandbox && wound ? openSandboxClock({ db, clock: wound, log, settle, shared, activity, otherProcesses }) : undefined
  const faults = createFaults({ db, log })
  const receivers = {
    loopback: config.loopbackReceivers,
    allowRanges: config.allowedRanges,
    ownNames: [...new Set(Object.values(config.links).map((link) => new URL(link).hostname))],
    ownPorts: ownPorts(config),
  }
  const outbound = createSafeFetch({ clock, ...receivers, ...overrides.network })
  const trunkHosts = createTrunkHosts({
    isRestricted: config.tenancy === 'multi',
    loopback: config.loopbackReceivers,
    policy: createAddressPolicy(receivers),
  })
  // The operator's own servers may stand anywhere.
  const trusted = createSafeFetch({
    clock,
    loopback: true,
    allowRanges: [],
    ownNames: [],
    ownPorts: [],
    trusted: true,
    ...overrides.network,
  })
  const files = config.files.kind === 's3' ? filesOnS3(config.files, clock) : filesIn(config.files.folder)
  const speech = createEmbeddedSpeech({ modelsDir: config.modelsDir, clock, log })
  const services: Services = {
    db,
    clock,
    log,
    vault,
    links: config.links,
    signIns: createSignIns(db, clock),
    clients: new Throttle(clock),
    rules: {
      supportContact: config.supportContact,
      sandbox,
      tenancy: config.tenancy,
      // The sandbox has two demo companies on different plans, whatever the setting.
      everyFeature: config.tenancy === 'single' && !sandbox,
      hasMailServer: config.smtpUrl !== undefined,
      loopbackReceivers: config.loopbackReceivers,
      callEndedDelayMs: config.callEndedDelayMs,
      refusesEmergency: config.voice.sip.refusesEmergency,
      trunkHostProblem: trunkHosts.hostProblem,
    },
    outbound,
    refusals: createRefusals({ services: () => services, metrics }),
    factRenderers,
    feed: createFeed(db),
    files,
    sounds: createAudioCache(files, path.join(config.dataDir, 'sounds', 'customers')),
    get calls() {
      return calls
    },
    get trunks() {
      return trunks
    },
    get carriers() {
      return carriers
    },
    get browsers() {
      return hub
    },
    ai: {
      ...createEngines({ db, clock, log, vault, trusted, outbound, settings: config.engines, embedded: speech }),
      ...overrides.ai,
    },
    ...(sandboxClock && { sandbox: { clock: sandboxClock, network: { call: simulatedCall }, faults } }),
  }
  const { turn } = config.voice
  const hub = createHub({ services, shared, iceServers: turn && turnServers(turn, clock) })
  // Only the sandbox has synthetic people: a simulated answer to a real customer's call would be a lie.
  const simulator = sandbox
    ? createSimulator({ clock, log, recordingsFolder: path.join(config.dataDir, 'recordings') })
    : undefined
  const agents = simulator
    ? createAgents({
        clock,
        log,
        seed: defaultSeed,
        lookup: (companyId, userId) => autopilotOf(db, companyId, userId),
        act: (companyId, userId, wish, on) => act(services, companyId, userId, wish, on),
      })
    : undefined
  if (agents) hub.onSend(agents.onMessage)
  simulator?.setCallees(outsidersOf(services))
  simulator?.setFaults(lineFaultsOf(services))
  const real =
    config.roles.calls && overrides.voice !== false
      ? createRealLines({
          ...config.voice,
          clock,
          log,
          dataDir: config.dataDir,
          tls: config.tls,
          shared,
          soundOf,
          routeCall: (candidates) => trunkForCall(db, candidates),
          admits: trunkHosts.admits,
        })
      : undefined
  const guard = createTollGuard({ services, metrics })
  const trunkManager = real && createTrunkManager({ services, guard, driver: real })
  const calls = createCalls({
    services,
    lines: { ...(simulator && { simulated: simulator }), ...(real && { real }), silence: noLine() },
    guard,
    shared,
    roles: (['api', 'calls', 'worker'] as const).filter((role) => config.roles[role]),
    ...(trunkManager && { testTrunk: trunkManager.test }),
    random: (key, userId) => fractionOf(`${key}:${userId}`),
  })
  const trunks: Services['trunks'] = {
    changed() {
      trunkManager?.changed()
      notify(db, trunksChannel).catch((error) =>
        log.warn({ event: 'trunks.notify_failed', error }, 'other processes apply changed trunks with a delay'),
      )
    },
    test: calls.testTrunk,
  }
  const mailServer = connectMailServer({ smtpUrl: config.smtpUrl, from: config.mailFrom })
  const jobs = createJobWorker(
    { db, clock, log, metrics, shared },
    {
      'mail.send': mailSender(services, mailServer),
      'password.reset': resetMailer(services),
      'user.erase': userEraser(services),
      'user.farewell': deletionEventEraser(services),
      'contact.erase': contactEraser(services),
      'contact.farewell': contactDeletionEventEraser(services),
      'contact.forget_words': wordForgetter(services),
      'contact.index_names': { background: nameIndexer(services), concurrency: 1 },
      'user.hours': userHoursTurn(services),
      'number.hours': numberHoursTurn(services),
      'webhook.follow': webhookFollower(services),
      'webhook.probe': webhookProber(services),
      'webhook.digest': digestSender(services),
      'replay.fill': fillReplayJob(services),
      'oauth.clear': appRemover(services),
      'user.wrap_up': wrapUpTimer(services),
      'call.ended': callEndedPublisher(services),
      'call.assets': assetPublisher(services),
      'call.speech_to_text': { background: speechToTextJob(services), concurrency: 1 },
      'call.build_transcript': { background: transcriptJob(services) },
      'call.analyse': analysisJob(services),
      'call.think': { background: llmAnalysisJob(services), concurrency: 4 },
      'callback.serve': config.roles.calls ? calls.serveCallback : { background: calls.serveCallback },
      'agent_calls.serve': calls.serveAgentCalls,
      'recording.convert': recordingConverter(services, assetReady),
      'sound.fetch': { background: soundFetcher(services) },
      'analytics.export': { background: exportReportJob(services), concurrency: 1 },
      'message.media': { background: mediaFetcher(services) },
      'message.upload': uploadRemover(services),
      'message.simulated': { batch: simulatedReader(services) },
      'sandbox.scene': scenarioStepJob(services),
      retention: createRetentionJob(services, [
        () => dialledCleaner(services),
        () => deleteOldRecordings(path.join(config.dataDir, 'recordings'), clock),
      ]),
    },
  )
  const carriers = createCarriers({ services, runs: config.roles.worker, lookAgain: () => lines.lookAgain() })
  const lines = createLines({
    services,
    shared,
    wayOf: carriers.wayOf,
    handed: (companyId, carrierId, refs) => applyKeptReports(services, companyId, carrierId, refs),
  })
  const callbacks = createMessageCallbacks(services)
  const sequencer = createSequencer({ db, clock, log })
  const dispatcher = createDispatcher({
    services,
    metrics,
    http: outbound,
    workers: database.shared ? createWorkers({ db, clock, log }) : onlyWorker(clock),
    timeoutMs: config.webhookTimeoutMs,
    random: overrides.random ?? secureRandom,
    shared: database.shared,
  })

  let draining = false
  const counted = database.shared
    ? countByLeases(config.rateLimitPerMinute, clock, rateStore(db))
    : countInMemory(config.rateLimitPerMinute, clock)
  const rateLimit = sandbox ? stormy(counted, faults) : counted
  const health = healthPages({
    metrics,
    draining: () => draining,
    loopbackReceivers: config.loopbackReceivers,
    clock: machine,
    checks: readinessChecks({
      roles: config.roles,
      store: () => storeAnswers(db, clock.machineNow()),
      schemaIsCurrent: () => schemaIsCurrent(db),
      keyIsCurrent: () => isInstallationKey(db, key),
      pool: database.pool,
      fileStore: () => fileStoreAnswers(files),
      hasRoomOnDisk: () => hasRoom(config.dataDir),
      deliveryLagMs: () => dispatcher.lag(),
      portProblem: () => real?.portProblem(),
    }),
  })
  const cookies = sessionCookies(!sandbox)
  const http = createServer(
    {
      trustedProxies: config.trustedProxies,
      tls: config.tls,
      httpsOnly: !sandbox,
      ...(overrides.requestTimeoutMs !== undefined && { requestTimeoutMs: overrides.requestTimeoutMs }),
    },
    {
      routes,
      context: {
        services,
        linkBase: config.linkBase,
        strictContentType: config.strictContentType,
        sessions: cookies,
      },
      auth: {
        lookups: credentialLookups(db, clock, services.rules),
        throttle: new Throttle(clock),
        rateLimit,
        rateHeaderPrefix: config.rateHeaderPrefix,
        metrics,
        clock,
        ownOrigins: [...new Set([config.links.api, config.links.dashboard].map((link) => new URL(link).origin))],
        cookieName: cookies.name,
      },
      pages: [
        defaultAudio,
        docsPages({
          edition: sandbox ? 'sandbox' : 'production',
          links: config.links,
          source: { routes, version, samples: samplesFor },
        }),
        ...assetPages(services),
        downloadPage(services),
        mediaPage(services),
        ...carriers.pages,
        uploadPage(services),
        integrationLogo,
        webPages({
          assets: config.links.assets,
          embedders: (caller) => embedOrigins(db, caller?.companyId),
          guards: { '/oauth/authorize': authorizeGuard(services) },
        }),
        liveSocket(services, hub, bySessionOrKey(sandbox)),
        ...(sandbox ? [health] : []),
      ],
    },
  )
  const adminServer = config.admin && createAdminServer(health)
  // In a sandbox health pages are on PORT; a process without the API serves nothing else there.
  const healthServer = sandbox && !config.roles.api ? createAdminServer(health) : undefined
  const commands = adminCommands(services)
  let adminSocket: Server | undefined
  if (config.roles.worker) metrics.outbox(() => dispatcher.outbox())
  if (real) metrics.voice(() => real.stats())
  metrics.unsafeOption.set({ option: 'refuse_emergency' }, config.voice.sip.refusesEmergency ? 1 : 0)
  metrics.unsafeOption.set({ option: 'loopback_receivers' }, config.loopbackReceivers ? 1 : 0)

  return {
    services,
    commands,
    http,
    database,
    async start() {
      // A clock that was given is kept by its owner.
      if (!overrides.clock) sandboxClock?.start()
      services.feed.start()
      if (sandbox) await faults.start()
      sequencer.start()
      if (config.roles.worker && config.engines.stt.line.dialect === 'embedded' && !(await speech.stt())) {
        log.info(
          { event: 'stt.models_missing', folder: config.modelsDir },
          'transcription is disabled: download the models with `hookswitch models fetch`',
        )
      }
      await warnOfSeveralCompanies(services)
      if (config.roles.worker) {
        await reviewWebhooks(services)
        await scheduleRetention(services)
        jobs.start()
        await dispatcher.start()
        await carriers.start()
        await lines.start()
        await callbacks.start()
      }
      await hub.start()
      await calls.begin()
      await trunkManager?.start()
      adminSocket = await openAdminSocket(path.join(config.dataDir, 'admin.sock'), commands).catch((error) => {
        log.warn(
          { event: 'admin_socket.unavailable', error },
          'no admin socket: commands must wait until this process has stopped',
        )
        return undefined
      })
      if (adminServer && config.admin) await adminServer.listen(config.admin)
      const server = config.roles.api ? http : healthServer
      await server?.listen({ host: config.host, port: config.port })
    },
    async drain() {
      draining = true
      await calls.drain()
      await real?.drain()
    },
    async stop() {
      draining = true
      await sandboxClock?.stop()
      services.feed.stop()
      faults.stop()
      await http.close()
      adminSocket?.close()
      await adminServer?.close()
      await healthServer?.close()
      await trunkManager?.stop()
      await calls.stop()
      await real?.close()
      // What the lines told at their end.
      await calls.end()
      await trunkManager?.end()
      await carriers.stop()
      await lines.stop()
      await callbacks.stop()
      const lastJobs = jobs.stop()
      // Nobody waits for the end of a long recording: it is listened to after the next start.
      await speech.stop()
      await lastJobs
      await dispatcher.stop()
      await hub.stop()
      await sequencer.stop()
      await outbound.close()
      await trusted.close()
      await rateLimit.stop()
      mailServer?.close()
      await database.close()
    },
    settle,
  }

  async function settle() {
    do {
      await calls.settle()
      await jobs.settle()
    } while (
      (await agents?.settle()) ||
      (await lines.settle()) ||
      (await callbacks.settle()) ||
      (await dispatcher.settle()) ||
      (await calls.settle())
    )
    await sequencer.settle()
  }

  /** What may lead to work in another process. */
  function activity(): number {
    return calls.activity() + jobs.activity()
  }

  function otherProcesses(): Promise<string[]> {
    return calls.otherProcesses()
  }

  async function soundOf(media: string): Promise<string | undefined> {
    return services.sounds.fileOf(media).catch((error: unknown) => {
      log.error({ event: 'audio.read_failed', error }, 'audio could not be read from the file store')
      return undefined
    })
  }

  async function simulatedCall(caller: SimulatedCaller): Promise<number> {
    const callId = await calls.simulate(caller)
    if (callId === undefined) throw new Error('no such Number')
    return callId
  }
}

function closing(database: Database) {
  return async (error: unknown) => {
    await database.close()
    throw error
  }
}

function keySource({ key, dataDir }: Config): KeySource {
  if (key) return { key, place: 'HOOKSWITCH_KEY', make: () => key }
  return { key: readKey(dataDir), place: keyFileIn(dataDir), make: () => makeKey(dataDir) }
}

/** Where we, our private listener and our database listen: no customer's address may lead there. */
function ownPorts({ port, admin, database }: Config): number[] {
  const store = database.kind === 'postgres' ? [Number(new URL(database.url).port || 5_432)] : []
  return [port, ...(admin ? [admin.port] : []), ...store]
}

/** Under a name of its own each time: other processes look as well. */
async function fileStoreAnswers(files: Files): Promise<boolean> {
  const key = `ready/${randomId()}`
  await files.put(key, Buffer.from('ready'))
  const size = await files.size(key)
  await files.remove(key)
  return size === 5
}

function hasRoom(folder: string): boolean {
  const { bavail, blocks } = statfsSync(folder)
  return blocks === 0 || bavail / blocks > 0.05
}
