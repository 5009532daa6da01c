import { ActionIcon, Group, Paper, Select, Stack, Text } from '@mantine/core'
import { IconChevronDown, IconChevronUp, IconTrash, IconUser, IconUsersGroup } from '@tabler/icons-react'
import type { Target } from '../../../src/domain/flow/document.ts'
import { useTeams, useUsers } from '../../kit/ui/lists.ts'
import type { FlowNames } from './catalogue.ts'

/** Users and teams to ring, in order. */
export function TargetFields({
  value,
  onChange,
  names,
  ordered,
  readOnly,
}: {
  value: Target[]
  onChange: (targets: Target[]) => void
  names: FlowNames
  /** Whether the order matters. */
  ordered: boolean
  readOnly: boolean
}) {
  const { data: users = [] } = useUsers()
  const { data: teams = [] } = useTeams()
  const isThere = (type: Target['type'], id: number) => value.some((one) => one.type === type && one.id === id)
  const move = (from: number, to: number) => {
    const moved = [...value]
    moved.splice(to, 0, ...moved.splice(from, 1))
    onChange(moved)
  }
  const add = (key: string | null) => {
    const [type, id] = key?.split(':') ?? []
    if (type === 'user' || type === 'team') onChange([...value, { type, id: Number(id) }])
  }
  return (
    <Stack gap={6} role="group" aria-label="Users and teams to ring">
      {value.map((target, nth) => (
        <Paper key={`${target.type}:${target.id}`} withBorder px="xs" py={4} radius="sm">
          <Group gap={6} wrap="nowrap">
            {target.type === 'team' ? <IconUsersGroup size={15} /> : <IconUser size={15} />}
            <Text size="sm" flex={1} truncate>
              {names.target(target)}
            </Text>
            {ordered && !readOnly && value.length > 1 && (
              <>
                <Small label={`Move ${names.target(target)} up`} disabled={nth === 0} run={() => move(nth, nth - 1)}>
                  <IconChevronUp size={14} />
                </Small>
                <Small
                  label={`Move ${names.target(target)} down`}
                  disabled={nth === value.length - 1}
                  run={() => move(nth, nth + 1)}
                >
                  <IconChevronDown size={14} />
                </Small>
              </>
            )}
            {!readOnly && (
              <Small
                label={`Remove ${names.target(target)}`}
                run={() => onChange(value.filter((one) => one !== target))}
              >
                <IconTrash size={14} />
              </Small>
            )}
          </Group>
        </Paper>
      ))}
      {!readOnly && (
        <Select
          size="xs"
          searchable
          aria-label="Add user or team"
          placeholder="Add user or team…"
          nothingFoundMessage="No results"
          value={null}
          onChange={add}
          data={[
            {
              group: 'Teams',
              items: teams
                .filter(({ id }) => !isThere('team', id))
                .map(({ id, name }) => ({ value: `team:${id}`, label: name })),
            },
            {
              group: 'Users',
              items: users
                .filter(({ id }) => !isThere('user', id))
                .map(({ id, name }) => ({ value: `user:${id}`, label: name })),
            },
          ]}
        />
      )}
    </Stack>
  )
}

function Small({
  label,
  run,
  disabled = false,
  children,
}: {
  label: string
  run: () => void
  disabled?: boolean
  children: React.ReactNode
}) {
  return (
    <ActionIcon variant="subtle" color="gray" size="sm" aria-label={label} disabled={disabled} onClick={run}>
      {children}
    </ActionIcon>
  )
}
