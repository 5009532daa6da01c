import { Button, Group, MultiSelect, Select, Text, TextInput } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { displayNumber } from '../../kit/phone-number.ts'
import type { useFilters } from '../../kit/ui/filters.ts'
import { useNumbers, useTags } from '../../kit/ui/lists.ts'
import { PersonPicker } from '../../kit/ui/people.tsx'
import { type Call, outcomeOf } from './call.ts'
import { SearchBox } from './search-box.tsx'

/** Filters the API does not support: calls are read page by page and filtered in the browser. */
export const narrowings: Record<string, { label: string; keeps: (call: Call) => boolean }> = {
  answered: { label: 'Answered', keeps: (call) => outcomeOf(call) === 'answered' },
  voicemail: { label: 'Has voicemail', keeps: (call) => call.voicemail !== null },
  recording: { label: 'Has recording', keeps: (call) => call.recording !== null },
  comments: { label: 'Has comments', keeps: (call) => call.comments.length > 0 },
  todo: {
    label: 'To do',
    keeps: (call) => !call.archived && call.status === 'done' && ['missed', 'voicemail'].includes(outcomeOf(call)),
  },
  open: { label: 'Not archived', keeps: (call) => !call.archived && call.status === 'done' },
}

type Filters = ReturnType<typeof useFilters>

/** A link may also filter by the number of a caller. */
function numberOptions(numbers: { name: string; digits: string }[], phone: string | null) {
  const own = numbers.map(({ name, digits }) => ({ value: digits.replace(/[^\d+]/g, ''), label: name }))
  return phone === null || own.some(({ value }) => value === phone)
    ? own
    : [...own, { value: phone, label: displayNumber(phone) }]
}

/** The query parameters of the page as API parameters. */
export function searchOf(filters: Filters) {
  return {
    order: filters.get('order') === 'asc' ? 'asc' : 'desc',
    text: filters.get('q'),
    fetch_contact: true,
    direction: filters.get('direction'),
    user_id: filters.get('user'),
    phone_number: filters.get('phone'),
    tags: filters.all('tag'),
    missed: ['missed', 'todo'].includes(filters.get('only') ?? '') || undefined,
    ...spanOf(filters),
  }
}

const datePresets = [
  { value: 'today', label: 'Today' },
  { value: 'yesterday', label: 'Yesterday' },
  { value: 'week', label: 'Last 7 days' },
  { value: 'month', label: 'This month' },
  { value: 'custom', label: 'Custom dates' },
]

/** A preset is computed when the list is read, so that a saved "Today" stays today. */
function spanOf(filters: Filters): { from: number | undefined; to: number | undefined } {
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

/** UNIX seconds; the last day is included. */
function dayStart(day: string | null, later: 0 | 1): number | undefined {
  const [year, month, date] = (day ?? '').split('-').map(Number)
  if (!year || !month || !date) return undefined
  const at = new Date(year, month - 1, date + later).getTime()
  return at / 1_000 - later
}

export function CallFilters({ filters }: { filters: Filters }) {
  const { data: tags = [] } = useTags()
  const { data: numbers = [] } = useNumbers()
  const user = Number(filters.get('user')) || null
  return (
    <Group gap="xs" align="flex-end" role="search" aria-label="Calls">
      <SearchBox label="Name or part of a number" value={filters.get('q') ?? ''} onChange={(q) => filters.set({ q })} />
      <Select
        aria-label="Number"
        placeholder="All numbers"
        clearable
        w={160}
        data={numberOptions(numbers, filters.get('phone'))}
        value={filters.get('phone')}
        onChange={(phone) => filters.set({ phone })}
      />
      <Select
        aria-label="Direction"
        placeholder="All directions"
        clearable
        w={155}
        data={[
          { value: 'inbound', label: 'Inbound' },
          { value: 'outbound', label: 'Outbound' },
        ]}
        value={filters.get('direction')}
        onChange={(direction) => filters.set({ direction })}
      />
      <Select
        aria-label="Outcome"
        placeholder="All outcomes"
        clearable
        w={160}
        data={[
          { value: 'missed', label: 'Missed' },
          ...Object.entries(narrowings).map(([value, { label }]) => ({ value, label })),
        ]}
        value={filters.get('only')}
        onChange={(only) => filters.set({ only })}
      />
      <PersonPicker
        aria-label="Agent"
        placeholder="All agents"
        clearable
        w={170}
        value={user}
        onChange={(id) => filters.set({ user: id })}
      />
      <MultiSelect
        aria-label="Tags"
        placeholder={filters.all('tag').length > 0 ? '' : 'All tags'}
        clearable
        searchable
        miw={150}
        maw={320}
        data={tags.map(({ id, name }) => ({ value: String(id), label: name }))}
        value={filters.all('tag')}
        onChange={(tag) => filters.set({ tag })}
      />
      <Dates filters={filters} />
      {!filters.isEmpty && (
        <Button variant="subtle" color="gray" leftSection={<IconX size={14} />} onClick={filters.clear}>
          Clear filters
        </Button>
      )}
    </Group>
  )
}

function Dates({ filters }: { filters: Filters }) {
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
          <TextInput
            type="date"
            aria-label="From date"
            leftSection={
              <Text size="sm" c="dimmed">
                From
              </Text>
            }
            leftSectionWidth={52}
            w={185}
            value={filters.get('from') ?? ''}
            onChange={(event) => filters.set({ from: event.currentTarget.value })}
          />
          <TextInput
            type="date"
            aria-label="To date"
            leftSection={
              <Text size="sm" c="dimmed">
                To
              </Text>
            }
            leftSectionWidth={36}
            w={170}
            value={filters.get('to') ?? ''}
            onChange={(event) => filters.set({ to: event.currentTarget.value })}
          />
        </>
      )}
    </>
  )
}
