// RFC 3533: pages that carry the packets of one or more streams. Only the first stream is read.

export interface OggStream {
  packets: Buffer[]
  /** End position of the last page, in samples; null if it has none. */
  end: number | null
}

const pageHead = 27
const unknownPosition = 0xffff_ffff_ffff_ffffn
/** More damaged pages than this mean a hostile file: each costs a checksum over up to 64 kB. */
const maxDamaged = 100
const maxPackets = 500_000

/**
 * The packets of the first stream. A page with a wrong checksum is skipped, with the packets that are partly in it; a
 * truncated page ends the stream.
 */
export function readOgg(bytes: Buffer): OggStream | 'damaged' {
  const packets: Buffer[] = []
  let pieces: Buffer[] = []
  let serial: number | null = null
  let next: number | null = null
  let end: number | null = null
  let damaged = 0
  for (let at = bytes.indexOf('OggS'); at >= 0; ) {
    const page = pageAt(bytes, at)
    if (page === 'cut') break
    if (page === 'damaged') {
      if (++damaged > maxDamaged) return 'damaged'
      at = bytes.indexOf('OggS', at + 4)
      continue
    }
    at = bytes.indexOf('OggS', page.end)
    serial ??= page.serial
    if (page.serial !== serial) continue
    // A page is missing: the unfinished packet before and the continued one after it are dropped.
    const isNext = next === null || page.sequence === next
    next = (page.sequence + 1) >>> 0
    if (!isNext || !page.continues) pieces = []
    let isWhole = page.continues ? pieces.length > 0 : true
    for (const { piece, isLast } of page.pieces) {
      if (isWhole) pieces.push(piece)
      if (!isLast) continue
      const packet = Buffer.concat(pieces)
      if (isWhole && packet.length > 0) packets.push(packet)
      if (packets.length > maxPackets) return 'damaged'
      pieces = []
      isWhole = true
    }
    if (page.position !== unknownPosition) end = Number(page.position)
    if (page.isLast) break
  }
  return packets.length === 0 && damaged > 0 ? 'damaged' : { packets, end }
}

interface Page {
  continues: boolean
  isLast: boolean
  position: bigint
  serial: number
  sequence: number
  pieces: { piece: Buffer; isLast: boolean }[]
  end: number
}

function pageAt(bytes: Buffer, at: number): Page | 'damaged' | 'cut' {
  if (at + pageHead > bytes.length) return 'cut'
  const lengthOfTable = bytes.readUInt8(at + 26)
  const body = at + pageHead + lengthOfTable
  if (body > bytes.length) return 'cut'
  const table = bytes.subarray(at + pageHead, body)
  const end = table.reduce((sum, length) => sum + length, body)
  // The header itself may be damaged: intact pages may follow.
  if (end > bytes.length) return bytes.indexOf('OggS', at + 4) < 0 ? 'cut' : 'damaged'
  if (bytes.readUInt8(at + 4) !== 0 || checksum(bytes, at, end) !== bytes.readUInt32LE(at + 22)) return 'damaged'
  const flags = bytes.readUInt8(at + 5)
  return {
    continues: (flags & 1) !== 0,
    isLast: (flags & 4) !== 0,
    position: bytes.readBigUInt64LE(at + 6),
    serial: bytes.readUInt32LE(at + 14),
    sequence: bytes.readUInt32LE(at + 18),
    pieces: piecesOf(bytes, body, table),
    end,
  }
}

/** A length of 255 continues in the next entry; a table that ends with one continues in the next page. */
function piecesOf(bytes: Buffer, body: number, table: Buffer): Page['pieces'] {
  const pieces: Page['pieces'] = []
  let from = body
  let to = body
  for (const length of table) {
    to += length
    if (length === 255) continue
    pieces.push({ piece: bytes.subarray(from, to), isLast: true })
    from = to
  }
  if (to > from) pieces.push({ piece: bytes.subarray(from, to), isLast: false })
  return pieces
}

const sums = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 24
  for (let bit = 0; bit < 8; bit++) sum = sum & 0x8000_0000 ? (sum << 1) ^ 0x04c1_1db7 : sum << 1
  return sum
})

/** CRC of the page, with its checksum field as zero. */
export function checksum(bytes: Buffer, from: number, until: number): number {
  let sum = 0
  for (let at = from; at < until; at++) {
    const isOwn = at >= from + 22 && at < from + 26
    const byte = isOwn ? 0 : (bytes[at] ?? 0)
    sum = (sum << 8) ^ (sums[((sum >>> 24) ^ byte) & 0xff] ?? 0)
  }
  return sum >>> 0
}
