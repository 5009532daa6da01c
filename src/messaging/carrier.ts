// messaging/ sends messages over carriers and receives inbound messages and delivery reports.
import type { MediaTroubleCode, PieceStatus, TroubleCode } from '../domain/message.ts'

/** One message to one recipient. */
export interface OutgoingMessage {
  /** The same for every try: an idempotency key. */
  id: string
  channel: 'whatsapp' | null
  /** E.164, both. */
  from: string
  to: string
  /** WhatsApp: the phone number id. */
  phoneNumberId: string | null
  body: string
  media: readonly OutgoingMedium[]
  /** The templateParams of the API, with name and language of the template. */
  template: OutgoingTemplate | null
}

export interface OutgoingMedium {
  name: string
  type: string
  /** Valid for an hour, for carriers that download files. */
  url: string
  /** For carriers that take the bytes. */
  read(): Promise<Buffer>
}

export interface OutgoingTemplate {
  name: string
  language: string
  params: CarrierTemplateParams
}

export interface CarrierTemplateParams {
  header?: { type: string; text?: string; mediaUrl?: string; filename?: string }
  body?: { key: string; value: string }[]
  buttons?: { index: number; type: string; value: string }[]
}

/** The outcome of sending a message. */
export type Handover =
  /** Accepted in one or several parts; delivery reports name these ids. */
  | { kind: 'taken'; refs: string[] }
  /** Permanently rejected. */
  | { kind: 'refused'; code: TroubleCode; why: string }
  /** Not accepted: the carrier is unreachable or throttles. */
  | { kind: 'later'; afterMs: number; why: string }
  /** Unknown: the connection broke before the response. */
  | { kind: 'unknown'; why: string }

export interface MessageCarrier {
  /** Never rejects. */
  send(message: OutgoingMessage): Promise<Handover>
  /** Whether a message with unknown outcome may be sent again with the same id. */
  readonly isIdempotent: boolean
  /** Connects in the background and reconnects by itself; returns at once. */
  start(): void
  stop(): Promise<void>
}

/** Receives messages and reports of a carrier. Resolves when they are stored, so that nothing is acknowledged too early. */
export interface Arrivals {
  received(arrived: Arrived): Promise<void>
  /** A delivery report of a part. Unknown parts are ignored; duplicates are allowed. */
  reported(report: DeliveryReport): Promise<void>
  /** Whether the carrier is reachable. */
  state(up: boolean, trouble: string | null): void
}

export interface Arrived {
  /** The carrier's id of the message, for deduplication. */
  ref: string | null
  channel: 'whatsapp' | null
  from: string
  to: string
  body: string
  media: readonly ArrivedMedium[]
  /** The other participants of a group. */
  participants?: readonly string[]
  /** WhatsApp. */
  type?: string
  metadata?: Record<string, unknown>
  /** The carrier's id of the message that it replies to. */
  replyTo?: string
}

/** At an address, already at hand, or known not to be available. */
export type ArrivedMedium =
  | { url: string; name?: string }
  | { bytes: Buffer; name?: string }
  | { error: MediaTroubleCode; name?: string; type?: string }

export interface DeliveryReport {
  ref: string
  status: Exclude<PieceStatus, 'handed'>
  code: TroubleCode | null
}
