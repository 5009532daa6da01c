import { randomInt, randomUUID } from 'node:crypto'
import { afterCommit, type Tx, transaction } from '../db/database.ts'
import { notify } from '../db/dialect.ts'
import type { CompanyId } from '../db/tables.ts'
import type { CallInput, Found } from '../domain/call/events.ts'
import { inboundCall, internalCall, outboundCall, voiceAgentCall } from '../domain/call/new-call.ts'
import type { CallState } from '../domain/call/state.ts'
import type { LegId, VoiceDriver, VoiceEvent } from '../domain/voice.ts'
import { numberByDigits } from '../features/accounts/numbers/store.ts'
import { isTagMissing, presenceChannel } from '../features/accounts/presence/actions.ts'
import { lockPresence } from '../features/accounts/users/presence-store.ts'
import { userByExtension } from '../features/accounts/users/store.ts'
import { markCalled } from '../features/calls/dialer/store.ts'
import { usableTrunk, usableTrunks } from '../features/trunks/trunks/store.ts'
import { unavailable } from '../http/errors.ts'
import { second } from '../lib/clock.ts'
import { ulid } from '../lib/ulid.ts'
import type { Calls, NewCall, ProcessRole, Reply, Services, SimulatedCaller, TrunkTest } from '../services.ts'
import { type CallStart, gone } from './active-call.ts'
import { callOfUser, callsOfUser, liveKeysOf, ownerOf } from './active-call-store.ts'
import { createBackgroundTasks } from './background-tasks.ts'
import { createCallRecovery } from './call-recovery.ts'
import type { CallbackRequest } from './callback-store.ts'
import { type Answer, createCallbacks, isCallback } from './callbacks.ts'
import { createEngine } from './engine.ts'
import { createMediaShare } from './media-share.ts'
import type { RandomSource } from './persist-effects.ts'
import { createPresenceNotifications } from './presence-notifications.ts'
import { createProcessLiveness } from './process-liveness.ts'
import { createProcessRequests } from './process-requests.ts'
import { createProcesses } from './processes.ts'
import { headsFor } from './queue-store.ts'
import { release, reserve, ringingOn, statesOf } from './ring-store.ts'
import { numberFacts } from './routing-data.ts'
import type { TollGuard } from './toll-guard.ts'
import type { TrunkDriver, TrunkTestRequest } from './trunk-manager.ts'
import { createVoiceAgentCalls, type VoiceAgentDial } from './voice-agent-calls.ts'
import { hasSpeechEngines, isSupported, speechFor } from './voice-agent-capabilities.ts'

export interface CallsOptions {
  services: Services
  lines: Lines
  guard: TollGuard
  /** Other processes may use the same database. */
  shared: boolean
  /** Roles of this process; without `calls` it sends calls to processes that have the role. */
  roles?: readonly ProcessRole[]
  random: RandomSource
  /** The trunk test of this process. */
  testTrunk?(companyId: CompanyId, test: TrunkTestRequest): Promise<TrunkTest>
}

/** Voice drivers: simulated, real, or both in a sandbox with a trunk. */
export interface Lines {
  simulated?: SimulatedLines
  real?: TrunkDriver
  /** For calls whose media is gone. */
  silence: VoiceDriver
}

export interface SimulatedLines extends VoiceDriver {
  call(who: SimulatedCaller): LegId
}

export interface RunningCalls extends Calls {
  start(companyId: CompanyId, params: NewCall): ReturnType<Calls['start']>
  /** Joins the other processes of the installation; this one carries calls only with the role `calls`. */
  begin(): Promise<void>
  /** Other processes stop sending new calls here. */
  drain(): Promise<void>
  stop(): Promise<void>
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
  /** Increases with every step of a call and every background task. */
  activity(): number
}

type Accept = (tx: Tx) => Promise<void>

interface CallbackOptions {
  callbackOf?: number
  /** Committed together with the new call, or not at all. */
  accept?: Accept
}

/** Sent to the process that owns the call, possibly of another release: field names must not change. */
type ProcessMessage = { happening: CallInput } | { answer: Answer } | { decline: number }

