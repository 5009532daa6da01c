import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, type ResponseOf } from '../../kit/api.ts'
import { useSession } from '../../kit/session.tsx'
import { count } from '../../kit/ui/format.ts'

export type ClockView = ResponseOf<'/sandbox/v1/clock'>

export const clockKey = ['sandbox', 'clock']

/** The sandbox clock, which can be paused, accelerated and advanced. */
export function useSandboxClock(isWanted = true) {
  return useQuery({
    queryKey: clockKey,
    enabled: isWanted,
    refetchInterval: 5_000,
    queryFn: async () => ({ ...(await api.get('/sandbox/v1/clock')), readAt: Date.now() }),
  })
}

/** Server time in milliseconds, updated every second. */
export function useProductNow(): number {
  const { mode } = useSession()
  const { data: clock } = useSandboxClock(mode === 'sandbox')
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  if (!clock) return now
  const passed = clock.mode === 'frozen' ? 0 : Math.max(0, now - clock.readAt) * clock.speed
  return Date.parse(clock.now) + passed
}

/** A duration in at most two units: 4 days 3 hours, 12 minutes, 40 seconds. */
export function inWords(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  if (seconds < 60) return count(seconds, 'second')
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return count(minutes, 'minute')
  const hours = Math.floor(minutes / 60)
  if (hours < 24)
    return [count(hours, 'hour'), minutes % 60 > 0 && count(minutes % 60, 'minute')].filter(Boolean).join(' ')
  const days = Math.floor(hours / 24)
  return [count(days, 'day'), hours % 24 > 0 && count(hours % 24, 'hour')].filter(Boolean).join(' ')
}

/** "in 5 minutes" or "5 minutes ago". */
export function fromNow(at: string, now: number): string {
  const ms = Date.parse(at) - now
  return ms >= 0 ? `in ${inWords(ms)}` : `${inWords(-ms)} ago`
}

/** Overdue times read as now. */
export const dueIn = (at: string, now: number) => (Date.parse(at) > now ? fromNow(at, now) : 'now')
