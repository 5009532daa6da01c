import type { Buffer } from 'node:buffer'

/** SIP responses on the wire by class, retransmissions included. */
export interface ResponseCounts {
  received: Record<string, number>
  sent: Record<string, number>
}

const start = 'SIP/2.0 '

export function createResponseCounts() {
  const counts: ResponseCounts = { received: {}, sent: {} }
  return {
    /** Counts the message if it is a response; by its first bytes, because most messages are parsed elsewhere. */
    note(direction: keyof ResponseCounts, bytes: Buffer): void {
      const statusClass = (bytes[start.length] ?? 0) - 48
      if (statusClass < 1 || statusClass > 6 || bytes.toString('latin1', 0, start.length) !== start) return
      const name = `${statusClass}xx`
      counts[direction][name] = (counts[direction][name] ?? 0) + 1
    },
    counts: (): ResponseCounts => ({ received: { ...counts.received }, sent: { ...counts.sent } }),
  }
}
