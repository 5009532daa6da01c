import type { Duplex } from 'node:stream'

/** JSON messages over a stream: four bytes of length, then the text. */
export interface FramedMessages<Out> {
  send(message: Out): void
  /** Bytes that have not been written yet. */
  buffered(): number
  close(): void
}

interface Handlers<In> {
  onMessage(message: In): void
  /** Called once: the stream has ended, failed, or sent a message that is not valid. */
  onEnd(error?: Error): void
}

const headerBytes = 4
/** Above any message in use; a longer one is a different protocol. */
const maxBytes = 64 * 1024 * 1024

export function framedMessages<In, Out>(stream: Duplex, { onMessage, onEnd }: Handlers<In>): FramedMessages<Out> {
  let pending: Buffer = Buffer.alloc(0)
  let hasEnded = false

  function end(error?: Error): void {
    if (hasEnded) return
    hasEnded = true
    stream.destroy()
    onEnd(error)
  }

  stream.on('data', (chunk: Buffer) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
    while (!hasEnded && pending.length >= headerBytes) {
      const length = pending.readUInt32BE(0)
      if (length > maxBytes) return end(new Error(`message of ${length} bytes`))
      if (pending.length < headerBytes + length) return
      const text = pending.toString('utf8', headerBytes, headerBytes + length)
      pending = pending.subarray(headerBytes + length)
      try {
        onMessage(JSON.parse(text) as In)
      } catch (error) {
        return end(error instanceof Error ? error : new Error(String(error)))
      }
    }
  })
  stream.on('error', end)
  stream.on('close', () => end())
  stream.on('end', () => end())

  return {
    send(message) {
      if (hasEnded || stream.destroyed) return
      const text = Buffer.from(JSON.stringify(message))
      const header = Buffer.allocUnsafe(headerBytes)
      header.writeUInt32BE(text.length)
      stream.write(Buffer.concat([header, text]))
    },
    buffered: () => stream.writableLength,
    close: () => void stream.end(),
  }
}
