import type { FastifyInstance } from 'fastify'
import { adminCommands } from './admin.ts'
import { type Overrides, openContext } from './app/context.ts'
import { createDelivery } from './app/delivery.ts'
import { createHealth } from './app/health.ts'
import { createHttp } from './app/http.ts'
import { createIntelligence } from './app/intelligence.ts'
import { createJobs } from './app/jobs.ts'
import { createMessaging } from './app/messaging.ts'
import { createNetwork } from './app/network.ts'
import { type ProcessPart, startAll, startOf, stopAll, stopOf } from './app/part.ts'
import { createSandboxTools } from './app/sandbox.ts'
import { createServices } from './app/services.ts'
import { statusCommands } from './app/status.ts'
import { createTelephony } from './app/telephony.ts'
import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import { warnOfSeveralCompanies } from './features/accounts/companies/tenancy-warning.ts'
import type { AdminCommands } from './http/admin-socket.ts'
import { createSocketHub } from './live/hub.ts'
import { createPushNotifier, type PushNotifier } from './live/push-notifier.ts'
import { turnServers } from './live/turn-credentials.ts'
import type { Services, SimulatedCaller, SimulatedNetwork } from './services.ts'

export interface App {
  services: Services
  commands: AdminCommands
  http: FastifyInstance
  database: Database
  start(): Promise<void>
  /**
   * From now on /readyz returns 503 and other processes get the new calls. Stopping leaves calls on real lines to another
   * process.
   */
  drain(): Promise<void>
  /** Also after a failed start. */
  stop(): Promise<void>
  /** Resolves when no work is pending: tests wait for it. */
  settle(): Promise<void>
}

/** Creates the parts in the order of the folders. */
export async function createApp(config: Config, overrides: Overrides = {}): Promise<App> {
  const context = await openContext(config, overrides)
  const { clock, database, shared } = context
  const sandbox = createSandboxTools(context, { settle, activity, otherProcesses })
  const network = createNetwork(context)
  const intelligence = createIntelligence(context, network)
  const simulatedNetwork: SimulatedNetwork = {
    call: simulatedCall,
    get devices() {
      if (!telephony.simulatedDevices) throw new Error('no simulated devices in production')
      return telephony.simulatedDevices
    },
  }
  const dependencies = { network, sandbox, ai: intelligence.ai, simulatedNetwork }
  const services: Services = createServices(context, dependencies, {
    get calls() {
      return telephony.calls
    },
    get trunks() {
      return telephony.trunks
    },
    get devices() {
      return telephony.devices
    },
    get carriers() {
      return messaging.carriers
    },
    get liveHub() {
      return hub
    },
  })
  const { turn } = config.voice
  const hub = createSocketHub({ services, shared, iceServers: turn && turnServers(turn, clock) })
  const push = createPushNotifier(services)
  hub.onSend(push.onMessage)
  const telephony = createTelephony(context, { services, hub })
  const { calls, agents } = telephony
  const { jobs, ...jobParts } = createJobs(context, { services, calls, speech: intelligence.speech, network })
  const messaging = createMessaging(context, services)
  const { lines, callbacks } = messaging
  const { sequencer, dispatcher, ...deliveryParts } = createDelivery(context, services)
  let draining = false
  const health = createHealth(context, { ...telephony, services, dispatcher, draining: () => draining })
  const importTools = { trusted: network.trusted, timeoutMs: overrides.requestTimeoutMs }
  const commands = { ...adminCommands(services, importTools), ...statusCommands(context, { telephony, dispatcher }) }
  const http = createHttp(context, {
    services,
    hub,
    faults: sandbox.faults,
    carrierPages: messaging.carriers.pages,
    health,
    commands,
  })
  provideFigures(context, telephony, hub)

  const parts = orderedParts({
    services,
    database,
    hub,
    push,
    sandbox,
    network,
    intelligence,
    telephony,
    jobs: jobParts,
    messaging,
    delivery: deliveryParts,
    http,
  })

  return {
    services,
    commands,
    http: http.server,
    database,
    start: () => startAll(parts),
    async drain() {
      draining = true
      await telephony.handOver()
      await calls.drain()
    },
    async stop() {
      draining = true
      await stopAll(parts)
    },
    settle,
  }

  async function settle() {
    do {
      await calls.settle()
      await jobs.settle()
    } while (
      (await telephony.settleDevices()) ||
      (await agents?.settle()) ||
      (await lines.settle()) ||
      (await callbacks.settle()) ||
      (await push.idle()) ||
      (await dispatcher.settle()) ||
      (await calls.settle())
    )
    await sequencer.settle()
    await telephony.settleTrunks()
  }

  /** Grows with everything that may cause work in another process. */
  function activity(): number {
    return calls.activity() + jobs.activity()
  }

  function otherProcesses(): Promise<string[]> {
    return calls.otherProcesses()
  }

  async function simulatedCall(caller: SimulatedCaller): Promise<number> {
    const callId = await calls.simulate(caller)
    if (callId === undefined) throw new Error('no such Number')
    return callId
  }
}

