import { useQuery } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { api } from '../../kit/api.ts'
import type { LiveView } from '../parts/live.ts'
import { liveClock } from './live-clock.ts'

/** Agents, calls and queues; the last known state stays during an outage. */
export function useLive() {
  const query = useQuery({
    queryKey: ['live'],
    queryFn: () => api.get('/v1/live'),
    refetchInterval: 2_000,
    // The next interval retries.
    retry: false,
  })
  const { data, dataUpdatedAt } = query
  useEffect(() => {
    if (data) liveClock.set(data.now, dataUpdatedAt)
  }, [data, dataUpdatedAt])
  const now = useSyncExternalStore(liveClock.watch, liveClock.now)
  return { ...query, now: data ? Math.max(now, data.now) : 0 }
}

/** The figures at the top of the live page. */
export function figuresOf({ agents, calls, queues }: LiveView, now: number) {
  return {
    agents: agents.length,
    free: agents.filter(({ availability }) => availability === 'available').length,
    talking: calls.filter(({ state }) => state === 'connected' || state === 'on_hold').length,
    waiting: queues.reduce((sum, queue) => sum + queue.waiting, 0),
    maxWait: queues.length === 0 ? null : now - Math.min(...queues.map((queue) => queue.longest_since)),
  }
}
