import type { LegId, RoomId } from '../domain/voice.ts'
import { type Clock, second } from '../lib/clock.ts'
import { beep } from '../media/call-sounds.ts'
import { BrowserPeer } from './browser-peer.ts'
import type { BrowserTransports } from './browser-transport.ts'
import { Player, Sounds } from './player.ts'
import type { NodeEventData, NodeOptions, NodeRequestName, NodeRequests, NodeStats } from './protocol.ts'
import { Recorder } from './recorder.ts'
import { join, leave, newParticipant, newRoom, type Participant, type Room, tick } from './rooms.ts'
import { Tap } from './tap.ts'
import { startTicker } from './ticker.ts'
import { TrunkLeg, TrunkPorts } from './trunk-leg.ts'
import { SpeechVoice } from './voice.ts'

type Handlers = {
  [Name in NodeRequestName]: (request: NodeRequests[Name]['params']) => Promise<NodeRequests[Name]['result']>
}

export interface VoiceNode extends Handlers {
  /** Closes all legs; recordings are completed first. */
  end(): Promise<void>
}

interface Wiring {
  options: NodeOptions
  transports: BrowserTransports
  clock: Clock
  /** `sent` is called once the event has left the process. */
  emit(fact: NodeEventData, sent?: () => void): void
  /** Called when the last leg of a draining node is closed. */
  drained(): void
}

const ticksPerSecond = 50
const ticksBetweenReports = 5 * ticksPerSecond
const maxClose = 2 * second

