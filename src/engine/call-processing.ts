import { isUnavailable } from '../db/errors.ts'
import type { DriverCommand } from '../domain/call/events.ts'
import { type CallState, isDone } from '../domain/call/state.ts'
import { second } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { type ActiveCall, gone, type QueuedEvent, queuedEvent } from './active-call.ts'
import { type CallStep, CallTakenOver, type StepContext, stepInTransaction, stepWithoutDatabase } from './call-steps.ts'
import { cancelAllTimers, setTimers } from './call-timers.ts'
import type { VoiceEventRouting } from './voice-event-routing.ts'

/** Processes queued events of calls, and removes calls that are over. */
export interface CallProcessing {
  /** The first event of each call; a call whose step fails is ended. */
  process(batch: ActiveCall[]): Promise<void>
  dropIfOver(live: ActiveCall): void
  /** Number of steps so far. */
  steps(): number
}

interface Options {
  context: StepContext
  calls: Map<string, ActiveCall>
  routing: Pick<VoiceEventRouting, 'legsOf' | 'release'>
  post(live: ActiveCall, queued: QueuedEvent): void
  runCommands(live: ActiveCall, commands: readonly DriverCommand[]): void
  /** Called after every step. */
  stepped(live: ActiveCall): void
  /** Called once for every call that has ended. */
  ended(state: CallState): void
  isStopped(): boolean
  /** Called after the commit for users who may be available for another call. */
  freed(companyId: number, userId: number, notFor: string | null): void
}

const retryMs = second / 2

export function createCallProcessing(options: Options): CallProcessing {
  const { context, calls, routing, post, runCommands, stepped, ended, isStopped, freed } = options
  const { clock, log } = context.services
  let steps = 0

  async function process(batch: ActiveCall[]): Promise<void> {
    const heavy = batch.filter((live) => !processWithoutDatabase(live))
    try {
      if (heavy.length > 0) await processInTransaction(heavy)
    } catch (error) {
      // An unavailable database ends no call: the step is retried.
      if (isUnavailable(error) && !isStopped()) await new Promise<void>((again) => clock.machineAfter(retryMs, again))
      else if (heavy.length > 1)
        for (const live of heavy) await processInTransaction([live]).catch((why) => giveUp(live, why))
      else if (heavy[0]) await giveUp(heavy[0], error)
    }
  }

  function processWithoutDatabase(live: ActiveCall): boolean {
    const result = stepWithoutDatabase(live)
    if (result) apply(live, result)
    return result !== undefined
  }

  async function processInTransaction(batch: ActiveCall[]): Promise<void> {
    const saved = await stepInTransaction(context, batch)
    for (const { live, result } of saved.done) {
      if (result.started) live.start?.started(result.started)
      live.start = null
      apply(live, result)
    }
    for (const { companyId, userId, notFor } of saved.freed) freed(companyId, userId, notFor)
  }

  function apply(live: ActiveCall, { state, intervals, saved, commands, queued, reply }: CallStep): void {
    steps++
    live.inbox.shift()
    acknowledge(live, queued)
    if (isDone(state) && !isDone(live.state)) {
      logEnd(log, state)
      ended(state)
    }
    live.state = state
    live.intervals = intervals
    live.saved = saved
    setTimers(clock, live, post)
    runCommands(live, commands)
    stepped(live)
    queued.reply?.(reply)
  }

  function acknowledge({ driver, seen }: ActiveCall, { source, event }: QueuedEvent): void {
    if (!source) return
    driver.acknowledge?.(source.seq)
    if (source.leg === undefined) return
    if (event.kind === 'leg.ended') seen.delete(source.leg)
    else seen.set(source.leg, source.seq)
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
   * Another process assumed that this one had ended, and has taken over the call: nothing more is written or published
   * here. Its legs belong to that process, unless they cannot outlive this one.
   */
  async function drop(live: ActiveCall): Promise<void> {
    log.warn(
      { event: 'call.taken_over', key: live.key, callId: live.state.callId },
      'another process took over the call',
    )
    for (const { reply } of live.inbox.splice(0)) reply?.(gone)
    live.state = { ...live.state, phase: { kind: 'done' }, timers: {} }
    live.recordings.clear()
    calls.delete(live.key)
    cancelAllTimers(live)
    for (const leg of routing.legsOf(live)) {
      routing.release(leg)
      if (!live.driver.acknowledge) await live.driver.hangup(leg, 'failed')
    }
    if (live.driver.acknowledge) return
    for (const room of live.rooms.values()) await live.driver.closeRoom(await room)
  }

  function dropIfOver(live: ActiveCall): void {
    if (!isDone(live.state) || live.inbox.length > 0 || live.pending > 0 || live.recordings.size > 0) return
    if (calls.get(live.key) !== live) return
    calls.delete(live.key)
    cancelAllTimers(live)
    for (const leg of routing.legsOf(live)) routing.release(leg)
  }

  return { process, dropIfOver, steps: () => steps }
}

/** One log line per call, without the numbers of callers. */
function logEnd(log: Log, { key, companyId, callId, line, record }: CallState): void {
  const { direction, startedAt, answeredAt, endedAt, hangupCause, missedReason } = record
  if (callId === null || endedAt === null) return
  const seconds = { total: (endedAt - startedAt) / second, talk: answeredAt ? (endedAt - answeredAt) / second : 0 }
  const facts = { companyId, callId, key, line, direction, cause: hangupCause, missed: missedReason, seconds }
  log.info({ event: 'call.ended', ...facts }, 'call ended')
}
