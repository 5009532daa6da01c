import {
  Fieldset,
  Group,
  MultiSelect,
  NumberInput,
  Select,
  Stack,
  Switch,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { isEmail } from '../../../../src/domain/email.ts'
import { api } from '../../../kit/api.ts'
import { Figure } from '../../../kit/ui/figure.tsx'
import { FormDrawer } from '../../../kit/ui/form-drawer.tsx'
import { useNumbers, useTeams, useUsers } from '../../../kit/ui/lists.ts'
import { PeoplePicker } from '../../../kit/ui/people.tsx'
import { notify } from '../../../kit/ui/toast.tsx'
import { defaultSla } from '../activity.ts'
import { ZoneSelect } from '../filter-bar.tsx'
import {
  defaultPeriod,
  frequencies,
  periods,
  type Report,
  type ReportList,
  reportsKey,
  runTime,
  scheduleWords,
  weekdays,
} from './report.ts'

type Settings = Omit<Report, 'id' | 'active' | 'next_run_at' | 'created_at' | 'created_by' | 'recipients' | 'last_run'>
type Form = Settings & { recipient_user_ids: number[]; recipient_emails: string[] }

/** Filters of the Analytics page, for a new report. */
export interface ReportFilters {
  zone: string | undefined
  numbers: number[]
  teams: number[]
  users: number[]
  sla: number
}

const blankReport = (filters: ReportFilters | undefined, zone: string, userId: number): Form => ({
  name: '',
  frequency: 'weekly',
  weekday: 'mon',
  day_of_month: 1,
  time: '08:00',
  time_zone: filters?.zone ?? zone,
  period: 'previous_week',
  number_ids: filters?.numbers ?? [],
  team_ids: filters?.teams ?? [],
  user_ids: filters?.users ?? [],
  sla_seconds: filters?.sla ?? defaultSla,
  compare: true,
  attach_csv: false,
  recipient_user_ids: [userId],
  recipient_emails: [],
})

function formOf(report: Report): Form {
  const { recipients } = report
  return {
    name: report.name,
    frequency: report.frequency,
    weekday: report.weekday,
    day_of_month: report.day_of_month,
    time: report.time,
    time_zone: report.time_zone,
    period: report.period,
    number_ids: report.number_ids,
    team_ids: report.team_ids,
    user_ids: report.user_ids,
    sla_seconds: report.sla_seconds,
    compare: report.compare,
    attach_csv: report.attach_csv,
    recipient_user_ids: recipients.flatMap(({ user_id: id }) => id ?? []),
    recipient_emails: recipients.flatMap(({ user_id: id, email }) => (id === null ? email : [])),
  }
}

/** Creates a scheduled report, or edits one. */
export function ReportDrawer({
  report,
  filters,
  list,
  userId,
  close,
  saved,
}: {
  report?: Report | undefined
  filters?: ReportFilters | undefined
  list: ReportList
  userId: number
  close: () => void
  saved?: () => void
}) {
  const queries = useQueryClient()
  const [form, setForm] = useState<Form>(() => (report ? formOf(report) : blankReport(filters, list.time_zone, userId)))
  const set = (part: Partial<Form>) => setForm((before) => ({ ...before, ...part }))
  const submit = async () => {
    if (form.recipient_user_ids.length + form.recipient_emails.length === 0)
      throw new Error('Add at least one recipient')
    const invalid = form.recipient_emails.find((email) => !isEmail(email))
    if (invalid !== undefined) throw new Error(`“${invalid}” is not an email address`)
    const path = '/v1/analytics/scheduled_reports'
    const body = { ...form, name: form.name.trim() }
    const { scheduled_report: made } = report
      ? await api.put(`${path}/{id}`, { params: { id: report.id }, body, loaded: formOf(report) })
      : await api.post(path, { body })
    await queries.invalidateQueries({ queryKey: reportsKey })
    const next = made.next_run_at && `Next run: ${runTime(made.next_run_at, made.time_zone)}`
    notify(`${report ? 'Report saved' : 'Report scheduled'}.${next ? ` ${next}` : ''}`)
    saved?.()
  }
  return (
    <FormDrawer
      title={report ? 'Edit scheduled report' : 'Schedule report'}
      opened
      close={close}
      action={report ? 'Save' : 'Schedule report'}
      submit={submit}
      size="lg"
    >
      {list.mail_server === 'none' && (
        <Text size="sm" role="note">
          No mail server is configured, so the report is not sent until there is one.
        </Text>
      )}
      <TextInput
        label="Name"
        description="Shown as the subject of the email"
        required
        maxLength={100}
        data-autofocus
        value={form.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <ScheduleFields form={form} set={set} />
      <FilterFields form={form} set={set} />
      <RecipientFields form={form} set={set} report={report} allowsExternal={list.external_recipients} />
    </FormDrawer>
  )
}

interface FieldsProps {
  form: Form
  set: (part: Partial<Form>) => void
}

function ScheduleFields({ form, set }: FieldsProps) {
  return (
    <Fieldset legend="Schedule">
      <Stack gap="sm">
        <Group grow align="flex-start">
          <Select
            label="Frequency"
            allowDeselect={false}
            data={frequencies}
            value={form.frequency}
            onChange={(frequency) => frequency && set({ frequency, period: defaultPeriod[frequency] })}
          />
          {form.frequency === 'weekly' && (
            <Select
              label="Day of the week"
              allowDeselect={false}
              data={weekdays}
              value={form.weekday}
              onChange={(weekday) => weekday && set({ weekday })}
            />
          )}
          {form.frequency === 'monthly' && (
            <NumberInput
              label="Day of the month"
              description="In shorter months the last day"
              min={1}
              max={31}
              allowDecimal={false}
              clampBehavior="strict"
              value={form.day_of_month}
              onChange={(day) => day !== '' && set({ day_of_month: Number(day) || 1 })}
            />
          )}
        </Group>
        <Group grow align="flex-start">
          <TextInput
            type="time"
            label="Time"
            required
            value={form.time}
            onChange={(event) => set({ time: event.currentTarget.value.slice(0, 5) })}
          />
          <ZoneSelect value={form.time_zone} onChange={(zone) => zone && set({ time_zone: zone })} />
        </Group>
        <Select
          label="Period covered"
          allowDeselect={false}
          data={periods}
          value={form.period}
          onChange={(period) => period && set({ period })}
        />
        <Text size="xs" c="dimmed">
          {scheduleWords(form)} ({form.time_zone}). The local time stays the same when clocks change.
        </Text>
      </Stack>
    </Fieldset>
  )
}

function FilterFields({ form, set }: FieldsProps) {
  const { data: numbers = [] } = useNumbers()
  const { data: teams = [] } = useTeams()
  const { data: users = [] } = useUsers()
  const lists = [
    { key: 'number_ids', label: 'Numbers', items: numbers },
    { key: 'team_ids', label: 'Teams', items: teams },
    { key: 'user_ids', label: 'Agents', items: users },
  ] as const
  return (
    <Fieldset legend="Content">
      <Stack gap="sm">
        {lists.map(({ key, label, items }) => (
          <MultiSelect
            key={key}
            label={label}
            placeholder={form[key].length > 0 ? '' : 'All'}
            searchable
            clearable
            data={items.map(({ id, name }) => ({ value: String(id), label: name }))}
            value={form[key].map(String)}
            onChange={(ids) => set({ [key]: ids.map(Number) })}
          />
        ))}
        <Figure
          label="SLA threshold"
          suffix=" s"
          min={1}
          max={3_600}
          value={form.sla_seconds}
          onChange={(sla) => set({ sla_seconds: sla })}
        />
        <Switch
          label="Compare with the period before"
          checked={form.compare}
          onChange={(event) => set({ compare: event.currentTarget.checked })}
        />
        <Switch
          label="Attach a CSV file"
          description="All figures by day, number, team and agent"
          checked={form.attach_csv}
          onChange={(event) => set({ attach_csv: event.currentTarget.checked })}
        />
      </Stack>
    </Fieldset>
  )
}

function RecipientFields({
  form,
  set,
  report,
  allowsExternal,
}: FieldsProps & { report: Report | undefined; allowsExternal: boolean }) {
  const { recipient_user_ids: users, recipient_emails: emails } = form
  const invalid = emails.find((email) => !isEmail(email))
  const left = report?.recipients.filter(({ state }) => state === 'unsubscribed') ?? []
  return (
    <Fieldset legend="Recipients">
      <Stack gap="sm">
        <PeoplePicker
          label="Users"
          placeholder={users.length === 0 ? 'Select users' : ''}
          value={users}
          onChange={(ids) => set({ recipient_user_ids: ids })}
        />
        {allowsExternal || emails.length > 0 ? (
          <TagsInput
            label="External email addresses"
            description="Press Enter after each address"
            placeholder={emails.length === 0 ? 'name@example.com' : ''}
            maxTags={20}
            splitChars={[',', ';', ' ']}
            value={emails}
            error={invalid && `${invalid} is not a valid email address`}
            onChange={(given) => set({ recipient_emails: given.map((email) => email.toLowerCase()) })}
          />
        ) : (
          <Text size="xs" c="dimmed">
            Recipients outside of the company are not allowed. An owner or admin can allow them on the list of scheduled
            reports.
          </Text>
        )}
        {left.length > 0 && (
          <Text size="xs" c="dimmed">
            Unsubscribed: {left.map(({ name, email }) => name ?? email).join(', ')}. They can subscribe again by the
            link in an earlier report.
          </Text>
        )}
        {users.length + emails.length === 0 && (
          <Text size="xs" c="red">
            Select at least one recipient.
          </Text>
        )}
      </Stack>
    </Fieldset>
  )
}
