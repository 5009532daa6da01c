// engine/ runs the call machine: one event at a time per call. State and events are saved in one transaction; driver
// commands run after its commit. The engine knows neither the phases of a call nor the JSON of the API.
import type { CallInput, DriverCommand } from '../domain/call/events.ts'
import { type CallState, isDone, rungBy } from '../domain/call/state.ts'
import type { LegId, VoiceDriver, VoiceEvent } from '../domain/voice.ts'
import type { Reply, RequestClaim, Services } from '../services.ts'
import { type ActiveCall, activeCallOf, type CallStart, gone, queuedEvent } from './active-call.ts'
import { type CallMetrics, createCallMetrics } from './call-metrics.ts'
import { type CallProcessing, createCallProcessing } from './call-processing.ts'
import { cancelAllTimers, setTimers } from './call-timers.ts'
import { createDeviceRings } from './device-rings.ts'
import { createDriverCommandQueue } from './driver-command-queue.ts'
import { createEventTime } from './event-time.ts'
import { createLegHandover } from './leg-handover.ts'
import { createLineQuality } from './line-quality.ts'
import { createMailboxes, type Mailboxes, yieldToEventLoop } from './mailboxes.ts'
import type { RandomSource } from './persist-effects.ts'
import { createQualityHistory } from './quality-history.ts'
import { createRealtimeTranscription } from './realtime-transcription.ts'
import { playIdOf } from './repeatable-commands.ts'
import { type OpenRecordings, type ResumeData, saved } from './stored-call.ts'
import type { TollGuard } from './toll-guard.ts'
import { createVoiceAgentSpeech } from './voice-agent-speech.ts'
import { createVoiceEventRouting } from './voice-event-routing.ts'

export interface Engine {
  /** Starts a call; its first step is queued. */
  open(state: CallState, driver: VoiceDriver, beginning: Beginning): void
  /** Takes over a call of another process. */
  adopt(state: CallState, input: CallInput, at: number): void
  /** Continues a call of another process, whose legs the driver has adopted. */
  resume(state: CallState, driver: VoiceDriver, from: ResumedCall): void
  /** True once calls are being ended and no new ones start. */
  isStopping(): boolean
  /** Undefined: this process does not own the call. */
  send(key: string, input: CallInput, claim?: RequestClaim): Promise<Reply> | undefined
  notify(key: string, input: CallInput): boolean
  find(key: string): CallState | undefined
  /** The time for rows written outside of calls: never before a time already written. */
  now(): number
  /** Routes the events of the leg to a call of this process. */
  claim(key: string, leg: LegId): void
  /** `dropped`: no call has the leg any more. */
  onVoiceEvent(event: VoiceEvent): 'dropped' | undefined
  /** The leg belongs to a call of this process. */
  hasLeg(leg: LegId): boolean
  /** The leg will not be claimed by a call. */
  forget(leg: LegId): void
  live(): ActiveCall[]
  /** Number of legs of calls. */
  legs(): number
  /** Number of steps processed by this process. */
  steps(): number
  /** True when work was pending. */
  settle(): Promise<boolean>
  /** `handOver`: calls whose legs outlive this process are left to another one. */
  stop(options?: { handOver: boolean }): Promise<void>
}

/** What is known about a call besides its state. */
export interface ResumedCall extends ResumeData {
  recordings: OpenRecordings
  /** Legs that ended without a report. */
  lost: readonly LegId[]
  /** Legs that exist. */
  adopted: readonly LegId[]
}

/** The initial leg, or the SDP offer of the browser. */
export interface Beginning extends CallStart {
  leg?: LegId
  offer?: { sdpOffer?: string; session?: string; leg?: LegId }
  isUrgent?: boolean
}

