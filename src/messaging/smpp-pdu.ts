// SMPP 3.4 PDUs: encoding and decoding of the operations that a transceiver needs. No sockets, no timers.

export const commands = {
  generic_nack: 0x80000000,
  submit_sm: 0x00000004,
  submit_sm_resp: 0x80000004,
  deliver_sm: 0x00000005,
  deliver_sm_resp: 0x80000005,
  unbind: 0x00000006,
  unbind_resp: 0x80000006,
  bind_transceiver: 0x00000009,
  bind_transceiver_resp: 0x80000009,
  enquire_link: 0x00000015,
  enquire_link_resp: 0x80000015,
} as const

export const status = {
  ok: 0x00,
  invalidCommand: 0x03,
  wrongBindStatus: 0x04,
  alreadyBound: 0x05,
  systemError: 0x08,
  invalidSource: 0x0a,
  invalidDestination: 0x0b,
  bindFailed: 0x0d,
  wrongPassword: 0x0e,
  wrongSystemId: 0x0f,
  queueFull: 0x14,
  throttled: 0x58,
  temporaryApplicationError: 0x64,
  permanentApplicationError: 0x65,
} as const

export interface Pdu {
  command: number
  status: number
  sequence: number
  body: Buffer
}

const headingBytes = 16
/** Maximum PDU length; bounds memory. */
const maxBytes = 65_536

export class NotSmpp extends Error {}

export function writePdu({ command, status: code, sequence, body }: Pdu): Buffer {
  const bytes = Buffer.alloc(headingBytes + body.length)
  bytes.writeUInt32BE(bytes.length, 0)
  bytes.writeUInt32BE(command, 4)
  bytes.writeUInt32BE(code, 8)
  bytes.writeUInt32BE(sequence, 12)
  body.copy(bytes, headingBytes)
  return bytes
}

/** Splits the bytes of a connection into PDUs; throws NotSmpp for invalid input. */
export class PduReader {
  #waiting: Buffer = Buffer.alloc(0)

  take(chunk: Buffer): Pdu[] {
    this.#waiting = this.#waiting.length === 0 ? chunk : Buffer.concat([this.#waiting, chunk])
    const found: Pdu[] = []
    while (this.#waiting.length >= 4) {
      const length = this.#waiting.readUInt32BE(0)
      if (length < headingBytes || length > maxBytes) throw new NotSmpp(`an operation of ${length} bytes`)
      if (this.#waiting.length < length) break
      const bytes = this.#waiting.subarray(0, length)
      this.#waiting = this.#waiting.subarray(length)
      found.push({
        command: bytes.readUInt32BE(4),
        status: bytes.readUInt32BE(8),
        sequence: bytes.readUInt32BE(12),
        body: Buffer.from(bytes.subarray(headingBytes)),
      })
    }
    return found
  }
}

const text = (value: string) => Buffer.from(`${value}\0`, 'latin1')
const octets = (...values: number[]) => Buffer.from(values)

export interface Bind {
  systemId: string
  password: string
  systemType: string
}

/** SMPP 3.4 §4.1.5. */
export const bindBody = ({ systemId, password, systemType }: Bind) =>
  Buffer.concat([text(systemId), text(password), text(systemType), octets(0x34, 0, 0), text('')])

/** Type of number (TON) and numbering plan (NPI): 1 and 1 are an international E.164 number. */
export interface SmppAddress {
  ton: number
  npi: number
  digits: string
}

export interface Short {
  serviceType: string
  source: SmppAddress
  destination: SmppAddress
  esmClass: number
  registeredDelivery: number
  dataCoding: number
  message: Buffer
}

/** SMPP 3.4 §4.4.1 and §4.6.1 have the same fields. */
export const shortBody = (short: Short) =>
  Buffer.concat([
    text(short.serviceType),
    address(short.source),
    address(short.destination),
    // esm_class, protocol_id, priority_flag
    octets(short.esmClass, 0, 0),
    // schedule_delivery_time, validity_period
    text(''),
    text(''),
    // registered_delivery, replace_if_present_flag, data_coding, sm_default_msg_id, sm_length
    octets(short.registeredDelivery, 0, short.dataCoding, 0, short.message.length),
    short.message,
  ])

const address = ({ ton, npi, digits }: SmppAddress) => Buffer.concat([octets(ton, npi), text(digits)])

export const tlvTags = {
  receiptedMessageId: 0x001e,
  sarReference: 0x020c,
  sarTotal: 0x020e,
  sarPlace: 0x020f,
  payload: 0x0424,
  messageState: 0x0427,
} as const

export interface Delivered extends Pick<Short, 'source' | 'destination' | 'esmClass' | 'dataCoding' | 'message'> {
  more: Map<number, Buffer>
}

/** SMPP 3.4 §4.6.1. */
export function readDelivered(body: Buffer): Delivered {
  const fields = new Fields(body)
  fields.text()
  const source = { ton: fields.octet(), npi: fields.octet(), digits: fields.text() }
  const destination = { ton: fields.octet(), npi: fields.octet(), digits: fields.text() }
  const esmClass = fields.octet()
  fields.octet()
  fields.octet()
  fields.text()
  fields.text()
  fields.octet()
  fields.octet()
  const dataCoding = fields.octet()
  fields.octet()
  const short = fields.bytes(fields.octet())
  const more = fields.optional()
  return { source, destination, esmClass, dataCoding, message: more.get(tlvTags.payload) ?? short, more }
}

/** The message id assigned by the carrier. */
export const readMessageId = (body: Buffer) => new Fields(body).text()

/** The body of deliver_sm_resp: an empty message id. */
export const emptyId = () => text('')

class Fields {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  octet(): number {
    const value = this.#bytes[this.#at++]
    if (value === undefined) throw new NotSmpp('a field is missing')
    return value
  }

  text(): string {
    const end = this.#bytes.indexOf(0, this.#at)
    if (end < 0) throw new NotSmpp('a text without an end')
    const value = this.#bytes.toString('latin1', this.#at, end)
    this.#at = end + 1
    return value
  }

  bytes(length: number): Buffer {
    if (this.#at + length > this.#bytes.length) throw new NotSmpp('a message without its end')
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  optional(): Map<number, Buffer> {
    const found = new Map<number, Buffer>()
    while (this.#at + 4 <= this.#bytes.length) {
      const tag = this.#bytes.readUInt16BE(this.#at)
      const length = this.#bytes.readUInt16BE(this.#at + 2)
      this.#at += 4
      found.set(tag, this.bytes(length))
    }
    return found
  }
}
