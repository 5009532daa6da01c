import { ActionIcon, Box, Button, Checkbox, Group, Pill, Stack, Text, TextInput } from '@mantine/core'
import { IconCopy, IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import type { Day, Hours, TimeRange } from '../../../src/domain/opening-hours.ts'

/** Working hours of a user or business hours of a number; a missing day is closed. */
export interface Schedule {
  hours: Hours
  closed_dates: string[]
}

const days: { day: Day; label: string }[] = [
  { day: 'mon', label: 'Monday' },
  { day: 'tue', label: 'Tuesday' },
  { day: 'wed', label: 'Wednesday' },
  { day: 'thu', label: 'Thursday' },
  { day: 'fri', label: 'Friday' },
  { day: 'sat', label: 'Saturday' },
  { day: 'sun', label: 'Sunday' },
]

const defaultRange: TimeRange = ['09:00', '17:00']

/** The initial value of a new schedule. */
export const officeHours: Schedule['hours'] = {
  mon: [defaultRange],
  tue: [defaultRange],
  wed: [defaultRange],
  thu: [defaultRange],
  fri: [defaultRange],
}

/** The first validation error; undefined when the schedule is valid. */
export function scheduleError({ hours }: Schedule): string | undefined {
  for (const { day, label } of days) {
    const ranges = [...(hours[day] ?? [])].sort(([a], [b]) => a.localeCompare(b))
    for (const [i, [start, end]] of ranges.entries()) {
      if (!start || !end) return `${label}: enter a start and an end time`
      if (end <= start) return `${label}: the end (${end}) must be after the start (${start})`
      const next = ranges[i + 1]
      if (next && next[0] < end) return `${label}: time ranges must not overlap`
    }
  }
  return undefined
}

/** Read-only. */
export function HoursView({ value }: { value: Schedule }) {
  return (
    <Stack gap={4}>
      {days.map(({ day, label }) => (
        <Group key={day} gap="md">
          <Text size="sm" w={110}>
            {label}
          </Text>
          <Text size="sm" {...(!value.hours[day] && { c: 'dimmed' })}>
            {value.hours[day]?.map(([start, end]) => `${start}–${end}`).join(', ') ?? 'Closed'}
          </Text>
        </Group>
      ))}
      {value.closed_dates.length > 0 && <Text size="sm">Closed on {value.closed_dates.join(', ')}</Text>}
    </Stack>
  )
}

export function HoursEditor({
  value,
  onChange,
  disabled = false,
  hasClosedDates = true,
}: {
  value: Schedule
  onChange: (value: Schedule) => void
  disabled?: boolean
  hasClosedDates?: boolean
}) {
  const set = (day: Day, ranges: TimeRange[]) => {
    const { [day]: _, ...others } = value.hours
    onChange({ ...value, hours: ranges.length > 0 ? { ...others, [day]: ranges } : others })
  }
  return (
    <Stack gap="sm">
      {days.map(({ day, label }, i) => (
        <DayLine
          key={day}
          label={label}
          ranges={value.hours[day] ?? []}
          onChange={(ranges) => set(day, ranges)}
          disabled={disabled}
          {...(i === 0 && {
            copy: () => {
              const monday = value.hours.mon ?? []
              onChange({ ...value, hours: { ...value.hours, tue: monday, wed: monday, thu: monday, fri: monday } })
            },
          })}
        />
      ))}
      {hasClosedDates && (
        <ClosedDates
          value={value.closed_dates}
          onChange={(closed_dates) => onChange({ ...value, closed_dates })}
          disabled={disabled}
        />
      )}
    </Stack>
  )
}

function DayLine({
  label,
  ranges,
  onChange,
  disabled,
  copy,
}: {
  label: string
  ranges: TimeRange[]
  onChange: (ranges: TimeRange[]) => void
  disabled: boolean
  copy?: () => void
}) {
  const change = (at: number, range: TimeRange) => onChange(ranges.map((one, i) => (i === at ? range : one)))
  return (
    <Group align="flex-start" gap="xs" wrap="wrap">
      <Checkbox
        w={130}
        flex="none"
        mt={5}
        label={label}
        checked={ranges.length > 0}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked ? [defaultRange] : [])}
      />
      <Stack gap={6} flex={1} miw={250}>
        {ranges.length === 0 && (
          <Text size="sm" c="dimmed" lh="30px">
            Closed
          </Text>
        )}
        {ranges.map(([start, end], i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a time range has no identity but its position
          <Group key={i} gap={6} wrap="nowrap">
            <Time
              label={`${label}, range ${i + 1} start`}
              value={start}
              disabled={disabled}
              onChange={(time) => change(i, [time, end])}
            />
            <Text size="sm">to</Text>
            <Time
              label={`${label}, range ${i + 1} end`}
              value={end}
              isEnd
              disabled={disabled}
              onChange={(time) => change(i, [start, time])}
            />
            {!disabled && (
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Remove range ${i + 1} of ${label}`}
                onClick={() => onChange(ranges.filter((_, at) => at !== i))}
              >
                <IconTrash size={16} />
              </ActionIcon>
            )}
            {!disabled && i === ranges.length - 1 && (
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Add time range to ${label}`}
                onClick={() => onChange([...ranges, laterThan(end)])}
              >
                <IconPlus size={16} />
              </ActionIcon>
            )}
            {!disabled && copy && i === 0 && (
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label="Copy to Tuesday–Friday"
                title="Copy to Tuesday–Friday"
                onClick={copy}
              >
                <IconCopy size={16} />
              </ActionIcon>
            )}
          </Group>
        ))}
      </Stack>
    </Group>
  )
}

