import type { TrunkCandidate, TrunkLine } from '../domain/trunk-line.ts'
import type { LegId, SipDevice, SpeakOptions, VoiceDriver, VoiceEvent } from '../domain/voice.ts'
import type { LogLevel } from '../lib/log.ts'

// line-node/ is the program that holds everything with a socket towards the telephone network or the media of a browser:
// SIP, RTP, WebRTC, rooms, players, recorders. It outlives the engine processes that use it. This file defines its protocol;
// the methods are those of VoiceDriver. Types and constants only.

/** A node accepts this version and the one before. */
export const protocolVersion = 1
export const oldestProtocol = 1

/** Names the key of the TLS connection between hosts. */
export const sharedKeyIdentity = 'hookswitch'

/** Passed once, when the program is started. */
export interface LineNodeOptions {
  /** The same after a restart; unique in the installation. */
  id: string
  /** The Unix socket for engine processes of this machine. */
  socketFile: string
  /** For engine processes on other hosts: TLS with a secret that both sides know, read from standard input. */
  listen: { host: string; port: number } | null
  logLevel: LogLevel
  settings: LineNodeSettings
  /** Without legs and engine processes it exits after this time; null: never. */
  idleMs: number | null
  /** Legs end after this time without an engine process. */
  abandonedMs: number
}

export interface LineNodeSettings {
  dataDir: string
  /** Other line nodes of this installation may use the same ports. */
  shared: boolean
  sip: { bind: string; port: number; tlsPort: number; publicIp: string | null; refusesEmergency: boolean }
  rtp: {
    from: number
    to: number
    browserPort: number
    publicIp: string | null
    maxCalls: number
    timeoutMs: number
  }
  tls: { certFile: string; keyFile: string } | null
  /** Addresses that the host of a company's trunk may resolve to. */
  trunkHosts: {
    isRestricted: boolean
    loopback: boolean
    allowRanges: readonly string[]
    ownNames: readonly string[]
    ownPorts: readonly number[]
  }
}

/** Commands of the driver whose parameters and results are plain data. */
export const driverMethods = [
  'dial',
  'ringing',
  'answer',
  'reject',
  'hangup',
  'refuseTransfer',
  'endDialog',
  'attachBrowser',
  'createRoom',
  'closeRoom',
  'join',
  'leave',
  'setMuted',
  'play',
  'stopPlay',
  'sendDtmf',
  'record',
  'pauseRecord',
  'resumeRecord',
  'stopRecord',
  'stats',
  'closeTap',
] as const satisfies readonly (keyof VoiceDriver)[]

export type DriverMethod = (typeof driverMethods)[number]

/** Requests of an engine process besides the commands of the driver. */
export interface NodeControls {
  setTrunks(lines: readonly TrunkLine[]): null
  setDevices(devices: readonly SipDevice[]): null
  hasRoom(): boolean
  openTap(leg: LegId): { tapId: string }
  speak(leg: LegId, options: SpeakOptions): { playId: string }
  /** Base64 of µ-law; false: playback has ended. */
  writeSpeech(playId: string, ulaw: string, text?: string): boolean
  endSpeech(playId: string): null
  adopt(what: Adoption): Adopted
  /** The process of that session has ended and its calls are adopted: what is left of it ends. */
  forgetSession(session: string): null
  /** The engine process is ending: new calls are for others. */
  drain(): null
  /** Ends the program as soon as it has no legs. */
  retire(): null
  load(): NodeLoad
  /** For engine processes on other hosts: part of a file of the recording as base64, empty at its end; null: no file. */
  readRecording(recId: string, part: RecordingPart, offset: number): string | null
  /** It has been transferred and stored. */
  discardRecording(recId: string): null
}

export type RecordingPart = 'audio' | 'sidecar'

/** For the placement of new calls. */
export interface NodeLoad {
  legs: number
  maxLegs: number
  /** New calls are refused. */
  isDraining: boolean
}

/** Audio that an engine process on another host transfers in parts; the name changes with its content. */
export interface RemoteSound {
  name: string
  bytes: number
}

/** Legs and recordings of calls that an engine process has taken over. */
export interface Adoption {
  legs: readonly LegId[]
  recordings: readonly string[]
}

/** Those that exist, or whose end has not been acknowledged; events that were not acknowledged follow. */
export interface Adopted {
  legs: LegId[]
  recordings: string[]
}

export interface PortState {
  port: number
  code: string
  isHeldByAnother: boolean
}

export type EngineMessage =
  /**
   * `draining`: new calls are for others. `isObserver`: asks about the node, and serves no calls. `isRemote`: does not share
   * the data folder of the node.
   */
  | {
      kind: 'hello'
      protocol: number
      session: string
      release: string
      draining?: boolean
      isObserver?: boolean
      isRemote?: boolean
    }
  | { kind: 'request'; id: number; method: string; params: unknown[] }
  | { kind: 'ack'; seqs: readonly number[] }
  | { kind: 'response'; id: number; result: unknown }
  | { kind: 'failure'; id: number; name: string; message: string }
  /** No more requests follow; legs of the session wait for another engine process. */
  | { kind: 'bye' }

export type LineNodeMessage =
  /** `lost`: sessions that are no longer connected and still own legs. */
  | {
      kind: 'welcome'
      protocol: number
      /** Changes with every start. */
      node: string
      /** Absent in older releases. */
      load?: NodeLoad
      release: string
      settings: string
      pid: number
      legs: number
      lost: readonly string[]
      /** Other engine processes that are connected. */
      others: number
    }
  /** The node speaks no version of the protocol that the engine process speaks. */
  | { kind: 'refused'; reason: string }
  | { kind: 'response'; id: number; result: unknown }
  | { kind: 'failure'; id: number; name: string; message: string }
  /** `ageMs`: how long ago it happened; events are kept until they are acknowledged. */
  | { kind: 'event'; event: VoiceEvent; ageMs: number }
  | { kind: 'tap'; tapId: string; ulaw: string }
  | { kind: 'tapEnded'; tapId: string; cause: 'leg_gone' | 'overrun' }
  /** Questions that only an engine process can answer. */
  | { kind: 'request'; id: number; method: 'routeCall'; params: [candidates: readonly TrunkCandidate[]] }
  | { kind: 'request'; id: number; method: 'soundOf'; params: [media: string] }
  /** Base64. */
  | { kind: 'request'; id: number; method: 'readSound'; params: [media: string, name: string, offset: number] }
  | { kind: 'load'; load: NodeLoad }
  | { kind: 'ports'; problem: PortState | null }
  /** The connection of another engine process is lost. */
  | { kind: 'sessionGone'; session: string }
