import { randomBytes, randomInt } from 'node:crypto'
import type { DialOptions, EndReason, LegId, MediaId, VoiceEvent, VoiceFact } from '../domain/voice.ts'
import type { Line, TrunkDriver } from '../engine/trunk-manager.ts'
import { type Clock, second } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { ulid } from '../lib/ulid.ts'
import { encode } from '../media/g711.ts'
import { hasOpus } from '../media/opus.ts'
import { type Agreed, answerTo, isHeldBy, type OurSide, readSdp, settle, writeOffer } from '../media/sdp.ts'
import type { CallSounds } from './call-sounds.ts'
import { legGone } from './leg-gone.ts'
import type { MediaEvent, MediaProcess } from './media-process.ts'
import { problemOfOffer, UnusableOffer } from './offer.ts'
import { salvage } from './salvage.ts'
import { createTaps } from './taps.ts'

/** Why the SIP ports are not open. */
export interface PortProblem {
  port: number
  code: string
  /** Another process of this installation may have bound it. */
  isHeldByAnother: boolean
}

/** Signalling as the driver uses it. SDP is opaque text, and the driver chooses the id of each call. */
export interface SipCalls {
  portProblem?(): PortProblem | undefined
  start(): Promise<void>
  drain(): Promise<void>
  /** `call` must be unused, or belong to a call that has ended. */
  dial(call: string, trunkId: string, options: DialOptions & { sdpOffer: string; silenceMs?: number }): Promise<void>
  /** 180, or 183 with the answer. */
  ringing(call: string, sdpAnswer?: string): Promise<void>
  answer(call: string, sdpAnswer: string): Promise<void>
  /** Sends CANCEL, BYE or a final response, depending on the state of the call. Returns the status of a final response. */
  end(
    call: string,
    why: 'busy' | 'unknown' | 'unavailable' | 'overloaded' | 'declined' | 'hangup' | 'unusable',
  ): Promise<number | undefined>
  /** Hangs up a call of this process. A dialog of another process is torn down as soon as the SIP stack is open. */
  endDialog(dialog: string): Promise<void>
  setTrunks(lines: readonly Line[]): void
  close(): Promise<void>
  /** How the media of a trunk is handled, judged by the address of the call's far end once that is known. */
  trunk(trunkId: string, call?: string): Promise<TrunkMedia>
  /** The source address of the far end's SIP messages; undefined before the first one. */
  signallingAddress(call: string): string | undefined
  on(listener: (event: SipEvent) => void): void
}

export interface TrunkMedia {
  /** The far end is on a private network, so private addresses in its SDP are valid. */
  isPrivate: boolean
  behindNat: boolean
  encrypted: boolean
  /** Our own address in the SDP. */
  mediaAddress: string
}

export type SipEvent =
  | { kind: 'incoming'; call: string; trunkId: string; from: string; to: string; sdpOffer: string | null }
  | { kind: 'dialog'; call: string; dialog: string }
  | { kind: 'progress'; call: string; code: number; sdpAnswer?: string }
  /** Null: the SDP of an earlier provisional response (early media) holds. */
  | { kind: 'answered'; call: string; sdpAnswer: string | null }
  /** The SDP answer to an offer that we made on request. */
  | { kind: 'settled'; call: string; sdpAnswer: string }
  | { kind: 'dtmf'; call: string; digit: string }
  /** A re-INVITE. `reply` takes our SDP answer; undefined rejects it. */
  | { kind: 'reoffer'; call: string; sdpOffer: string; reply(sdpAnswer: string | undefined): void }
  | { kind: 'ended'; call: string; reason: EndReason; code?: number }
  | { kind: 'trunk'; trunkId: string; up: boolean; detail?: string }

export interface EmbeddedDriver extends TrunkDriver {
  portProblem(): PortProblem | undefined
  /** Hangs up every call and stops the media process. */
  close(): Promise<void>
}