export function createVoiceNode({ options, transports, clock, emit, drained }: Wiring): VoiceNode {
  const ports = new TrunkPorts(options.trunkPorts, options.bindAddress)
  const sounds = new Sounds()
  const participants = new Map<LegId, Participant>()
  const rooms = new Map<RoomId, Room>()
  const recordings = new Map<string, { recorder: Recorder; target: Set<Recorder> | null }>()
  const finishing = new Set<Promise<void>>()
  const closing = new Set<Promise<void>>()
  const beeping = new Map<string, () => void>()
  /** Counters of closed legs. */
  const past = { dropped: 0, underruns: 0, foreign: 0, invalid: 0 }
  const unreported = { packets: 0, tick: Number.NEGATIVE_INFINITY }
  let opening = 0
  let isDraining = false

  const ticker = startTicker(() => {
    tick(participants, rooms, (recorder) => finish(recorder.id), drop)
    if (ticker.ticks % ticksPerSecond === 0) for (const participant of [...participants.values()]) attend(participant)
    if (ticker.ticks % ticksBetweenReports === 0) for (const participant of participants.values()) report(participant)
  })

  function drop(participant: Participant, tap: Tap): void {
    participant.taps.delete(tap)
    emit({ kind: 'tap.ended', tapId: tap.id, cause: 'overrun' })
  }

  /** Once a second: RTCP and the RTP timeout. */
  function attend({ leg, muted }: Participant): void {
    leg.report()
    if (!(leg instanceof TrunkLeg)) return
    const silentMs = leg.silentMs(muted)
    if (options.rtpTimeoutMs === 0 || silentMs < options.rtpTimeoutMs) return
    remove(leg.id)
    emit({ kind: 'leg.silent', leg: leg.id, seconds: Math.round(silentMs / second) })
  }

  function report({ leg }: Participant): void {
    // No packets are expected before the answer.
    if (!leg.stream.hasReceived && !(leg instanceof TrunkLeg && leg.isWatched)) return
    const received = leg.stream.reception.takeQuality()
    const sent = leg.reports.far(clock.machineNow())
    emit({ kind: 'leg.quality', leg: leg.id, received: received && { ...received, roundTripMs: null }, sent })
  }

  /** Throws if there is no capacity for another leg; urgent ones are always admitted. */
  function admit(isUrgent = false, isCaller = false): void {
    if (isUrgent) return
    if (isDraining) throw named('Busy', 'this media process is draining and accepts no legs')
    if (participants.size + opening >= currentLimit())
      throw named('Busy', `this media process has its ${currentLimit()} legs`)
    if (isCaller && !isRoomForCall()) throw named('Busy', `this media process has its ${currentLimit() / 2} calls`)
  }

  /** Two legs per call: callers may take only half of the legs, so that the other half can answer. */
  function isRoomForCall(): boolean {
    const trunks = [...participants.values()].filter(({ leg }) => leg.side === 'external').length
    return participants.size + opening + 2 <= currentLimit() && trunks + opening + 1 <= currentLimit() / 2
  }

  function currentLimit(): number {
    const isLate = ticker.lag().max > options.lagAlarmMs
    return isLate ? Math.ceil(options.maxLegs / 2) : options.maxLegs
  }

  async function opened<T>(open: () => Promise<T>): Promise<T> {
    opening++
    return await open().finally(() => opening--)
  }

  function participantOf(leg: LegId): Participant {
    const participant = participants.get(leg)
    if (!participant) throw named('LegGone', `Leg ${leg} is gone`)
    return participant
  }

  function voiceOn(leg: LegId, playId: string): SpeechVoice | undefined {
    const player = participants.get(leg)?.player
    return player instanceof SpeechVoice && player.playId === playId ? player : undefined
  }

  function roomOf(id: RoomId): Room {
    const room = rooms.get(id)
    if (!room) throw new Error(`There is no room ${id}`)
    return room
  }

  function trunkOf(leg: LegId): TrunkLeg {
    const participant = participantOf(leg)
    if (!(participant.leg instanceof TrunkLeg)) throw new Error(`Leg ${leg} is not one of a trunk`)
    return participant.leg
  }

  function remove(leg: LegId): void {
    const participant = participants.get(leg)
    if (!participant) return
    // First of all: the end of a beep starts a recording, which must end with the leg.
    stopPlayer(participant, 'stopped')
    participants.delete(leg)
    leave(participant)
    for (const recorder of participant.recorders) finish(recorder.id)
    for (const { id: tapId } of participant.taps) emit({ kind: 'tap.ended', tapId, cause: 'leg_gone' })
    report(participant)
    past.dropped += participant.leg.stream.dropped
    past.underruns += participant.leg.stream.underruns
    past.foreign += participant.leg.foreign
    past.invalid += participant.leg.invalid
    if (participant.leg instanceof BrowserPeer) awaitClosed(participant.leg)
    participant.leg.close()
    if (isDraining && participants.size === 0) drained()
  }

  function awaitClosed({ closed }: BrowserPeer): void {
    const done = closed.then(() => void closing.delete(done))
    closing.add(done)
  }

  function stopPlayer(participant: Participant, cause: 'stopped' | 'dtmf'): void {
    const { player } = participant
    participant.player = null
    player?.end(cause)
  }

  const legEvents = (leg: LegId) => ({
    connected: () => emit({ kind: 'leg.connected', leg }),
    lost() {
      if (!participants.has(leg)) return
      remove(leg)
      emit({ kind: 'leg.lost', leg })
    },
    digit(digit: string) {
      emit({ kind: 'leg.dtmf', leg, digit })
      const participant = participants.get(leg)
      if (participant?.player?.endsOn(digit)) stopPlayer(participant, 'dtmf')
    },
    foreign(address: string) {
      unreported.packets++
      if (ticker.ticks - unreported.tick < ticksPerSecond) return
      emit({ kind: 'leg.foreign', leg, address, packets: unreported.packets })
      unreported.packets = 0
      unreported.tick = ticker.ticks
    },
  })

  function finish(recId: string): void {
    beeping.get(recId)?.()
    const recording = recordings.get(recId)
    if (!recording) return
    recordings.delete(recId)
    const { recorder, target } = recording
    target?.delete(recorder)
    const done = recorder.finish().then(({ file, seconds }) => {
      if (recorder.failure) emit({ kind: 'record.failed', recId, message: recorder.failure.message })
      // A recording with gaps is discarded: it would pass for a complete one.
      emit({ kind: 'record.ended', recId, file, seconds: recorder.failure ? 0 : seconds })
      finishing.delete(done)
    })
    finishing.add(done)
  }

  function begin({ recId, target, options: how }: NodeRequests['record']['params']): void {
    const recorders = 'room' in target ? rooms.get(target.room)?.recorders : participants.get(target.leg)?.recorders
    const recorder = new Recorder(recId, options.recordingsFolder, how, clock.machineNow)
    recordings.set(recId, { recorder, target: recorders ?? null })
    recorders?.add(recorder)
  }

  return {
    async openTrunk({ leg, isUrgent, isCaller }) {
      admit(isUrgent, isCaller)
      const sockets = await opened(() => ports.open())
      const trunk = new TrunkLeg(leg, sockets, clock, legEvents(leg))
      participants.set(leg, newParticipant(trunk))
      return { port: trunk.port }
    },
    async connect({ leg, far }) {
      trunkOf(leg).connect(far)
      return null
    },
    async watch({ leg }) {
      trunkOf(leg).watch()
      return null
    },
    async attachBrowser({ leg, offer, isUrgent }) {
      admit(isUrgent)
      const network = { ...options, port: options.browserPort }
      const peer = new BrowserPeer(leg, transports, network, clock, legEvents(leg))
      try {
        const answer = await opened(() => peer.answer(offer))
        participants.set(leg, newParticipant(peer))
        return { answer }
      } catch (error) {
        awaitClosed(peer)
        peer.close()
        throw error
      }
    },
    async close({ leg }) {
      remove(leg)
      return null
    },
    async createRoom({ room }) {
      rooms.set(room, newRoom(room))
      return null
    },
    async closeRoom({ room: id }) {
      const room = rooms.get(id)
      if (!room) return null
      rooms.delete(id)
      for (const recorder of room.recorders) finish(recorder.id)
      for (const participant of room.participants) leave(participant)
      return null
    },
    async join({ room, leg, options: how }) {
      join(participantOf(leg), roomOf(room), how)
      return null
    },
    async leave({ leg }) {
      const participant = participants.get(leg)
      if (participant) leave(participant)
      return null
    },
    async mute({ leg, muted }) {
      participantOf(leg).muted = muted
      return null
    },
    async play({ leg, playId, files, loop, bargeInOn }) {
      participantOf(leg)
      const loaded = await Promise.all(files.map((file) => sounds.load(file)))
      const participant = participantOf(leg)
      for (const [index, file] of files.entries()) if (!loaded[index]) emit({ kind: 'play.missing', leg, file })
      stopPlayer(participant, 'stopped')
      participant.player = new Player(
        loaded.filter((sound) => sound !== undefined),
        { loop, bargeInOn, ended: (cause) => emit({ kind: 'play.ended', leg, playId, cause }) },
      )
      return null
    },
    async stopPlay({ leg }) {
      const participant = participants.get(leg)
      if (participant) stopPlayer(participant, 'stopped')
      return null
    },
    async speak({ leg, playId, speaker, bargeInOn }) {
      const participant = participantOf(leg)
      stopPlayer(participant, 'stopped')
      const voice = new SpeechVoice(playId, speaker, {
        bargeInOn,
        ended: (cause) => emit({ kind: 'play.ended', leg, playId, cause, said: voice.said }),
      })
      participant.player = voice
      return null
    },
    async feed({ leg, playId, ulaw, text }) {
      return { isAccepted: voiceOn(leg, playId)?.feed(Buffer.from(ulaw, 'base64'), text) ?? false }
    },
    async endSpeech({ leg, playId }) {
      voiceOn(leg, playId)?.complete()
      return null
    },
    async openTap({ leg, tapId }) {
      participantOf(leg).taps.add(new Tap(tapId, (ulaw, sent) => emit({ kind: 'tap.sound', tapId, ulaw }, sent)))
      return null
    },
    async closeTap({ tapId }) {
      for (const { taps } of participants.values()) for (const tap of taps) if (tap.id === tapId) taps.delete(tap)
      return null
    },
    async sendDigits({ leg, digits }) {
      participantOf(leg).leg.stream.sendDigits(digits)
      return null
    },
    async record(request) {
      const { recId, target, options: how } = request
      const listeners = 'room' in target ? [...roomOf(target.room).participants] : [participantOf(target.leg)]
      if (!how.beep || listeners.length === 0) {
        begin(request)
        return null
      }
      // The recording starts when the first participant's beep has ended or was interrupted.
      const start = () => {
        if (beeping.delete(recId)) begin(request)
      }
      beeping.set(recId, start)
      for (const participant of listeners) {
        stopPlayer(participant, 'stopped')
        participant.player = new Player([beep()], { ended: start })
      }
      return null
    },
    async pauseRecord({ recId }) {
      recordings.get(recId)?.recorder.pause()
      return null
    },
    async resumeRecord({ recId }) {
      recordings.get(recId)?.recorder.resume()
      return null
    },
    async stopRecord({ recId }) {
      finish(recId)
      return null
    },
    async hasRoom() {
      return { isThere: !isDraining && isRoomForCall() }
    },
    async stats() {
      return statsNow()
    },
    async drain() {
      isDraining = true
      if (participants.size === 0) drained()
      return null
    },
    async end() {
      ticker.stop()
      for (const leg of [...participants.keys()]) remove(leg)
      for (const recId of [...recordings.keys()]) finish(recId)
      await Promise.all(finishing)
      const patience = new Promise<void>((resolve) => clock.machineAfter(maxClose, resolve))
      await Promise.race([Promise.all(closing), patience])
      transports.end()
    },
  }

  function statsNow(): NodeStats {
    const streams = [...participants.values()].map(({ leg }) => leg)
    const total = (of: (leg: Participant['leg']) => number) => streams.reduce((sum, leg) => sum + of(leg), 0)
    const { user, system } = process.cpuUsage()
    return {
      legs: participants.size,
      rooms: rooms.size,
      tickLagMs: ticker.lag(),
      ticks: ticker.ticks,
      skippedTicks: ticker.skipped,
      dropped: past.dropped + total(({ stream }) => stream.dropped),
      underruns: past.underruns + total(({ stream }) => stream.underruns),
      foreign: past.foreign + total(({ foreign }) => foreign),
      invalid: past.invalid + total(({ invalid }) => invalid),
      cpuMs: (user + system) / 1_000,
      memoryMb: process.memoryUsage.rss() / 1024 ** 2,
    }
  }
}

function named(name: string, message: string): Error {
  const error = new Error(message)
  error.name = name
  return error
}
