// messaging/ hands texts over to whoever carries them, and takes what they bring.
import type { MediaTroubleCode, PieceStatus, TroubleCode } from '../domain/message.ts'

/** One message to one recipient, as a carrier needs it. */
export interface Outgoing {
  /** Ours, the same at every try: a carrier that knows it already has taken it. */
  id: string
  channel: 'whatsapp' | null
  /** E.164, both. */
  from: string
  to: string
  /** WhatsApp: the id of the line at the carrier. */
  phoneNumberId: string | null
  body: string
  media: readonly OutgoingMedium[]
  /** What was asked for, as the contract writes templateParams, with the name and the language of the template. */
  template: OutgoingTemplate | null
}

export interface OutgoingMedium {
  name: string
  type: string
  /** Good for an hour, for carriers that fetch. */
  url: string
  /** For those that are given the bytes. */
  read(): Promise<Buffer>
}

export interface OutgoingTemplate {
  name: string
  language: string
  params: TemplateParams
}

export interface TemplateParams {
  header?: { type: string; text?: string; mediaUrl?: string; filename?: string }
  body?: { key: string; value: string }[]
  buttons?: { index: number; type: string; value: string }[]
}

/** What became of handing one message over. */
export type Handover =
  /** Taken, in one or several pieces; what is said about them later names these. */
  | { outcome: 'taken'; refs: string[] }
  /** Not taken, and never will be. */
  | { outcome: 'refused'; code: TroubleCode; why: string }
  /** Not taken: the carrier is away or wants no more at the moment. */
  | { outcome: 'later'; afterMs: number; why: string }
  /** Perhaps taken: the line broke before the answer. */
  | { outcome: 'unknown'; why: string }

export interface Carrier {
  /** Never rejects. */
  send(message: Outgoing): Promise<Handover>
  /** Whether what was perhaps taken may be handed over again under the same id. */
  readonly isIdempotent: boolean
  /** Begins to listen; resolves at once, and goes on trying by itself. */
  start(): void
  stop(): Promise<void>
}

/** What a carrier brings. Resolves when it is stored, so that a carrier confirms nothing that could be lost. */
export interface Arrivals {
  received(arrived: Arrived): Promise<void>
  /** About a piece that was handed over. Unknown pieces are passed over; the same report may come twice. */
  reported(report: Report): Promise<void>
  /** Whether the carrier can be reached. */
  state(up: boolean, trouble: string | null): void
}

export interface Arrived {
  /** The carrier's own id of the message; what comes twice counts once. */
  ref: string | null
  channel: 'whatsapp' | null
  from: string
  to: string
  body: string
  media: readonly ArrivedMedium[]
  /** Everybody but the line, when it is a group. */
  participants?: readonly string[]
  /** WhatsApp. */
  type?: string
  metadata?: Record<string, unknown>
  /** The carrier's id of the message it answers. */
  replyTo?: string
}

/** At an address, already at hand, or known not to be available. */
export type ArrivedMedium =
  | { url: string; name?: string }
  | { bytes: Buffer; name?: string }
  | { error: MediaTroubleCode; name?: string; type?: string }

export interface Report {
  ref: string
  status: Exclude<PieceStatus, 'handed'>
  code: TroubleCode | null
}
