import { Checkbox, Group, MultiSelect, Select, TagsInput, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type RequestOf } from '../../kit/api.ts'
import { readNumber } from '../../kit/phone-number.ts'
import { useSession } from '../../kit/session.tsx'
import { Figure } from '../../kit/ui/figure.tsx'
import { FormDrawer } from '../../kit/ui/form-drawer.tsx'
import { useNumbers, useTags, useTeams, useUsers } from '../../kit/ui/lists.ts'
import { zoneOf } from '../../kit/ui/time-zones.ts'
import { notify } from '../../kit/ui/toast.tsx'
import { defaultSla, ranges } from './activity.ts'
import { ZoneSelect } from './filter-bar.tsx'
import { type Filter, inputOf, type ReportForm, reports } from './reports.ts'

export const exportsKey = ['analytics', 'exports']

/** Creates an export in the background. */
export function NewExport({ close }: { close: () => void }) {
  const { user } = useSession()
  const queries = useQueryClient()
  const [form, setForm] = useState<ReportForm>(() => ({ ...blank, zone: zoneOf(user) }))
  const set = (part: Partial<ReportForm>) => setForm((before) => ({ ...before, ...part }))
  const report = reports.find(({ name }) => name === form.report)
  const submit = async () => {
    await api.post('/v1/analytics/report/export', { body: inputOf(form) as RequestOf<'/v1/analytics/report/export'> })
    await queries.invalidateQueries({ queryKey: exportsKey })
    notify('Export started')
  }
  return (
    <FormDrawer title="New export" opened close={close} action="Create export" submit={submit}>
      <Select
        label="Report"
        description={report?.hint}
        allowDeselect={false}
        data={reports.map(({ name, label }) => ({ value: name, label }))}
        value={form.report}
        onChange={(value) => value && set({ report: value })}
      />
      <Group grow align="flex-start">
        <Select
          label="Date range"
          allowDeselect={false}
          data={ranges.filter(({ value }) => !value.startsWith('last_'))}
          value={form.range}
          onChange={(value) => value && set({ range: value })}
        />
        <ZoneSelect value={form.zone} onChange={(zone) => zone && set({ zone })} />
      </Group>
      {form.range === 'custom' && (
        <Group grow>
          {(['from', 'to'] as const).map((end) => (
            <TextInput
              key={end}
              type="date"
              required
              label={end === 'from' ? 'From' : 'To'}
              value={form[end]}
              onChange={(event) => set({ [end]: event.currentTarget.value })}
            />
          ))}
        </Group>
      )}
      {report?.daily && (
        <Checkbox
          label="One row per agent and day"
          checked={form.daily}
          onChange={(event) => set({ daily: event.currentTarget.checked })}
        />
      )}
      {report?.sla && (
        <Figure
          label="SLA threshold"
          description="Calls answered within this time meet the service level"
          suffix=" s"
          min={1}
          max={3_600}
          value={form.sla}
          onChange={(sla) => set({ sla })}
        />
      )}
      <Text size="sm" fw={600} mt="xs">
        Filters
      </Text>
      <FilterFields form={form} set={set} filters={report?.filters ?? []} />
      <TextInput
        label="File name"
        placeholder={report?.label ?? ''}
        maxLength={100}
        value={form.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
    </FormDrawer>
  )
}

const blank: ReportForm = {
  report: 'CALLS_HISTORY',
  name: '',
  range: 'LAST_MONTH',
  from: '',
  to: '',
  zone: 'Etc/UTC',
  daily: false,
  sla: defaultSla,
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
  { value: 'INBOUND_ANSWERED', label: 'Inbound answered' },
  { value: 'INBOUND_UNANSWERED', label: 'Inbound missed' },
  { value: 'OUTBOUND', label: 'Outbound' },
  { value: 'OUTBOUND_ANSWERED', label: 'Outbound connected' },
  { value: 'OUTBOUND_UNANSWERED', label: 'Outbound not connected' },
]
const origins = [
  { value: 'RING_TO', label: 'Inbound call' },
  { value: 'TRANSFER', label: 'Transfer' },
  { value: 'CALLBACK', label: 'Callback' },
  { value: 'ESCALATION', label: 'Escalation' },
]
const statuses = [
  { value: 'AVAILABLE', label: 'Available' },
  { value: 'IN_CALL', label: 'On a call' },
  { value: 'AFTER_CALL_WORK', label: 'Wrap-up' },
  { value: 'DO_NOT_DISTURB', label: 'Unavailable' },
  { value: 'OFFLINE', label: 'Offline' },
]
const hours = Array.from({ length: 24 }, (_, hour) => ({ value: String(hour), label: `${hour}:00` }))

function FilterFields({
  form,
  set,
  filters,
}: {
  form: ReportForm
  set: (part: Partial<ReportForm>) => void
  filters: readonly Filter[]
}) {
  const items = useItems()
  const lists = [
    { key: 'people', label: 'Agents', data: items.users },
    { key: 'teams', label: 'Teams', data: items.teams },
    { key: 'numbers', label: 'Numbers', data: items.numbers },
    { key: 'types', label: 'Call types', data: types },
    { key: 'tags', label: 'Tags (all of)', data: items.tags },
    { key: 'origin', label: 'Ring attempt origin', data: origins },
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
            value={form[key]}
            onChange={(value) => set({ [key]: value })}
          />
        ))}
      {filters.includes('teams') && form.teams.length > 1 && (
        <Checkbox
          label="Member of all selected teams"
          checked={form.allTeams}
          onChange={(event) => set({ allTeams: event.currentTarget.checked })}
        />
      )}
      {filters.includes('customers') && (
        <TagsInput
          label="External numbers"
          description="Press Enter after each number"
          value={form.customers}
          onChange={(customers) =>
            set({ customers: customers.map((text) => readNumber(text) ?? text.replace(/[\s()-]/g, '')) })
          }
        />
      )}
      {filters.includes('voicemail') && (
        <Select
          label="Voicemail"
          clearable
          placeholder="All calls"
          data={[
            { value: 'with', label: 'With voicemail' },
            { value: 'without', label: 'Without voicemail' },
          ]}
          value={form.voicemail || null}
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
