import type { LegId, RoomId } from '../domain/voice.ts'
import { type Clock, second } from '../lib/clock.ts'
import { beep } from '../media/call-sounds.ts'
import { BrowserPeer } from './browser-peer.ts'
import type { BrowserTransports } from './browser-transport.ts'
import { Player, Sounds } from './player.ts'
import type { NodeFact, NodeOptions, NodeStats, RequestName, Requests } from './protocol.ts'
import { Recorder } from './recorder.ts'
import { newRoom, newSeat, type Room, rise, type Seat, sit, tick } from './rooms.ts'
import { Tap } from './tap.ts'
import { startTicker } from './ticker.ts'
import { TrunkLeg, TrunkPorts } from './trunk-leg.ts'
import { Voice } from './voice.ts'

type Handlers = { [Name in RequestName]: (request: Requests[Name]['with']) => Promise<Requests[Name]['gives']> }

export interface VoiceNode extends Handlers {
  /** Closes all legs; recordings are completed first. */
  end(): Promise<void>
}

interface Wiring {
  options: NodeOptions
  transports: BrowserTransports
  clock: Clock
  /** `taken` is called once the event has left the process. */
  tell(fact: NodeFact, taken?: () => void): void
  /** Called when the last leg of a draining node is closed. */
  drained(): void
}

const ticksPerSecond = 50
const ticksBetweenReports = 5 * ticksPerSecond
const maxClose = 2 * second

