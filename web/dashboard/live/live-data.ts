import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api } from '../../kit/api.ts'
import type { LiveView } from '../parts/live.ts'

/** Server time in seconds, extrapolated between two reads. In the sandbox it may be paused or ahead of browser time. */
function useNow(data: LiveView | undefined, readAt: number): number {
  const [here, setHere] = useState(Date.now())
  useEffect(() => {
    const timer = window.setInterval(() => setHere(Date.now()), 1_000)
    return () => window.clearInterval(timer)
  }, [])
  if (!data) return 0
  return data.now + Math.min(5, Math.max(0, Math.round((here - readAt) / 1_000)))
}

/** Agents, calls and queues; the last known state stays during an outage. */
export function useLive() {
  const query = useQuery({
    queryKey: ['live'],
    queryFn: () => api.get('/v1/live'),
    refetchInterval: 2_000,
    // The next interval retries.
    retry: false,
  })
  return { ...query, now: useNow(query.data, query.dataUpdatedAt) }
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
