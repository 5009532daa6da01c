// What any voice driver must do and say: types only. A leg is one party, a room joins legs. No driver knows a company, a
// user, a team or a flow; nobody but drivers knows codecs.

export type LegId = string
export type RoomId = string
/** A stored sound, or the name of one of our own. */
export type MediaId = string
export type EndReason = 'hangup' | 'busy' | 'no_answer' | 'rejected' | 'cancelled' | 'failed' | 'lost'

export interface DialOptions {
  /** Tried in this order; none where the driver has no trunks. */
  trunkIds: readonly string[]
  to: string
  from: string
  /** Our own number behind what is shown. */
  line?: string
  anonymous?: boolean
  timeoutMs: number
  /** An emergency: taken also where nothing else is. */
  urgent?: boolean
  headers?: Record<string, string>
}

export interface Capabilities {
  /** A browser joins with an offer; where there is no sound, without one. */
  needsOffer: boolean
  opus: boolean
  perLegPlayback: boolean
  recordingPause: boolean
  maxLegs: number
  inbandDtmf: boolean
  tap: boolean
}

/**
 * `leg.ended` comes once for every leg and is its last event. Commands on an ended leg reject with LegGone, but hangup and
 * leave resolve. A second play stops the first. `join` on the leg's own room updates its options, on another moves it.
 */
export interface VoiceDriver {
  start(): Promise<void>
  /** Refuses new calls and resolves when the last one has ended. */
  drain(): Promise<void>
  capabilities(): Capabilities

  /** Resolves when the leg exists; the outcome comes as events. */
  dial(options: DialOptions): Promise<LegId>
  ringing(leg: LegId, early?: MediaId): Promise<void>
  answer(leg: LegId): Promise<void>
  reject(leg: LegId, why: 'busy' | 'unknown' | 'unavailable' | 'declined' | 'overloaded'): Promise<void>
  hangup(leg: LegId, reason?: EndReason): Promise<void>
  /** After a crash, from what leg.dialog reported. */
  endDialog(dialog: string): Promise<void>

  /** The browser always offers; the answer is null where there is no sound to negotiate. */
  attachBrowser(options: { sdpOffer: string; urgent?: boolean }): Promise<{ leg: LegId; sdpAnswer: string | null }>

  createRoom(options?: { node?: string }): Promise<RoomId>
  closeRoom(room: RoomId): Promise<void>
  join(room: RoomId, leg: LegId, options?: JoinOptions): Promise<void>
  /** The leg stays up and hears silence. */
  leave(leg: LegId): Promise<void>
  setMuted(leg: LegId, muted: boolean): Promise<void>

  play(leg: LegId, media: MediaId | MediaId[], options?: PlayOptions): Promise<{ playId: string }>
  stopPlay(leg: LegId): Promise<void>
  sendDtmf(leg: LegId, digits: string): Promise<void>

  /** Where `tap` is one of the capabilities: what the leg says, in pieces of 100 ms, 8 kHz. */
  openTap?(leg: LegId, listener: Listener): Promise<{ tapId: string }>
  closeTap?(tapId: string): Promise<void>
  /** The same: a voice without a leg of its own, fed while it is made; ends like a sound that is played. */
  speak?(leg: LegId, options: { speaker: string; bargeInOn?: string }): Promise<Mouth>

  record(target: { room: RoomId } | { leg: LegId }, options: RecordOptions): Promise<{ recId: string }>
  pauseRecord(recId: string): Promise<void>
  resumeRecord(recId: string): Promise<void>
  stopRecord(recId: string): Promise<void>

  stats(): Promise<DriverStats>
  on(hear: (event: VoiceEvent) => void): void
}

export interface DriverStats {
  legs: number
  rooms: number
  tickLagMs: number
  dropped: number
  recordingsFailed?: number
  /** RTP packets dropped: of a foreign source, and of the far end but of no negotiated payload type. */
  foreign?: number
  invalid?: number
}

export interface JoinOptions {
  muted?: boolean
  listenOnly?: boolean
  whisperTo?: LegId[]
}

export interface PlayOptions {
  loop?: boolean
  bargeInOn?: string
  /** Who says it, where it is said and not played: noted with what is recorded. */
  speaker?: string
}

export interface Listener {
  hear(samples: Int16Array): void
  /** Nothing more comes; `overrun`: it was not listened to fast enough. */
  ended(cause: 'leg_gone' | 'overrun'): void
}

export interface Mouth {
  playId: string
  /** 8 kHz; with a text another sentence begins. False: nobody listens any more. */
  say(samples: Int16Array, text?: string): Promise<boolean>
  /** All has been said. */
  whole(): Promise<void>
}

export interface RecordOptions {
  maxSec?: number
  silenceStopSec?: number
  beep?: boolean
  channels: 1 | 2
}

export interface Quality {
  lossPct: number
  jitterMs: number
  /** Null where it was not measured. */
  roundTripMs: number | null
}

/** `seq` increases per driver and start. */
export type VoiceEvent = { seq: number; at: number } & VoiceFact

export type VoiceFact =
  | { kind: 'leg.incoming'; leg: LegId; trunkId: string; from: string; to: string }
  /** A caller who was refused because there is no capacity for media. */
  | { kind: 'call.refused'; trunkId: string; from: string; to: string }
  | { kind: 'leg.dialog'; leg: LegId; dialog: string }
  /** `early`: the far end's media can be heard before the answer. */
  | { kind: 'leg.progress'; leg: LegId; code: number; early?: boolean }
  | { kind: 'leg.answered'; leg: LegId }
  | { kind: 'leg.connected'; leg: LegId }
  | { kind: 'leg.ended'; leg: LegId; reason: EndReason; code?: number }
  | { kind: 'leg.dtmf'; leg: LegId; digit: string }
  /** Somebody an AI voice agent listens to begins to speak; then the words, where they come as text. */
  | { kind: 'leg.speaks'; leg: LegId }
  | { kind: 'leg.said'; leg: LegId; text: string }
  /** What somebody said to whoever was there, where it comes as text; told when they have finished. */
  | { kind: 'leg.spoke'; leg: LegId; text: string; startedAt: number }
  | { kind: 'leg.remoteHold'; leg: LegId; held: boolean }
  /** How sound has arrived since the report before, and how ours arrives at the far end; null: unknown. */
  | { kind: 'leg.quality'; leg: LegId; received: Quality | null; sent: Quality | null }
  /** `said`: what was really heard of a voice. */
  | { kind: 'play.ended'; leg: LegId; playId: string; cause: 'done' | 'stopped' | 'dtmf'; said?: string }
  | { kind: 'record.ended'; recId: string; file: string; seconds: number }
  /** `detail`: the last SIP response or error, such as `403 Forbidden`. */
  | { kind: 'trunk.state'; trunkId: string; up: boolean; detail?: string }
