// The interface of a voice driver: types only. A leg is one party, a room mixes legs. Drivers know no company, user,
// team or flow; codecs are known to drivers only.

import type { CallerIdVerification } from './caller-id.ts'

export type LegId = string
export type RoomId = string
/** Identifies a call: a driver with several line nodes keeps its legs together. */
export type CallKey = string
/** The id of stored audio, or the name of a built-in one. */
export type MediaId = string
export type EndReason = 'hangup' | 'busy' | 'no_answer' | 'rejected' | 'cancelled' | 'failed' | 'lost'

export interface DialOptions {
  /** The id of the new leg; generated unless given. A leg with this id is not dialled twice. */
  leg?: LegId
  /** Tried in this order; empty where the driver has no trunks. */
  trunkIds: readonly string[]
  to: string
  from: string
  /** The company's own number behind the caller ID. */
  line?: string
  anonymous?: boolean
  timeoutMs: number
  /** An emergency call: accepted even at capacity. */
  urgent?: boolean
  headers?: Record<string, string>
  /** A registered SIP device instead of a number; `trunkIds` is empty. */
  device?: DeviceTarget
  /** The other legs of the call: their codecs are offered first. */
  peers?: LegId[]
  callKey?: CallKey
}

export interface DeviceTarget {
  deviceId: string
  contact: DeviceContact
  /** The caller's name, shown by the device. */
  displayName?: string
}

/** A SIP account of a user, as the driver knows it: credentials, but neither company nor user. */
export interface SipDevice {
  deviceId: string
  username: string
  /** Digest hashes of username, realm and password (RFC 7616 §3.4.2), for the realm of domain/device.ts. */
  ha1: { sha256: string; md5: string }
  /** Offers SRTP to the device; a device that offers it gets it as well. */
  srtp: boolean
  /** For numbers dialled in national format. */
  country: string | null
  callingCode: string | null
  /** As last reported; a driver that has just started continues with them. */
  contacts: readonly DeviceContact[]
}

/** Where a device has registered, by the source of its REGISTER (RFC 3581): behind NAT its own URI is not reachable. */
export interface DeviceContact {
  uri: string
  transport: 'udp' | 'tcp' | 'tls'
  address: string
  port: number
  /** Machine time. */
  expiresAt: number
  userAgent: string
}

export interface Capabilities {
  /** A browser joins with an SDP offer; without media, without one. */
  needsOffer: boolean
  opus: boolean
  perLegPlayback: boolean
  recordingPause: boolean
  maxLegs: number
  inbandDtmf: boolean
  tap: boolean
}

/**
 * Commands whose ids are given by the caller can be repeated after a crash: a leg, playback, recording or room that exists
 * already, or has ended, is not created a second time.
 *
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
  /** `answered_elsewhere`: a device that stops ringing shows no missed call. */
  hangup(leg: LegId, reason?: EndReason | 'answered_elsewhere'): Promise<void>
  /** The transfer that a device asked for is not possible; its call continues. */
  refuseTransfer(leg: LegId): Promise<void>
  /** After a crash, from what leg.dialog reported. */
  endDialog(dialog: string): Promise<void>

  /** The browser always offers; the answer is null where there is no sound to negotiate. */
  attachBrowser(options: AttachOptions): Promise<{ leg: LegId; sdpAnswer: string | null }>

  /** `peers`: legs of the call, if it has any yet. */
  createRoom(options?: { room?: RoomId; peers?: readonly LegId[]; callKey?: CallKey }): Promise<RoomId>
  closeRoom(room: RoomId): Promise<void>
  join(room: RoomId, leg: LegId, options?: JoinOptions): Promise<void>
  /** The leg stays connected and receives silence. */
  leave(leg: LegId): Promise<void>
  /** Whether both legs can be in one room; unless defined, all can. */
  areTogether?(a: LegId, b: LegId): boolean
  setMuted(leg: LegId, muted: boolean): Promise<void>

  play(leg: LegId, media: MediaId | MediaId[], options?: PlayOptions): Promise<{ playId: string }>
  stopPlay(leg: LegId): Promise<void>
  sendDtmf(leg: LegId, digits: string): Promise<void>

  /** With the capability `tap`: audio received from the leg, in chunks of 100 ms, 8 kHz. */
  openTap?(leg: LegId, listener: TapListener): Promise<{ tapId: string }>
  closeTap?(tapId: string): Promise<void>
  /** With the same capability: streamed playback of synthesized speech; ends like playback of a file. */
  speak?(leg: LegId, options: SpeakOptions): Promise<SpeechPlayback>

  record(target: { room: RoomId } | { leg: LegId }, options: RecordOptions): Promise<{ recId: string }>
  pauseRecord(recId: string): Promise<void>
  resumeRecord(recId: string): Promise<void>
  stopRecord(recId: string): Promise<void>

  stats(): Promise<DriverStats>
  /** A driver whose legs outlive this process: the event is stored, and is not sent again after a restart. */
  acknowledge?(seq: number): void
  on(listener: (event: VoiceEvent) => void): void
}

/** `peers` and `isInternal` decide about wideband audio. */
export interface AttachOptions {
  sdpOffer: string
  /** An emergency call: accepted even at capacity. */
  urgent?: boolean
  /** The other legs of the call, if it has any yet. */
  peers?: LegId[]
  /** The call is between browsers only. */
  isInternal?: boolean
  callKey?: CallKey
  /** Whose phone app it is, for simulated agents. */
  user?: { companyId: number; userId: number }
}

