import { ActionIcon, Button, Group, Pill, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { type Day, days, type Hours, type TimeRange } from '../../../src/domain/opening-hours.ts'
import { dayNames } from './validate.ts'

/** Time ranges per weekday in the time zone of the number. */
export function HoursFields({
  value,
  onChange,
  readOnly = false,
}: {
  value: Hours
  onChange: (hours: Hours) => void
  readOnly?: boolean
}) {
  const setDay = (day: Day, ranges: TimeRange[]) => {
    const { [day]: _, ...others } = value
    onChange(ranges.length > 0 ? { ...others, [day]: ranges } : others)
  }
  const copyMonday = () =>
    onChange({ ...value, ...Object.fromEntries(days.slice(1, 5).map((day) => [day, value.mon ?? []])) })
  return (
    <Stack gap={6} role="group" aria-label="Hours">
      {days.map((day) => (
        <DayFields
          key={day}
          day={day}
          ranges={value[day] ?? []}
          set={(ranges) => setDay(day, ranges)}
          readOnly={readOnly}
        />
      ))}
      {!readOnly && (
        <Group gap="xs">
          <Button size="compact-xs" variant="subtle" onClick={copyMonday}>
            Copy Monday to Tuesday–Friday
          </Button>
          <Button size="compact-xs" variant="subtle" onClick={() => onChange(aroundTheClock())}>
            24/7
          </Button>
        </Group>
      )}
    </Stack>
  )
}

const aroundTheClock = (): Hours => Object.fromEntries(days.map((day) => [day, [['00:00', '24:00']]]))

function DayFields({
  day,
  ranges,
  set,
  readOnly,
}: {
  day: Day
  ranges: TimeRange[]
  set: (ranges: TimeRange[]) => void
  readOnly: boolean
}) {
  const name = dayNames[day]
  const change = (nth: number, range: TimeRange) => set(ranges.map((other, i) => (i === nth ? range : other)))
  const next = (): TimeRange => (ranges.length === 0 ? ['09:00', '18:00'] : [ranges.at(-1)?.[1] ?? '13:00', '24:00'])
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap">
      <Text size="sm" w={38} pt={5} title={name}>
        {name.slice(0, 3)}
      </Text>
      <Stack gap={4} flex={1}>
        {ranges.length === 0 && (
          <Text size="sm" c="dimmed" pt={5}>
            Closed
          </Text>
        )}
        {ranges.map(([start, end], nth) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a range is identified by its position
          <Group key={nth} gap={6} wrap="nowrap">
            <Time label={`${name}, start`} value={start} set={(time) => change(nth, [time, end])} readOnly={readOnly} />
            <Text size="sm" aria-hidden>
              –
            </Text>
            <Time label={`${name}, end`} value={end} set={(time) => change(nth, [start, time])} readOnly={readOnly} />
            {!readOnly && (
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Remove ${start}–${end} from ${name}`}
                onClick={() => set(ranges.filter((_, i) => i !== nth))}
              >
                <IconTrash size={14} />
              </ActionIcon>
            )}
          </Group>
        ))}
      </Stack>
      {!readOnly && (
        <ActionIcon
          variant="subtle"
          mt={1}
          aria-label={`Add hours on ${name}`}
          onClick={() => set([...ranges, next()])}
        >
          <IconPlus size={15} />
        </ActionIcon>
      )}
    </Group>
  )
}

function Time({
  label,
  value,
  set,
  readOnly,
}: {
  label: string
  value: string
  set: (time: string) => void
  readOnly: boolean
}) {
  // The time input of browsers does not support 24:00.
  return (
    <TextInput
      size="xs"
      w={66}
      aria-label={label}
      value={value}
      readOnly={readOnly}
      placeholder="HH:MM"
      maxLength={5}
      error={!/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/.test(value)}
      onChange={({ currentTarget }) => set(currentTarget.value)}
      onBlur={() => set(completed(value))}
    />
  )
}

/** Completes 9 to 09:00 and 9:5 to 09:05. */
function completed(text: string): string {
  const [, hour, minute = ''] = /^(\d{1,2})(?::?(\d{0,2}))?$/.exec(text.trim()) ?? []
  return hour === undefined ? text : `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
}

/** Dates on which the number is closed regardless of the weekly hours. */
export function ClosedDates({
  value,
  onChange,
  readOnly = false,
}: {
  value: string[]
  onChange: (dates: string[]) => void
  readOnly?: boolean
}) {
  const [date, setDate] = useState('')
  const add = () => {
    if (date && !value.includes(date)) onChange([...value, date].sort())
    setDate('')
  }
  return (
    <Stack gap={6}>
      <Text size="sm" fw={500}>
        Closed dates
      </Text>
      {value.length > 0 ? (
        <Pill.Group>
          {value.map((one) => (
            <Pill
              key={one}
              withRemoveButton={!readOnly}
              removeButtonProps={{ 'aria-label': `Remove closed date ${one}`, tabIndex: 0, 'aria-hidden': false }}
              onRemove={() => onChange(value.filter((other) => other !== one))}
            >
              {one}
            </Pill>
          ))}
        </Pill.Group>
      ) : (
        <Text size="xs" c="dimmed">
          None
        </Text>
      )}
      {!readOnly && (
        <Group gap="xs" wrap="nowrap">
          <TextInput
            type="date"
            size="xs"
            flex={1}
            aria-label="Closed date to add"
            value={date}
            onChange={({ currentTarget }) => setDate(currentTarget.value)}
          />
          <Button size="xs" variant="default" disabled={!date} onClick={add}>
            Add
          </Button>
        </Group>
      )}
    </Stack>
  )
}