export function createVoiceNode({ options, transports, clock, tell, drained }: Wiring): VoiceNode {
  const ports = new TrunkPorts(options.trunkPorts, options.bindAddress)
  const sounds = new Sounds()
  const seats = new Map<LegId, Seat>()
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
    tick(seats, rooms, (recorder) => finish(recorder.id), drop)
    if (ticker.ticks % ticksPerSecond === 0) for (const seat of [...seats.values()]) attend(seat)
    if (ticker.ticks % ticksBetweenReports === 0) for (const seat of seats.values()) report(seat)
  })

  function drop(seat: Seat, tap: Tap): void {
    seat.taps.delete(tap)
    tell({ kind: 'tap.ended', tapId: tap.id, cause: 'overrun' })
  }

  /** Once a second: RTCP and the RTP timeout. */
  function attend({ leg, muted }: Seat): void {
    leg.report()
    if (!(leg instanceof TrunkLeg)) return
    const silentMs = leg.silentMs(muted)
    if (options.rtpTimeoutMs === 0 || silentMs < options.rtpTimeoutMs) return
    remove(leg.id)
    tell({ kind: 'leg.silent', leg: leg.id, seconds: Math.round(silentMs / second) })
  }

  function report({ leg }: Seat): void {
    // No packets are expected before the answer.
    if (!leg.stream.heard && !(leg instanceof TrunkLeg && leg.isWatched)) return
    const received = leg.stream.reception.takeQuality()
    const sent = leg.reports.far(clock.machineNow())
    tell({ kind: 'leg.quality', leg: leg.id, received: received && { ...received, roundTripMs: null }, sent })
  }

  /** Throws if there is no capacity for another leg; urgent ones are always admitted. */
  function admit(isUrgent = false, isCaller = false): void {
    if (isUrgent) return
    if (isDraining) throw named('Busy', 'this media process is draining and accepts no legs')
    if (seats.size + opening >= currentLimit()) throw named('Busy', `this media process has its ${currentLimit()} legs`)
    if (isCaller && !isRoomForCall()) throw named('Busy', `this media process has its ${currentLimit() / 2} calls`)
  }

  /** Two legs per call: callers may take only half of the legs, so that the other half can answer. */
  function isRoomForCall(): boolean {
    const trunks = [...seats.values()].filter(({ leg }) => leg.side === 'external').length
    return seats.size + opening + 2 <= currentLimit() && trunks + opening + 1 <= currentLimit() / 2
  }

  function currentLimit(): number {
    const isLate = ticker.lag().most > options.lagAlarmMs
    return isLate ? Math.ceil(options.maxLegs / 2) : options.maxLegs
  }

  async function opened<T>(open: () => Promise<T>): Promise<T> {
    opening++
    return await open().finally(() => opening--)
  }

  function seatOf(leg: LegId): Seat {
    const seat = seats.get(leg)
    if (!seat) throw named('LegGone', `Leg ${leg} is gone`)
    return seat
  }

  function voiceOn(leg: LegId, playId: string): Voice | undefined {
    const player = seats.get(leg)?.player
    return player instanceof Voice && player.playId === playId ? player : undefined
  }

  function roomOf(id: RoomId): Room {
    const room = rooms.get(id)
    if (!room) throw new Error(`There is no room ${id}`)
    return room
  }

  function trunkOf(leg: LegId): TrunkLeg {
    const seat = seatOf(leg)
    if (!(seat.leg instanceof TrunkLeg)) throw new Error(`Leg ${leg} is not one of a trunk`)
    return seat.leg
  }

  function remove(leg: LegId): void {
    const seat = seats.get(leg)
    if (!seat) return
    // First of all: the end of a beep starts a recording, which must end with the leg.
    stopPlayer(seat, 'stopped')
    seats.delete(leg)
    rise(seat)
    for (const recorder of seat.recorders) finish(recorder.id)
    for (const { id: tapId } of seat.taps) tell({ kind: 'tap.ended', tapId, cause: 'leg_gone' })
    report(seat)
    past.dropped += seat.leg.stream.dropped
    past.underruns += seat.leg.stream.underruns
    past.foreign += seat.leg.foreign
    past.invalid += seat.leg.invalid
    if (seat.leg instanceof BrowserPeer) awaitClose(seat.leg)
    seat.leg.close()
    if (isDraining && seats.size === 0) drained()
  }

  function awaitClose({ closed }: BrowserPeer): void {
    const done = closed.then(() => void closing.delete(done))
    closing.add(done)
  }

  function stopPlayer(seat: Seat, cause: 'stopped' | 'dtmf'): void {
    const { player } = seat
    seat.player = null
    player?.end(cause)
  }

  const heardOn = (leg: LegId) => ({
    connected: () => tell({ kind: 'leg.connected', leg }),
    lost() {
      if (!seats.has(leg)) return
      remove(leg)
      tell({ kind: 'leg.lost', leg })
    },
    digit(digit: string) {
      tell({ kind: 'leg.dtmf', leg, digit })
      const seat = seats.get(leg)
      if (seat?.player?.endsOn(digit)) stopPlayer(seat, 'dtmf')
    },
    foreign(address: string) {
      unreported.packets++
      if (ticker.ticks - unreported.tick < ticksPerSecond) return
      tell({ kind: 'leg.foreign', leg, address, packets: unreported.packets })
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
      if (recorder.failure) tell({ kind: 'record.failed', recId, message: recorder.failure.message })
      // A recording with gaps is discarded: it would pass for a complete one.
      tell({ kind: 'record.ended', recId, file, seconds: recorder.failure ? 0 : seconds })
      finishing.delete(done)
    })
    finishing.add(done)
  }

  function begin({ recId, target, options: how }: Requests['record']['with']): void {
    const recorders = 'room' in target ? rooms.get(target.room)?.recorders : seats.get(target.leg)?.recorders
    const recorder = new Recorder(recId, options.recordingsFolder, how, clock.machineNow)
    recordings.set(recId, { recorder, target: recorders ?? null })
    recorders?.add(recorder)
  }

  return {
    async openTrunk({ leg, isUrgent, isCaller }) {
      admit(isUrgent, isCaller)
      const sockets = await opened(() => ports.open())
      const trunk = new TrunkLeg(leg, sockets, clock, heardOn(leg))
      seats.set(leg, newSeat(trunk))
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
      const peer = new BrowserPeer(leg, transports, network, clock, heardOn(leg))
      try {
        const answer = await opened(() => peer.answer(offer))
        seats.set(leg, newSeat(peer))
        return { answer }
      } catch (error) {
        awaitClose(peer)
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
      for (const seat of room.seats) rise(seat)
      return null
    },
    async join({ room, leg, options: how }) {
      sit(seatOf(leg), roomOf(room), how)
      return null
    },
    async leave({ leg }) {
      const seat = seats.get(leg)
      if (seat) rise(seat)
      return null
    },
    async mute({ leg, muted }) {
      seatOf(leg).muted = muted
      return null
    },
    async play({ leg, playId, files, loop, bargeInOn }) {
      seatOf(leg)
      const loaded = await Promise.all(files.map((file) => sounds.load(file)))
      const seat = seatOf(leg)
      for (const [index, file] of files.entries()) if (!loaded[index]) tell({ kind: 'play.missing', leg, file })
      stopPlayer(seat, 'stopped')
      seat.player = new Player(
        loaded.filter((sound) => sound !== undefined),
        { loop, bargeInOn, ended: (cause) => tell({ kind: 'play.ended', leg, playId, cause }) },
      )
      return null
    },
    async stopPlay({ leg }) {
      const seat = seats.get(leg)
      if (seat) stopPlayer(seat, 'stopped')
      return null
    },
    async speak({ leg, playId, speaker, bargeInOn }) {
      const seat = seatOf(leg)
      stopPlayer(seat, 'stopped')
      const voice = new Voice(playId, speaker, {
        bargeInOn,
        ended: (cause) => tell({ kind: 'play.ended', leg, playId, cause, said: voice.said }),
      })
      seat.player = voice
      return null
    },
    async feed({ leg, playId, ulaw, text }) {
      return { isTaken: voiceOn(leg, playId)?.feed(Buffer.from(ulaw, 'base64'), text) ?? false }
    },
    async whole({ leg, playId }) {
      voiceOn(leg, playId)?.whole()
      return null
    },
    async openTap({ leg, tapId }) {
      seatOf(leg).taps.add(new Tap(tapId, (ulaw, taken) => tell({ kind: 'tap.sound', tapId, ulaw }, taken)))
      return null
    },
    async closeTap({ tapId }) {
      for (const { taps } of seats.values()) for (const tap of taps) if (tap.id === tapId) taps.delete(tap)
      return null
    },
    async sendDigits({ leg, digits }) {
      seatOf(leg).leg.stream.sendDigits(digits)
      return null
    },
    async record(request) {
      const { recId, target, options: how } = request
      const listeners = 'room' in target ? [...roomOf(target.room).seats] : [seatOf(target.leg)]
      if (!how.beep || listeners.length === 0) {
        begin(request)
        return null
      }
      // The recording starts when the first participant's beep has ended or was interrupted.
      const start = () => {
        if (beeping.delete(recId)) begin(request)
      }
      beeping.set(recId, start)
      for (const seat of listeners) {
        stopPlayer(seat, 'stopped')
        seat.player = new Player([beep()], { ended: start })
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
      if (seats.size === 0) drained()
      return null
    },
    async end() {
      ticker.stop()
      for (const leg of [...seats.keys()]) remove(leg)
      for (const recId of [...recordings.keys()]) finish(recId)
      await Promise.all(finishing)
      const patience = new Promise<void>((resolve) => clock.machineAfter(maxClose, resolve))
      await Promise.race([Promise.all(closing), patience])
      transports.end()
    },
  }

  function statsNow(): NodeStats {
    const streams = [...seats.values()].map(({ leg }) => leg)
    const total = (of: (leg: Seat['leg']) => number) => streams.reduce((sum, leg) => sum + of(leg), 0)
    const { user, system } = process.cpuUsage()
    return {
      legs: seats.size,
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
