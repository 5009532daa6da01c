// engine/ runs the call machine: one event at a time per call, saved with its events in one transaction, and only then
// acted upon. Nothing here knows a phase of a call; nothing here makes the API's JSON.
import { type Tx, transaction } from '../db/database.ts'
import { isUnavailable } from '../db/errors.ts'
import { type CallEvent, type CallHappening, type Deed, type Effect, isDeed, isFact } from '../domain/call/events.ts'
import { step } from '../domain/call/machine.ts'
import { statusOf } from '../domain/call/record.ts'
import { type CallState, isDone, type TimerName } from '../domain/call/state.ts'
import type { LegId, VoiceDriver, VoiceEvent } from '../domain/voice.ts'
import { insertCall, updateRecord } from '../features/calls/calls/store.ts'
import { publish } from '../features/publishing/index.ts'
import { second } from '../lib/clock.ts'
import type { Reply, Services } from '../services.ts'
import { createAgentOrgans } from './agent-organs.ts'
import { type Aftermath, type RandomSource, writeFact } from './facts.ts'
import { createLineQuality } from './line-quality.ts'
import { type Birth, gone, type Live, liveOf, type Mail, mailOf } from './live.ts'
import { deleteOwnLive, insertLive, saveLive } from './live-store.ts'
import { failureOf, isLegGone, perform, type Stage, undo } from './perform.ts'
import { saved } from './saved.ts'
import { createScribe } from './scribe.ts'
import { addTrace } from './store.ts'
import { DialRefused, type TollGuard } from './toll-guard.ts'

export interface Engine {
  /** A call begins; its first step is under way. */
  open(state: CallState, driver: VoiceDriver, beginning: Beginning): void
  /** One that another process has left. */
  adopt(state: CallState, happening: CallHappening, at: number): void
  /** True when calls are ended and none begins. */
  isStopping(): boolean
  /** Undefined: this process does not own the call. */
  send(key: string, happening: CallHappening): Promise<Reply> | undefined
  tell(key: string, happening: CallHappening): boolean
  find(key: string): CallState | undefined
  /** The time for what is written beside the calls: not before anything that was written already. */
  now(): number
  hear(event: VoiceEvent): void
  /** Nobody will claim that leg. */
  forget(leg: LegId): void
  live(): Live[]
  /** How many steps calls have taken in this process. */
  steps(): number
  /** True when something was going on. */
  settle(): Promise<boolean>
  stop(): Promise<void>
}

/** How a call begins: with a leg that is there, or with a browser that has offered its sound. */
export interface Beginning extends Birth {
  leg?: LegId
  offer?: { sdpOffer?: string; session?: string }
  isUrgent?: boolean
}

export interface EngineParts {
  services: Services
  guard: TollGuard
  /** Whoever carries nothing any more: for calls whose sound is gone. */
  silence: VoiceDriver
  me: string
  /** Several calls in one transaction: where there is one writer, a commit is what costs. */
  together: number
  random: RandomSource
  /** Who may be free for somebody else, told once it is true. */
  freed(companyId: number, userId: number, notFor: string | null): void
}

const retryMs = second / 2
const stopping = 'This process is stopping'

