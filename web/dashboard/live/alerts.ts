import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { api, type ResponseOf } from '../../kit/api.ts'
import { span } from '../../kit/ui/format.ts'
import { notifyAlert } from '../../kit/ui/toast.tsx'

export type LiveAlert = ResponseOf<'/v1/live/alerts'>['alerts'][number]

/** What has happened, as a sentence without a full stop. */
export function alertText({ kind, value }: Pick<LiveAlert, 'kind' | 'value'>): string {
  switch (kind) {
    case 'waiting_calls':
      return value === 1 ? '1 caller waiting' : `${value} callers waiting`
    case 'longest_wait':
      return `A caller has been waiting for ${span(value)}`
    case 'answered_share':
      return `Only ${value} % of today’s calls answered`
    case 'no_agent':
      return `No agent available for ${span(value)}`
  }
}

const pollMs = 10_000

/** The latest alerts, newest first. */
export function useLiveAlerts(): LiveAlert[] {
  const { data } = useQuery({
    queryKey: ['live', 'alerts'],
    queryFn: () => api.get('/v1/live/alerts'),
    refetchInterval: pollMs,
    retry: false,
  })
  return data?.alerts ?? none
}

const none: LiveAlert[] = []

export const activeOf = (alerts: readonly LiveAlert[]) => alerts.filter(({ cleared_at }) => cleared_at === null)

/** Reports alerts that are raised while the dashboard is open, on any page. */
export function useAlertToasts(): void {
  const alerts = useLiveAlerts()
  const seen = useRef<number | undefined>(undefined)
  useEffect(() => {
    if (alerts === none) return
    const newest = Math.max(0, ...alerts.map(({ id }) => id))
    const before = seen.current ?? newest
    seen.current = Math.max(before, newest)
    for (const alert of activeOf(alerts)) if (alert.id > before) notifyAlert('Live alert', alertText(alert))
  }, [alerts])
}
