import { Button, Group, MultiSelect, Select } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { displayNumber } from '../../kit/phone-number.ts'
import type { useFilters } from '../../kit/ui/filters.ts'
import { useNumbers, useTags } from '../../kit/ui/lists.ts'
import { PersonPicker } from '../../kit/ui/people.tsx'
import { type Call, outcomeOf } from './call.ts'
import { DateFilter, dateSpanOf } from './date-filter.tsx'
import { SearchBox } from './search-box.tsx'

/** Filters the API does not support: calls are read page by page and filtered in the browser. */
export const narrowings: Record<string, { label: string; keeps: (call: Call) => boolean }> = {
  answered: { label: 'Answered', keeps: (call) => outcomeOf(call) === 'answered' },
  voicemail: { label: 'Has voicemail', keeps: (call) => call.voicemail !== null },
  recording: { label: 'Has recording', keeps: (call) => call.recording !== null },
  comments: { label: 'Has notes', keeps: (call) => call.comments.length > 0 },
  todo: {
    label: 'To do',
    keeps: (call) =>
      !call.archived && call.status === 'done' && (call.voicemail !== null || outcomeOf(call) === 'missed'),
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
    missed: filters.get('only') === 'missed' || undefined,
    ...dateSpanOf(filters),
  }
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
      <DateFilter filters={filters} />
      {!filters.isEmpty && (
        <Button variant="subtle" color="gray" leftSection={<IconX size={14} />} onClick={filters.clear}>
          Clear filters
        </Button>
      )}
    </Group>
  )
}
