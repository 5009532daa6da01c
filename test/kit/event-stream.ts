import { onTestFinished } from 'vitest'
import { eventsIn, type SourceEvent } from '../../src/cli/event-source.ts'

/** A developer's connection to the event stream: what came over it, until either side ends it. */
export interface Listening {
  status: number
  frames: SourceEvent[]
  /** Resolves when enough has come, or with what has when the stream is over. */
  until(enough: (frames: readonly SourceEvent[]) => boolean): Promise<SourceEvent[]>
  /** Resolves when the server has ended it. */
  over: Promise<void>
  close(): Promise<void>
}

export async function listenTo(url: string, headers: Record<string, string>): Promise<Listening> {
  const hangUp = new AbortController()
  const response = await fetch(url, { headers, signal: hangUp.signal })
  const frames: SourceEvent[] = []
  const waiting: (() => void)[] = []
  const wake = () => {
    for (const resolve of waiting.splice(0)) resolve()
  }
  const reader = response.status === 200 ? response.body?.getReader() : undefined
  let isOver = reader === undefined
  const reading = (async () => {
    if (!reader) return
    for await (const frame of eventsIn(chunksOf(reader))) {
      frames.push(frame)
      wake()
    }
  })()
  const over = reading
    .catch(() => {})
    .finally(() => {
      isOver = true
      wake()
    })
  const close = async () => {
    hangUp.abort()
    // Once its request was collected as garbage, Node's fetch does not hear the signal any more.
    await reader?.cancel().catch(() => {})
    await over
  }
  onTestFinished(close)
  return {
    status: response.status,
    frames,
    async until(enough) {
      while (!isOver && !enough(frames)) await new Promise<void>((resolve) => waiting.push(resolve))
      return frames
    },
    over,
    close,
  }
}

async function* chunksOf(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
}
