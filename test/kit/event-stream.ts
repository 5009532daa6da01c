import http from 'node:http'
import { onTestFinished } from 'vitest'
import { eventsIn, type SourceEvent } from '../../src/cli/event-source.ts'

/** A client of the event stream: received frames until either side closes it. */
export interface Listening {
  status: number
  frames: SourceEvent[]
  /** Resolves when enough has arrived, or with everything when the stream has ended. */
  until(enough: (frames: readonly SourceEvent[]) => boolean): Promise<SourceEvent[]>
  /** Resolves when the server has closed it. */
  over: Promise<void>
  close(): Promise<void>
}

export async function listenTo(url: string, headers: Record<string, string>): Promise<Listening> {
  // Not fetch: once its request is garbage collected, it ignores the abort.
  const request = http.get(url, { headers, agent: false })
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    request.once('response', resolve)
    request.on('error', reject)
  })
  const frames: SourceEvent[] = []
  const waiting: (() => void)[] = []
  const wake = () => {
    for (const resolve of waiting.splice(0)) resolve()
  }
  const isStream = response.statusCode === 200
  let isOver = !isStream
  const reading = (async () => {
    if (!isStream) return void response.resume()
    for await (const frame of eventsIn(response)) {
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
    request.destroy()
    await over
  }
  onTestFinished(close)
  return {
    status: response.statusCode ?? 0,
    frames,
    async until(enough) {
      while (!isOver && !enough(frames)) await new Promise<void>((resolve) => waiting.push(resolve))
      return frames
    },
    over,
    close,
  }
}
