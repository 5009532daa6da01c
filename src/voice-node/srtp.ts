import { createCipheriv, createHmac, timingSafeEqual } from 'node:crypto'
import { headerBytes } from './rtp.ts'

// RFC 3711 with AES_CM_128_HMAC_SHA1_80, the suite that every trunk supports; the keys come from the SDP (RFC 4568).

const tagBytes = 10
const replayWindow = 64

export interface SrtpKeys {
  cipher: Buffer
  salt: Buffer
  auth: Buffer
}

/** §4.3: session keys are derived from master key and salt (30 bytes). RTCP has keys of its own. */
export function sessionKeys(master: Buffer, isRtcp = false): SrtpKeys {
  if (master.length !== 30) throw new Error('an SRTP master key and salt are 30 bytes')
  const derive = (label: number, bytes: number) => {
    const start = Buffer.alloc(16)
    master.copy(start, 0, 16)
    start[7] = (start[7] ?? 0) ^ (label + (isRtcp ? 3 : 0))
    return createCipheriv('aes-128-ctr', master.subarray(0, 16), start).update(Buffer.alloc(bytes))
  }
  return { cipher: derive(0, 16), auth: derive(1, 20), salt: derive(2, 14) }
}

/** Encrypts outbound packets of one stream. */
export class SrtpSender {
  readonly #keys: SrtpKeys
  #rollover = 0
  #lastSequence = -1

  constructor(master: Buffer) {
    this.#keys = sessionKeys(master)
  }

