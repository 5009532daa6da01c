import type { Db, Tx } from './db/database.ts'
import type { CallCommand } from './domain/call/commands.ts'
import type { EngineKind, ServerLine } from './domain/intelligence/engine-line.ts'
import type { Ear, EarWish, LlmEngine, LlmTask, Segment, SttEngine, TtsEngine } from './domain/intelligence/engines.ts'
import type { LineGrade } from './domain/line-quality.ts'
import type { CompanyFaults } from './domain/sandbox/faults.ts'
import type { CallerStep } from './domain/sandbox/script.ts'
import type { DialOrigin } from './domain/toll.ts'
import type { Feed } from './events/feed.ts'
import type { Clock } from './lib/clock.ts'
import type { Files } from './lib/files.ts'
import type { Log } from './lib/log.ts'
import type { SafeFetch } from './lib/safe-fetch.ts'
import type { SandboxClock } from './lib/sandbox-clock.ts'
import type { Vault } from './lib/secrets.ts'
import type { SoundShelf } from './lib/sound-shelf.ts'
import type { Throttle } from './lib/throttle.ts'

export type { CallerStep }

/** What features are given. Types only: app.ts fills it in. */
export interface Services {
  db: Db
  clock: Clock
  log: Log
  vault: Vault
  links: Links
  signIns: SignIns
  /** Limits guessing of the secrets of OAuth apps. */
  clients: Throttle
  rules: Rules
  /** The way to addresses that customers give us. */
  outbound: SafeFetch
  /** Says when the event log of a company has grown. */
  feed: Feed
  /** Recordings, voicemails, exports. */
  files: Files
  /** Customers' audio, prepared for the line. */
  sounds: SoundShelf
  calls: Calls
  refusals: Refusals
  trunks: Trunks
  carriers: Carriers
  browsers: Browsers
  ai: Ai
  /** In sandbox mode only. */
  sandbox?: Sandbox
}

/** The bases of every address we hand out, without a slash at the end. */
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

/** What the operator's settings allow. */
export interface Rules {
  supportContact: string
  sandbox: boolean
  tenancy: Tenancy
  /** Plans do not apply: the company runs its own installation. */
  everyFeature: boolean
  /** Without a mail server e-mails stay in the log, and users copy links themselves. */
  hasMailServer: boolean
  /** http and loopback addresses for receivers: a developer has no certificate for 127.0.0.1. */
  loopbackReceivers: boolean
  /** From call.hungup to call.ended. */
  callEndedDelayMs: number
  /** Whoever tries things out on a real trunk must not alarm anybody. */
  refusesEmergency: boolean
  /** Why a company may not connect a trunk to that host; the operator may connect any. */
  flawOfTrunkHost(host: string): string | undefined
}

/** Reports what the guards against fraud and overload have refused. */
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

/** The calls that are going on, whichever process owns them. */
export interface Calls {
  /**
   * Answered once the step is saved. What the call cannot do now is refused with a sentence; `gone` means that it has
   * ended, or that nobody knows it.
   */
  send(key: string, command: CallCommand): Promise<Reply>
  /** An outbound call of a user; `to` is E.164, or an extension for an internal call. */
  start(companyId: number, wish: NewCall): Promise<{ ok: true; key: string; callId: number | null } | Refused>
  /** Why that may not be dialled now; undefined when it may. */
  whyNotDial(companyId: number, wish: { numberId: number; to: string; origin: DialOrigin }): Promise<string | undefined>
  /** Ends all calls of a company; they are over when it resolves. */
  endAll(companyId: number): Promise<void>
  /** The call the user is on or is being rung by: its key. */
  ofUser(companyId: number, userId: number): Promise<string | undefined>
}

/** The lines to the outside. */
export interface Trunks {
  /** What was set takes effect, in this process at once and in others soon. */
  changed(): void
  /** Calls somebody and plays something, to see whether the line works. */
  test(companyId: number, wish: { trunkId: number; numberId: number; to: string }): Promise<TrunkTest>
}

export interface TrunkTest {
  /** `no_response`: no SIP response came, or none after 100. */
  outcome: 'answered' | 'busy' | 'no_answer' | 'no_response' | 'rejected' | 'failed' | 'not_allowed'
  code: number | null
  /** The last SIP response, such as `404 Not Found`. */
  response: string | null
  seconds: number
  explanation: string
}

/** Who carries texts to the outside. */
export interface Carriers {
  /** Writes to somebody, to see whether it works; nothing of it is kept. */
  test(companyId: number, wish: { carrierId: number; numberId: number; to: string; body: string }): Promise<CarrierTest>
  /** Asks WhatsApp for its templates and lines. */
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
  /** Templates that we have no words for. */
  leftOut: number
  trouble: string | null
}