/** Requests from a process without the role `calls` to one that has it. */
type CarrierRequest =
  | { ask: 'start'; call: NewCall }
  | { ask: 'simulate'; caller: SimulatedCaller }
  | { ask: 'serve callback'; requestId: string }
  | { ask: 'test trunk'; test: TrunkTestRequest }

const notCarried = 'No process that carries calls is running: start one with `calls` among its ROLES'
const noAnswer = 'The process that carries the call did not answer in time; try again'
/** A test call may ring for half a minute. */
const trunkTestTimeoutMs = 45 * second

/** The calls of this process, and access to those of other processes. */
export function createCalls(parts: CallsOptions): RunningCalls {
  const { services, lines, guard, shared, roles = ['api', 'calls', 'worker'], random } = parts
  const { db, clock, log } = services
  const carries = roles.includes('calls')
  // Key of an advisory lock that is released when this process ends, so that other processes notice.
  const lifeKey = randomInt(1, 2 ** 31 - 1)
  const me = `${lifeKey}:${ulid(clock.machineNow())}`
  const arrivals = new Map<LegId, { promise: Promise<number | undefined>; resolve(id: number | undefined): void }>()
  const tasks = createBackgroundTasks(log)
  /** Calls that released an offered agent, until the agent becomes available again. */
  const unwanted = new Map<number, Set<string>>()
  const notifications = createPresenceNotifications({ db, clock, onNotification })

  const drivers = [lines.simulated, lines.real].filter((driver) => driver !== undefined)

  const engine = createEngine({
    services,
    guard,
    silence: lines.silence,
    me,
    batchSize: shared ? 1 : 64,
    random,
    freed,
  })
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
  const callbacks = createCallbacks({ services, me, random, now: engine.now, callBack, freed, tasks })
  const voiceAgentCalls = createVoiceAgentCalls({
    services,
    dial: dialForVoiceAgent,
    ...(!carries && { handOn: (companyId) => notify(db, presenceChannel, `agents:${companyId}`) }),
  })
  const liveness = createProcessLiveness({ db, clock })
  const processes = createProcesses({ db, clock, log, me, roles, shared, liveness })
  const requests = createProcessRequests({
    db,
    clock,
    log,
    me,
    isAlive: processes.isAlive,
    handle: (companyId, key, message) =>
      isCarrierRequest(message) ? serveRequest(companyId, message) : receive(key, message as ProcessMessage),
  })
  const recovery = createCallRecovery({
    services,
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

  function freed(companyId: CompanyId, userId: number, notFor: string | null): void {
    if (notFor === null) unwanted.delete(userId)
    else unwanted.set(userId, (unwanted.get(userId) ?? new Set()).add(notFor))
    tasks.run(offer(companyId, userId), 'queue.offer_failed', 'could not offer an available agent')
  }

  /** Offers an available agent to the first call in the queue. */
  async function offer(companyId: CompanyId, userId: number): Promise<void> {
    if ((await headsFor(db, companyId, userId)).length === 0) return
    const tell = await transaction(db, (tx) => takenBy(tx, companyId, userId))
    await tell?.()
  }

  async function takenBy(tx: Tx, companyId: CompanyId, userId: number) {
    const state = (await statesOf(tx, companyId, [userId])).get(userId)
    if (state?.availability !== 'available' || state.reservedBy !== null) return undefined
    for (const { key, teamId } of await headsFor(tx, companyId, userId)) {
      if (unwanted.get(userId)?.has(key)) continue
      if (!(await reserve(tx, companyId, key, userId, clock.now()))) return undefined
      if (!isCallback(key)) return () => notifyAgentAvailable(companyId, key, { userId, teamId })
      const ring = await callbacks.take(tx, companyId, key, { userId, teamId })
      if (ring) return ring
      await release(tx, companyId, key, userId)
    }
    return undefined
  }

  async function notifyAgentAvailable(companyId: CompanyId, key: string, person: Found): Promise<void> {
    const reply = await deliver(key, { happening: { kind: 'agent.free', ...person } })
    if (!reply.ok) await release(db, companyId, key, person.userId)
  }

  async function deliver(key: string, message: ProcessMessage): Promise<Reply> {
    const here = await receive(key, message)
    if (here !== gone || !shared) return here
    const owned = await ownerOf(db, key)
    if (!owned || owned.owner === me) return gone
    const outcome = await requests.send(owned.companyId, owned.owner, key, message)
    if (outcome.kind === 'answered') return outcome.answer as Reply
    // Another process takes over the calls of a process that has ended, and ends them.
    return outcome.kind === 'process gone' ? gone : { ok: false, refused: 'unavailable', why: noAnswer }
  }

  /** To the process with the fewest calls. Undefined: no process carries calls. */
  async function askCarrier(companyId: CompanyId, request: CarrierRequest, timeoutMs?: number) {
    const [carrier] = await processes.carriers()
    if (carrier === undefined) return undefined
    const key = `${request.ask} ${ulid(clock.machineNow())}`
    return requests.send(companyId, carrier, key, request, timeoutMs)
  }

  function serveRequest(companyId: CompanyId, request: CarrierRequest): Promise<unknown> {
    switch (request.ask) {
      case 'start':
        return open(companyId, request.call)
      case 'simulate':
        return simulateHere(request.caller)
      case 'serve callback':
        return callbacks.serve(companyId, request.requestId)
      case 'test trunk':
        return testTrunk(companyId, request.test)
    }
  }

  async function start(companyId: CompanyId, call: NewCall): ReturnType<Calls['start']> {
    if (carries) return open(companyId, call)
    const outcome = await askCarrier(companyId, { ask: 'start', call })
    if (outcome?.kind === 'answered') return outcome.answer as Awaited<ReturnType<Calls['start']>>
    return { ok: false, refused: 'unavailable', why: outcome ? noAnswer : notCarried }
  }

  async function simulate(caller: SimulatedCaller): Promise<number | undefined> {
    if (carries) return simulateHere(caller)
    const dialled = await numberByDigits(db, caller.to)
    if (!dialled) return undefined
    const outcome = await askCarrier(dialled.companyId, { ask: 'simulate', caller })
    if (outcome?.kind === 'answered') return (outcome.answer as number | null) ?? undefined
    throw unavailable(outcome ? noAnswer : notCarried)
  }

  async function simulateHere(caller: SimulatedCaller): Promise<number | undefined> {
    if (!lines.simulated) return undefined
    const leg = lines.simulated.call(caller)
    const id = await arrivalOf(leg).promise
    arrivals.delete(leg)
    return id
  }

  async function serveCallback({ companyId, requestId }: { companyId: CompanyId; requestId: string }): Promise<void> {
    if (carries) return callbacks.serve(companyId, requestId)
    const outcome = await askCarrier(companyId, { ask: 'serve callback', requestId })
    // The job is retried.
    if (outcome?.kind !== 'answered') throw new Error(outcome ? noAnswer : notCarried)
  }

  async function testTrunk(companyId: CompanyId, test: TrunkTestRequest): Promise<TrunkTest> {
    if (parts.testTrunk) return parts.testTrunk(companyId, test)
    const outcome = carries ? undefined : await askCarrier(companyId, { ask: 'test trunk', test }, trunkTestTimeoutMs)
    if (outcome?.kind === 'answered') return outcome.answer as TrunkTest
    return { outcome: 'failed', code: null, response: null, seconds: 0, explanation: outcome ? noAnswer : notCarried }
  }

  async function receive(key: string, message: ProcessMessage): Promise<Reply> {
    if ('answer' in message) return callbacks.answer(key, message.answer)
    if ('decline' in message) return callbacks.decline(key, message.decline)
    const why = await tollOf(key, message.happening)
    if (why !== undefined) return { ok: false, refused: 'forbidden', why }
    return engine.send(key, message.happening) ?? gone
  }

  /** Checked before the call processes the command: a refused number changes nothing. */
  async function tollOf(key: string, input: CallInput): Promise<string | undefined> {
    const command = input.kind === 'command' ? input.command : undefined
    if (!command || !('to' in command) || command.to.type !== 'number') return undefined
    const call = engine.find(key)
    if (!call?.number) return undefined
    const origin = command.kind === 'add_participant' ? 'conference' : 'transfer'
    const { number: to } = command.to
    const line = call.number.digits
    const verdict = await guard.ask({ companyId: call.companyId, userId: command.by, origin, to, line })
    return verdict.dial ? undefined : verdict.why
  }

  async function userGone(companyId: CompanyId, userId: number): Promise<void> {
    for (const key of await callsOfUser(db, companyId, userId)) {
      await deliver(key, isCallback(key) ? { decline: userId } : { happening: { kind: 'agent.lost', userId } })
    }
  }

  function onNotification(payload: string) {
    const [what, company, user] = payload.split(':')
    const [companyId, userId] = [Number(company), Number(user)]
    if (what === 'agents') {
      return tasks.run(
        voiceAgentCalls.serve({ companyId }),
        'voice_agent.dial_failed',
        'could not start calls of AI agents',
      )
    }
    if (what === 'gone') {
      return tasks.run(userGone(companyId, userId), 'call.user_gone_failed', 'could not remove a disconnected user')
    }
    freed(companyId, userId, null)
  }

  function arrivalOf(leg: LegId) {
    const known = arrivals.get(leg)
    if (known) return known
    let resolve: (id: number | undefined) => void = () => {}
    const promise = new Promise<number | undefined>((done) => {
      resolve = done
    })
    const made = { promise, resolve }
    arrivals.set(leg, made)
    return made
  }

  type Incoming = Extract<VoiceEvent, { kind: 'leg.incoming' }>

  async function arrive(driver: VoiceDriver, { leg, trunkId, from, to, at }: Incoming): Promise<void> {
    const { resolve } = arrivalOf(leg)
    const dialled = await numberByDigits(db, to)
    const number = dialled && (await numberFacts(db, dialled.companyId, dialled.id))
    // A trunk carries calls for its own company, or for those it is assigned to.
    const isOurs = driver !== lines.real || (dialled && (await usableTrunk(db, dialled.companyId, Number(trunkId))))
    if (!dialled || !number || !isOurs) {
      resolve(undefined)
      return rejectLeg(driver, leg, 'unknown')
    }
    if (driver === lines.real && (await sandboxClockIssue()) !== undefined) {
      resolve(undefined)
      return rejectLeg(driver, leg, 'unavailable')
    }
    const { companyId } = dialled
    const line = lineOf(driver)
    if (driver === lines.real && share.refusal(companyId) !== undefined) {
      resolve(undefined)
      return rejectLeg(driver, leg, 'overloaded')
    }
    const speech = await speechFor(services.ai, companyId, line, number)
    const begin = { key: randomUUID(), companyId, callId: null, at, line, speech }
    const state = inboundCall(begin, number, { leg, from })
    const started = (result: Parameters<CallStart['started']>[0]) =>
      resolve(result.ok ? (result.callId ?? undefined) : undefined)
    if (engine.isStopping()) {
      resolve(undefined)
      return rejectLeg(driver, leg, 'unavailable')
    }
    engine.open(state, driver, { started, leg })
  }

  const rejectLeg = (driver: VoiceDriver, leg: LegId, why: 'unknown' | 'unavailable' | 'overloaded') =>
    driver.reject(leg, why).finally(() => engine.forget(leg))

  for (const driver of drivers) {
    driver.on((event) => {
      guard.onVoiceEvent(event)
      if (event.kind === 'call.refused') {
        return tasks.run(reportRefused(event.to), 'call.refusal_not_reported', 'could not report a refused call')
      }
      if (event.kind !== 'leg.incoming') return engine.onVoiceEvent(event)
      tasks.run(arrive(driver, event), 'call.incoming_failed', 'could not accept an incoming call')
    })
  }

  /** Capacity of the media process, and the share of the company. Emergency calls are exempt. */
  async function mediaRefusal(driver: TrunkDriver, companyId: CompanyId): Promise<string | undefined> {
    if (!(await driver.hasRoom())) return share.refused(companyId)
    return share.refusal(companyId)
  }

  /** The media process rejected a caller: the company of the number waits for capacity. */
  async function reportRefused(to: string): Promise<void> {
    const dialled = await numberByDigits(db, to)
    if (dialled) share.refused(dialled.companyId)
  }

  /** Media runs in real time: real calls need the sandbox clock at normal speed. */
  async function sandboxClockIssue(): Promise<string | undefined> {
    const state = await services.sandbox?.clock.state()
    if (!state || (state.speed === 1 && state.mode === 'running')) return undefined
    return 'The sandbox clock must run at normal speed for calls over a real line'
  }

  const lineOf = (driver: VoiceDriver): CallState['line'] => (driver === lines.real ? 'real' : 'simulated')

  /** A call stays on one driver from start to end. */
  async function lineFor(
    companyId: CompanyId,
    { numberId, sdpOffer }: Pick<NewCall, 'numberId' | 'sdpOffer'>,
  ): Promise<VoiceDriver> {
    const { simulated, real, silence } = lines
    if (!simulated || !real) return simulated ?? real ?? silence
    if (numberId === null) return sdpOffer ? real : simulated
    return (await usableTrunks(db, companyId)).some(({ enabled }) => enabled) ? real : simulated
  }

  async function open(companyId: CompanyId, params: NewCall & CallbackOptions): ReturnType<Calls['start']> {
    const key = randomUUID()
    const at = clock.now()
    const { userId, to } = params
    const callee = params.numberId === null ? await userByExtension(db, companyId, to) : undefined
    if (params.numberId === null && (!callee || callee === userId)) return refused('No user has this extension')
    const number = params.numberId === null ? undefined : await numberFacts(db, companyId, params.numberId)
    if (params.numberId !== null && !number) return refused('The Number does not exist')
    let isUrgent = false
    if (number) {
      const origin = params.origin ?? (params.callbackOf === undefined ? 'app' : 'callback')
      const verdict = await guard.ask({ companyId, userId, origin, to, line: number.digits })
      if (!verdict.dial) return { ok: false, refused: 'forbidden', why: verdict.why }
      isUrgent = verdict.emergency
    }
    const driver = await lineFor(companyId, params)
    const wound = driver === lines.real ? await sandboxClockIssue() : undefined
    if (wound !== undefined) return refused(wound)
    const noMedia = driver === lines.real && !isUrgent ? await mediaRefusal(lines.real, companyId) : undefined
    if (noMedia !== undefined) return refused(noMedia)
    const begin = { key, companyId, callId: null, at, line: lineOf(driver) }
    const { sdpOffer, session } = params
    const offer = { ...(sdpOffer !== undefined && { sdpOffer }), ...(session !== undefined && { session }) }
    const state = number
      ? outboundCall(begin, number, { userId, to, callbackOf: params.callbackOf ?? null })
      : internalCall(begin, { userId, to: callee ?? 0 })
    return new Promise((resolve) => {
      engine.open(state, driver, {
        offer,
        isUrgent,
        guard: async (tx) => {
          await params.accept?.(tx)
          const why = await startRefusal(tx, companyId, userId)
          if (why !== undefined || !number) return why
          if (await markCalled(tx, companyId, userId, to)) {
            afterCommit(tx, () => services.browsers.send(companyId, userId, { kind: 'dialer_campaign' }))
          }
          return why
        },
        started: (started) => resolve(started.ok ? { ok: true, key, callId: started.callId } : refused(started.why)),
      })
    })
  }

  async function whyNotDial(companyId: CompanyId, params: Parameters<Calls['whyNotDial']>[1]) {
    const number = await numberFacts(db, companyId, params.numberId)
    if (!number) return 'The Number does not exist'
    const { to, origin } = params
    if (origin === 'ai_agent' && (await isOnRealLine(companyId)) && !(await hasSpeechEngines(services.ai, companyId))) {
      return 'AI voice agents need a speech-to-text and a text-to-speech engine on trunks'
    }
    const verdict = await guard.ask({ companyId, userId: null, origin, to, line: number.digits })
    return verdict.dial ? undefined : verdict.why
  }

  /** Whether calls of the company use real lines; also called in processes without them. */
  async function isOnRealLine(companyId: CompanyId): Promise<boolean> {
    return !services.sandbox || (await usableTrunks(db, companyId)).some(({ enabled }) => enabled)
  }

  async function dialForVoiceAgent(
    companyId: CompanyId,
    { numberId, to, outboundVoiceAgent, accept }: VoiceAgentDial,
  ): Promise<boolean> {
    const driver = await lineFor(companyId, { numberId })
    const number = await numberFacts(db, companyId, numberId)
    if (driver === lines.silence || !number) return false
    if ((await whyNotDial(companyId, { numberId, to, origin: 'ai_agent' })) !== undefined) return false
    if (driver === lines.real && (await sandboxClockIssue()) !== undefined) return false
    if (driver === lines.real && (await mediaRefusal(lines.real, companyId)) !== undefined) return false
    const line = lineOf(driver)
    const speech = await speechFor(services.ai, companyId, line)
    if (!isSupported(speech, outboundVoiceAgent.plan)) return false
    const begin = { key: randomUUID(), companyId, callId: null, at: clock.now(), line, speech }
    const state = voiceAgentCall(begin, number, { to, outboundVoiceAgent })
    return new Promise((resolve) => {
      engine.open(state, driver, { guard: accept, started: ({ ok }) => resolve(ok) })
    })
  }

  const refused = (why: string) => ({ ok: false, refused: 'state', why }) as const

  async function callBack(request: CallbackRequest, { by, ...offer }: Answer, accept: Accept): Promise<boolean> {
    const { companyId, numberId, phone, callId } = request
    const begun = await open(companyId, { ...offer, userId: by, numberId, to: phone, callbackOf: callId, accept })
    return begun.ok
  }

  /** Ends them like the end of this process would: no user is left to hang up. */
  async function endAll(companyId: CompanyId): Promise<void> {
    const keys = await liveKeysOf(db, companyId)
    for (const key of keys.filter((one) => !isCallback(one))) {
      await deliver(key, { happening: { kind: 'engine.restarted' } })
    }
    await settle()
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
    endAll,
    async send(key, command) {
      if (isCallback(key) && command.kind === 'answer') {
        const { kind: _kind, ...answer } = command
        return deliver(key, { answer })
      }
      if (isCallback(key) && command.kind === 'decline') return deliver(key, { decline: command.by })
      return deliver(key, { happening: { kind: 'command', command } })
    },
    start,
    whyNotDial,
    ofUser: (companyId, userId) => callOfUser(db, companyId, userId),
    async begin() {
      await processes.start()
      if (shared) requests.start()
      if (!carries) return
      notifications.start()
      for (const driver of drivers) await driver.start()
      await recovery.start()
    },
    async stop() {
      notifications.stop()
      callbacks.stop()
      await recovery.stop()
      await engine.stop()
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
    simulate,
    testTrunk,
    otherProcesses: processes.others,
    serveAgentCalls: voiceAgentCalls.serve,
    serveCallback,
    active: () => engine.live().length,
    activity: () => engine.steps() + tasks.started(),
  }

  async function startRefusal(tx: Parameters<typeof lockPresence>[0], companyId: CompanyId, userId: number) {
    const presence = await lockPresence(tx, companyId, userId)
    if (!presence || presence.sessions === 0) return 'The user has no phone app open'
    if (presence.calls > 0) return 'The user is on a call'
    if (await isTagMissing(tx, companyId, presence)) return 'The last call needs a tag first'
    if (await ringingOn(tx, companyId, userId)) return 'The phone of the user is ringing'
    return undefined
  }
}

const isCarrierRequest = (message: unknown): message is CarrierRequest =>
  typeof message === 'object' && message !== null && 'ask' in message