/** What the metrics read when they are collected. */
function provideFigures(
  { metrics, config }: Awaited<ReturnType<typeof openContext>>,
  { real, calls }: ReturnType<typeof createTelephony>,
  hub: ReturnType<typeof createSocketHub>,
): void {
  if (real) metrics.voice(() => real.stats())
  metrics.calls(calls.figures)
  metrics.sockets(hub.counts)
  metrics.unsafeOption.set({ option: 'refuse_emergency' }, config.voice.sip.refusesEmergency ? 1 : 0)
  metrics.unsafeOption.set({ option: 'loopback_receivers' }, config.loopbackReceivers ? 1 : 0)
}

interface Groups {
  services: Services
  database: Database
  hub: ReturnType<typeof createSocketHub>
  push: PushNotifier
  sandbox: ReturnType<typeof createSandboxTools>
  network: ReturnType<typeof createNetwork>
  intelligence: ReturnType<typeof createIntelligence>
  telephony: ReturnType<typeof createTelephony>
  jobs: Pick<ReturnType<typeof createJobs>, 'mailPart' | 'retentionPart' | 'jobsPart'>
  messaging: ReturnType<typeof createMessaging>
  delivery: Pick<ReturnType<typeof createDelivery>, 'sequencerPart' | 'reviewPart' | 'dispatcherPart'>
  http: ReturnType<typeof createHttp>
}

/** In the order in which they start and, reversed, stop. */
function orderedParts(groups: Groups): ProcessPart[] {
  const { services, database, hub, push, sandbox, network, intelligence, telephony, jobs, messaging, delivery, http } =
    groups
  const { feed } = services
  const feedPart: ProcessPart = { name: 'event feed', start: () => feed.start(), stop: () => feed.stop() }
  const livePart: ProcessPart = {
    name: 'live sockets',
    async start() {
      await push.start()
      await hub.start()
    },
    async stop() {
      await push.idle()
      await hub.stop()
    },
  }
  return [
    { name: 'database', stop: () => database.close() },
    jobs.mailPart,
    http.rateLimitPart,
    network.part,
    startOf(sandbox.clockPart),
    startOf(feedPart),
    startOf(sandbox.faultsPart),
    delivery.sequencerPart,
    intelligence.noticePart,
    { name: 'warning of several companies', start: () => warnOfSeveralCompanies(services) },
    // Calls and jobs send messages to phones until they have stopped.
    stopOf(livePart),
    delivery.reviewPart,
    jobs.retentionPart,
    // The dispatcher continues while the last jobs end.
    stopOf(delivery.dispatcherPart),
    jobs.jobsPart,
    startOf(delivery.dispatcherPart),
    messaging.part,
    startOf(livePart),
    telephony.part,
    http.part,
    // These stop first: the clock is saved, and event streams end, because the listeners wait for open requests.
    stopOf(sandbox.faultsPart),
    stopOf(feedPart),
    stopOf(sandbox.clockPart),
  ]
}
