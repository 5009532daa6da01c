import { Checkbox, Group, MultiSelect, Select, TagsInput, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { useSession } from '../../kit/session.tsx'
import { Figure } from '../../kit/ui/figure.tsx'
import { FormDrawer } from '../../kit/ui/form-drawer.tsx'
import { useNumbers, useTags, useTeams, useUsers } from '../../kit/ui/lists.ts'
import { zoneOf } from '../../kit/ui/time-zones.ts'
import { say } from '../../kit/ui/toast.tsx'
import { ranges, usualSla } from './activity.ts'
import { exportsKey } from './exports.tsx'
import { ZoneSelect } from './filter-bar.tsx'
import { type Filter, inputOf, reports, type Wish } from './reports.ts'

/** A report, the days, and whose rows: the file comes by itself. */
export function NewExport({ close }: { close: () => void }) {
  const { user } = useSession()
  const queries = useQueryClient()
  const [wish, setWish] = useState<Wish>(() => ({ ...blank, zone: zoneOf(user) }))
  const set = (part: Partial<Wish>) => setWish((before) => ({ ...before, ...part }))
  const report = reports.find(({ name }) => name === wish.report)
  const submit = async () => {
    await api.post('/v1/analytics/report/export', inputOf(wish))
    await queries.invalidateQueries({ queryKey: exportsKey })
    say('The report is being made')
  }
  const lacksDays = wish.range === 'custom' && !(wish.from && wish.to)
  return (
    <FormDrawer title="New export" opened close={close} action="Make it" submit={submit} disabled={lacksDays}>
      <Select
        label="Report"
        description={report?.hint}
        allowDeselect={false}
        data={reports.map(({ name, label }) => ({ value: name, label }))}
        value={wish.report}
        onChange={(value) => value && set({ report: value })}
      />
      <Group grow align="flex-start">
        <Select
          label="Days"
          allowDeselect={false}
          data={ranges.filter(({ value }) => !value.startsWith('last_'))}
          value={wish.range}
          onChange={(value) => value && set({ range: value })}
        />
        <ZoneSelect value={wish.zone} onChange={(zone) => zone && set({ zone })} />
      </Group>
      {wish.range === 'custom' && (
        <Group grow>
          {(['from', 'to'] as const).map((end) => (
            <TextInput
              key={end}
              type="date"
              required
              label={end === 'from' ? 'From' : 'To'}
              value={wish[end]}
              onChange={(event) => set({ [end]: event.currentTarget.value })}
            />
          ))}
        </Group>
      )}
      {report?.daily && (
        <Checkbox
          label="One row per person and day"
          checked={wish.daily}
          onChange={(event) => set({ daily: event.currentTarget.checked })}
        />
      )}
      {report?.sla && (
        <Figure
          label="Answer within"
          description="What counts as in time"
          suffix=" s"
          min={1}
          max={3_600}
          value={wish.sla}
          onChange={(sla) => set({ sla })}
        />
      )}
      <Text size="sm" fw={600} mt="xs">
        Only
      </Text>
      <Narrowing wish={wish} set={set} filters={report?.filters ?? []} />
      <TextInput
        label="Name of the file"
        placeholder={report?.label ?? ''}
        maxLength={100}
        value={wish.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
    </FormDrawer>
  )
}

const blank: Wish = {
  report: 'CALLS_HISTORY',
  name: '',
  range: 'LAST_MONTH',
  from: '',
  to: '',
  zone: 'Etc/UTC',
  daily: false,
  sla: usualSla,
  people: [],
  teams: [],
  allTeams: false,
  numbers: [],
  customers: [],
  tags: [],
  types: [],
  voicemail: '',
  origin: [],
  status: [],
  hours: [],
}

const types = [
  { value: 'INBOUND', label: 'Inbound' },
  { value: 'INBOUND_ANSWERED', label: 'Inbound, answered' },
  { value: 'INBOUND_UNANSWERED', label: 'Inbound, missed' },
  { value: 'OUTBOUND', label: 'Outbound' },
  { value: 'OUTBOUND_ANSWERED', label: 'Outbound, answered' },
  { value: 'OUTBOUND_UNANSWERED', label: 'Outbound, not answered' },
]
const origins = [
  { value: 'RING_TO', label: 'A call came in' },
  { value: 'TRANSFER', label: 'A transfer' },
  { value: 'CALLBACK', label: 'A callback' },
  { value: 'ESCALATION', label: 'An escalation' },
]
const statuses = [
  { value: 'AVAILABLE', label: 'Available' },
  { value: 'IN_CALL', label: 'In a call' },
  { value: 'AFTER_CALL_WORK', label: 'Wrap-up' },
  { value: 'DO_NOT_DISTURB', label: 'Not available' },
  { value: 'OFFLINE', label: 'Offline' },
]
const hours = Array.from({ length: 24 }, (_, hour) => ({ value: String(hour), label: `${hour}:00` }))

function Narrowing({
  wish,
  set,
  filters,
}: {
  wish: Wish
  set: (part: Partial<Wish>) => void
  filters: readonly Filter[]
}) {
  const items = useItems()
  const lists = [
    { key: 'people', label: 'People', data: items.users },
    { key: 'teams', label: 'Teams', data: items.teams },
    { key: 'numbers', label: 'Numbers', data: items.numbers },
    { key: 'types', label: 'Kinds of calls', data: types },
    { key: 'tags', label: 'With all of these tags', data: items.tags },
    { key: 'origin', label: 'Rung because of', data: origins },
    { key: 'status', label: 'Statuses', data: statuses },
    { key: 'hours', label: 'Hours of the day', data: hours },
  ] as const
  return (
    <>
      {lists
        .filter(({ key }) => filters.includes(key))
        .map(({ key, label, data }) => (
          <MultiSelect
            key={key}
            label={label}
            searchable
            clearable
            data={data}
            value={wish[key]}
            onChange={(value) => set({ [key]: value })}
          />
        ))}
      {filters.includes('teams') && wish.teams.length > 1 && (
        <Checkbox
          label="In all of these teams, not in one of them"
          checked={wish.allTeams}
          onChange={(event) => set({ allTeams: event.currentTarget.checked })}
        />
      )}
      {filters.includes('customers') && (
        <TagsInput
          label="Outside numbers"
          description="Such as +33176360695; press Enter after each"
          value={wish.customers}
          onChange={(customers) => set({ customers: customers.map((text) => text.replace(/[\s()-]/g, '')) })}
        />
      )}
      {filters.includes('voicemail') && (
        <Select
          label="Voicemail"
          clearable
          placeholder="With or without"
          data={[
            { value: 'with', label: 'A message was left' },
            { value: 'without', label: 'No message was left' },
          ]}
          value={wish.voicemail || null}
          onChange={(value) => set({ voicemail: value ?? '' })}
        />
      )}
    </>
  )
}

function useItems() {
  const named = (items: { id: number; name: string }[] = []) =>
    items.map(({ id, name }) => ({ value: String(id), label: name }))
  return {
    users: named(useUsers().data),
    teams: named(useTeams().data),
    numbers: named(useNumbers().data),
    tags: named(useTags().data),
  }
}
