// Text messages: types, statuses and their transitions.

export const messageStatuses = ['pending', 'sent', 'delivered', 'read', 'failed', 'undelivered', 'received'] as const
export type MessageStatus = (typeof messageStatuses)[number]
/** In the agents' conversation, or directly to the customer's own software without the inbox. */
export type MessageMode = 'native' | 'skipping'

const next: Record<MessageStatus, readonly MessageStatus[]> = {
  pending: ['sent', 'failed'],
  sent: ['delivered', 'undelivered', 'failed'],
  delivered: ['read'],
  read: [],
  failed: [],
  undelivered: [],
  received: [],
}

/**
 * Transitions between statuses: forward only. A report that overtook another one includes the skipped statuses; a
 * late or duplicate report has no effect.
 */
export function stepsTo(now: MessageStatus, goal: MessageStatus): MessageStatus[] {
  if (now === goal) return []
  if (next[now].includes(goal)) return [goal]
  for (const step of next[now]) {
    const rest = stepsTo(step, goal)
    if (rest.length > 0) return [step, ...rest]
  }
  return []
}

/** Why a message failed or was not delivered, as the numeric codes that existing clients use. */
export const troubles = {
  21610: 'The recipient has opted out of messages from this line',
  30003: 'The recipient cannot be reached',
  30005: 'The destination is unknown or no longer in service',
  30007: 'The message was filtered by the carrier',
  30008: 'The carrier gave no reason, or nobody knows what became of the message',
  30019: 'A file is larger than 5 MB',
  63016: 'Free-form text more than 24 hours after the last message of the customer; send an approved template first',
  63019: 'A file could not be fetched from its address',
  63021: 'A file is of a type that cannot be sent',
} as const
export type TroubleCode = keyof typeof troubles

export const isTroubleCode = (code: number): code is TroubleCode => Object.hasOwn(troubles, code)

/** Why a file of an inbound message could not be received. */
export const mediaTroubles = {
  30019: 'The file is larger than 5 MB',
  63019: 'The file could not be fetched',
  63021: 'The type of the file is not supported',
} as const satisfies Partial<Record<TroubleCode, string>>
/** RFC 2046 §4.5.1: data of an unknown type. */
export const unknownType = 'application/octet-stream'
export type MediaTroubleCode = keyof typeof mediaTroubles

/** Delivery status of one part. */
export type PieceStatus = 'handed' | 'delivered' | 'read' | 'undelivered' | 'failed'

/** A message in several parts, or to several recipients, has the status of its slowest part; one lost part decides. */
export function statusOfAll(pieces: readonly PieceStatus[]): MessageStatus {
  if (pieces.includes('handed')) return 'sent'
  if (pieces.includes('undelivered')) return 'undelivered'
  if (pieces.includes('failed')) return 'failed'
  return pieces.every((piece) => piece === 'read') ? 'read' : 'delivered'
}

export const maxSmsTextLength = 1_600
export const maxWhatsappTextLength = 4_096
export const maxMedia = 10
export const maxMediaBytes = 5_242_880

export const mediaTypes = [
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'audio/mpeg',
  'audio/ogg',
  'video/mp4',
  'application/pdf',
  'text/vcard',
] as const
export type MediaType = (typeof mediaTypes)[number]

const endings: Record<MediaType, string> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'video/mp4': 'mp4',
  'application/pdf': 'pdf',
  'text/vcard': 'vcf',
}
export const endingOf = (type: MediaType) => endings[type]

/** Detected from the bytes: the content type that a server declares is not trusted. */
export function mediaTypeOf(bytes: Uint8Array): MediaType | undefined {
  const text = (from: number, to: number) => String.fromCharCode(...bytes.subarray(from, to))
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return 'image/jpeg'
  if (text(0, 8) === '\x89PNG\r\n\x1a\n') return 'image/png'
  if (text(0, 6) === 'GIF87a' || text(0, 6) === 'GIF89a') return 'image/gif'
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return 'image/webp'
  if (text(0, 4) === 'OggS') return 'audio/ogg'
  if (text(4, 8) === 'ftyp') return 'video/mp4'
  if (text(0, 5) === '%PDF-') return 'application/pdf'
  if (/^(\xef\xbb\xbf)?BEGIN:VCARD\r?\n/i.test(text(0, 20))) return 'text/vcard'
  if (text(0, 3) === 'ID3' || (bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe6) === 0xe2)) return 'audio/mpeg'
  return undefined
}

export const windowMs = 24 * 60 * 60 * 1_000

/** Free-form text may be sent to recipients who wrote within the last day. */
export const windowIsOpen = (lastInboundAt: number | undefined, at: number) =>
  lastInboundAt !== undefined && at - lastInboundAt < windowMs

const leaving = new Set(['stop', 'stopall', 'unsubscribe', 'cancel', 'end', 'quit', 'arret', 'arrêt'])
const returning = new Set(['start', 'unstop', 'yes'])

/** Opt-out or opt-in, when the message consists of that keyword alone. */
export function optKeywordIn(body: string): 'stop' | 'start' | undefined {
  const word = body.trim().replace(/[.!]$/, '').toLowerCase()
  if (leaving.has(word)) return 'stop'
  return returning.has(word) ? 'start' : undefined
}