export function createEngine(parts: EngineParts): Engine {
  const { services, guard, silence, me, together, random, freed } = parts
  const { db, clock, log } = services
  const calls = new Map<string, Live>()
  const ready = new Set<Live>()
  const legs = new Map<LegId, Live>()
  const sounds = new Map<string, { live: Live; sound: number; at: number; voiceAgentId: string | undefined }>()
  const recordings = new Map<string, Live>()
  /** Events of legs that nobody has claimed yet: the driver may be quicker than its answer. */
  const early = new Map<LegId, VoiceEvent[]>()
  const running = new Set<Promise<void>>()
  const maxConcurrent = together > 1 ? 1 : 8
  let stopped = false
  let steps = 0
  /** The time of the latest event that was. */
  let written = 0

  const tell = (live: Live, happening: CallHappening) => post(live, mailOf(happening, clock.now()))
  const scribe = createScribe(services)
  const showQuality = createLineQuality({ tell: (...said) => services.browsers.tell(...said) })
  const organs = createAgentOrgans(services, tell, scribe.said)

  const stage: Stage = {
    guard,
    organs,
    browsers: { tell: (...said) => services.browsers.tell(...said) },
    tell,
    claimLeg(live, leg) {
      legs.set(leg, live)
      const missed = early.get(leg) ?? []
      early.delete(leg)
      for (const event of missed) hear(event)
    },
    claimSound: (live, playId, sound) =>
      sounds.set(playId, { live, sound, at: clock.now(), voiceAgentId: live.state.agent?.plan.id }),
    claimRecording(live, recId, what) {
      recordings.set(recId, live)
      live.recordings.set(recId, what)
    },
  }

  function post(live: Live, mail: Mail): void {
    live.inbox.push(mail)
    if (!live.isBusy) ready.add(live)
    run()
  }

  function run(): void {
    while (ready.size > 0 && running.size < maxConcurrent) {
      const batch = [...ready].slice(0, together)
      for (const live of batch) {
        ready.delete(live)
        live.isBusy = true
      }
      const turn = takeTurns(batch)
        .then(letOthersRun)
        .finally(() => {
          running.delete(turn)
          run()
        })
      running.add(turn)
    }
  }

  async function takeTurns(batch: Live[]): Promise<void> {
    const heavy = batch.filter((live) => !passesLightly(live))
    try {
      if (heavy.length > 0) await turnOf(heavy)
    } catch (error) {
      // A store that is away for a while ends no call: the step is taken when it is back.
      if (isUnavailable(error) && !stopped) await new Promise<void>((again) => clock.machineAfter(retryMs, again))
      else if (heavy.length > 1) for (const live of heavy) await turnOf([live]).catch((why) => giveUp(live, why))
      else if (heavy[0]) await giveUp(heavy[0], error)
    }
    for (const live of batch) {
      live.isBusy = false
      if (live.inbox.length > 0) ready.add(live)
      else dropIfOver(live)
    }
  }

  /** What changes nothing that a restart would need is done without the store: a sound ended, a browser joined. */
  function passesLightly(live: Live): boolean {
    const [mail] = live.inbox
    if (!mail || live.birth) return false
    const { state, effects, refused } = step(live.state, mail.event)
    if (refused !== undefined || effects.some(isFact)) return false
    if ((state !== live.state || isDone(state)) && textOf(live, state) !== live.saved) return false
    advance(live, { state, saved: live.saved, deeds: effects.filter(isDeed), mail, reply: { ok: true } })
    return true
  }

  function advance(live: Live, { state, saved, deeds, mail, reply }: Turn): void {
    steps++
    live.inbox.shift()
    if (isDone(state) && !isDone(live.state)) logEnd(state)
    live.state = state
    live.saved = saved
    setTimers(live)
    act(live, deeds)
    scribe.follow(live)
    mail.reply?.(reply)
  }

  /** Each call of the batch takes its next event; all of it is written, or nothing. */
  async function turnOf(batch: Live[]): Promise<void> {
    const turns = await transaction(db, async (tx) => {
      const companies = new Map<number, Aftermath>()
      const done: (Turn & { live: Live })[] = []
      for (const live of batch) {
        const { companyId } = live.state
        const aftermath = companies.get(companyId) ?? { told: [], trace: [], freed: [] }
        companies.set(companyId, aftermath)
        done.push({ ...(await turn(tx, live, aftermath)), live })
      }
      for (const [companyId, { trace, told }] of companies) {
        await addTrace(tx, companyId, trace)
        if (told.length > 0) await publish(services, tx, companyId, told)
      }
      return {
        done,
        freed: [...companies].flatMap(([companyId, { freed }]) => freed.map((one) => ({ companyId, ...one }))),
      }
    })
    for (const { live, born, ...turn } of turns.done) {
      if (born) live.birth?.born(born)
      live.birth = null
      advance(live, turn)
    }
    for (const { companyId, userId, notFor } of turns.freed) freed(companyId, userId, notFor)
  }

  interface Turn {
    state: CallState
    saved: string | null
    deeds: Deed[]
    mail: Mail
    reply: Reply
    born?: Parameters<Birth['born']>[0]
  }

  async function turn(tx: Tx, live: Live, aftermath: Aftermath): Promise<Turn> {
    const [mail] = live.inbox
    if (!mail) throw new Error('a call takes a turn only when it has mail')
    let before = live.state
    if (live.birth) {
      const why = await live.birth.guard?.(tx)
      if (why !== undefined) return stillborn(live, mail, why)
      const { record, companyId, key } = before
      const callId = before.number ? await insertCall(tx, companyId, { uuid: key, record }) : null
      before = { ...before, callId }
    }
    const event = mail.isPast ? mail.event : inOrder(mail.event)
    const { state: first, effects, refused } = step(before, event)
    if (refused !== undefined) {
      const reply: Reply = isDone(before) ? gone : { ok: false, refused: 'state', why: refused }
      return { state: before, saved: live.saved, deeds: [], mail, reply }
    }
    const { state, deeds } = await settleFacts(tx, first, effects, event.at, aftermath)
    const saved = await save(tx, live, before, state, event.at)
    const born = live.birth ? { ok: true as const, callId: state.callId } : undefined
    return { state, saved, deeds, mail, reply: { ok: true }, ...(born && { born }) }
  }

  /**
   * An event is dated when it is processed, never before what this process has already written. With the time of its
   * creation an event that had to wait would begin a ring before the end of the ring that made the agent free.
   */
  function inOrder(event: CallEvent): CallEvent {
    written = Math.max(written, event.at)
    return { ...event, at: written }
  }

  function stillborn(live: Live, mail: Mail, why: string): Turn {
    const state: CallState = { ...live.state, phase: { at: 'done' } }
    return {
      state,
      saved: null,
      deeds: [],
      mail,
      reply: { ok: false, refused: 'state', why },
      born: { ok: false, why },
    }
  }

  /** A question is answered at once, and what follows from the answer comes before what was asked for later. */
  async function settleFacts(tx: Tx, first: CallState, effects: Effect[], at: number, aftermath: Aftermath) {
    let state = first
    const deeds: Deed[] = []
    const open = [...effects]
    for (let effect = open.shift(); effect; effect = open.shift()) {
      if (!isFact(effect)) {
        deeds.push(effect)
        continue
      }
      const answer = await writeFact(services, tx, state, effect, at, random, aftermath)
      if (!answer) continue
      const next = step(state, answer)
      state = next.state
      open.unshift(...next.effects)
    }
    return { state, deeds }
  }

  /** A call that is over is written down only as long as a recording of it goes on. */
  const textOf = (live: Live, state: CallState) =>
    isDone(state) && live.recordings.size === 0 ? null : saved(state, live.recordings)

  async function save(tx: Tx, live: Live, before: CallState, after: CallState, at: number): Promise<string | null> {
    const { companyId, callId, key, record } = after
    if (callId !== null && (record !== before.record || live.birth)) {
      await updateRecord(tx, companyId, callId, record, statusOf(record))
    }
    const state = textOf(live, after)
    if (state === null) {
      // Written when the call is over, and not again when a late event reaches it.
      const isWritten = !live.birth && live.saved !== null
      if (isWritten && !(await deleteOwnLive(tx, companyId, key, me))) throw new CallTakenOver(key)
    } else if (live.birth) await insertLive(tx, companyId, { key, owner: me, state, at, callId })
    else if (!(await saveLive(tx, companyId, { key, owner: me, state, at }))) {
      throw new CallTakenOver(key)
    }
    return state
  }

  function setTimers(live: Live): void {
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
        post(live, mailOf({ kind: 'timer', name }, Math.max(due, clock.now())))
      })
      live.timers.set(name, { due, cancel })
    }
  }

  function act(live: Live, deeds: readonly Deed[]): void {
    for (const deed of deeds) {
      live.pending++
      live.deeds = live.deeds
        .then(() => perform(stage, live, deed))
        .catch((error) => {
          // The end of the leg is an event of its own; a dial or an attach without a leg still needs its outcome.
          if (isLegGone(error))
            log.debug({ event: 'call.effect_skipped', key: live.key, effect: deed.kind }, 'leg gone')
          else fail(live, deed, error)
          const failure =
            isLegGone(error) && deed.kind !== 'attach' && deed.kind !== 'dial' ? undefined : failureOf(deed)
          if (failure) stage.tell(live, failure)
        })
        .finally(() => {
          live.pending--
          dropIfOver(live)
        })
    }
  }

  /** One line for every call, without the numbers of callers. */
  function logEnd({ key, companyId, callId, line, record }: CallState): void {
    const { direction, startedAt, answeredAt, endedAt, hangupCause, missedReason } = record
    if (callId === null || endedAt === null) return
    const seconds = { total: (endedAt - startedAt) / second, talk: answeredAt ? (endedAt - answeredAt) / second : 0 }
    const facts = { companyId, callId, key, line, direction, cause: hangupCause, missed: missedReason, seconds }
    log.info({ event: 'call.ended', ...facts }, 'call ended')
  }

  function fail(live: Live, deed: Deed, error: unknown): void {
    const { key, state, driver } = live
    // A refused call is logged by the guard, with its rule.
    if (error instanceof DialRefused) return
    log.warn({ event: 'call.effect_failed', key, callId: state.callId, effect: deed.kind, error }, 'call effect failed')
    undo(driver, deed).catch((why) =>
      log.warn({ event: 'call.effect_failed', key, effect: deed.kind, error: why }, 'call effect could not be undone'),
    )
  }

  /** A defect of ours must not keep people on the phone: the call is ended, and the next one works. */
  async function giveUp(live: Live, error: unknown): Promise<void> {
    if (error instanceof CallTakenOver) return drop(live)
    log.error({ key: live.key, callId: live.state.callId, error }, 'a call could not take its next step')
    const mail = live.inbox.shift()
    mail?.reply?.({ ok: false, refused: 'state', why: 'The call could not do that' })
    if (live.birth) {
      live.birth.born({ ok: false, why: 'The call could not begin' })
      calls.delete(live.key)
      const leg = live.state.customer.leg
      if (leg) await live.driver.hangup(leg, 'failed')
      return
    }
    if (mail?.event.kind !== 'engine.restarted') live.inbox.unshift(mailOf({ kind: 'engine.restarted' }, clock.now()))
    else calls.delete(live.key)
  }

  /** Another process took this one for dead and has ended the call: nothing is written or published here any more. */
  async function drop(live: Live): Promise<void> {
    log.warn({ event: 'call.taken_over', key: live.key, callId: live.state.callId }, 'another process ended the call')
    for (const { reply } of live.inbox.splice(0)) reply?.(gone)
    live.state = { ...live.state, phase: { at: 'done' }, timers: {} }
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

  function dropIfOver(live: Live): void {
    if (!isDone(live.state) || live.inbox.length > 0 || live.pending > 0 || live.recordings.size > 0) return
    if (calls.get(live.key) !== live) return
    calls.delete(live.key)
    for (const { cancel } of live.timers.values()) cancel()
    for (const [leg, owner] of legs) if (owner === live) legs.delete(leg)
  }

  function hear(event: VoiceEvent) {
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
        organs.voices.stop(event.playId)
        if (!known) return
        const { live, sound, at, voiceAgentId } = known
        if (event.said !== undefined && voiceAgentId !== undefined) {
          scribe.said(live, { voiceAgentId }, { text: event.said, at, ms: event.at - at })
        }
        if (event.cause === 'done') post(live, mailOf({ kind: 'play.ended', sound }, event.at))
        else if (event.said !== undefined) post(live, mailOf({ kind: 'play.cut', sound, said: event.said }, event.at))
        return
      }
      case 'leg.spoke': {
        const live = legs.get(event.leg)
        const { text, startedAt: at } = event
        if (live) scribe.said(live, { leg: event.leg }, { text, at, ms: event.at - at })
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
          mailOf({ kind: 'record.ended', recId, what, file, ms: Math.round(seconds * 1_000) }, event.at),
        )
      }
      default:
        return
    }
  }

  return {
    open(state, driver, { leg, offer, isUrgent, ...birth }) {
      if (stopped) return birth.born({ ok: false, why: stopping })
      const live = liveOf(state, driver, birth, isUrgent)
      calls.set(state.key, live)
      post(live, mailOf({ kind: 'begin', ...offer }, state.record.startedAt))
      if (leg !== undefined) stage.claimLeg(live, leg)
    },
    adopt(state, happening, at) {
      const live = { ...liveOf(state, silence, null), saved: saved(state) }
      calls.set(state.key, live)
      post(live, { ...mailOf(happening, at), isPast: true })
    },
    send(key, happening) {
      const live = calls.get(key)
      if (!live) return undefined
      if (stopped) return Promise.resolve(gone)
      return new Promise((reply) => post(live, { ...mailOf(happening, clock.now()), reply }))
    },
    tell(key, happening) {
      const live = calls.get(key)
      if (live) post(live, mailOf(happening, clock.now()))
      return live !== undefined
    },
    find: (key) => calls.get(key)?.state,
    isStopping: () => stopped,
    now() {
      written = Math.max(written, clock.now())
      return written
    },
    hear,
    forget: (leg) => void early.delete(leg),
    live: () => [...calls.values()],
    steps: () => steps,
    async settle() {
      let wasBusy = false
      for (;;) {
        const open = [...running, ...[...calls.values()].filter(({ pending }) => pending > 0).map(({ deeds }) => deeds)]
        const isBusy = [await organs.minds.settle(), await scribe.settle()].includes(true)
        if (open.length === 0 && ready.size === 0 && !isBusy) return wasBusy
        wasBusy = true
        await Promise.all(open)
        // What the last deed led to is posted in the ticks that follow it.
        await letOthersRun()
      }
    },
    async stop() {
      stopped = true
      for (const live of calls.values())
        if (!isDone(live.state)) post(live, mailOf({ kind: 'engine.restarted' }, clock.now()))
      while (running.size > 0 || ready.size > 0) await Promise.all(running)
      for (const live of calls.values()) for (const { cancel } of live.timers.values()) cancel()
    },
  }
}

/** The embedded store never waits: without this a long run of batches would make every timer and socket wait for its end. */
const letOthersRun = () => new Promise<void>((resolve) => setImmediate(resolve))

/** This process no longer owns the call. */
class CallTakenOver extends Error {
  constructor(key: string) {
    super(`another process has taken over the call ${key}`)
  }
}
