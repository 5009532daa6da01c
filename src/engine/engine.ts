// engine/ runs the call machine: one event at a time per call. State and events are saved in one transaction; driver
// commands run after its commit. The engine knows neither the phases of a call nor the JSON of the API.
import { type Tx, transaction } from '../db/database.ts'
import { isUnavailable } from '../db/errors.ts'
import {
  type CallInput,
  type CallMachineEvent,
  type DriverCommand,
  type Effect,
  isDriverCommand,
  isPersistEffect,
} from '../domain/call/events.ts'
import { step } from '../domain/call/machine.ts'
import { statusOf } from '../domain/call/record.ts'
import { type CallState, isDone, type TimerName } from '../domain/call/state.ts'
import type { LegId, VoiceDriver, VoiceEvent } from '../domain/voice.ts'
import { insertCall, updateRecord } from '../features/calls/calls/store.ts'
import { publish } from '../features/publishing/index.ts'
import { second } from '../lib/clock.ts'
import type { Reply, Services } from '../services.ts'
import { type ActiveCall, activeCallOf, type CallStart, gone, type QueuedEvent, queuedEvent } from './active-call.ts'
import { deleteOwnLive, insertLive, saveLive } from './active-call-store.ts'
import { type DriverCommandContext, failureOf, isLegGone, revert, runDriverCommand } from './driver-commands.ts'
import { createLineQuality } from './line-quality.ts'
import { persistEffect, type RandomSource, type StepOutput } from './persist-effects.ts'
import { createRealtimeTranscription } from './realtime-transcription.ts'
import { saved } from './stored-call.ts'
import { DialRefused, type TollGuard } from './toll-guard.ts'
import { addTrace } from './trace-store.ts'
import { createVoiceAgentSpeech } from './voice-agent-speech.ts'

export interface Engine {
  /** Starts a call; its first step is queued. */
  open(state: CallState, driver: VoiceDriver, beginning: Beginning): void
  /** Takes over a call of another process. */
  adopt(state: CallState, input: CallInput, at: number): void
  /** True once calls are being ended and no new ones start. */
  isStopping(): boolean
  /** Undefined: this process does not own the call. */
  send(key: string, input: CallInput): Promise<Reply> | undefined
  tell(key: string, input: CallInput): boolean
  find(key: string): CallState | undefined
  /** The time for rows written outside of calls: never before a time already written. */
  now(): number
  onVoiceEvent(event: VoiceEvent): void
  /** The leg will not be claimed by a call. */
  forget(leg: LegId): void
  live(): ActiveCall[]
  /** Number of steps processed by this process. */
  steps(): number
  /** True when work was pending. */
  settle(): Promise<boolean>
  stop(): Promise<void>
}

/** The initial leg, or the SDP offer of the browser. */
export interface Beginning extends CallStart {
  leg?: LegId
  offer?: { sdpOffer?: string; session?: string }
  isUrgent?: boolean
}

export interface EngineOptions {
  services: Services
  guard: TollGuard
  /** The driver of calls whose media is gone. */
  silence: VoiceDriver
  me: string
  /** Calls per transaction: with a single writer, commits are the bottleneck. */
  batchSize: number
  random: RandomSource
  /** Called after the commit for users who may be available for another call. */
  freed(companyId: number, userId: number, notFor: string | null): void
}

const retryMs = second / 2
const stopping = 'This process is stopping'