/** The browser's time field has no 24:00: as an end, 00:00 means the end of the day. */
function Time({
  label,
  value,
  onChange,
  disabled,
  isEnd = false,
}: {
  label: string
  value: string
  onChange: (time: string) => void
  disabled: boolean
  isEnd?: boolean
}) {
  return (
    <TextInput
      type="time"
      size="xs"
      w={110}
      aria-label={label}
      value={value === '24:00' ? '00:00' : value}
      disabled={disabled}
      onChange={(event) =>
        onChange(isEnd && event.currentTarget.value === '00:00' ? '24:00' : event.currentTarget.value)
      }
    />
  )
}

function laterThan(end: string): TimeRange {
  const hour = Number(end.slice(0, 2))
  const two = (n: number) => String(Math.min(n, 24)).padStart(2, '0')
  return hour >= 22 ? [end, '24:00'] : [`${two(hour + 1)}:00`, `${two(hour + 3)}:00`]
}

function ClosedDates({
  value,
  onChange,
  disabled,
}: {
  value: string[]
  onChange: (dates: string[]) => void
  disabled: boolean
}) {
  const [date, setDate] = useState('')
  const add = () => {
    if (date && !value.includes(date)) onChange([...value, date].sort())
    setDate('')
  }
  return (
    <Box mt="xs">
      <Text size="sm" fw={600}>
        Closed dates
      </Text>
      <Group gap={6} my={6}>
        {value.length === 0 && (
          <Text size="sm" c="dimmed">
            None
          </Text>
        )}
        {value.map((day) => (
          <Pill
            key={day}
            withRemoveButton={!disabled}
            onRemove={() => onChange(value.filter((one) => one !== day))}
            removeButtonProps={{ 'aria-label': `Remove ${day}`, tabIndex: 0, 'aria-hidden': false }}
          >
            {day}
          </Pill>
        ))}
      </Group>
      {!disabled && (
        <Group gap={6}>
          <TextInput
            type="date"
            size="xs"
            aria-label="Closed date to add"
            value={date}
            onChange={(event) => setDate(event.currentTarget.value)}
          />
          <Button size="xs" variant="default" onClick={add} disabled={!date}>
            Add
          </Button>
        </Group>
      )}
    </Box>
  )
}
