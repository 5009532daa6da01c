import { notify } from '../db/dialect.ts'
import type { CompanyId } from '../db/tables.ts'
import type { VoiceDriver } from '../domain/voice.ts'
import { raiseAlert } from '../features/accounts/alerts/raise.ts'
import { presenceChannel } from '../features/accounts/presence/actions.ts'
import type { CallFigures } from '../lib/telephony-metrics.ts'
import type { Calls, NewCall, ProcessRole, Services, SimulatedCaller, TrunkTest } from '../services.ts'
import { callOfUser } from './active-call-store.ts'
import { type AgentOffers, createAgentOffers } from './agent-offers.ts'
import { createBackgroundTasks } from './background-tasks.ts'
import { type CallMessage, createCallMessages } from './call-messages.ts'
import { type CallMetrics, callFigures } from './call-metrics.ts'
import { createCallRecovery } from './call-recovery.ts'
import { createCallStarts } from './call-starts.ts'
import { createCallbacks } from './callbacks.ts'
import { createCarrierRequests, isCarrierRequest } from './carrier-requests.ts'
import { createDeviceCalls } from './device-calls.ts'
import { createDeviceTransfers } from './device-transfers.ts'
import { createEngine } from './engine.ts'
import { createInboundCalls } from './inbound-calls.ts'
import { createLineSelection, type Lines } from './line-selection.ts'
import { createMediaShare } from './media-share.ts'
import type { RandomSource } from './persist-effects.ts'
import { createPresenceNotifications } from './presence-notifications.ts'
import { createProcessLiveness } from './process-liveness.ts'
import { createProcessRequests } from './process-requests.ts'
import type { ProcessRow } from './process-store.ts'
import { createProcesses, type ProcessStatus } from './processes.ts'
import { createSecondCalls } from './second-calls.ts'
import type { TollGuard } from './toll-guard.ts'
import type { TrunkTestRequest } from './trunk-test.ts'
import { createVoiceAgentCalls } from './voice-agent-calls.ts'

export type { Lines, SimulatedLines } from './line-selection.ts'

export interface CallsOptions {
  services: Services
  metrics: CallMetrics
  lines: Lines
  guard: TollGuard
  /** Other processes may use the same database. */
  shared: boolean
  /** Identifies this process; starts with the key of its advisory lock. */
  me: string
  /** Roles of this process; without `calls` it sends calls to processes that have the role. */
  roles?: readonly ProcessRole[]
  random: RandomSource
  /** The trunk test of this process. */
  testTrunk?(companyId: CompanyId, test: TrunkTestRequest): Promise<TrunkTest>
}

export interface RunningCalls extends Calls {
  start(companyId: CompanyId, params: NewCall): ReturnType<Calls['start']>
  /** Joins the other processes of the installation; this one carries calls only with the role `calls`. */
  begin(): Promise<void>
  /** Other processes stop sending new calls here. */
  drain(): Promise<void>
  /** `handOver`: calls on real lines are left to another process. */
  stop(options?: { handOver: boolean }): Promise<void>
  /** After the drivers are closed: processes their last events. */
  end(): Promise<void>
  settle(): Promise<boolean>
  /** A simulated caller; undefined when no company owns the number. */
  simulate(caller: SimulatedCaller): Promise<number | undefined>
  testTrunk(companyId: CompanyId, test: TrunkTestRequest): Promise<TrunkTest>
  /** Every other process of the installation that is alive. */
  otherProcesses(): Promise<string[]>
  serveAgentCalls(payload: { companyId: CompanyId }): Promise<void>
  serveCallback(payload: { companyId: CompanyId; requestId: string }): Promise<void>
  active(): number
  /** All processes of the installation. */
  processes(): Promise<ProcessStatus[]>
  /** The calls of this process for the metrics. */
  figures(): CallFigures
  /** Increases with every step of a call and every background task. */
  activity(): number
}

const allRoles: readonly ProcessRole[] = ['api', 'calls', 'worker']

