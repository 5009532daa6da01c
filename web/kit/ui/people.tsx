import { Avatar, Badge, Box, Group, MultiSelect, Select, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useUsers } from './lists.ts'

/** The detailed availability of the API. */
export type Availability = 'available' | 'offline' | 'do_not_disturb' | 'in_call' | 'after_call_work'

/** Labels and colours of an availability, the same on every screen. */
export const availabilityLooks: Record<Availability, { label: string; color: string }> = {
  available: { label: 'Available', color: 'green' },
  in_call: { label: 'On a call', color: 'blue' },
  after_call_work: { label: 'Wrap-up', color: 'violet' },
  do_not_disturb: { label: 'Unavailable', color: 'red' },
  offline: { label: 'Offline', color: 'gray' },
}

const looksOf = (availability: string) =>
  availability in availabilityLooks
    ? availabilityLooks[availability as Availability]
    : { label: availability.replaceAll('_', ' '), color: 'gray' }

/** Has a label beside the colour, for users who cannot distinguish colours. */
export function AvailabilityBadge({ availability }: { availability: string }) {
  const { label, color } = looksOf(availability)
  return (
    <Badge variant="light" color={color} leftSection={<Dot color={color} />} tt="none" fw={550} miw="max-content">
      {label}
    </Badge>
  )
}

export function AvailabilityDot({ availability }: { availability: string }) {
  const { label, color } = looksOf(availability)
  return <Dot color={color} label={label} />
}

export function Dot({ color, label, size = 8 }: { color: string; label?: string; size?: number }) {
  // A theme colour, or the hexadecimal colour of a tag.
  const background = color.startsWith('#') ? color : `var(--mantine-color-${color}-6)`
  return (
    <Box
      component="span"
      w={size}
      h={size}
      bg={background}
      display="inline-block"
      flex="none"
      style={{ borderRadius: '50%' }}
      {...(label ? { role: 'img', 'aria-label': label, title: label } : { 'aria-hidden': true })}
    />
  )
}

/** Initials and name, with an optional second line. */
export function Person({
  name,
  detail,
  narrowDetail,
  availability,
  size = 32,
}: {
  name: string
  detail?: string | undefined
  /** For narrow screens, where a table has no column for it. */
  narrowDetail?: ReactNode
  availability?: string | undefined
  size?: number
}) {
  return (
    <Group gap="sm" wrap="nowrap" miw={0}>
      <Box pos="relative" flex="none">
        <Avatar name={name} color="initials" size={size} radius="xl" aria-hidden alt="" />
        {availability && (
          <Box
            pos="absolute"
            right={-2}
            bottom={-2}
            bg="var(--mantine-color-body)"
            p={2}
            lh={0}
            style={{ borderRadius: '50%' }}
          >
            <AvailabilityDot availability={availability} />
          </Box>
        )}
      </Box>
      <Box miw={0}>
        <Text size="sm" fw={550} truncate>
          {name}
        </Text>
        {detail && (
          <Text size="xs" c="dimmed" truncate>
            {detail}
          </Text>
        )}
        {narrowDetail && (
          <Text size="xs" c="dimmed" truncate hiddenFrom="xs">
            {narrowDetail}
          </Text>
        )}
      </Box>
    </Group>
  )
}

interface PickerProps {
  label?: string
  description?: string
  'aria-label'?: string
  placeholder?: string
  /** Ids that are not offered. */
  without?: readonly number[]
  disabled?: boolean
}

/** Selects one user of the company, searchable by name. */
export function PersonPicker({
  value,
  onChange,
  without = [],
  ...rest
}: PickerProps & {
  value: number | null
  onChange: (id: number | null) => void
  clearable?: boolean
  w?: number | string
  size?: string
  required?: boolean
}) {
  const { data } = useUsers()
  return (
    <Select
      searchable
      nothingFoundMessage="No results"
      {...rest}
      data={optionsOf(data, without)}
      value={value === null ? null : String(value)}
      onChange={(id) => onChange(id === null ? null : Number(id))}
    />
  )
}

/** Selects several users. */
export function PeoplePicker({
  value,
  onChange,
  without = [],
  ...rest
}: PickerProps & { value: number[]; onChange: (ids: number[]) => void }) {
  const { data } = useUsers()
  return (
    <MultiSelect
      searchable
      hidePickedOptions
      nothingFoundMessage="No results"
      {...rest}
      data={optionsOf(data, without)}
      value={value.map(String)}
      onChange={(ids) => onChange(ids.map(Number))}
    />
  )
}

const optionsOf = (users: { id: number; name: string; email: string }[] | undefined, without: readonly number[]) =>
  (users ?? []).filter(({ id }) => !without.includes(id)).map(({ id, name }) => ({ value: String(id), label: name }))
