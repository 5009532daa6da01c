import type { Db, Tx } from './db/database.ts'
import type { CompanyId } from './db/tables.ts'
import type { CallCommand } from './domain/call/commands.ts'
import type { EngineKind } from './domain/intelligence/engine-line.ts'
import type {
  LiveTranscriber,
  LiveTranscriptionOptions,
  LlmEngine,
  LlmTask,
  Segment,
  SttEngine,
  TtsEngine,
  UsagePurpose,
} from './domain/intelligence/engines.ts'
import type { SuggestionShown } from './domain/intelligence/suggestions.ts'
import type { LineGrade } from './domain/line-quality.ts'
import type { PushMessage } from './domain/push-message.ts'
import type { CompanyFaults } from './domain/sandbox/faults.ts'
import type { CallerStep } from './domain/sandbox/script.ts'
import type { DialOrigin } from './domain/toll.ts'
import type { Feed } from './events/feed.ts'
import type { AudioCache } from './lib/audio-cache.ts'
import type { Clock } from './lib/clock.ts'
import type { Files } from './lib/files.ts'
import type { Log } from './lib/log.ts'
import type { MailServer } from './lib/mail.ts'
import type { PasswordEstimator } from './lib/password-estimator.ts'
import type { SafeFetch } from './lib/safe-fetch.ts'
import type { SandboxClock } from './lib/sandbox-clock.ts'
import type { Vault } from './lib/secrets.ts'
import type { Throttle } from './lib/throttle.ts'

export type { CallerStep }

/** Dependencies of the features. Types only; app/ creates them. */
export interface Services {
  db: Db
  clock: Clock
  log: Log
  vault: Vault
  links: Links
  signIns: SignIns
  passwordEstimator: PasswordEstimator
  /** Throttles guessing of OAuth client secrets. */
  clients: Throttle
  rules: Rules
  /** HTTP client for URLs given by customers. */
  outbound: SafeFetch
  /** Notifies when the event log of a company has grown. */
  feed: Feed
  /** Recordings, voicemails, exports. */
  files: Files
  /** Audio of customers, converted for playback in calls. */
  sounds: AudioCache
  calls: Calls
  refusals: Refusals
  trunks: Trunks
  devices: Devices
  carriers: Carriers
  liveHub: LiveHub
  ai: Ai
  /** Turn facts into events, by kind of fact; `publish` in features/publishing uses them. */
  factRenderers: object
  /** Undefined if the operator has not configured one. */
  mailServer?: MailServer
  /** Sandbox mode only. */
  sandbox?: Sandbox
}

/** Base URLs of all links, without a trailing slash. */
export interface Links {
  api: string
  dashboard: string
  assets: string
  short: string
}

/**
 * single: one company, whose owner is the operator. multi: the operator controls plans, Numbers, caller-ID verification and
 * shared trunks of several companies.
 */
export type Tenancy = 'single' | 'multi'

/** Permissions from the operator's settings. */
export interface Rules {
  supportContact: string
  sandbox: boolean
  tenancy: Tenancy
  /** Plans do not apply: the company operates its own installation. */
  everyFeature: boolean
  /** How the operator receives alerts. */
  alertChannels: readonly ('email' | 'webhook')[]
  /** Without a mail server e-mails stay in the e-mail log, and users copy links themselves. */
  hasMailServer: boolean
  /** Allows http and loopback receivers: developers have no certificate for 127.0.0.1. */
  loopbackReceivers: boolean
  /** Delay from call.hungup to call.ended. */
  callEndedDelayMs: number
  /** Rejects emergency calls: for test installations with a production trunk. */
  refusesEmergency: boolean
  /** Why a company may not connect a trunk to that host; undefined when it may. The operator may connect any. */
  trunkHostProblem(host: string): string | undefined
}

/** Reports what fraud and overload protection has refused. */
export interface Refusals {
  report(companyId: number, refusal: Refusal): Promise<void>
}

export interface Refusal {
  kind: 'dial' | 'message' | 'media'
  /** A stable key, such as `country`. */
  rule: string
  /** For the user: what to change. */
  why: string
  userId: number | null
  origin?: string
}

/** The Idempotency-Key that a request has claimed. */
export interface RequestClaim {
  companyId: CompanyId
  keyHash: string
  token: string
}