interface Wiring {
  clock: Clock
  log: Log
  media: MediaProcess
  sip: SipCalls
  /** The built-in sounds, prepared on first use. */
  prepareSounds(): Promise<CallSounds>
  /** The µ-law file of an uploaded audio file; undefined if there is none. */
  soundOf(media: MediaId): Promise<string | undefined>
  maxLegs: number
  recordingsFolder: string
}

type Leg = { kind: 'browser' } | Trunk

interface Trunk {
  kind: 'trunk'
  trunkId: string
  ours: OurSide
  /** The SDP offer that has not been answered yet. */
  offered: string | null
  isHeld: boolean
  isAnswered: boolean
  /** Early media may arrive before the answer; `leg.connected` is emitted only after it. */
  audio: 'none' | 'received' | 'reported'
  lastDigit?: { key: string; by: 'rtp' | 'info'; at: number }
  /** Set while no SIP response has arrived: the next trunk may still be tried. */
  dialling: { options: DialOptions; next: readonly string[] } | null
}

const maxEnd = 3 * second
const notAcceptable = 488
/** A trunk that sends no response within this time is given up if another one is left. */
const maxSilence = 4 * second

/** The media process has reached its limit of legs. */
const isBusy = (error: unknown) => error instanceof Error && error.name === 'Busy'

/** No response, or a server failure (5xx): another trunk may succeed. */
const isOfTheLine = (code: number | undefined) => code === undefined || code >= 500