export function createEngine(parts: EngineOptions): Engine {
  const { services, guard, silence, me, batchSize, random, freed } = parts
  const { db, clock, log } = services
  const calls = new Map<string, ActiveCall>()
  const ready = new Set<ActiveCall>()
  const legs = new Map<LegId, ActiveCall>()
  const sounds = new Map<string, { live: ActiveCall; sound: number; at: number; voiceAgentId: string | undefined }>()
  const recordings = new Map<string, ActiveCall>()
  /** Events of legs that no call has claimed yet: a driver may report before its command resolves. */
  const early = new Map<LegId, VoiceEvent[]>()
  const running = new Set<Promise<void>>()
  const maxConcurrent = batchSize > 1 ? 1 : 8
  let stopped = false
  let steps = 0
  /** The time of the latest processed event. */
  let written = 0

  const tell = (live: ActiveCall, input: CallInput) => post(live, queuedEvent(input, clock.now()))
  const transcription = createRealtimeTranscription(services)
  const showQuality = createLineQuality({ send: (...args) => services.browsers.send(...args) })
  const speechServices = createVoiceAgentSpeech(services, tell, transcription.said)

  const context: DriverCommandContext = {
    guard,
    speechServices,
    browsers: { send: (...args) => services.browsers.send(...args) },
    tell,
    claimLeg(live, leg) {
      legs.set(leg, live)
      const missed = early.get(leg) ?? []
      early.delete(leg)
      for (const event of missed) onVoiceEvent(event)
    },
    claimSound: (live, playId, sound) =>
      sounds.set(playId, { live, sound, at: clock.now(), voiceAgentId: live.state.voiceAgent?.plan.id }),
    claimRecording(live, recId, what) {
      recordings.set(recId, live)
      live.recordings.set(recId, what)
    },
  }

  function post(live: ActiveCall, queued: QueuedEvent): void {
    live.inbox.push(queued)
    if (!live.isBusy) ready.add(live)
    run()
  }

  function run(): void {
    while (ready.size > 0 && running.size < maxConcurrent) {
      const batch = [...ready].slice(0, batchSize)
      for (const live of batch) {
        ready.delete(live)
        live.isBusy = true
      }
      const turn = processBatch(batch)
        .then(yieldToEventLoop)
        .finally(() => {
          running.delete(turn)
          run()
        })
      running.add(turn)
    }
  }

  async function processBatch(batch: ActiveCall[]): Promise<void> {
    const heavy = batch.filter((live) => !processWithoutDatabase(live))
    try {
      if (heavy.length > 0) await processInTransaction(heavy)
    } catch (error) {
      // An unavailable database ends no call: the step is retried.
      if (isUnavailable(error) && !stopped) await new Promise<void>((again) => clock.machineAfter(retryMs, again))
      else if (heavy.length > 1)
        for (const live of heavy) await processInTransaction([live]).catch((why) => giveUp(live, why))
      else if (heavy[0]) await giveUp(heavy[0], error)
    }
    for (const live of batch) {
      live.isBusy = false
      if (live.inbox.length > 0) ready.add(live)
      else dropIfOver(live)
    }
  }

  /** Steps that change nothing a restart needs are processed without the database: playback ended, a browser joined. */
  function processWithoutDatabase(live: ActiveCall): boolean {
    const [queued] = live.inbox
    if (!queued || live.start) return false
    const { state, effects, refused } = step(live.state, queued.event)
    if (refused !== undefined || effects.some(isPersistEffect)) return false
    if ((state !== live.state || isDone(state)) && textOf(live, state) !== live.saved) return false
    advance(live, { state, saved: live.saved, commands: effects.filter(isDriverCommand), queued, reply: { ok: true } })
    return true
  }

  function advance(live: ActiveCall, { state, saved, commands, queued, reply }: Turn): void {
    steps++
    live.inbox.shift()
    if (isDone(state) && !isDone(live.state)) logEnd(state)
    live.state = state
    live.saved = saved
    setTimers(live)
    act(live, commands)
    transcription.follow(live)
    queued.reply?.(reply)
  }

  /** Each call of the batch processes its next event; all are saved, or none. */
  async function processInTransaction(batch: ActiveCall[]): Promise<void> {
    const turns = await transaction(db, async (tx) => {
      const companies = new Map<number, StepOutput>()
      const done: (Turn & { live: ActiveCall })[] = []
      for (const live of batch) {
        const { companyId } = live.state
        const output = companies.get(companyId) ?? { facts: [], trace: [], freed: [] }
        companies.set(companyId, output)
        done.push({ ...(await turn(tx, live, output)), live })
      }
      for (const [companyId, { trace, facts }] of companies) {
        await addTrace(tx, companyId, trace)
        if (facts.length > 0) await publish(services, tx, companyId, facts)
      }
      return {
        done,
        freed: [...companies].flatMap(([companyId, { freed }]) => freed.map((one) => ({ companyId, ...one }))),
      }
    })
    for (const { live, started, ...turn } of turns.done) {
      if (started) live.start?.started(started)
      live.start = null
      advance(live, turn)
    }
    for (const { companyId, userId, notFor } of turns.freed) freed(companyId, userId, notFor)
  }

  interface Turn {
    state: CallState
    saved: string | null
    commands: DriverCommand[]
    queued: QueuedEvent
    reply: Reply
    started?: Parameters<CallStart['started']>[0]
  }

  async function turn(tx: Tx, live: ActiveCall, output: StepOutput): Promise<Turn> {
    const [queued] = live.inbox
    if (!queued) throw new Error('no event is queued for the call')
    let before = live.state
    if (live.start) {
      const why = await live.start.guard?.(tx)
      if (why !== undefined) return refusedStart(live, queued, why)
      const { record, companyId, key } = before
      const callId = before.number ? await insertCall(tx, companyId, { uuid: key, record }) : null
      before = { ...before, callId }
    }
    const event = queued.isPast ? queued.event : inOrder(queued.event)
    const { state: first, effects, refused } = step(before, event)
    if (refused !== undefined) {
      const reply: Reply = isDone(before) ? gone : { ok: false, refused: 'state', why: refused }
      return { state: before, saved: live.saved, commands: [], queued, reply }
    }
    const { state, commands } = await persistEffects(tx, first, effects, event.at, output)
    const saved = await save(tx, live, before, state, event.at)
    const started = live.start ? { ok: true as const, callId: state.callId } : undefined
    return { state, saved, commands, queued, reply: { ok: true }, ...(started && { started }) }
  }

  /**
   * An event gets the time of its processing, never before a time already written. With its creation time, a delayed
   * event could start a ring before the end of the ring that made the agent available.
   */
  function inOrder(event: CallMachineEvent): CallMachineEvent {
    written = Math.max(written, event.at)
    return { ...event, at: written }
  }

  function refusedStart(live: ActiveCall, queued: QueuedEvent, why: string): Turn {
    const state: CallState = { ...live.state, phase: { kind: 'done' } }
    return {
      state,
      saved: null,
      commands: [],
      queued,
      reply: { ok: false, refused: 'state', why },
      started: { ok: false, why },
    }
  }

  /** A query is answered immediately, and the effects of the answer precede the remaining effects. */
  async function persistEffects(tx: Tx, first: CallState, effects: Effect[], at: number, output: StepOutput) {
    let state = first
    const commands: DriverCommand[] = []
    const open = [...effects]
    for (let effect = open.shift(); effect; effect = open.shift()) {
      if (!isPersistEffect(effect)) {
        commands.push(effect)
        continue
      }
      const answer = await persistEffect(services, tx, state, effect, at, random, output)
      if (!answer) continue
      const next = step(state, answer)
      state = next.state
      open.unshift(...next.effects)
    }
    return { state, commands }
  }

  /** A call that has ended is stored only while a recording is still open. */
  const textOf = (live: ActiveCall, state: CallState) =>
    isDone(state) && live.recordings.size === 0 ? null : saved(state, live.recordings)

  async function save(
    tx: Tx,
    live: ActiveCall,
    before: CallState,
    after: CallState,
    at: number,
  ): Promise<string | null> {
    const { companyId, callId, key, record } = after
    if (callId !== null && (record !== before.record || live.start)) {
      await updateRecord(tx, companyId, callId, record, statusOf(record))
    }
    const state = textOf(live, after)
    if (state === null) {
      // Deleted when the call ends, and not again when a late event arrives.
      const isWritten = !live.start && live.saved !== null
      if (isWritten && !(await deleteOwnLive(tx, companyId, key, me))) throw new CallTakenOver(key)
    } else if (live.start) await insertLive(tx, companyId, { key, owner: me, state, at, callId })
    else if (!(await saveLive(tx, companyId, { key, owner: me, state, at }))) {
      throw new CallTakenOver(key)
    }
    return state
  }

  function setTimers(live: ActiveCall): void {
    const wanted = live.state.timers
    for (const [name, timer] of live.timers) {
      if (wanted[name] === timer.due) continue
      timer.cancel()
      live.timers.delete(name)
    }
    for (const [name, due] of Object.entries(wanted) as [TimerName, number][]) {
      if (live.timers.has(name)) continue
      const cancel = clock.after(due - clock.now(), () => {
        live.timers.delete(name)
        post(live, queuedEvent({ kind: 'timer', name }, Math.max(due, clock.now())))
      })
      live.timers.set(name, { due, cancel })
    }
  }

  function act(live: ActiveCall, commands: readonly DriverCommand[]): void {
    for (const command of commands) {
      live.pending++
      live.commands = live.commands
        .then(() => runDriverCommand(context, live, command))
        .catch((error) => {
          // `leg.ended` is reported separately; a dial or an attach without a leg still needs a result.
          if (isLegGone(error))
            log.debug({ event: 'call.effect_skipped', key: live.key, effect: command.kind }, 'leg gone')
          else fail(live, command, error)
          const failure =
            isLegGone(error) && command.kind !== 'attach' && command.kind !== 'dial' ? undefined : failureOf(command)
          if (failure) context.tell(live, failure)
        })
        .finally(() => {
          live.pending--
          dropIfOver(live)
        })
    }
  }

  /** One log line per call, without the numbers of callers. */
  function logEnd({ key, companyId, callId, line, record }: CallState): void {
    const { direction, startedAt, answeredAt, endedAt, hangupCause, missedReason } = record
    if (callId === null || endedAt === null) return
    const seconds = { total: (endedAt - startedAt) / second, talk: answeredAt ? (endedAt - answeredAt) / second : 0 }
    const facts = { companyId, callId, key, line, direction, cause: hangupCause, missed: missedReason, seconds }
    log.info({ event: 'call.ended', ...facts }, 'call ended')
  }

  function fail(live: ActiveCall, command: DriverCommand, error: unknown): void {
    const { key, state, driver } = live
    // The toll guard logs a refused call, with its rule.
    if (error instanceof DialRefused) return
    log.warn(
      { event: 'call.effect_failed', key, callId: state.callId, effect: command.kind, error },
      'driver command failed',
    )
    revert(driver, command).catch((why) =>
      log.warn(
        { event: 'call.effect_failed', key, effect: command.kind, error: why },
        'driver command could not be reverted',
      ),
    )
  }

  /** A defect must not leave parties connected: the call is ended, and other calls are unaffected. */
  async function giveUp(live: ActiveCall, error: unknown): Promise<void> {
    if (error instanceof CallTakenOver) return drop(live)
    log.error({ event: 'call.step_failed', key: live.key, callId: live.state.callId, error }, 'call step failed')
    const queued = live.inbox.shift()
    queued?.reply?.({ ok: false, refused: 'state', why: 'The command failed' })
    if (live.start) {
      live.start.started({ ok: false, why: 'The call could not be started' })
      calls.delete(live.key)
      const leg = live.state.customer.leg
      if (leg) await live.driver.hangup(leg, 'failed')
      return
    }
    if (queued?.event.kind !== 'engine.restarted')
      live.inbox.unshift(queuedEvent({ kind: 'engine.restarted' }, clock.now()))
    else calls.delete(live.key)
  }

  /**
   * Another process assumed that this one had ended, and has ended the call: nothing more is written or published
   * here.
   */
  async function drop(live: ActiveCall): Promise<void> {
    log.warn({ event: 'call.taken_over', key: live.key, callId: live.state.callId }, 'another process ended the call')
    for (const { reply } of live.inbox.splice(0)) reply?.(gone)
    live.state = { ...live.state, phase: { kind: 'done' }, timers: {} }
    live.recordings.clear()
    calls.delete(live.key)
    for (const { cancel } of live.timers.values()) cancel()
    for (const [leg, owner] of legs) {
      if (owner !== live) continue
      legs.delete(leg)
      await live.driver.hangup(leg, 'failed')
    }
    for (const room of live.rooms.values()) await live.driver.closeRoom(await room)
  }

  function dropIfOver(live: ActiveCall): void {
    if (!isDone(live.state) || live.inbox.length > 0 || live.pending > 0 || live.recordings.size > 0) return
    if (calls.get(live.key) !== live) return
    calls.delete(live.key)
    for (const { cancel } of live.timers.values()) cancel()
    for (const [leg, owner] of legs) if (owner === live) legs.delete(leg)
  }

  function onVoiceEvent(event: VoiceEvent) {
    switch (event.kind) {
      case 'leg.dialog':
      case 'leg.progress':
      case 'leg.remoteHold':
      case 'leg.answered':
      case 'leg.ended':
      case 'leg.speaks':
      case 'leg.said':
      case 'leg.dtmf': {
        const live = legs.get(event.leg)
        if (!live) return void early.set(event.leg, [...(early.get(event.leg) ?? []), event])
        if (event.kind === 'leg.ended') legs.delete(event.leg)
        return post(live, { event })
      }
      case 'play.ended': {
        const known = sounds.get(event.playId)
        sounds.delete(event.playId)
        speechServices.tts.stop(event.playId)
        if (!known) return
        const { live, sound, at, voiceAgentId } = known
        if (event.said !== undefined && voiceAgentId !== undefined) {
          transcription.said(live, { voiceAgentId }, { text: event.said, at, ms: event.at - at })
        }
        if (event.cause === 'done') post(live, queuedEvent({ kind: 'play.ended', sound }, event.at))
        else if (event.said !== undefined)
          post(live, queuedEvent({ kind: 'play.cut', sound, said: event.said }, event.at))
        return
      }
      case 'leg.spoke': {
        const live = legs.get(event.leg)
        const { text, startedAt: at } = event
        if (live) transcription.said(live, { leg: event.leg }, { text, at, ms: event.at - at })
        return
      }
      case 'leg.quality': {
        const live = legs.get(event.leg)
        if (live) showQuality(live, event)
        return
      }
      case 'record.ended': {
        const live = recordings.get(event.recId)
        const what = live?.recordings.get(event.recId)
        recordings.delete(event.recId)
        if (!live || !what) return
        live.recordings.delete(event.recId)
        const { recId, file, seconds } = event
        return post(
          live,
          queuedEvent({ kind: 'record.ended', recId, what, file, ms: Math.round(seconds * 1_000) }, event.at),
        )
      }
      default:
        return
    }
  }

  return {
    open(state, driver, { leg, offer, isUrgent, ...start }) {
      if (stopped) return start.started({ ok: false, why: stopping })
      const live = activeCallOf(state, driver, start, isUrgent)
      calls.set(state.key, live)
      post(live, queuedEvent({ kind: 'begin', ...offer }, state.record.startedAt))
      if (leg !== undefined) context.claimLeg(live, leg)
    },
    adopt(state, input, at) {
      const live = { ...activeCallOf(state, silence, null), saved: saved(state) }
      calls.set(state.key, live)
      post(live, { ...queuedEvent(input, at), isPast: true })
    },
    send(key, input) {
      const live = calls.get(key)
      if (!live) return undefined
      if (stopped) return Promise.resolve(gone)
      return new Promise((reply) => post(live, { ...queuedEvent(input, clock.now()), reply }))
    },
    tell(key, input) {
      const live = calls.get(key)
      if (live) post(live, queuedEvent(input, clock.now()))
      return live !== undefined
    },
    find: (key) => calls.get(key)?.state,
    isStopping: () => stopped,
    now() {
      written = Math.max(written, clock.now())
      return written
    },
    onVoiceEvent,
    forget: (leg) => void early.delete(leg),
    live: () => [...calls.values()],
    steps: () => steps,
    async settle() {
      let wasBusy = false
      for (;;) {
        const open = [
          ...running,
          ...[...calls.values()].filter(({ pending }) => pending > 0).map(({ commands }) => commands),
        ]
        const isBusy = [await speechServices.llm.settle(), await transcription.settle()].includes(true)
        if (open.length === 0 && ready.size === 0 && !isBusy) return wasBusy
        wasBusy = true
        await Promise.all(open)
        // Results of the last command are posted in the following ticks.
        await yieldToEventLoop()
      }
    },
    async stop() {
      stopped = true
      for (const live of calls.values())
        if (!isDone(live.state)) post(live, queuedEvent({ kind: 'engine.restarted' }, clock.now()))
      while (running.size > 0 || ready.size > 0) await Promise.all(running)
      for (const live of calls.values()) for (const { cancel } of live.timers.values()) cancel()
    },
  }
}

/** The embedded database never yields: without this, a long series of batches would block all timers and sockets. */
const yieldToEventLoop = () => new Promise<void>((resolve) => setImmediate(resolve))

/** This process no longer owns the call. */
class CallTakenOver extends Error {
  constructor(key: string) {
    super(`another process has taken over the call ${key}`)
  }
}