/** Active calls, in whichever process they run. */
export interface Calls {
  /**
   * Resolves once the step is saved. Commands that the call cannot execute now are refused with a reason; `gone` means
   * that the call has ended or does not exist. `claim`: marked as done in the transaction of the step.
   */
  send(key: string, command: CallCommand, claim?: RequestClaim): Promise<Reply>
  /** Starts an outbound call of a user; `to` is E.164, or an extension for an internal call. */
  start(companyId: number, call: NewCall): Promise<{ ok: true; key: string; callId: number | null } | Refused>
  /** Why this destination may not be dialled now; undefined when it may. */
  whyNotDial(
    companyId: number,
    destination: { numberId: number; to: string; origin: DialOrigin },
  ): Promise<string | undefined>
  /** Ends all calls of a company; resolves when they are over. */
  endAll(companyId: number): Promise<void>
  /** Key of the call that the user is on or that rings on the user's phone. */
  ofUser(companyId: number, userId: number): Promise<string | undefined>
  /** Puts the user's other call on hold; `held` are those that were not yet. */
  holdOthers(
    companyId: number,
    userId: number,
    except?: string,
  ): Promise<{ ok: true; held: string[]; isSecond: boolean } | Refused>
  /** Resumes calls that were set others in vain. */
  takeBack(userId: number, held: readonly string[]): Promise<void>
  /** Merges the two calls of the user into a conference. */
  merge(companyId: number, userId: number): Promise<{ ok: true; key: string; callId: number | null } | Refused>
}

/** SIP trunks. */
export interface Trunks {
  /** Applies changed settings, in this process immediately and in others shortly after. */
  changed(): void
  /** Places a test call and plays a message. */
  test(companyId: number, params: { trunkId: number; numberId: number; to: string }): Promise<TrunkTest>
}

/** SIP devices of users. */
export interface Devices {
  /** Applies changed accounts, in this process immediately and in others shortly after. */
  changed(): void
  server: DeviceServer
}

/** Where devices register, as configured in them. */
export interface DeviceServer {
  host: string
  port: number
  /** Null: no certificate is configured. */
  tlsPort: number | null
}

export interface TrunkTest {
  /** `no_response`: no SIP response, or none after 100. */
  outcome: 'answered' | 'busy' | 'no_answer' | 'no_response' | 'rejected' | 'failed' | 'not_allowed'
  code: number | null
  /** The last SIP response, such as `404 Not Found`. */
  response: string | null
  seconds: number
  explanation: string
}

/** SMS and WhatsApp providers. */
export interface Carriers {
  /** Sends a test message; nothing is stored. */
  test(
    companyId: number,
    params: { carrierId: number; numberId: number; to: string; body: string },
  ): Promise<CarrierTest>
  /** Reads the templates and phone numbers of a WhatsApp account. */
  sync(companyId: number, carrierId: number): Promise<CarrierSync>
}

export interface CarrierTest {
  outcome: 'taken' | 'refused' | 'later' | 'unknown'
  code: number | null
  seconds: number
  explanation: string
}

export interface CarrierSync {
  lines: number
  templates: number
  /** Templates with unsupported content. */
  leftOut: number
  trouble: string | null
}

/**
 * Speech-to-text, LLM and text-to-speech engines of a company. Undefined: not configured, and the derived output does
 * not exist.
 */
export interface Ai {
  stt(companyId: number): Promise<SttEngine | undefined>
  /** Requests are counted for the company, and for the AI agent if there is one. */
  llm(
    companyId: number,
    task: LlmTask,
    use?: { agentId?: string; purpose?: UsagePurpose },
  ): Promise<LlmEngine | undefined>
  tts(companyId: number): Promise<TtsEngine | undefined>
  /** Detects speech in one channel of 8 kHz audio; by energy alone without models. */
  segments(samples: Int16Array): Promise<Segment[]>
  /** Transcribes speech in real time. */
  listen(companyId: number, options: LiveTranscriptionOptions): Promise<LiveTranscriber | undefined>
  /** Semantic similarity of each text to each of the others, from -1 to 1; undefined without the English model. */
  similarity(texts: readonly string[], others: readonly string[]): Promise<number[][] | undefined>
  /**
   * Unit vectors of the meaning of texts; undefined without the English model. `urgent`: before the work that follows
   * calls.
   */
  embed(texts: readonly string[], options?: { urgent?: boolean }): Promise<Float32Array[] | undefined>
  /** The engine in use per kind, or why there is none. */
  state(companyId: number): Promise<EngineState[]>
  /** Sends a small request to an engine. */
  test(companyId: number, kind: EngineKind): Promise<EngineTest>
}

export interface EngineState {
  kind: EngineKind
  on: boolean
  /** Whose setting applies. */
  source: 'company' | 'operator'
  /** Audio or text leaves this installation. */
  external: boolean
  engine: string | null
  /** Shown to users. */
  explanation: string
}

export interface EngineTest {
  ok: boolean
  engine: string | null
  milliseconds: number
  /** The result, or the reason why there is none. */
  explanation: string
}

/** Roles of a process (ROLES). */
export type ProcessRole = 'api' | 'calls' | 'worker'

export interface NewCall {
  userId: number
  /** Null for an internal call. */
  numberId: number | null
  to: string
  sdpOffer?: string
  session?: string
  /** The user is on another call, which is on hold. */
  isSecond?: boolean
  /** Who initiated the call; defaults to a user of the phone app. */
  origin?: DialOrigin
  /** Marked as done in the transaction that creates the call. */
  claim?: RequestClaim
}

