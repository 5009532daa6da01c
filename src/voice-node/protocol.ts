import type { JoinOptions, LegId, MediaId, Quality, RecordOptions, RoomId } from '../domain/voice.ts'
import type { Codec } from '../media/g711.ts'
import type { Direction } from '../media/sdp.ts'

// voice-node/ is a program of its own that moves sound: packets, rooms, players, recorders. It knows no SIP, no company, no
// user and no database. This file is the messages between it and the driver that started it; types only.

/** Given once, when the program is started. */
export interface NodeOptions {
  /** Where the sockets listen. */
  bindAddress: string
  /** What browsers are told instead of it; null where they reach it as it is. */
  publicAddress: string | null
  /** First and last port for trunks. */
  trunkPorts: readonly [first: number, last: number]
  /** The one port of all browsers. */
  browserPort: number
  recordingsFolder: string
  maxLegs: number
  /** While ticks come later than this, only half as many legs are taken. */
  lagAlarmMs: number
  /** A trunk leg from which nothing arrives for so long is over; 0: never. */
  rtpTimeoutMs: number
  /** `pure`: without the native library, as where it does not load. */
  browserTransport?: 'native' | 'pure'
}

export interface FarEnd {
  /** Null where the SDP has none, as in a hold with 0.0.0.0. */
  address: string | null
  port: number
  codec: Codec
  payloadType: number
  /** Payload types our own description announced besides. */
  alsoReceives?: readonly { codec: Codec; payloadType: number }[]
  telephoneEvent: number | null
  /** Ours. */
  direction: Direction
  /** Base64 of the 30 bytes of RFC 4568, where the sound is encrypted. */
  keys?: { ours: string; theirs: string }
  /** Behind NAT: the source address of the far end's SIP messages, from which its RTP may come as well. */
  signallingAddress?: string
  /** A trunk in our own network: private addresses are what they claim to be. */
  isPrivate?: boolean
}

/** What can be asked, and what comes back. */
export interface Requests {
  /** `isCaller`: a call begins with it, so somebody who answers must find room as well. */
  openTrunk: { with: { leg: LegId; isUrgent?: boolean; isCaller?: boolean }; gives: { port: number } }
  connect: { with: { leg: LegId; far: FarEnd }; gives: null }
  /** The call is answered: from now on the RTP timeout counts. */
  watch: { with: { leg: LegId }; gives: null }
  attachBrowser: { with: { leg: LegId; offer: string; isUrgent?: boolean }; gives: { answer: string } }
  close: { with: { leg: LegId }; gives: null }
  createRoom: { with: { room: RoomId }; gives: null }
  closeRoom: { with: { room: RoomId }; gives: null }
  join: { with: { room: RoomId; leg: LegId; options: JoinOptions }; gives: null }
  leave: { with: { leg: LegId }; gives: null }
  mute: { with: { leg: LegId; muted: boolean }; gives: null }
  play: {
    with: { leg: LegId; playId: string; files: readonly string[]; loop: boolean; bargeInOn: string }
    gives: null
  }
  stopPlay: { with: { leg: LegId }; gives: null }
  /** Somebody without a leg speaks to this one, and is fed: heard by its room, recorded on the internal side. */
  speak: { with: { leg: LegId; playId: string; speaker: string; bargeInOn: string }; gives: null }
  /** Base64 of µ-law. With a text another sentence begins. False: nobody listens any more. */
  feed: { with: { leg: LegId; playId: string; ulaw: string; text?: string }; gives: { isTaken: boolean } }
  /** All has been fed. */
  whole: { with: { leg: LegId; playId: string }; gives: null }
  openTap: { with: { leg: LegId; tapId: string }; gives: null }
  closeTap: { with: { tapId: string }; gives: null }
  sendDigits: { with: { leg: LegId; digits: string }; gives: null }
  record: { with: { recId: string; target: { room: RoomId } | { leg: LegId }; options: RecordOptions }; gives: null }
  pauseRecord: { with: { recId: string }; gives: null }
  resumeRecord: { with: { recId: string }; gives: null }
  stopRecord: { with: { recId: string }; gives: null }
  /** Whether one more call would be taken now. */
  hasRoom: { with: Record<never, never>; gives: { isThere: boolean } }
  stats: { with: Record<never, never>; gives: NodeStats }
  /** Refuses new legs, and ends the program when the last one is closed. */
  drain: { with: Record<never, never>; gives: null }
}

export type RequestName = keyof Requests
export type Request = { [Name in RequestName]: { id: number; ask: Name; with: Requests[Name]['with'] } }[RequestName]

export type Answer = { id: number; gives: unknown } | { id: number; failed: { name: string; message: string } }

export interface NodeStats {
  legs: number
  rooms: number
  /** Of the last ten seconds. */
  tickLagMs: { most: number; p99: number }
  /** Since the start. */
  ticks: number
  skippedTicks: number
  dropped: number
  underruns: number
  /** RTP packets dropped because their source is not the far end. */
  foreign: number
  /** Packets of the far end dropped because they are not RTP of a negotiated payload type. */
  invalid: number
  cpuMs: number
  memoryMb: number
}

export type NodeEvent = { seq: number } & NodeFact

export type NodeFact =
  | { kind: 'ready' }
  | { kind: 'leg.connected'; leg: LegId }
  /** The connection to a browser is gone. Legs that were closed on request are not told. */
  | { kind: 'leg.lost'; leg: LegId }
  /** Packets from an address that is not the far end's were dropped; at most one such report per second. */
  | { kind: 'leg.foreign'; leg: LegId; address: string; packets: number }
  | { kind: 'leg.dtmf'; leg: LegId; digit: string }
  /** Nothing has arrived for the RTP timeout: the leg is closed. */
  | { kind: 'leg.silent'; leg: LegId; seconds: number }
  /** How sound has arrived since the report before, and how ours arrives at the far end by its RTCP; null: unknown. */
  | { kind: 'leg.quality'; leg: LegId; received: Quality | null; sent: Quality | null }
  /** `said`: of somebody who was fed, what was really heard. */
  | { kind: 'play.ended'; leg: LegId; playId: string; cause: 'done' | 'stopped' | 'dtmf'; said?: string }
  /** 100 ms of what a leg says: base64 of µ-law. */
  | { kind: 'tap.sound'; tapId: string; ulaw: string }
  | { kind: 'tap.ended'; tapId: string; cause: 'leg_gone' | 'overrun' }
  | { kind: 'play.missing'; leg: LegId; file: MediaId }
  | { kind: 'record.ended'; recId: string; file: string; seconds: number }
  | { kind: 'record.failed'; recId: string; message: string }

/** All the program says to its parent. */
export type NodeMessage = Answer | { event: NodeEvent }
