import { pause, second } from '../lib/clock.ts'
import { type Api, Refusal } from './api.ts'
import type { Told } from './event-stream.ts'

/** As GET /v1/events shows it. */
export interface LoggedEvent {
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

/** The log of the company, oldest first, page by page. */
export async function* eventsInLog(api: Api, { after = 0, events, callId }: LogQuery): AsyncGenerator<LoggedEvent> {
  const query = new URLSearchParams({
    per_page: '50',
    ...(events !== undefined && { events }),
    ...(callId !== undefined && { call_id: callId }),
  })
  for (let last: number | undefined = after; last !== undefined; ) {
    query.set('after', String(last))
    const page = await patiently(() => api.ask<Page>('GET', `/v1/events?${query}`))
    yield* page.events
    last = page.meta.next_page_link === null ? undefined : page.events.at(-1)?.position
  }
}

interface Page {
  meta: { next_page_link: string | null }
  events: LoggedEvent[]
}

/** A long log may take more requests than a minute has. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      const wait = error instanceof Refusal && error.status === 429 ? error.retryAfterSeconds : 0
      if (wait <= 0) throw error
      await pause(wait * second)
    }
  }
}

/** As it would have come over the stream, for whoever shows it. */
export const asTold = ({ position, event, resource, timestamp, test, data }: LoggedEvent): Told => ({
  kind: 'event',
  position,
  headers: test ? { 'webhook-test': 'true' } : {},
  body: JSON.stringify({ resource, event, timestamp, data }),
})