/** Who listens, reads and speaks for a company. Undefined: nobody does, and what they would make does not exist. */
export interface Ai {
  stt(companyId: number): Promise<SttEngine | undefined>
  llm(companyId: number, task: LlmTask): Promise<LlmEngine | undefined>
  tts(companyId: number): Promise<TtsEngine | undefined>
  /** Where somebody speaks in one channel of 8 kHz; by energy alone where there are no models. */
  segments(samples: Int16Array): Promise<Segment[]>
  /** Listens while somebody speaks. */
  listen(companyId: number, wish: EarWish): Promise<Ear | undefined>
  /** A server that listens and speaks by itself. */
  realtime(companyId: number): Promise<RealtimeServer | undefined>
  /** How near each text is to each of the others, from -1 to 1; undefined where no model for English is there. */
  similarity(texts: readonly string[], others: readonly string[]): Promise<number[][] | undefined>
  /** Who does what, or why nobody does. */
  state(companyId: number): Promise<EngineState[]>
  /** Asks one for something small. */
  test(companyId: number, kind: EngineKind): Promise<EngineTest>
}

export interface RealtimeServer {
  line: ServerLine
  key: string | undefined
  /** The way to it: through the guard of addresses where the company has set it. */
  http: SafeFetch
}

export interface EngineState {
  kind: EngineKind
  on: boolean
  /** Whose setting it is. */
  source: 'company' | 'operator'
  /** Sound or words leave this installation. */
  external: boolean
  engine: string | null
  /** For people. */
  explanation: string
}

export interface EngineTest {
  ok: boolean
  engine: string | null
  milliseconds: number
  /** What came back, or why nothing did. */
  explanation: string
}

/** What a process of the installation does (ROLES). */
export type ProcessRole = 'api' | 'calls' | 'worker'

export interface NewCall {
  userId: number
  /** Null for an internal call. */
  numberId: number | null
  to: string
  sdpOffer?: string
  session?: string
  /** By which road; a person in the phone app unless told. */
  origin?: DialOrigin
}

export type Reply = { ok: true } | Refused
export interface Refused {
  ok: false
  /** `unavailable`: the process that carries calls cannot be reached. */
  refused: 'gone' | 'state' | 'forbidden' | 'unavailable'
  why: string
}

/** The phone app's open sessions. */
export interface Browsers {
  /** To every session of the user, or to the one that was active last. */
  tell(companyId: number, userId: number, message: BrowserMessage, to?: 'all' | 'latest'): void
}

/** What is said to a phone app and not kept; everything else it reads from the event log. */
export type BrowserMessage =
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
  /** Of the line to the customer: how its sound arrives here, and ours there. */
  | { kind: 'quality'; key: string; received: LineGrade; sent: LineGrade }
  | { kind: 'insight_card'; callId: number; contents: unknown[] }
  | { kind: 'dial'; to: string }
  | { kind: 'presence'; availability: string }
  | { kind: 'dialer_campaign' }

export type RingPurpose = 'inbound' | 'transfer' | 'consult' | 'conference' | 'internal' | 'callback' | 'outbound'

/** The simulated network and its clock. */
export interface Sandbox {
  clock: SandboxClock
  network: SimulatedNetwork
  faults: Faults
}

/** What goes wrong on purpose; asked for every event and every request, so it is kept in memory. */
export interface Faults {
  of(companyId: number): CompanyFaults
  set(companyId: number, faults: CompanyFaults): Promise<void>
  /** In the transaction that deletes them. */
  forget(tx: Tx, companyId: number): Promise<void>
  /** How much later events are sent. */
  latenessMs(companyId: number): number
  /** Whether a delivery that has arrived is sent once more. */
  sendsTwice(companyId: number, delivery: string): boolean
}

export interface SimulatedNetwork {
  /** A synthetic person calls; resolves with the call's id once it has reached its Number. */
  call(caller: SimulatedCaller): Promise<number>
}

export interface SimulatedCaller {
  from: string
  to: string
  script: readonly CallerStep[]
  patienceSeconds: number | null
  /** Its recording has voices instead of tones, where there are any. */
  speech?: boolean
}

/** Limits guessing of passwords and the number of mails with links. The counts are shared by all processes. */
export interface SignIns {
  /**
   * Counts an attempt before it is evaluated. Seconds to wait when there were too many for the account from this network.
   * Resolves late when there were many from the network or for the account: a slow-down, which blocks no valid password.
   */
  tried(address: string, email: string): Promise<number | undefined>
  succeeded(address: string, email: string): Promise<void>
  /** Counts a link that somebody is to be mailed; false when they have got enough of them, whoever asked. */
  mayBeMailed(email: string): Promise<boolean>
}
