// RFC 3550: RTP packets.

export interface RtpHeader {
  payloadType: number
  marker: boolean
  sequence: number
  timestamp: number
  ssrc: number
  /** Position of the payload in the packet. */
  start: number
  end: number
}

export const headerBytes = 12

export const emptyHeader = (): RtpHeader => ({
  payloadType: 0,
  marker: false,
  sequence: 0,
  timestamp: 0,
  ssrc: 0,
  start: 0,
  end: 0,
})

/** RFC 5761 §4: on a shared port these types are RTCP. */
export const isRtcp = (packet: Uint8Array): boolean => {
  const type = (packet[1] ?? 0) & 0x7f
  return type >= 64 && type <= 95
}

/** Fills the given header instead of allocating one per packet. False: not RTP. */
export function readRtp(packet: Buffer, header: RtpHeader): boolean {
  if (packet.length < headerBytes) return false
  const first = packet.readUInt8(0)
  if (first >> 6 !== 2 || isRtcp(packet)) return false
  let start = headerBytes + 4 * (first & 0x0f)
  if (first & 0x10) {
    if (packet.length < start + 4) return false
    start += 4 + 4 * packet.readUInt16BE(start + 2)
  }
  let end = packet.length
  if (first & 0x20) end -= packet.readUInt8(packet.length - 1)
  if (start > end) return false
  const second = packet.readUInt8(1)
  header.payloadType = second & 0x7f
  header.marker = second >= 0x80
  header.sequence = packet.readUInt16BE(2)
  header.timestamp = packet.readUInt32BE(4)
  header.ssrc = packet.readUInt32BE(8)
  header.start = start
  header.end = end
  return true
}

/** Writes a header of twelve bytes, without extension. */
export function writeRtpHeader(
  packet: Buffer,
  payloadType: number,
  marker: boolean,
  sequence: number,
  timestamp: number,
  ssrc: number,
): void {
  packet[0] = 0x80
  packet[1] = (marker ? 0x80 : 0) | payloadType
  packet.writeUInt16BE(sequence, 2)
  packet.writeUInt32BE(timestamp, 4)
  packet.writeUInt32BE(ssrc, 8)
}