/** The calls of this process, and access to those of other processes. */
export function createCalls(options: CallsOptions): RunningCalls {
  const { services, lines, guard, shared, roles = allRoles } = options
  const { db, clock } = services
  const carries = roles.includes('calls')
  const drivers = [lines.simulated, lines.real].filter((driver) => driver !== undefined)
  const parts = createParts(options, { carries, drivers, roles })
  const { engine, tasks, callbacks, voiceAgentCalls, processes, requests, recovery } = parts
  const { offers, messages, starts, carrierRequests } = parts
  const notifications = createPresenceNotifications({ db, clock, onNotification })

  function onNotification(payload: string) {
    const [what, company, user] = payload.split(':')
    const [companyId, userId] = [Number(company), Number(user)]
    if (what === 'agents') {
      const served = voiceAgentCalls.serve({ companyId })
      return tasks.run(served, 'voice_agent.dial_failed', 'could not start calls of AI agents')
    }
    if (what === 'gone') {
      const removed = messages.userGone(companyId, userId)
      return tasks.run(removed, 'call.user_gone_failed', 'could not remove a disconnected user')
    }
    offers.freed(companyId, userId, null)
  }

  async function settle(): Promise<boolean> {
    let wasBusy = false
    if (shared) await notifications.caughtUp()
    while (tasks.pending() > 0 || (await guard.settle()) || (await engine.settle())) {
      wasBusy = true
      await tasks.all()
      if (shared) await notifications.caughtUp()
    }
    return wasBusy
  }

  return {
    async endAll(companyId) {
      await messages.endAll(companyId)
      await settle()
    },
    send: messages.send,
    start: carrierRequests.start,
    whyNotDial: starts.whyNotDial,
    ofUser: (companyId, userId) => callOfUser(db, companyId, userId),
    ...createSecondCalls({ db, send: messages.send }),
    async begin() {
      await processes.start()
      if (shared) requests.start()
      if (!carries) return
      notifications.start()
      for (const driver of drivers) await driver.start()
      await recovery.start()
    },
    async stop(how) {
      notifications.stop()
      callbacks.stop()
      await recovery.stop()
      await engine.stop(how)
      await tasks.all()
      requests.stop()
      await processes.stop()
      guard.stop()
      await guard.settle()
    },
    async end() {
      await engine.settle()
    },
    settle,
    drain: processes.drain,
    simulate: carrierRequests.simulate,
    testTrunk: carrierRequests.testTrunk,
    otherProcesses: processes.others,
    serveAgentCalls: voiceAgentCalls.serve,
    serveCallback: carrierRequests.serveCallback,
    active: () => engine.live().length,
    processes: processes.list,
    figures: () => callFigures(engine.live(), engine.legs(), clock.now()),
    activity: () => engine.steps() + tasks.started(),
  }
}

interface Roles {
  carries: boolean
  drivers: readonly VoiceDriver[]
  roles: readonly ProcessRole[]
}

/** A process that ended without stopping: it crashed, or its host is unreachable. */
function reportGone(services: Services) {
  return async ({ id, roles }: ProcessRow): Promise<void> => {
    services.log.warn({ event: 'process.gone', process: id, roles }, 'a process has ended without stopping')
    await raiseAlert(services, services.db, {
      event: 'process.gone',
      message: 'A process has ended without stopping',
      details: { process: id, roles: roles.join(', ') },
    })
  }
}

/** Creates the parts and connects them; some refer to parts that are created after them. */
function createParts(options: CallsOptions, { carries, drivers, roles }: Roles) {
  const { services, metrics, lines, guard, shared, me, random, testTrunk } = options
  const { db, clock, log } = services
  const tasks = createBackgroundTasks(log)
  const freed: AgentOffers['freed'] = (...agent) => offers.freed(...agent)
  const batchSize = shared ? 1 : 64
  const engine = createEngine({ services, metrics, guard, silence: lines.silence, me, batchSize, random, freed })
  const share = createMediaShare({
    services,
    // A call has two legs.
    capacity: () => (lines.real?.capabilities().maxLegs ?? 0) / 2,
    running: () =>
      engine
        .live()
        .filter(({ driver }) => driver === lines.real)
        .map(({ state }) => state.companyId),
    tasks,
  })
  const selection = createLineSelection({ services, lines, share })
  const starts = createCallStarts({ services, lines, selection, engine, guard })
  const callbacks = createCallbacks({ services, me, random, now: engine.now, callBack: starts.callBack, freed, tasks })
  const voiceAgentCalls = createVoiceAgentCalls({
    services,
    dial: starts.dialForVoiceAgent,
    ...(!carries && { handOn: (companyId) => notify(db, presenceChannel, `agents:${companyId}`) }),
  })
  const liveness = createProcessLiveness({ db, clock })
  const processes = createProcesses({ db, clock, log, me, roles, shared, liveness, onGone: reportGone(services) })
  const requests = createProcessRequests({
    db,
    clock,
    log,
    me,
    isAlive: processes.isAlive,
    handle: (companyId, key, message) =>
      isCarrierRequest(message)
        ? carrierRequests.handle(companyId, message)
        : messages.receive(key, message as CallMessage),
  })
  const messages = createCallMessages({ services, me, shared, engine, callbacks, guard, requests })
  const offers = createAgentOffers({ services, callbacks, messages, tasks })
  const placedByDevice = createDeviceCalls({ services, engine, starts, send: messages.send })
  const referred = createDeviceTransfers({ services, engine, send: messages.send })
  const inbound = createInboundCalls({
    services,
    lines,
    selection,
    share,
    engine,
    guard,
    tasks,
    placedByDevice,
    referred,
  })
  for (const driver of drivers) inbound.listen(driver)
  const carrierRequests = createCarrierRequests({
    services,
    carries,
    processes,
    requests,
    starts,
    inbound,
    callbacks,
    testTrunk,
  })
  const recovery = createCallRecovery({
    services,
    metrics,
    drivers,
    real: lines.real,
    engine,
    guard,
    callbacks,
    me,
    shared,
    liveness,
    freed: (companyId, userId) => freed(companyId, userId, null),
  })
  return {
    engine,
    tasks,
    callbacks,
    voiceAgentCalls,
    processes,
    requests,
    recovery,
    offers,
    messages,
    starts,
    carrierRequests,
  }
}
