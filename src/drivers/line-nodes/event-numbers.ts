import { createHash } from 'node:crypto'

// Every node counts its own events. A call stores the number of the last event of each leg, and another process compares it
// after a restart: the number must be the same everywhere, and different for events of different nodes.

const nodes = 4_096

export interface EventNumbers {
  /** Negative numbers are events of this process and stay as they are. */
  outer(seq: number): number
  /** Undefined: not an event of this node. */
  inner(seq: number): number | undefined
}

export function eventNumbersOf(nodeId: string): EventNumbers {
  const share = createHash('sha256').update(nodeId).digest().readUInt16BE(0) % nodes
  return {
    outer: (seq) => (seq > 0 ? seq * nodes + share : seq),
    inner: (seq) => (seq > 0 && seq % nodes === share ? (seq - share) / nodes : undefined),
  }
}
