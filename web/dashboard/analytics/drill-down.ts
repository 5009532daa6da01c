import type { Activity, ActivityFilters } from './activity.ts'

type Value = string | number | null | undefined

/** The URL of the calls behind a figure: the date range and filters of the page, narrowed further. */
export type CallsLink = (narrower?: Record<string, Value>) => string

export function callsLinkOf(activity: Pick<Activity, 'timezone' | 'from_date' | 'to_date'>, filters?: ActivityFilters) {
  return (narrower: Record<string, Value> = {}): string => {
    const query = new URLSearchParams({
      zone: activity.timezone,
      from: activity.from_date,
      to: activity.to_date,
    })
    for (const name of ['number', 'team', 'user'] as const) {
      if (name in narrower) continue
      for (const id of filters?.all(name) ?? []) query.append(name, id)
    }
    for (const [name, value] of Object.entries(narrower)) {
      if (value !== null && value !== undefined) query.set(name, String(value))
    }
    return `/dashboard/calls?${query}`
  }
}

/** The calls of the series of the bars, in their order. */
export const flowsOf = (link: CallsLink, narrower: Record<string, Value>) => [
  link({ ...narrower, direction: 'inbound', outcome: 'answered' }),
  link({ ...narrower, outcome: 'missed' }),
  link({ ...narrower, direction: 'outbound' }),
]
