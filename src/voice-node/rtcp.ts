// RFC 3550 §6: sender and receiver reports.

export interface ReportBlock {
  /** The stream it is about. */
  ssrc: number
  /** In 1/256, since the previous report. */
  fractionLost: number
  /** Since the beginning. */
  lost: number
  highestSequence: number
  /** In units of the timestamp. */
  jitter: number
  /** Middle 32 bits of the NTP time of the last sender report, and the time since then in 1/65,536 s. */
  lastReport: number
  delay: number
}

export interface SenderInfo {
  /** UNIX milliseconds. */
  at: number
  timestamp: number
  packets: number
  octets: number
}

const senderReport = 200
const receiverReport = 201
const sourceDescription = 202
const maxBlocks = 31
const blockBytes = 24
/** Seconds from 1900 to 1970. */
const ntpEpoch = 2_208_988_800

/** Middle 32 bits of an NTP timestamp. */
export function compactNtp(atMs: number): number {
  const seconds = Math.floor(atMs / 1_000) + ntpEpoch
  return (((seconds & 0xffff) << 16) | Math.floor(((atMs % 1_000) / 1_000) * 65_536)) >>> 0
}

/** A compound packet: the report and the CNAME that §6.1 requires. */
export function writeReport(ssrc: number, sender: SenderInfo | null, block: ReportBlock | null, cname: string): Buffer {
  const head = sender ? 28 : 8
  const report = Buffer.alloc(head + (block ? blockBytes : 0))
  writeHead(report, block ? 1 : 0, sender ? senderReport : receiverReport)
  report.writeUInt32BE(ssrc, 4)
  if (sender) {
    const seconds = Math.floor(sender.at / 1_000)
    report.writeUInt32BE((seconds + ntpEpoch) >>> 0, 8)
    report.writeUInt32BE(Math.floor(((sender.at - seconds * 1_000) / 1_000) * 2 ** 32) >>> 0, 12)
    report.writeUInt32BE(sender.timestamp, 16)
    report.writeUInt32BE(sender.packets >>> 0, 20)
    report.writeUInt32BE(sender.octets >>> 0, 24)
  }
  if (block) writeBlock(report, head, block)
  return Buffer.concat([report, description(ssrc, cname)])
}

function writeHead(packet: Buffer, count: number, type: number): void {
  packet[0] = 0x80 | count
  packet[1] = type
  packet.writeUInt16BE(packet.length / 4 - 1, 2)
}

function writeBlock(packet: Buffer, at: number, block: ReportBlock): void {
  packet.writeUInt32BE(block.ssrc, at)
  packet.writeUInt32BE(((block.fractionLost << 24) | (Math.min(block.lost, 0x7f_ffff) & 0xff_ffff)) >>> 0, at + 4)
  packet.writeUInt32BE(block.highestSequence >>> 0, at + 8)
  packet.writeUInt32BE(block.jitter >>> 0, at + 12)
  packet.writeUInt32BE(block.lastReport >>> 0, at + 16)
  packet.writeUInt32BE(block.delay >>> 0, at + 20)
}

function description(ssrc: number, cname: string): Buffer {
  const name = Buffer.from(cname, 'utf8').subarray(0, 255)
  // The terminating item, padded to a 32-bit word.
  const length = Math.ceil((8 + 2 + name.length + 1) / 4) * 4
  const packet = Buffer.alloc(length)
  writeHead(packet, 1, sourceDescription)
  packet.writeUInt32BE(ssrc, 4)
  packet[8] = 1
  packet[9] = name.length
  name.copy(packet, 10)
  return packet
}

export interface Reports {
  /** Middle 32 bits of the NTP time of a sender report, with its sender. */
  sender: { ssrc: number; ntp: number } | null
  blocks: ReportBlock[]
}

/** Null unless it is a compound packet that starts with a report (RFC 3550 appendix A.2). */
export function readReports(packet: Buffer): Reports | null {
  const reports: Reports = { sender: null, blocks: [] }
  let at = 0
  while (at < packet.length) {
    if (packet.length - at < 8) return null
    const first = packet.readUInt8(at)
    const type = packet.readUInt8(at + 1)
    const end = at + 4 * (packet.readUInt16BE(at + 2) + 1)
    if (first >> 6 !== 2 || end > packet.length) return null
    if (at === 0 && type !== senderReport && type !== receiverReport) return null
    if (!readReport(packet, at, end, type, first & 0x1f, reports)) return null
    at = end
  }
  return packet.length === 0 ? null : reports
}

function readReport(packet: Buffer, at: number, end: number, type: number, count: number, reports: Reports): boolean {
  if (type !== senderReport && type !== receiverReport) return true
  const blocksAt = at + (type === senderReport ? 28 : 8)
  if (blocksAt + count * blockBytes > end) return false
  if (type === senderReport) {
    const ntp = ((packet.readUInt16BE(at + 10) << 16) | packet.readUInt16BE(at + 12)) >>> 0
    reports.sender = { ssrc: packet.readUInt32BE(at + 4), ntp }
  }
  for (let i = 0; i < count && reports.blocks.length < maxBlocks; i++) {
    reports.blocks.push(readBlock(packet, blocksAt + i * blockBytes))
  }
  return true
}

function readBlock(packet: Buffer, at: number): ReportBlock {
  return {
    ssrc: packet.readUInt32BE(at),
    fractionLost: packet.readUInt8(at + 4),
    lost: packet.readIntBE(at + 5, 3),
    highestSequence: packet.readUInt32BE(at + 8),
    jitter: packet.readUInt32BE(at + 12),
    lastReport: packet.readUInt32BE(at + 16),
    delay: packet.readUInt32BE(at + 20),
  }
}
