import { type Tx, transaction } from '../db/database.ts'
import { type DriverCommand, type Effect, isDriverCommand, isPersistEffect } from '../domain/call/events.ts'
import { step } from '../domain/call/machine.ts'
import { statusOf } from '../domain/call/record.ts'
import { type CallState, isDone } from '../domain/call/state.ts'
import { completeClaim } from '../features/accounts/credentials/idempotency-store.ts'
import { insertCall, updateRecord } from '../features/calls/calls/store.ts'
import { publish } from '../features/publishing/index.ts'
import type { Reply, Services } from '../services.ts'
import { type ActiveCall, type CallStart, gone, type QueuedEvent } from './active-call.ts'
import { deleteOwnLive, insertLive, saveLive } from './active-call-store.ts'
import type { EventTime } from './event-time.ts'
import { persistEffect, type RandomSource, type StepOutput } from './persist-effects.ts'
import { isRepeatable, withCommandIds } from './repeatable-commands.ts'
import { type ResumeData, saved, withResumeData } from './stored-call.ts'
import { addTrace } from './trace-store.ts'
import { intervalsAfter, type RecordedIntervals } from './transcribed-call.ts'

export interface StepContext {
  services: Services
  me: string
  random: RandomSource
  time: EventTime
}

/** What one event changes; applied to the call once it is saved. */
export interface CallStep {
  state: CallState
  intervals: RecordedIntervals
  saved: string | null
  commands: DriverCommand[]
  queued: QueuedEvent
  reply: Reply
  started?: Parameters<CallStart['started']>[0]
}

/** This process no longer owns the call. */
export class CallTakenOver extends Error {
  constructor(key: string) {
    super(`another process has taken over the call ${key}`)
  }
}

/**
 * Steps that change nothing a restart needs are processed without the database: playback ended, a browser joined.
 * Undefined for all others.
 */
export function stepWithoutDatabase(live: ActiveCall): CallStep | undefined {
  const [queued] = live.inbox
  if (!queued || live.start || queued.claim) return undefined
  const { state, effects, refused } = step(live.state, queued.event)
  if (refused !== undefined || effects.some(isPersistEffect)) return undefined
  if ((state !== live.state || isDone(state)) && textOf(live, state) !== live.saved) return undefined
  const intervals = intervalsAfter(live.intervals, state, queued.event.at)
  return { state, intervals, saved: live.saved, commands: effects.filter(isDriverCommand), queued, reply: { ok: true } }
}

/** Each call of the batch processes its next event; all are saved, or none. */
export async function stepInTransaction(context: StepContext, batch: ActiveCall[]) {
  const { services } = context
  return transaction(services.db, async (tx) => {
    const companies = new Map<number, StepOutput>()
    const done: { live: ActiveCall; result: CallStep }[] = []
    for (const live of batch) {
      const { companyId } = live.state
      const output = companies.get(companyId) ?? { facts: [], trace: [], freed: [] }
      companies.set(companyId, output)
      done.push({ live, result: await stepOf(context, tx, live, output) })
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
}

async function stepOf(context: StepContext, tx: Tx, live: ActiveCall, output: StepOutput): Promise<CallStep> {
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
  const event = queued.isPast ? queued.event : context.time.inOrder(queued.event)
  const { state: first, effects, refused } = step(before, event)
  if (refused !== undefined) {
    const reply: Reply = isDone(before) ? gone : { ok: false, refused: 'state', why: refused }
    return { state: before, intervals: live.intervals, saved: live.saved, commands: [], queued, reply }
  }
  if (queued.claim && !(await completeClaim(tx, before.companyId, queued.claim))) {
    return { state: before, intervals: live.intervals, saved: live.saved, commands: [], queued, reply: givenUp }
  }
  const { state, commands: planned } = await persistEffects(context, tx, first, effects, event.at, output)
  const commands = live.driver.acknowledge ? planned.map(withCommandIds) : planned
  const intervals = intervalsAfter(live.intervals, state, event.at)
  const saving = { before, state, intervals, at: event.at, commands, source: queued.source }
  const text = await save(tx, context.me, live, saving)
  const started = live.start ? { ok: true as const, callId: state.callId } : undefined
  return { state, intervals, saved: text, commands, queued, reply: { ok: true }, ...(started && { started }) }
}

/** The client has been answered, and may have sent the request again. */
const givenUp: Reply = { ok: false, refused: 'state', why: 'The request was given up' }

function refusedStart(live: ActiveCall, queued: QueuedEvent, why: string): CallStep {
  const state: CallState = { ...live.state, phase: { kind: 'done' } }
  return {
    state,
    intervals: live.intervals,
    saved: null,
    commands: [],
    queued,
    reply: { ok: false, refused: 'state', why },
    started: { ok: false, why },
  }
}

/** A query is answered immediately, and the effects of the answer precede the remaining effects. */
async function persistEffects(
  { services, random }: StepContext,
  tx: Tx,
  first: CallState,
  effects: Effect[],
  at: number,
  output: StepOutput,
) {
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

interface Saving {
  before: CallState
  state: CallState
  intervals: RecordedIntervals
  at: number
  commands: readonly DriverCommand[]
  source: QueuedEvent['source']
}

async function save(tx: Tx, me: string, live: ActiveCall, { before, state: after, ...step }: Saving) {
  const { companyId, callId, key, record } = after
  if (callId !== null && (record !== before.record || live.start)) {
    await updateRecord(tx, companyId, callId, record, statusOf(record))
  }
  const text = textOf(live, after)
  const { at } = step
  if (text === null) {
    // Deleted when the call ends, and not again when a late event arrives.
    const isWritten = !live.start && live.saved !== null
    if (isWritten && !(await deleteOwnLive(tx, companyId, key, me))) throw new CallTakenOver(key)
    return text
  }
  const state = live.driver.acknowledge ? withResumeData(text, resumeDataOf(live, step)) : text
  if (live.start) await insertLive(tx, companyId, { key, owner: me, state, at, callId })
  else if (!(await saveLive(tx, companyId, { key, owner: me, state, at }))) throw new CallTakenOver(key)
  return text
}

function resumeDataOf(live: ActiveCall, step: Pick<Saving, 'intervals' | 'commands' | 'source'>): ResumeData {
  const { intervals, commands, source } = step
  const seen = new Map(live.seen)
  if (source?.leg !== undefined) seen.set(source.leg, source.seq)
  return {
    isUrgent: live.isUrgent,
    commands: [...live.unfinished, ...commands].filter(isRepeatable),
    seen: [...seen],
    intervals,
  }
}