export interface EngineOptions {
  services: Services
  metrics: CallMetrics
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

const stopping = 'This process is stopping'

export function createEngine(options: EngineOptions): Engine {
  const { services, silence } = options
  const { clock } = services
  const calls = new Map<string, ActiveCall>()
  let stopped = false
  const parts = createParts(options, calls, () => stopped)
  const { mailboxes, processing, routing, time, transcription, speechServices, quality } = parts
  const { post } = mailboxes

  return {
    open(state, driver, { leg, offer, isUrgent, ...start }) {
      if (stopped) return start.started({ ok: false, why: stopping })
      const live = activeCallOf(state, driver, start, isUrgent)
      calls.set(state.key, live)
      post(live, queuedEvent({ kind: 'begin', ...offer }, state.record.startedAt))
      if (leg !== undefined) routing.claimLeg(live, leg)
    },
    adopt(state, input, at) {
      const live = { ...activeCallOf(state, silence, null), saved: saved(state) }
      calls.set(state.key, live)
      post(live, { ...queuedEvent(input, at), isPast: true })
    },
    resume(state, driver, from) {
      const live = restoredCall(state, driver, from)
      calls.set(state.key, live)
      for (const [recId, what] of from.recordings) routing.claimRecording(live, recId, what)
      const playId = playIdOf(state.key, state.sound)
      if (playId !== undefined) routing.claimSound(live, playId, state.sound)
      // Last: events that have arrived already are routed now.
      for (const leg of from.adopted) routing.claimLeg(live, leg)
      setTimers(clock, live, post)
      for (const leg of from.lost) post(live, queuedEvent({ kind: 'leg.ended', leg, reason: 'lost' }, clock.now()))
      parts.repeatCommands(live, from)
      post(live, queuedEvent({ kind: 'engine.resumed' }, clock.now()))
      transcription.follow(live)
      processing.dropIfOver(live)
    },
    send(key, input, claim) {
      const live = calls.get(key)
      if (!live) return undefined
      if (stopped) return Promise.resolve(gone)
      return new Promise((reply) => post(live, { ...queuedEvent(input, clock.now()), reply, claim }))
    },
    notify(key, input) {
      const live = calls.get(key)
      if (live) post(live, queuedEvent(input, clock.now()))
      return live !== undefined
    },
    find: (key) => calls.get(key)?.state,
    isStopping: () => stopped,
    now: time.now,
    onVoiceEvent(event) {
      const outcome = routing.onVoiceEvent(event)
      if (event.kind === 'leg.ended') quality.onLegEnd(event.leg)
      return outcome
    },
    claim(key, leg) {
      const live = calls.get(key)
      if (live) routing.claimLeg(live, leg)
    },
    hasLeg: routing.hasLeg,
    forget: routing.forget,
    live: () => [...calls.values()],
    legs: routing.count,
    steps: processing.steps,
    async settle() {
      let wasBusy = false
      for (;;) {
        const commands = [...calls.values()].filter(({ pending }) => pending > 0).map((live) => live.commands)
        const open = [...mailboxes.running(), ...commands]
        const settled = [
          await speechServices.llm.settle(),
          await speechServices.context.settle(),
          await transcription.settle(),
          await quality.settle(),
        ]
        const isBusy = settled.includes(true)
        if (open.length === 0 && !mailboxes.hasReady() && !isBusy) return wasBusy
        wasBusy = true
        await Promise.all(open)
        // Results of the last command are posted in the following ticks.
        await yieldToEventLoop()
      }
    },
    async stop({ handOver } = { handOver: false }) {
      stopped = true
      const isLeft = (live: ActiveCall) => handOver && live.driver.acknowledge !== undefined
      for (const live of calls.values()) {
        // The next process sends its request again.
        if (isLeft(live)) speechServices.llm.stop(live)
        else if (!isDone(live.state)) post(live, queuedEvent({ kind: 'engine.restarted' }, clock.now()))
      }
      while (mailboxes.running().length > 0 || mailboxes.hasReady()) await Promise.all(mailboxes.running())
      for (const live of calls.values()) cancelAllTimers(live)
      await quality.settle()
    },
  }
}

/** Creates the parts and connects them; some refer to parts that are created after them. */
function createParts(options: EngineOptions, calls: Map<string, ActiveCall>, isStopped: () => boolean) {
  const { services, metrics, guard, me, batchSize, random, freed } = options
  const { clock, log } = services
  const mailboxes: Mailboxes = createMailboxes({
    batchSize,
    maxConcurrent: batchSize > 1 ? 1 : 8,
    process: (batch) => processing.process(batch),
    emptied: (live) => processing.dropIfOver(live),
  })
  const { post } = mailboxes
  const notify = (live: ActiveCall, input: CallInput) => post(live, queuedEvent(input, clock.now()))
  const liveHub = { send: (...args: Parameters<Services['liveHub']['send']>) => services.liveHub.send(...args) }
  const transcription = createRealtimeTranscription(services)
  const speechServices = createVoiceAgentSpeech(services, notify, transcription.said)
  const showQuality = createLineQuality(liveHub)
  const measured = createCallMetrics(metrics)
  const quality = createQualityHistory(services)
  const routing = createVoiceEventRouting({
    clock,
    post,
    transcription,
    onQuality(live, event) {
      showQuality(live, event)
      measured.onQuality(live, event)
      quality.onQuality(live, event)
    },
    stopSpeech: (playId) => speechServices.tts.stop(playId),
  })
  const { claimLeg, claimSound, claimRecording } = routing
  const time = createEventTime(clock)
  const resumed = new Set<string>()
  const ringDevices = createDeviceRings({ services, guard, notify, claimLeg, hasLeg: routing.hasLeg })
  const runCommands = createDriverCommandQueue({
    context: {
      guard,
      speechServices,
      liveHub,
      ringDevices,
      notify,
      claimLeg,
      claimSound,
      claimRecording,
      handOver: createLegHandover({ calls, routing, notify }),
    },
    log,
    completed: (live) => processing.dropIfOver(live),
  })

  /** Dialled legs of a resumed call that were not matched, such as one to the mobile number of a user. */
  function endDials({ companyId, key }: CallState): void {
    guard
      .callEnded(companyId, key)
      .catch((error) => log.warn({ event: 'dial.end_not_saved', error }, 'could not save the end of outbound legs'))
  }

  function ringAgain(live: ActiveCall, command: Extract<DriverCommand, { kind: 'ring' }>): void {
    ringDevices(live, command).catch((error) =>
      log.warn({ event: 'device.ring_failed', key: live.key, error }, 'devices could not be called again'),
    )
  }

  /** A leg that exists was dialled: dialling again would count twice in the limits of the company. */
  function repeatCommands(live: ActiveCall, { commands, adopted }: ResumedCall): void {
    resumed.add(live.key)
    for (const command of commands) {
      if (command.kind === 'dial' && command.leg !== undefined && adopted.includes(command.leg)) {
        const { role, to, leg } = command
        notify(live, { kind: 'dialled', role, to, leg })
      } else if (command.kind !== 'ring') runCommands(live, [command])
      // Phone apps read the state when they reconnect; devices ring only for a user who is still rung.
      else if (rungBy(live.state).some(({ userId }) => userId === command.userId)) ringAgain(live, command)
    }
  }

  const processing: CallProcessing = createCallProcessing({
    context: { services, me, random, time },
    calls,
    routing,
    post,
    runCommands,
    stepped: transcription.follow,
    ended(state) {
      if (resumed.delete(state.key)) endDials(state)
      measured.onEnd(state)
      quality.onCallEnd(state)
    },
    isStopped,
    freed,
  })
  return { mailboxes, processing, routing, time, transcription, speechServices, quality, repeatCommands }
}

function restoredCall(state: CallState, driver: VoiceDriver, from: ResumedCall): ActiveCall {
  const { isUrgent, seen, recordings, intervals, adopted } = from
  const live = activeCallOf(state, driver, null, isUrgent)
  return {
    ...live,
    saved: saved(state, recordings),
    seen: new Map(seen),
    adopted: new Set(adopted),
    ...(intervals && { intervals }),
  }
}
