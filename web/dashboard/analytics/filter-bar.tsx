import { Button, MultiSelect, NumberInput, Select, SimpleGrid, TextInput } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useNumbers, useTeams, useUsers } from '../../kit/ui/lists.ts'
import { timeZones } from '../../kit/ui/time-zones.ts'
import { type ActivityFilters, defaultRange, defaultSla, ranges } from './activity.ts'

/** Date range, time zone, numbers, teams and agents. */
export function FilterBar({ filters, zone }: { filters: ActivityFilters; zone: string }) {
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="xs" role="search" aria-label="Analytics">
      <PeriodFields filters={filters} zone={zone} />
      <SubjectFields filters={filters} />
      <NumberInput
        label="SLA threshold"
        suffix=" s"
        min={1}
        max={3_600}
        allowDecimal={false}
        value={Number(filters.get('sla') ?? defaultSla)}
        onChange={(value) => {
          if (value !== '') filters.set({ sla: value === defaultSla ? null : value })
        }}
      />
      {!filters.isEmpty && (
        <Button
          variant="subtle"
          color="gray"
          leftSection={<IconX size={14} />}
          onClick={filters.clear}
          style={{ alignSelf: 'end', justifySelf: 'start' }}
        >
          Clear filters
        </Button>
      )}
    </SimpleGrid>
  )
}

/** Date range and time zone. */
export function PeriodFields({ filters, zone }: { filters: ActivityFilters; zone: string }) {
  const range = filters.get('range') ?? defaultRange
  return (
    <>
      <Select
        label="Date range"
        allowDeselect={false}
        data={ranges}
        value={range}
        onChange={(value) => filters.set({ range: value === defaultRange ? null : value })}
      />
      {range === 'custom' && <Days filters={filters} />}
      <ZoneSelect value={zone} onChange={(value) => filters.set({ zone: value })} />
    </>
  )
}

function Days({ filters }: { filters: ActivityFilters }) {
  return (
    <>
      {(['from', 'to'] as const).map((end) => (
        <TextInput
          key={end}
          type="date"
          label={end === 'from' ? 'From' : 'To'}
          value={filters.get(end) ?? ''}
          onChange={(event) => filters.set({ [end]: event.currentTarget.value })}
        />
      ))}
    </>
  )
}

export function ZoneSelect({ value, onChange }: { value: string; onChange: (zone: string | null) => void }) {
  return (
    <Select
      label="Time zone"
      searchable
      allowDeselect={false}
      data={timeZones(value)}
      value={value}
      onChange={onChange}
    />
  )
}

/** Numbers, teams and agents. */
export function SubjectFields({ filters }: { filters: ActivityFilters }) {
  const { data: numbers = [] } = useNumbers()
  const { data: teams = [] } = useTeams()
  const { data: users = [] } = useUsers()
  const lists = [
    { key: 'number', label: 'Numbers', any: 'All', items: numbers },
    { key: 'team', label: 'Teams', any: 'All', items: teams },
    { key: 'user', label: 'Agents', any: 'All', items: users },
  ]
  return lists.map(({ key, label, any, items }) => (
    <MultiSelect
      key={key}
      label={label}
      placeholder={filters.all(key).length > 0 ? '' : any}
      searchable
      clearable
      data={items.map(({ id, name }) => ({ value: String(id), label: name }))}
      value={filters.all(key)}
      onChange={(value) => filters.set({ [key]: value })}
    />
  ))
}
