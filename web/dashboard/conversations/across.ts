import type { useFilters } from '../../kit/ui/filters.ts'
import { periodIn } from '../analytics/activity.ts'

/** The filters of the page as API parameters; undefined until a custom range is complete. */
export function acrossOf(filters: ReturnType<typeof useFilters>, zone: string) {
  const period = periodIn(filters, zone)
  return (
    period && {
      ...period,
      number_id: filters.all('number'),
      team_id: filters.all('team'),
      user_id: filters.all('user'),
    }
  )
}
