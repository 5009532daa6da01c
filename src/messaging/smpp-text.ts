import { readGsm7, readUcs2, segmentsOf } from '../domain/sms-text.ts'
import { type Delivered, type SmppAddress, tlvTags } from './smpp-pdu.ts'

// The content of short messages: text, concatenation headers, delivery receipts.

export interface ConcatenatedPart {
  esmClass: number
  dataCoding: number
  message: Buffer
}

const headingIndicator = 0x40
const ucs2 = 0x08

/** The parts of a text as submitted; they share a reference number (3GPP TS 23.040 §9.2.3.24). */
export function submitted(body: string, width: 8 | 16, reference: number): ConcatenatedPart[] {
  const { alphabet, parts } = segmentsOf(body, width)
  const dataCoding = alphabet === 'gsm7' ? 0 : ucs2
  const [only] = parts
  if (parts.length === 1 && only) return [{ esmClass: 0, dataCoding, message: Buffer.from(only) }]
  return parts.map((part, i) => ({
    esmClass: headingIndicator,
    dataCoding,
    message: Buffer.concat([heading(width, reference, parts.length, i + 1), part]),
  }))
}

const heading = (width: 8 | 16, reference: number, total: number, place: number) =>
  Buffer.from(
    width === 8
      ? [5, 0x00, 3, reference & 0xff, total, place]
      : [6, 0x08, 4, (reference >> 8) & 0xff, reference & 0xff, total, place],
  )

export interface ShortMessagePart {
  text: string
  /** Its position in a concatenated message. */
  part?: { reference: number; total: number; place: number }
}

export function pieceOf(delivered: Delivered): ShortMessagePart {
  const { esmClass, dataCoding, message } = delivered
  const hasHeading = (esmClass & headingIndicator) !== 0 && message.length > 0
  const end = hasHeading ? Math.min(message.length, (message[0] ?? 0) + 1) : 0
  const text = textOf(message.subarray(end), dataCoding)
  const part = (hasHeading ? partIn(message.subarray(1, end)) : undefined) ?? partOf(delivered)
  return part && part.total > 1 && part.place >= 1 && part.place <= part.total ? { text, part } : { text }
}

function partIn(elements: Buffer): ShortMessagePart['part'] {
  for (let at = 0; at + 2 <= elements.length; ) {
    const kind = elements[at]
    const length = elements[at + 1] ?? 0
    const value = elements.subarray(at + 2, at + 2 + length)
    const [a = 0, b = 0, c = 0, d = 0] = value
    if (kind === 0x00 && value.length === 3) return { reference: a, total: b, place: c }
    if (kind === 0x08 && value.length === 4) return { reference: (a << 8) | b, total: c, place: d }
    at += 2 + length
  }
  return undefined
}

function partOf({ more }: Delivered): ShortMessagePart['part'] {
  const [reference, total, place] = [tlvTags.sarReference, tlvTags.sarTotal, tlvTags.sarPlace].map((tag) =>
    more.get(tag),
  )
  if (!reference?.length || !total?.length || !place?.length) return undefined
  return { reference: number(reference), total: number(total), place: number(place) }
}

const number = (bytes: Buffer) => bytes.readUIntBE(0, Math.min(bytes.length, 4))

/** 3GPP TS 23.038 §4, unless SMPP §5.2.19 defines its own value. */
function textOf(bytes: Buffer, coding: number): string {
  const isClassed = coding >= 0xf0
  const alphabet = isClassed ? (coding & 0x04 ? 4 : 0) : coding & 0x0f
  if (alphabet === ucs2) return readUcs2(bytes)
  if (alphabet === 0) return readGsm7(bytes)
  return bytes.toString('latin1')
}

export interface Receipt {
  id: string
  /** Source of the id: the receipt's text may use another number format than submit_sm_resp. */
  from: 'field' | 'text'
  state: ReceiptState
}

export const receiptStates = [
  'ENROUTE',
  'DELIVRD',
  'EXPIRED',
  'DELETED',
  'UNDELIV',
  'ACCEPTD',
  'UNKNOWN',
  'REJECTD',
] as const
export type ReceiptState = (typeof receiptStates)[number]

const receipt = 0x04
const intermediate = 0x20

export const isReceipt = ({ esmClass }: Delivered) => {
  const kind = esmClass & 0x3c
  return kind === receipt || kind === intermediate
}

/** SMPP 3.4 §5.2.26, §5.3.2.12, §5.3.2.35 and appendix B; undefined without a message id or a known state. */
export function receiptOf(delivered: Delivered): Receipt | undefined {
  const { more } = delivered
  const { text } = pieceOf(delivered)
  const fieldId = more.get(tlvTags.receiptedMessageId)?.toString('latin1').replace(/\0.*$/s, '')
  const textId = /\bid:(\S{1,65})/i.exec(text)?.[1]
  const state = stateOf(more.get(tlvTags.messageState)?.[0], /\bstat:([A-Za-z]{1,10})/i.exec(text)?.[1])
  if (state === undefined) return undefined
  if (fieldId) return { id: fieldId, from: 'field', state }
  return textId === undefined ? undefined : { id: textId, from: 'text', state }
}

function stateOf(field: number | undefined, word: string | undefined): ReceiptState | undefined {
  if (field !== undefined && field > 0) return receiptStates[field - 1]
  const name = word?.toUpperCase()
  return receiptStates.find(
    (state) => name === state || (name && name.length >= 5 && state.startsWith(name.slice(0, 5))),
  )
}

/** International digits become E.164; alphanumeric senders and short codes stay. */
export function e164Of({ ton, digits }: SmppAddress): string {
  const isNumber = /^\+?\d{7,15}$/.test(digits)
  const isName = ton === 5
  if (isName || !isNumber) return digits.replace(/^00(?=[1-9]\d{6,14}$)/, '+')
  if (digits.startsWith('00')) return `+${digits.slice(2)}`
  return digits.startsWith('+') ? digits : `+${digits}`
}
