import { pause, second } from '../lib/clock.ts'
import { type Api, RequestRefused } from './api.ts'
import type { StreamedEvent } from './event-stream.ts'

/** An event as returned by GET /v1/events. */
export interface EventLogEntry {
  position: number
  id: string
  event: string
  resource: string
  timestamp: number
  test: boolean
  data: Record<string, unknown>
}

export interface LogQuery {
  after?: number
  events?: string
  callId?: string
}

/** Reads the event log, oldest first, page by page. */
export async function* eventsInLog(api: Api, { after = 0, events, callId }: LogQuery): AsyncGenerator<EventLogEntry> {
  const query = new URLSearchParams({
    per_page: '50',
    ...(events !== undefined && { events }),
    ...(callId !== undefined && { call_id: callId }),
  })
  for (let last: number | undefined = after; last !== undefined; ) {
    query.set('after', String(last))
    const page = await withRateLimit(() => api.ask<Page>('GET', `/v1/events?${query}`))
    yield* page.events
    last = page.meta.next_page_link === null ? undefined : page.events.at(-1)?.position
  }
}

interface Page {
  meta: { next_page_link: string | null }
  events: EventLogEntry[]
}

/** Waits when the rate limit is exceeded. */
async function withRateLimit<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      const wait = error instanceof RequestRefused && error.status === 429 ? error.retryAfterSeconds : 0
      if (wait <= 0) throw error
      await pause(wait * second)
    }
  }
}

/** Converts a logged event to the format of the event stream. */
export const asStreamedEvent = ({
  position,
  event,
  resource,
  timestamp,
  test,
  data,
}: EventLogEntry): StreamedEvent => ({
  kind: 'event',
  position,
  headers: test ? { 'webhook-test': 'true' } : {},
  body: JSON.stringify({ resource, event, timestamp, data }),
})
