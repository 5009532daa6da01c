import { Select, Text, TextInput } from '@mantine/core'
import { instantOf } from '../../kit/ui/format.ts'
import type { Filters } from './table-tools.tsx'

const datePresets = [
  { value: 'today', label: 'Today' },
  { value: 'yesterday', label: 'Yesterday' },
  { value: 'week', label: 'Last 7 days' },
  { value: 'month', label: 'This month' },
  { value: 'custom', label: 'Custom dates' },
]

/** The query parameters of a date filter. */
export const dateParams = ['range', 'from', 'to'] as const

interface DateSpan {
  from: number | undefined
  to: number | undefined
}

/** UNIX seconds. A preset is computed when the list is read, so that a saved "Today" stays today. */
export function dateSpanOf(filters: Filters): DateSpan {
  const now = new Date()
  const daysAgo = (days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() - days).getTime() / 1_000
  switch (filters.get('range')) {
    case 'today':
      return { from: daysAgo(0), to: undefined }
    case 'yesterday':
      return { from: daysAgo(1), to: daysAgo(0) - 1 }
    case 'week':
      return { from: daysAgo(6), to: undefined }
    case 'month':
      return { from: daysAgo(now.getDate() - 1), to: undefined }
    default:
      return { from: dayStart(filters.get('from'), 0), to: dayStart(filters.get('to'), 1) }
  }
}

/** Whether a time of the API is in the span. */
export function isInSpan({ from, to }: DateSpan, time: string | number | null): boolean {
  if (from === undefined && to === undefined) return true
  if (time === null) return false
  const at = instantOf(time).getTime() / 1_000
  return at >= (from ?? 0) && at < (to ?? Number.POSITIVE_INFINITY) + 1
}

/** The last day is included. */
function dayStart(day: string | null, later: 0 | 1): number | undefined {
  const [year, month, date] = (day ?? '').split('-').map(Number)
  if (!year || !month || !date) return undefined
  const at = new Date(year, month - 1, date + later).getTime()
  return at / 1_000 - later
}

/** Presets, and a first and last day. */
export function DateFilter({ filters }: { filters: Filters }) {
  const hasDates = filters.get('from') !== null || filters.get('to') !== null
  const range = filters.get('range') ?? (hasDates ? 'custom' : null)
  return (
    <>
      <Select
        aria-label="Date range"
        placeholder="All dates"
        clearable
        w={150}
        data={datePresets}
        value={range}
        onChange={(next) => filters.set({ range: next, ...(next !== 'custom' && { from: null, to: null }) })}
      />
      {range === 'custom' && (
        <>
          <DayInput label="From" width={52} filters={filters} name="from" />
          <DayInput label="To" width={36} filters={filters} name="to" />
        </>
      )}
    </>
  )
}

interface DayInputProps {
  label: string
  width: number
  filters: Filters
  name: 'from' | 'to'
}

function DayInput({ label, width, filters, name }: DayInputProps) {
  return (
    <TextInput
      type="date"
      aria-label={`${label} date`}
      leftSection={
        <Text size="sm" c="dimmed">
          {label}
        </Text>
      }
      leftSectionWidth={width}
      w={133 + width}
      value={filters.get(name) ?? ''}
      onChange={(event) => filters.set({ [name]: event.currentTarget.value })}
    />
  )
}