  protect(packet: Buffer): Buffer {
    const sequence = packet.readUInt16BE(2)
    if (this.#lastSequence > 0xf000 && sequence < 0x1000) this.#rollover++
    this.#lastSequence = sequence
    const body = crypt(this.#keys, packet, headerBytes, sequence, this.#rollover)
    const whole = Buffer.concat([packet.subarray(0, headerBytes), body])
    return Buffer.concat([whole, tagOf(this.#keys, whole, this.#rollover)])
  }
}

/** Authenticates and decrypts inbound packets; undefined for a forged or replayed one. */
export class SrtpReceiver {
  readonly #keys: SrtpKeys
  #ssrc = -1
  #highest = -1
  /** Bit n: the packet n before the highest has arrived. */
  #seen = 0n

  constructor(master: Buffer) {
    this.#keys = sessionKeys(master)
  }

  unprotect(packet: Buffer): Buffer | undefined {
    const start = startOfPayload(packet)
    if (start === undefined || packet.length < start + tagBytes) return undefined
    const whole = packet.subarray(0, packet.length - tagBytes)
    const ssrc = packet.readUInt32BE(8)
    const sequence = packet.readUInt16BE(2)
    const index = ssrc === this.#ssrc ? this.#indexOf(sequence) : sequence
    const rollover = Math.floor(index / 65_536)
    if (!timingSafeEqual(tagOf(this.#keys, whole, rollover), packet.subarray(packet.length - tagBytes)))
      return undefined
    if (ssrc !== this.#ssrc) this.#begin(ssrc)
    if (!this.#note(index)) return undefined
    return Buffer.concat([whole.subarray(0, start), crypt(this.#keys, whole, start, sequence, rollover)])
  }

  #begin(ssrc: number): void {
    this.#ssrc = ssrc
    this.#highest = -1
    this.#seen = 0n
  }

  /** §3.3.1: the rollover counter that brings the index nearest to the highest so far. */
  #indexOf(sequence: number): number {
    if (this.#highest < 0) return sequence
    const rollover = Math.floor(this.#highest / 65_536)
    const candidates = [rollover - 1, rollover, rollover + 1].filter((each) => each >= 0)
    const distance = (each: number) => Math.abs(each * 65_536 + sequence - this.#highest)
    const nearest = candidates.reduce((best, each) => (distance(each) < distance(best) ? each : best))
    return nearest * 65_536 + sequence
  }

  /** §3.3.2: false for a replayed packet, or one before the replay window. */
  #note(index: number): boolean {
    if (index > this.#highest) {
      const shift = this.#highest < 0 ? replayWindow : Math.min(index - this.#highest, replayWindow)
      this.#seen = ((this.#seen << BigInt(shift)) | 1n) & ((1n << BigInt(replayWindow)) - 1n)
      this.#highest = index
      return true
    }
    const behind = this.#highest - index
    const bit = 1n << BigInt(Math.min(behind, replayWindow))
    if (behind >= replayWindow || (this.#seen & bit) !== 0n) return false
    this.#seen |= bit
    return true
  }
}

const rtcpHeaderBytes = 8
const encryptedFlag = 0x8000_0000

/** §3.4: SRTCP carries its index in the packet. */
export class SrtcpSender {
  readonly #keys: SrtpKeys
  #index = 0

  constructor(master: Buffer) {
    this.#keys = sessionKeys(master, true)
  }

  protect(packet: Buffer): Buffer {
    const index = ++this.#index
    const trailer = Buffer.alloc(4)
    trailer.writeUInt32BE((encryptedFlag | index) >>> 0)
    const body = crypt(this.#keys, packet, rtcpHeaderBytes, index & 0xffff, index >>> 16, 4)
    const whole = Buffer.concat([packet.subarray(0, rtcpHeaderBytes), body, trailer])
    return Buffer.concat([whole, tagOver(this.#keys, whole)])
  }
}

/** Undefined for a forged packet, or one that is not newer than the last. */
export class SrtcpReceiver {
  readonly #keys: SrtpKeys
  #highest = 0

  constructor(master: Buffer) {
    this.#keys = sessionKeys(master, true)
  }

  unprotect(packet: Buffer): Buffer | undefined {
    const end = packet.length - tagBytes
    if (end < rtcpHeaderBytes + 4) return undefined
    const whole = packet.subarray(0, end)
    if (!timingSafeEqual(tagOver(this.#keys, whole), packet.subarray(end))) return undefined
    const trailer = packet.readUInt32BE(end - 4)
    const index = trailer & 0x7fff_ffff
    if (index <= this.#highest) return undefined
    this.#highest = index
    const plain = packet.subarray(0, end - 4)
    if ((trailer & encryptedFlag) === 0) return plain
    const body = crypt(this.#keys, plain, rtcpHeaderBytes, index & 0xffff, index >>> 16, 4)
    return Buffer.concat([plain.subarray(0, rtcpHeaderBytes), body])
  }
}

function startOfPayload(packet: Buffer): number | undefined {
  if (packet.length < headerBytes) return undefined
  const first = packet.readUInt8(0)
  const start = headerBytes + 4 * (first & 0x0f)
  if (!(first & 0x10)) return start
  return packet.length < start + 4 ? undefined : start + 4 + 4 * packet.readUInt16BE(start + 2)
}

/** §4.1.1: the initial counter is the XOR of salt, SSRC and packet index. */
function crypt(keys: SrtpKeys, packet: Buffer, start: number, sequence: number, rollover: number, ssrcAt = 8): Buffer {
  const counter = Buffer.alloc(16)
  keys.salt.copy(counter)
  for (let i = 0; i < 4; i++) counter[4 + i] = (counter[4 + i] ?? 0) ^ (packet[ssrcAt + i] ?? 0)
  counter.writeUInt32BE((counter.readUInt32BE(8) ^ rollover) >>> 0, 8)
  counter.writeUInt16BE(counter.readUInt16BE(12) ^ sequence, 12)
  return createCipheriv('aes-128-ctr', keys.cipher, counter).update(packet.subarray(start))
}

const tagOver = (keys: SrtpKeys, packet: Buffer): Buffer =>
  createHmac('sha1', keys.auth).update(packet).digest().subarray(0, tagBytes)

function tagOf(keys: SrtpKeys, packet: Buffer, rollover: number): Buffer {
  const counter = Buffer.alloc(4)
  counter.writeUInt32BE(rollover)
  return createHmac('sha1', keys.auth).update(packet).update(counter).digest().subarray(0, tagBytes)
}