/** Real calls: signalling by `sip`, media by the media process. A leg and its SIP call share one id. */
export function createEmbeddedDriver({
  clock,
  log,
  media,
  sip,
  prepareSounds,
  soundOf,
  maxLegs,
  recordingsFolder,
}: Wiring): EmbeddedDriver {
  const run = ulid(clock.machineNow()).slice(-8).toLowerCase()
  const legs = new Map<LegId, Leg>()
  const listeners: ((event: VoiceEvent) => void)[] = []
  const drained: (() => void)[] = []
  const recordings = new Set<string>()
  /** Events of legs whose id the engine does not know yet: neither announced nor returned by `dial`. */
  const bufferedEvents = new Map<LegId, VoiceFact[]>()
  let isDraining = false
  let recordingsFailed = 0
  let [seq, lastId] = [0, 0]
  let starting: Promise<void> | undefined
  let sounds: Promise<CallSounds> | undefined
  const newId = (kind: string) => `${kind}-${run}-${++lastId}`
  const taps = createTaps(media, newId)

  /** Emits an event; events of legs that have ended are dropped. */
  function emit(data: VoiceFact): void {
    if ('leg' in data && data.kind !== 'leg.ended') {
      const waiting = bufferedEvents.get(data.leg)
      if (waiting) return void waiting.push(data)
      if (!legs.has(data.leg)) return
    }
    publish(data)
  }

  function publish(data: VoiceFact): void {
    const event = { seq: ++seq, at: clock.now(), ...data }
    for (const listener of listeners) listener(event)
  }

  /** From now on the engine knows the leg: its buffered events are emitted. */
  function flushEvents(leg: LegId): void {
    const waiting = bufferedEvents.get(leg) ?? []
    bufferedEvents.delete(leg)
    for (const data of waiting) publish(data)
  }

  const silence = (leg: LegId) =>
    void media
      .request('close', { leg })
      .catch((error) => log.debug({ event: 'media.close_failed', error, leg }, 'media of a leg was closed already'))

  /** Emits `leg.ended`, once per leg. */
  function ended(leg: LegId, reason: EndReason, code?: number): void {
    if (!legs.delete(leg)) return
    silence(leg)
    const data: VoiceFact = { kind: 'leg.ended', leg, reason, ...(code !== undefined && { code }) }
    const waiting = bufferedEvents.get(leg)
    if (waiting) waiting.push(data)
    else publish(data)
    if (legs.size === 0) for (const resolve of drained.splice(0)) resolve()
  }

  function living(leg: LegId): Leg {
    const found = legs.get(leg)
    if (!found) throw legGone(leg)
    return found
  }

  function trunkLeg(leg: LegId): Trunk {
    const found = living(leg)
    if (found.kind !== 'trunk') throw new Error(`Leg ${leg} is a browser`)
    return found
  }

  async function openTrunk(leg: LegId, trunkId: string, offered: string | null, isUrgent = false): Promise<Trunk> {
    const isCaller = offered !== null
    const { encrypted, mediaAddress } = await sip.trunk(trunkId, isCaller ? leg : undefined)
    await ensureMediaStarted()
    const { port } = await media.request('openTrunk', { leg, isUrgent, isCaller })
    const ours: OurSide = {
      address: mediaAddress,
      port,
      sessionId: randomInt(1, 2 ** 47),
      version: 1,
      ...(encrypted && { key: randomBytes(30) }),
    }
    const trunk: Trunk = {
      kind: 'trunk',
      trunkId,
      ours,
      offered,
      isHeld: false,
      isAnswered: false,
      audio: 'none',
      dialling: null,
    }
    legs.set(leg, trunk)
    return trunk
  }

  async function connect(leg: LegId, { trunkId }: Trunk, agreed: Agreed): Promise<void> {
    const { isPrivate, behindNat } = await sip.trunk(trunkId, leg)
    const { ourKey, theirKey, ...far } = agreed
    const keys =
      ourKey && theirKey ? { ours: ourKey.toString('base64'), theirs: theirKey.toString('base64') } : undefined
    const signallingAddress = behindNat ? sip.signallingAddress(leg) : undefined
    await media.request('connect', {
      leg,
      far: { ...far, isPrivate, ...(signallingAddress !== undefined && { signallingAddress }), ...(keys && { keys }) },
    })
  }

  /** Connects the media and returns our SDP answer; throws where the offer is unusable. */
  async function accept(leg: LegId, sdpOffer: string): Promise<string> {
    const trunk = trunkLeg(leg)
    const offer = readSdp(sdpOffer)
    if ('problem' in offer) throw new Error(`unusable offer: ${offer.problem}`)
    const answer = answerTo(offer, trunk.ours)
    if ('problem' in answer) throw new Error(`unusable offer: ${answer.problem}`)
    await connect(leg, trunk, answer.agreed)
    trunk.offered = null
    trunk.ours = { ...trunk.ours, version: trunk.ours.version + 1 }
    hold(leg, trunk, isHeldBy(offer))
    return answer.sdp
  }

  async function reaccept(leg: LegId, sdpOffer: string): Promise<string> {
    const problem = problemOfOffer(sdpOffer, await sip.trunk(trunkLeg(leg).trunkId, leg))
    if (problem !== undefined) throw new UnusableOffer(problem)
    return accept(leg, sdpOffer)
  }

  /** Dials over the next trunk, with the same RTP port. */
  async function dialNext(leg: LegId, trunk: Trunk): Promise<boolean> {
    const { options, next } = trunk.dialling ?? { next: [] }
    const [trunkId, ...others] = next
    if (!options || trunkId === undefined) return false
    const { encrypted, mediaAddress } = await sip.trunk(trunkId)
    const { key: _key, ...ours } = trunk.ours
    trunk.trunkId = trunkId
    trunk.ours = { ...ours, address: mediaAddress, ...(encrypted && { key: randomBytes(30) }) }
    trunk.dialling = { options, next: others }
    const patience = others.length > 0 ? { silenceMs: maxSilence } : {}
    await sip.dial(leg, trunkId, { ...options, ...patience, sdpOffer: writeOffer(trunk.ours) })
    // The leg ended while the INVITE was being prepared.
    if (!legs.has(leg)) await sip.end(leg, 'hangup')
    return true
  }

  /** With a trunk configured, the media process starts before the first call. */
  function warmUp(): void {
    sounds ??= prepareSounds()
    Promise.all([ensureMediaStarted(), sounds]).catch((error) =>
      log.error({ event: 'media.start_failed', error }, 'media process could not be started'),
    )
  }

  /** On first use: an installation without real calls runs no media process. */
  function ensureMediaStarted(): Promise<void> {
    starting ??= media.start().catch((error) => {
      starting = undefined
      throw error
    })
    return starting
  }

  async function settled(leg: LegId, sdpAnswer: string): Promise<void> {
    const trunk = trunkLeg(leg)
    const answer = readSdp(sdpAnswer)
    const agreed = 'problem' in answer ? answer : settle(answer, trunk.ours)
    if ('problem' in agreed) throw new Error(`unusable answer: ${agreed.problem}`)
    await connect(leg, trunk, agreed)
  }

  function answered(leg: LegId): void {
    const trunk = trunkLeg(leg)
    trunk.isAnswered = true
    media
      .request('watch', { leg })
      .catch((error) => log.debug({ event: 'rtp.watch_failed', error, leg }, 'leg ended before its RTP was watched'))
    emit({ kind: 'leg.answered', leg })
    if (trunk.audio === 'received') connected(leg)
  }

  function connected(leg: LegId): void {
    const found = legs.get(leg)
    if (found?.kind === 'trunk') {
      const wasReported = found.audio === 'reported'
      found.audio = found.isAnswered ? 'reported' : 'received'
      if (wasReported || !found.isAnswered) return
    }
    emit({ kind: 'leg.connected', leg })
  }

  function hold(leg: LegId, trunk: Trunk, held: boolean): void {
    if (trunk.isHeld === held) return
    trunk.isHeld = held
    emit({ kind: 'leg.remoteHold', leg, held })
  }

  /** A far end that sends DTMF by INFO may send it in RTP as well: the same digit within a second counts once. */
  function digit(leg: LegId, key: string, by: 'rtp' | 'info'): void {
    const found = legs.get(leg)
    if (found?.kind === 'trunk') {
      const { lastDigit } = found
      found.lastDigit = { key, by, at: clock.machineNow() }
      if (lastDigit?.key === key && lastDigit.by !== by && clock.machineNow() - lastDigit.at < second) return
    }
    emit({ kind: 'leg.dtmf', leg, digit: key })
  }

  /** A call whose media cannot be negotiated is ended. */
  function orEnd(leg: LegId, work: Promise<unknown>): void {
    work.catch((error) => {
      log.warn({ event: 'sip.media_failed', error, leg }, 'media of a call could not be negotiated')
      void sip.end(leg, 'unusable')
      ended(leg, 'failed', notAcceptable)
    })
  }

  /** A call whose offer cannot be answered is refused before any agent rings. */
  async function admit(leg: LegId, trunkId: string, sdpOffer: string | null): Promise<void> {
    const problem = sdpOffer === null ? undefined : problemOfOffer(sdpOffer, await sip.trunk(trunkId, leg))
    if (problem === undefined) {
      await openTrunk(leg, trunkId, sdpOffer ?? '')
      return
    }
    log.info({ event: 'sip.offer_rejected', leg, trunkId, reason: problem }, 'rejected an INVITE whose SDP is unusable')
    throw new UnusableOffer(problem)
  }

  function onSipEvent(event: SipEvent): void {
    switch (event.kind) {
      case 'incoming': {
        const { call: leg, trunkId, from, to, sdpOffer } = event
        bufferedEvents.set(leg, [])
        admit(leg, trunkId, sdpOffer).then(
          () => {
            if (bufferedEvents.has(leg)) {
              publish({ kind: 'leg.incoming', leg, trunkId, from, to })
              flushEvents(leg)
            } else if (legs.delete(leg)) silence(leg)
          },
          (error) => {
            bufferedEvents.delete(leg)
            if (isBusy(error) && !isDraining) publish({ kind: 'call.refused', trunkId, from, to })
            // Above the limit the carrier may try another server.
            void sip.end(leg, error instanceof UnusableOffer ? 'unusable' : 'overloaded')
          },
        )
        return
      }
      case 'dialog':
        emit({ kind: 'leg.dialog', leg: event.call, dialog: event.dialog })
        return
      case 'progress': {
        const trunk = legs.get(event.call)
        // The far end rings: no other trunk is tried.
        if (trunk?.kind === 'trunk' && event.code >= 180) trunk.dialling = null
        if (event.sdpAnswer) orEnd(event.call, settled(event.call, event.sdpAnswer))
        emit({ kind: 'leg.progress', leg: event.call, code: event.code, ...(event.sdpAnswer && { early: true }) })
        return
      }
      case 'answered':
        orEnd(
          event.call,
          (event.sdpAnswer === null ? Promise.resolve() : settled(event.call, event.sdpAnswer)).then(() =>
            answered(event.call),
          ),
        )
        return
      case 'settled':
        orEnd(event.call, settled(event.call, event.sdpAnswer))
        return
      case 'dtmf':
        digit(event.call, event.digit, 'info')
        return
      case 'reoffer':
        reaccept(event.call, event.sdpOffer).then(event.reply, (error) => {
          log.info({ event: 'sip.reinvite_rejected', leg: event.call, error }, 'rejected a re-INVITE with 488')
          event.reply(undefined)
        })
        return
      case 'ended': {
        const { call: leg, reason, code } = event
        const trunk = legs.get(leg)
        // Cancelled before it had an RTP port: the call was never announced.
        if (!trunk) return void bufferedEvents.delete(leg)
        const mayTryOn = trunk.kind === 'trunk' && trunk.dialling && reason === 'failed' && isOfTheLine(code)
        if (trunk.kind === 'trunk' && !trunk.isAnswered && reason !== 'cancelled') {
          const facts = { event: 'sip.call_failed', leg, trunkId: trunk.trunkId, reason, code: code ?? null }
          log.info(facts, code === undefined ? 'no SIP response to a call' : 'call failed with a SIP response')
        }
        if (!mayTryOn) {
          ended(leg, reason, code)
          return
        }
        dialNext(leg, trunk).then(
          (isTried) => void (isTried || ended(leg, reason, code)),
          () => ended(leg, reason, code),
        )
        return
      }
      case 'trunk':
        emit({ ...event, kind: 'trunk.state' })
        return
    }
  }

  function onMediaEvent(event: MediaEvent): void {
    switch (event.kind) {
      case 'died':
        rescue()
        taps.forgetAll()
        for (const [leg, { kind }] of [...legs]) {
          if (kind === 'trunk') void sip.end(leg, 'hangup')
          ended(leg, 'lost')
        }
        return
      case 'leg.lost':
        ended(event.leg, 'lost')
        return
      case 'leg.connected':
        connected(event.leg)
        return
      case 'leg.silent': {
        const { leg, seconds } = event
        log.info({ event: 'rtp.timeout', leg, seconds }, 'no RTP arrives any more: the call is ended')
        void sip.end(leg, 'hangup')
        ended(leg, 'lost')
        return
      }
      case 'leg.foreign': {
        const { leg, address, packets } = event
        log.warn({ event: 'rtp.foreign_packets', leg, address, packets }, 'dropped RTP packets of a foreign source')
        return
      }
      case 'leg.dtmf':
        digit(event.leg, event.digit, 'rtp')
        return
      case 'leg.quality':
      case 'play.ended':
      case 'record.ended': {
        const { seq: _own, ...data } = event
        if (data.kind === 'record.ended') recordings.delete(data.recId)
        emit(data)
        return
      }
      case 'tap.sound':
        taps.sound(event.tapId, event.ulaw)
        return
      case 'tap.ended':
        if (event.cause === 'overrun')
          log.warn({ event: 'media.tap_overrun', tapId: event.tapId }, 'audio tap closed: its reader is too slow')
        taps.ended(event.tapId, event.cause)
        return
      case 'play.missing':
        log.warn({ event: 'media.file_missing', leg: event.leg, file: event.file }, 'audio file is missing')
        return
      case 'record.failed':
        recordingsFailed++
        log.error({ event: 'recording.failed', recId: event.recId, reason: event.message }, 'recording failed')
        return
      case 'ready':
        return
    }
  }

  /** Recordings in progress end with what is on the disk. */
  function rescue(): void {
    for (const recId of [...recordings]) {
      recordings.delete(recId)
      salvage(recordingsFolder, recId).then(
        (found) => {
          if (found) emit({ kind: 'record.ended', recId, ...found })
        },
        (error) => log.error({ event: 'recording.lost', error, recId }, 'recording could not be recovered'),
      )
    }
  }

  async function filesOf(names: readonly MediaId[]): Promise<string[]> {
    sounds ??= prepareSounds()
    const own = await sounds
    const found = await Promise.all(
      names.map(async (name) => own.filesOf(name) ?? [(await soundOf(name)) ?? []].flat()),
    )
    return found.flat()
  }

  sip.on(onSipEvent)
  media.on(onMediaEvent)

  return {
    async start() {
      await sip.start()
    },
    setTrunks(lines) {
      sip.setTrunks(lines)
      if (lines.length > 0) warmUp()
    },
    async drain() {
      isDraining = true
      await sip.drain()
      if (legs.size > 0) await new Promise<void>((resolve) => drained.push(resolve))
      if (!starting) return
      starting = undefined
      await media.drain()
    },
    capabilities: () => ({
      needsOffer: true,
      opus: hasOpus(),
      perLegPlayback: true,
      recordingPause: true,
      maxLegs: maxLegs,
      inbandDtmf: true,
      tap: true,
    }),
    async dial(options) {
      const [trunkId, ...next] = options.trunkIds
      if (trunkId === undefined) throw new Error('no trunk carries this call')
      if (isDraining && !options.urgent) throw new Error('no new calls: this process is ending')
      const leg = newId('leg')
      bufferedEvents.set(leg, [])
      try {
        const trunk = await openTrunk(leg, trunkId, null, options.urgent)
        trunk.dialling = { options, next: [trunkId, ...next] }
        await dialNext(leg, trunk)
      } catch (error) {
        bufferedEvents.delete(leg)
        if (legs.delete(leg)) silence(leg)
        throw error
      }
      // The caller of dial() receives the id before the first event of the leg.
      setImmediate(flushEvents, leg)
      return leg
    },
    async ringing(leg, early) {
      const { offered } = trunkLeg(leg)
      if (early === undefined || !offered) return sip.ringing(leg)
      await sip.ringing(leg, await accept(leg, offered))
      const files = await filesOf([early])
      await media.request('play', { leg, playId: newId('play'), files, loop: true, bargeInOn: '' })
    },
    async answer(leg) {
      const { offered, ours } = trunkLeg(leg)
      if (offered === null) return
      try {
        // An INVITE without an offer asks for ours; the answer comes in the ACK (RFC 3261 §13.2.1).
        const sdp = offered === '' ? writeOffer(ours) : await accept(leg, offered)
        await sip.answer(leg, sdp)
      } catch (error) {
        // The caller received no answer, so the call must not count as answered.
        if (legs.has(leg)) ended(leg, 'failed', await sip.end(leg, 'unusable'))
        throw error
      }
      trunkLeg(leg).offered = null
      answered(leg)
    },
    async reject(leg, why) {
      living(leg)
      ended(leg, 'rejected', await sip.end(leg, why))
    },
    async hangup(leg, reason) {
      const found = legs.get(leg)
      if (!found) return
      const isTrunk = found.kind === 'trunk'
      if (isTrunk) await sip.end(leg, 'hangup')
      ended(leg, reason ?? (isTrunk && !found.isAnswered ? 'cancelled' : 'hangup'))
    },
    endDialog: (dialog) => sip.endDialog(dialog),
    async attachBrowser({ sdpOffer, urgent = false }) {
      if (isDraining && legs.size === 0 && !urgent) throw new Error('no new calls: this process is ending')
      const leg = newId('leg')
      await ensureMediaStarted()
      const { answer } = await media.request('attachBrowser', { leg, offer: sdpOffer, isUrgent: urgent })
      legs.set(leg, { kind: 'browser' })
      emit({ kind: 'leg.answered', leg })
      return { leg, sdpAnswer: answer }
    },
    async createRoom() {
      const room = newId('room')
      await ensureMediaStarted()
      await media.request('createRoom', { room })
      return room
    },
    async closeRoom(room) {
      await media.request('closeRoom', { room })
    },
    async join(room, leg, options = {}) {
      living(leg)
      await media.request('join', { room, leg, options })
    },
    async leave(leg) {
      if (legs.has(leg)) await media.request('leave', { leg })
    },
    async setMuted(leg, muted) {
      living(leg)
      await media.request('mute', { leg, muted })
    },
    async play(leg, names, { loop = false, bargeInOn = '' } = {}) {
      living(leg)
      const playId = newId('play')
      const wanted = await filesOf([names].flat())
      // Hold music that is not there yet: an empty loop would end at once and be restarted forever.
      const files = wanted.length === 0 && loop ? await filesOf(['waiting']) : wanted
      await media.request('play', { leg, playId, files, loop, bargeInOn })
      return { playId }
    },
    async stopPlay(leg) {
      living(leg)
      await media.request('stopPlay', { leg })
    },
    async openTap(leg, listener) {
      living(leg)
      return taps.open(leg, listener)
    },
    closeTap: (tapId) => taps.close(tapId),
    async speak(leg, { speaker, bargeInOn = '' }) {
      living(leg)
      const playId = newId('play')
      await media.request('speak', { leg, playId, speaker, bargeInOn })
      return {
        playId,
        async write(samples, text) {
          const ulaw = encode('PCMU', samples).toString('base64')
          return (await media.request('feed', { leg, playId, ulaw, ...(text !== undefined && { text }) })).isAccepted
        },
        async end() {
          await media.request('endSpeech', { leg, playId })
        },
      }
    },
    async sendDtmf(leg, digits) {
      living(leg)
      await media.request('sendDigits', { leg, digits })
    },
    async record(target, options) {
      if ('leg' in target) living(target.leg)
      const recId = newId('rec')
      recordings.add(recId)
      await media.request('record', { recId, target, options }).catch((error) => {
        recordings.delete(recId)
        throw error
      })
      return { recId }
    },
    async pauseRecord(recId) {
      await media.request('pauseRecord', { recId })
    },
    async resumeRecord(recId) {
      await media.request('resumeRecord', { recId })
    },
    async stopRecord(recId) {
      await media.request('stopRecord', { recId })
    },
    async stats() {
      if (!starting) return { legs: 0, rooms: 0, tickLagMs: 0, dropped: 0, recordingsFailed }
      const { legs: count, tickLagMs, ...counted } = await media.request('stats', {})
      const { rooms, dropped, foreign, invalid } = counted
      return { legs: count, rooms, tickLagMs: tickLagMs.max, dropped, foreign, invalid, recordingsFailed }
    },
    async hasRoom() {
      try {
        await ensureMediaStarted()
        return (await media.request('hasRoom', {})).isThere
      } catch (error) {
        log.warn({ event: 'media.capacity_unknown', error }, 'media process did not report its capacity')
        return false
      }
    },
    salvage: (recId) => salvage(recordingsFolder, recId),
    portProblem: () => sip.portProblem?.(),
    on: (listener) => void listeners.push(listener),
    async close() {
      for (const [leg, { kind }] of [...legs]) {
        if (kind === 'trunk') await sip.end(leg, 'hangup')
        ended(leg, 'lost')
      }
      // Recordings are reported once they are complete; a media process that hangs is not waited for.
      if (starting) await Promise.race([media.drain(), new Promise<void>((give) => clock.machineAfter(maxEnd, give))])
      await sip.close()
      if (starting) await media.stop()
    },
  }
}
