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
import type { MediaFact, MediaProcess } from './media-process.ts'
import { flawOfOffer, UnusableOffer } from './offer.ts'
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
  on(hear: (fact: SipFact) => void): void
}

export interface TrunkMedia {
  /** The far end is on a private network, so private addresses in its SDP are valid. */
  isPrivate: boolean
  behindNat: boolean
  encrypted: boolean
  /** Our own address in the SDP. */
  mediaAddress: string
}

export type SipFact =
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
  sound: 'none' | 'heard' | 'told'
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
  const unheard = new Map<LegId, VoiceFact[]>()
  let isDraining = false
  let recordingsFailed = 0
  let [seq, lastId] = [0, 0]
  let starting: Promise<void> | undefined
  let sounds: Promise<CallSounds> | undefined
  const newId = (kind: string) => `${kind}-${run}-${++lastId}`
  const taps = createTaps(media, newId)

  /** Emits an event; events of legs that have ended are dropped. */
  function tell(fact: VoiceFact): void {
    if ('leg' in fact && fact.kind !== 'leg.ended') {
      const waiting = unheard.get(fact.leg)
      if (waiting) return void waiting.push(fact)
      if (!legs.has(fact.leg)) return
    }
    say(fact)
  }

  function say(fact: VoiceFact): void {
    const event = { seq: ++seq, at: clock.now(), ...fact }
    for (const hear of listeners) hear(event)
  }

  /** From now on the engine knows the leg: its buffered events are emitted. */
  function introduce(leg: LegId): void {
    const waiting = unheard.get(leg) ?? []
    unheard.delete(leg)
    for (const fact of waiting) say(fact)
  }

  const silence = (leg: LegId) =>
    void media
      .request('close', { leg })
      .catch((error) => log.debug({ event: 'media.close_failed', error, leg }, 'media of a leg was closed already'))

  /** Emits `leg.ended`, once per leg. */
  function ended(leg: LegId, reason: EndReason, code?: number): void {
    if (!legs.delete(leg)) return
    silence(leg)
    const fact: VoiceFact = { kind: 'leg.ended', leg, reason, ...(code !== undefined && { code }) }
    const waiting = unheard.get(leg)
    if (waiting) waiting.push(fact)
    else say(fact)
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
    await begun()
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
      sound: 'none',
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
    const flaw = flawOfOffer(sdpOffer, await sip.trunk(trunkLeg(leg).trunkId, leg))
    if (flaw !== undefined) throw new UnusableOffer(flaw)
    return accept(leg, sdpOffer)
  }

  /** Dials over the next trunk, with the same RTP port. */
  async function dialOn(leg: LegId, trunk: Trunk): Promise<boolean> {
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
    Promise.all([begun(), sounds]).catch((error) =>
      log.error({ event: 'media.start_failed', error }, 'media process could not be started'),
    )
  }

  /** On first use: an installation without real calls runs no media process. */
  function begun(): Promise<void> {
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
    tell({ kind: 'leg.answered', leg })
    if (trunk.sound === 'heard') connected(leg)
  }

  function connected(leg: LegId): void {
    const found = legs.get(leg)
    if (found?.kind === 'trunk') {
      const wasTold = found.sound === 'told'
      found.sound = found.isAnswered ? 'told' : 'heard'
      if (wasTold || !found.isAnswered) return
    }
    tell({ kind: 'leg.connected', leg })
  }

  function hold(leg: LegId, trunk: Trunk, held: boolean): void {
    if (trunk.isHeld === held) return
    trunk.isHeld = held
    tell({ kind: 'leg.remoteHold', leg, held })
  }

  /** A far end that sends DTMF by INFO may send it in RTP as well: the same digit within a second counts once. */
  function digit(leg: LegId, key: string, by: 'rtp' | 'info'): void {
    const found = legs.get(leg)
    if (found?.kind === 'trunk') {
      const { lastDigit } = found
      found.lastDigit = { key, by, at: clock.machineNow() }
      if (lastDigit?.key === key && lastDigit.by !== by && clock.machineNow() - lastDigit.at < second) return
    }
    tell({ kind: 'leg.dtmf', leg, digit: key })
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
    const flaw = sdpOffer === null ? undefined : flawOfOffer(sdpOffer, await sip.trunk(trunkId, leg))
    if (flaw === undefined) {
      await openTrunk(leg, trunkId, sdpOffer ?? '')
      return
    }
    log.info({ event: 'sip.offer_rejected', leg, trunkId, reason: flaw }, 'rejected an INVITE whose SDP is unusable')
    throw new UnusableOffer(flaw)
  }

  function hearSip(fact: SipFact): void {
    switch (fact.kind) {
      case 'incoming': {
        const { call: leg, trunkId, from, to, sdpOffer } = fact
        unheard.set(leg, [])
        admit(leg, trunkId, sdpOffer).then(
          () => {
            if (unheard.has(leg)) {
              say({ kind: 'leg.incoming', leg, trunkId, from, to })
              introduce(leg)
            } else if (legs.delete(leg)) silence(leg)
          },
          (error) => {
            unheard.delete(leg)
            if (isBusy(error) && !isDraining) say({ kind: 'call.refused', trunkId, from, to })
            // Above the limit the carrier may try another server.
            void sip.end(leg, error instanceof UnusableOffer ? 'unusable' : 'overloaded')
          },
        )
        return
      }
      case 'dialog':
        tell({ kind: 'leg.dialog', leg: fact.call, dialog: fact.dialog })
        return
      case 'progress': {
        const trunk = legs.get(fact.call)
        // The far end rings: no other trunk is tried.
        if (trunk?.kind === 'trunk' && fact.code >= 180) trunk.dialling = null
        if (fact.sdpAnswer) orEnd(fact.call, settled(fact.call, fact.sdpAnswer))
        tell({ kind: 'leg.progress', leg: fact.call, code: fact.code, ...(fact.sdpAnswer && { early: true }) })
        return
      }
      case 'answered':
        orEnd(
          fact.call,
          (fact.sdpAnswer === null ? Promise.resolve() : settled(fact.call, fact.sdpAnswer)).then(() =>
            answered(fact.call),
          ),
        )
        return
      case 'settled':
        orEnd(fact.call, settled(fact.call, fact.sdpAnswer))
        return
      case 'dtmf':
        digit(fact.call, fact.digit, 'info')
        return
      case 'reoffer':
        reaccept(fact.call, fact.sdpOffer).then(fact.reply, (error) => {
          log.info({ event: 'sip.reinvite_rejected', leg: fact.call, error }, 'rejected a re-INVITE with 488')
          fact.reply(undefined)
        })
        return
      case 'ended': {
        const { call: leg, reason, code } = fact
        const trunk = legs.get(leg)
        // Cancelled before it had an RTP port: the call was never announced.
        if (!trunk) return void unheard.delete(leg)
        const mayTryOn = trunk.kind === 'trunk' && trunk.dialling && reason === 'failed' && isOfTheLine(code)
        if (trunk.kind === 'trunk' && !trunk.isAnswered && reason !== 'cancelled') {
          const facts = { event: 'sip.call_failed', leg, trunkId: trunk.trunkId, reason, code: code ?? null }
          log.info(facts, code === undefined ? 'no SIP response to a call' : 'call failed with a SIP response')
        }
        if (!mayTryOn) {
          ended(leg, reason, code)
          return
        }
        dialOn(leg, trunk).then(
          (isTried) => void (isTried || ended(leg, reason, code)),
          () => ended(leg, reason, code),
        )
        return
      }
      case 'trunk':
        tell({ ...fact, kind: 'trunk.state' })
        return
    }
  }

  function hearMedia(fact: MediaFact): void {
    switch (fact.kind) {
      case 'died':
        rescue()
        taps.forgetAll()
        for (const [leg, { kind }] of [...legs]) {
          if (kind === 'trunk') void sip.end(leg, 'hangup')
          ended(leg, 'lost')
        }
        return
      case 'leg.lost':
        ended(fact.leg, 'lost')
        return
      case 'leg.connected':
        connected(fact.leg)
        return
      case 'leg.silent': {
        const { leg, seconds } = fact
        log.info({ event: 'rtp.timeout', leg, seconds }, 'no RTP arrives any more: the call is ended')
        void sip.end(leg, 'hangup')
        ended(leg, 'lost')
        return
      }
      case 'leg.foreign': {
        const { leg, address, packets } = fact
        log.warn({ event: 'rtp.foreign_packets', leg, address, packets }, 'dropped RTP packets of a foreign source')
        return
      }
      case 'leg.dtmf':
        digit(fact.leg, fact.digit, 'rtp')
        return
      case 'leg.quality':
      case 'play.ended':
      case 'record.ended': {
        const { seq: _own, ...told } = fact
        if (told.kind === 'record.ended') recordings.delete(told.recId)
        tell(told)
        return
      }
      case 'tap.sound':
        taps.sound(fact.tapId, fact.ulaw)
        return
      case 'tap.ended':
        if (fact.cause === 'overrun')
          log.warn({ event: 'media.tap_overrun', tapId: fact.tapId }, 'audio tap closed: its reader is too slow')
        taps.ended(fact.tapId, fact.cause)
        return
      case 'play.missing':
        log.warn({ event: 'media.file_missing', leg: fact.leg, file: fact.file }, 'audio file is missing')
        return
      case 'record.failed':
        recordingsFailed++
        log.error({ event: 'recording.failed', recId: fact.recId, reason: fact.message }, 'recording failed')
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
          if (found) tell({ kind: 'record.ended', recId, ...found })
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

  sip.on(hearSip)
  media.on(hearMedia)

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
      unheard.set(leg, [])
      try {
        const trunk = await openTrunk(leg, trunkId, null, options.urgent)
        trunk.dialling = { options, next: [trunkId, ...next] }
        await dialOn(leg, trunk)
      } catch (error) {
        unheard.delete(leg)
        if (legs.delete(leg)) silence(leg)
        throw error
      }
      // The caller of dial() receives the id before the first event of the leg.
      setImmediate(introduce, leg)
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
      await begun()
      const { answer } = await media.request('attachBrowser', { leg, offer: sdpOffer, isUrgent: urgent })
      legs.set(leg, { kind: 'browser' })
      tell({ kind: 'leg.answered', leg })
      return { leg, sdpAnswer: answer }
    },
    async createRoom() {
      const room = newId('room')
      await begun()
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
        async say(samples, text) {
          const ulaw = encode('PCMU', samples).toString('base64')
          return (await media.request('feed', { leg, playId, ulaw, ...(text !== undefined && { text }) })).isAccepted
        },
        async whole() {
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
        await begun()
        return (await media.request('hasRoom', {})).isThere
      } catch (error) {
        log.warn({ event: 'media.capacity_unknown', error }, 'media process did not report its capacity')
        return false
      }
    },
    salvage: (recId) => salvage(recordingsFolder, recId),
    portProblem: () => sip.portProblem?.(),
    on: (hear) => void listeners.push(hear),
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