export interface DriverStats {
  legs: number
  maxLegs?: number
  rooms: number
  tickLagMs: number
  dropped: number
  recordingsFailed?: number
  /** RTP packets dropped: from an unknown source, and from the far end with a payload type that was not negotiated. */
  foreign?: number
  invalid?: number
  /** SIP responses since the start, by class such as `2xx`. */
  sipResponses?: { received: Record<string, number>; sent: Record<string, number> }
}

export interface JoinOptions {
  muted?: boolean
  listenOnly?: boolean
  whisperTo?: LegId[]
}

export interface PlayOptions {
  /** Generated unless given. */
  playId?: string
  loop?: boolean
  bargeInOn?: string
  /** The AI voice agent that speaks, for synthesized speech; stored with the recording. */
  speaker?: string
}

/** Speech with the id of an earlier one is refused: its first write returns false. */
export type SpeakOptions = Pick<PlayOptions, 'playId' | 'bargeInOn'> & { speaker: string }

/** `lost`: the process that synthesized the speech has ended before its end. */
export type PlayEndCause = 'done' | 'stopped' | 'dtmf' | 'lost'

export interface TapListener {
  onSamples(samples: Int16Array): void
  /** End of the audio; `overrun`: the consumer was too slow. */
  onEnd(cause: 'leg_gone' | 'overrun'): void
}

export interface SpeechPlayback {
  playId: string
  /** 8 kHz; a text marks the start of the next sentence. False: playback has ended. */
  write(samples: Int16Array, text?: string): Promise<boolean>
  /** All audio has been written. */
  end(): Promise<void>
  /** No more audio will be written, although some is missing: playback ends after what was written, as `lost`. */
  lose?(): Promise<void>
}

export interface RecordOptions {
  /** Starts with `rec-`; generated unless given. */
  recId?: string
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

/** The event of that kind. */
export type VoiceEventOf<K extends VoiceFact['kind']> = Extract<VoiceEvent, { kind: K }>
export type VoiceFactOf<K extends VoiceFact['kind']> = Extract<VoiceFact, { kind: K }>

export type VoiceFact =
  /** `deviceId`: placed from a device, which is authenticated; `trunkId` is empty. */
  | {
      kind: 'leg.incoming'
      leg: LegId
      trunkId: string
      from: string
      to: string
      deviceId?: string
      /** STIR/SHAKEN, if the carrier reports it. */
      callerId?: CallerIdVerification
    }
  /** An incoming call that was rejected for lack of media capacity. */
  | { kind: 'call.refused'; trunkId: string; from: string; to: string }
  | { kind: 'leg.dialog'; leg: LegId; dialog: string }
  /** `early`: early media is available. */
  | { kind: 'leg.progress'; leg: LegId; code: number; early?: boolean }
  | { kind: 'leg.answered'; leg: LegId }
  | { kind: 'leg.connected'; leg: LegId }
  | { kind: 'leg.ended'; leg: LegId; reason: EndReason; code?: number }
  | { kind: 'leg.dtmf'; leg: LegId; digit: string }
  /** A party that an AI voice agent listens to starts to speak; then the words, where the driver delivers text. */
  | { kind: 'leg.speechStarted'; leg: LegId; startedAt?: number }
  /** The party has been speaking for longer than a short signal such as "uh huh" takes. */
  | { kind: 'leg.speechContinued'; leg: LegId }
  /** `endedAt`: end of the speech, which is earlier than its text. `continues`: a part of longer speech. */
  | { kind: 'leg.utterance'; leg: LegId; text: string; startedAt?: number; endedAt?: number; continues?: boolean }
  /** Speech of a party as text, where the driver delivers text; sent at the end of the utterance. */
  | { kind: 'leg.spoke'; leg: LegId; text: string; startedAt: number }
  /**
   * A device asks to transfer its call to that number or extension, or to the other party of its second call, `replaces`.
   * Refused with refuseTransfer, done by hanging up.
   */
  | { kind: 'leg.referred'; leg: LegId; to: string; replaces?: LegId }
  | { kind: 'leg.remoteHold'; leg: LegId; held: boolean }
  /**
   * Quality of received media since the previous report, and of sent media as reported by the far end; null: unknown.
   */
  | { kind: 'leg.quality'; leg: LegId; received: Quality | null; sent: Quality | null }
  /** `said`: the part of synthesized speech that was played. */
  | { kind: 'play.ended'; leg: LegId; playId: string; cause: PlayEndCause; said?: string }
  | { kind: 'record.ended'; recId: string; file: string; seconds: number }
  /** Registered, or registered again; also with another expiry or source address. */
  | { kind: 'device.registered'; deviceId: string; contact: DeviceContact }
  /** Unregistered, expired, or it does not respond any more. */
  | { kind: 'device.gone'; deviceId: string; uri: string }
  /** The process with the media has ended unexpectedly, with this many legs; `leg.ended` follows for each. */
  | { kind: 'node.gone'; legs: number }
  /** `detail`: the last SIP response or error, such as `403 Forbidden`. */
  | { kind: 'trunk.state'; trunkId: string; up: boolean; detail?: string }
