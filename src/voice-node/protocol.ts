import type { JoinOptions, LegId, MediaId, Quality, RecordOptions, RoomId } from '../domain/voice.ts'
import type { AudioFormat } from '../media/codecs.ts'
import type { Direction } from '../media/sdp.ts'

// voice-node/ is the media process, a program of its own: RTP packets, rooms, players, recorders. It has no notion of SIP,
// companies, users or the database. This file defines its protocol with the driver that starts it; types only.

/** Passed once, when the process is started. */
export interface NodeOptions {
  /** Address that the sockets bind to. */
  bindAddress: string
  /** Address announced to browsers instead; null if they reach `bindAddress`. */
  publicAddress: string | null
  /** First and last port for trunks. */
  trunkPorts: readonly [first: number, last: number]
  /** The port shared by all browsers. */
  browserPort: number
  recordingsFolder: string
  maxLegs: number
  /** While ticks lag by more than this, only half as many legs are accepted. */
  lagAlarmMs: number
  /** A trunk leg is ended if no packet arrives for so long; 0: never. */
  rtpTimeoutMs: number
  /** `pure`: without the native library, the fallback if it does not load. */
  browserTransport?: 'native' | 'pure'
}

export interface FarEnd extends AudioFormat {
  /** Null if the SDP has none, as in a hold with 0.0.0.0. */
  address: string | null
  port: number
  /** Further payload types announced in our SDP. */
  alsoReceives?: readonly AudioFormat[]
  telephoneEvent: number | null
  /** Clock rate of telephone events; 8,000 by default. */
  eventRate?: 8_000 | 48_000
  /** Length of the packets that we send; 20 by default. */
  ptimeMs?: number
  /** RTCP goes to the RTP port, or to the given one; by default to the one above. */
  rtcpMux?: boolean
  rtcpPort?: number | null
  /** Our direction. */
  direction: Direction
  /** SRTP keys: base64 of the 30 bytes of RFC 4568. */
  keys?: { ours: string; theirs: string }
  /** Behind NAT: the source address of the far end's SIP messages, from which its RTP may come as well. */
  signallingAddress?: string
  /** A trunk in a private network: private addresses are valid. */
  isPrivate?: boolean
}

/** Requests: parameters and results. */
export interface NodeRequests {
  /** `isCaller`: a new call, so there must be capacity for the answering leg as well. */
  openTrunk: { params: { leg: LegId; isUrgent?: boolean; isCaller?: boolean }; result: { port: number } }
  connect: { params: { leg: LegId; far: FarEnd }; result: null }
  /** The call is answered: from now on the RTP timeout counts. */
  watch: { params: { leg: LegId }; result: null }
  /** `isWideband`: Opus at 16 kHz if the browser offers it. */
  attachBrowser: {
    params: { leg: LegId; offer: string; isUrgent?: boolean; isWideband?: boolean }
    result: { answer: string; isWide: boolean }
  }
  close: { params: { leg: LegId }; result: null }
  createRoom: { params: { room: RoomId }; result: null }
  closeRoom: { params: { room: RoomId }; result: null }
  join: { params: { room: RoomId; leg: LegId; options: JoinOptions }; result: null }
  leave: { params: { leg: LegId }; result: null }
  mute: { params: { leg: LegId; muted: boolean }; result: null }
  play: {
    params: { leg: LegId; playId: string; files: readonly string[]; loop: boolean; bargeInOn: string }
    result: null
  }
  stopPlay: { params: { leg: LegId }; result: null }
  /** Starts a voice on the leg, fed with audio: its room receives it, and it is recorded on the internal side. */
  speak: { params: { leg: LegId; playId: string; speaker: string; bargeInOn: string }; result: null }
  /** Base64 of µ-law. `text` starts a new sentence. False: the playback has ended. */
  feed: { params: { leg: LegId; playId: string; ulaw: string; text?: string }; result: { isAccepted: boolean } }
  /** No more audio follows; `isLost`: although some is missing. */
  endSpeech: { params: { leg: LegId; playId: string; isLost: boolean }; result: null }
  openTap: { params: { leg: LegId; tapId: string }; result: null }
  closeTap: { params: { tapId: string }; result: null }
  sendDigits: { params: { leg: LegId; digits: string }; result: null }
  record: { params: { recId: string; target: { room: RoomId } | { leg: LegId }; options: RecordOptions }; result: null }
  pauseRecord: { params: { recId: string }; result: null }
  resumeRecord: { params: { recId: string }; result: null }
  stopRecord: { params: { recId: string }; result: null }
  /** Whether one more call would be accepted now. */
  hasRoom: { params: Record<never, never>; result: { isThere: boolean } }
  stats: { params: Record<never, never>; result: NodeStats }
  /** Accepts no new legs, and exits when the last one is closed. */
  drain: { params: Record<never, never>; result: null }
}

export type NodeRequestName = keyof NodeRequests
export type NodeRequest = {
  [Name in NodeRequestName]: { id: number; method: Name; params: NodeRequests[Name]['params'] }
}[NodeRequestName]

export type NodeResponse = { id: number; result: unknown } | { id: number; error: { name: string; message: string } }

export interface NodeStats {
  legs: number
  rooms: number
  /** Over the last ten seconds. */
  tickLagMs: { max: number; p99: number }
  /** Since the start. */
  ticks: number
  skippedTicks: number
  dropped: number
  underruns: number
  /** RTP packets dropped because of a foreign source. */
  foreign: number
  /** Packets of the far end that are not RTP of a negotiated payload type. */
  invalid: number
  cpuMs: number
  memoryMb: number
}

export type NodeEvent = { seq: number } & NodeEventData

export type NodeEventData =
  | { kind: 'ready' }
  | { kind: 'leg.connected'; leg: LegId }
  /** The connection to a browser is lost. Not emitted for legs closed on request. */
  | { kind: 'leg.lost'; leg: LegId }
  /** Packets of a foreign source were dropped; at most one report per second. */
  | { kind: 'leg.foreign'; leg: LegId; address: string; packets: number }
  | { kind: 'leg.dtmf'; leg: LegId; digit: string }
  /** RTP timeout: the leg is closed. */
  | { kind: 'leg.silent'; leg: LegId; seconds: number }
  /** Quality of the received stream since the previous report, and of ours by the far end's RTCP; null: unknown. */
  | { kind: 'leg.quality'; leg: LegId; received: Quality | null; sent: Quality | null }
  /** `said`: the text of a voice that was actually played. */
  | { kind: 'play.ended'; leg: LegId; playId: string; cause: 'done' | 'stopped' | 'dtmf' | 'lost'; said?: string }
  /** 100 ms of audio from a leg: base64 of µ-law. */
  | { kind: 'tap.sound'; tapId: string; ulaw: string }
  | { kind: 'tap.ended'; tapId: string; cause: 'leg_gone' | 'overrun' }
  | { kind: 'play.missing'; leg: LegId; file: MediaId }
  | { kind: 'record.ended'; recId: string; file: string; seconds: number }
  | { kind: 'record.failed'; recId: string; message: string }

/** Messages from the process to its parent. */
export type NodeMessage = NodeResponse | { event: NodeEvent }