export type Reply = { ok: true } | Refused
export interface Refused {
  ok: false
  /** `unavailable`: the process that runs calls cannot be reached. */
  refused: 'gone' | 'state' | 'forbidden' | 'unavailable'
  why: string
}

/** Sends messages to the connected phone apps. */
export interface LiveHub {
  /** Sends to every session of the user, or to the most recently active one. */
  send(companyId: number, userId: number, message: PhoneMessage, to?: 'all' | 'latest'): void
}

/** Transient messages to a phone app; everything else it reads from the event log. */
export type PhoneMessage =
  | {
      kind: 'ring'
      key: string
      callId: number | null
      from: string
      numberId: number | null
      purpose: RingPurpose
      line?: 'simulated' | 'real'
    }
  | { kind: 'ring_stop'; key: string; callId: number | null; why: 'answered_elsewhere' | 'cancelled' | 'timeout' }
  | { kind: 'call'; key: string; callId: number | null; state: string; [more: string]: unknown }
  | { kind: 'sdp_answer'; key: string; session: string; sdpAnswer: string | null }
  /** Of the connection to the customer: quality of the received and of the sent audio. */
  | { kind: 'quality'; key: string; received: LineGrade; sent: LineGrade }
  | { kind: 'insight_card'; callId: number; contents: unknown[] }
  | { kind: 'dial'; to: string }
  | { kind: 'presence'; availability: string }
  /** A missed call or a voicemail, for a system notification. */
  | { kind: 'notice'; notice: PushMessage }
  | { kind: 'dialer_campaign' }
  /** A conversation with a colleague has changed: a message was sent, received or read. */
  | { kind: 'direct_message'; colleagueId: number; what: 'received' | 'changed' }
  /** A passage of a document about what the customer has said. */
  | { kind: 'suggestion'; callId: number; suggestion: SuggestionShown }

export type RingPurpose = 'inbound' | 'transfer' | 'consult' | 'conference' | 'internal' | 'callback' | 'outbound'

/** The simulated telephone network and its clock. */
export interface Sandbox {
  clock: SandboxClock
  network: SimulatedNetwork
  faults: Faults
}

/** Injected faults; kept in memory because every event and every request checks them. */
export interface Faults {
  of(companyId: number): CompanyFaults
  set(companyId: number, faults: CompanyFaults): Promise<void>
  /** Runs in the transaction that deletes the company's data. */
  forget(tx: Tx, companyId: number): Promise<void>
  /** Extra delay of events. */
  latenessMs(companyId: number): number
  /** Whether a successful delivery is sent twice. */
  sendsTwice(companyId: number, delivery: string): boolean
}

export interface SimulatedNetwork {
  /** Starts a simulated inbound call; resolves with the call id once it has reached its Number. */
  call(caller: SimulatedCaller): Promise<number>
  devices: SimulatedDevices
}

/** Simulated desk phones: they register, ring, and do what they are asked to. */
export interface SimulatedDevices {
  register(deviceId: string): void
  unregister(deviceId: string): void
  /** Places a call; returns its leg. */
  call(deviceId: string, to: string): string
  /** The state of the device's latest call; undefined when it has none. */
  state(deviceId: string): 'ringing' | 'calling' | 'on_call' | undefined
  answer(deviceId: string): void
  decline(deviceId: string): void
  busy(deviceId: string): void
  hangUp(deviceId: string): void
  hold(deviceId: string, held: boolean): void
  press(deviceId: string, digit: string): void
  /** Asks for a transfer (REFER): of the first call to a number, or of both calls to each other. */
  transfer(deviceId: string, to: string | 'second call'): void
  /** A key pressed at an external phone. */
  pressAt(phone: string, digit: string): void
}

export interface SimulatedCaller {
  from: string
  to: string
  script: readonly CallerStep[]
  patienceSeconds: number | null
  /** Records synthesized speech instead of tones where available. */
  speech?: boolean
}

/** Limits password guessing and e-mails with links. The counts are shared by all processes. */
export interface SignIns {
  /**
   * Counts an attempt before it is evaluated. Returns the seconds to wait after too many attempts for the account from
   * this network. Resolves late after many attempts from the network or for the account: a slow-down, which blocks no
   * valid password.
   */
  tried(address: string, email: string): Promise<number | undefined>
  succeeded(address: string, email: string): Promise<void>
  /**
   * Counts a code of two-step verification before it is evaluated, from all networks together: the seconds to wait, or
   * how many more may follow.
   */
  codeTried(userId: number): Promise<{ wait: number } | { left: number }>
  codeSucceeded(userId: number): Promise<void>
  /** Counts a link to be sent by e-mail; false when the address has received too many of them. */
  mayBeMailed(email: string): Promise<boolean>
}
