import { Buffer } from 'node:buffer'
import { largestMessage } from './message.ts'

export interface Framer {
  /** The complete messages so far. After `broken` the stream cannot be resynchronized. */
  push(bytes: Buffer): { messages: Buffer[]; pings: number; broken: boolean }
}

/** RFC 3261 §18.3: on a stream, Content-Length delimits messages. RFC 5626 §3.5.1: a double CRLF is a keep-alive ping. */
export function createFramer(limit = largestMessage): Framer {
  let held: Buffer = Buffer.alloc(0)

  function next(): Buffer | 'ping' | 'pong' | 'more' | 'broken' {
    if (held.length === 0) return 'more'
    if (held[0] === 13 || held[0] === 10) return lineBreaks()
    const end = held.indexOf('\r\n\r\n')
    if (end < 0) return held.length > limit ? 'broken' : 'more'
    const length = contentLength(held.toString('latin1', 0, end))
    if (length === undefined || end + 4 + length > limit) return 'broken'
    if (held.length < end + 4 + length) return 'more'
    return take(end + 4 + length)
  }

  function lineBreaks(): 'ping' | 'pong' | 'more' | 'broken' {
    if (held.length < 2) return held[0] === 13 ? 'more' : 'broken'
    if (held[0] !== 13 || held[1] !== 10) return 'broken'
    const isPing = held.length >= 4 && held[2] === 13 && held[3] === 10
    take(isPing ? 4 : 2)
    return isPing ? 'ping' : 'pong'
  }

  function take(length: number): Buffer {
    const taken = held.subarray(0, length)
    held = held.subarray(length)
    return taken
  }

  return {
    push(bytes) {
      held = held.length === 0 ? bytes : Buffer.concat([held, bytes])
      const messages: Buffer[] = []
      let pings = 0
      for (;;) {
        const found = next()
        if (found === 'more' || found === 'broken') return { messages, pings, broken: found === 'broken' }
        if (found === 'ping') pings++
        else if (found !== 'pong') messages.push(found)
      }
    },
  }
}

function contentLength(head: string): number | undefined {
  const values = head
    .split('\r\n')
    .flatMap((line) => /^(?:content-length|l)[ \t]{0,9}:[ \t]{0,9}(\d{1,6})[ \t]{0,9}$/i.exec(line)?.[1] ?? [])
  const [first] = values
  return first !== undefined && values.every((one) => one === first) ? Number(first) : undefined
}
