import { Group, Select } from '@mantine/core'
import { displayNumber } from '../../kit/phone-number.ts'
import { useTeams, useUsers } from '../../kit/ui/lists.ts'
import { PhoneInput } from '../../kit/ui/phone-input.tsx'
import type { Target } from './agent.ts'

/** Transfer destination: a user, a team, an external number, or a branch of the flow. */
export function TargetPicker({
  label,
  value,
  onChange,
  error,
  withBranch = false,
}: {
  label: string
  value: Target
  onChange: (target: Target) => void
  error: string | undefined
  withBranch?: boolean
}) {
  const { data: users = [] } = useUsers()
  const { data: teams = [] } = useTeams()
  const choose = (key: string | null) => {
    const [type, id] = (key ?? '').split(':')
    if (type === 'user' || type === 'team') onChange({ type, id: Number(id) })
    else if (type === 'external') onChange({ type, number: value.number ?? '' })
    else if (type === 'branch') onChange({ type })
  }
  const isExternal = value.type === 'external'
  return (
    <Group gap="xs" align="flex-start" grow>
      <Select
        label={label}
        searchable
        allowDeselect={false}
        nothingFoundMessage="No results"
        error={isExternal ? undefined : error}
        data={[
          ...(withBranch ? [{ value: 'branch', label: '“Escalated” branch of the flow' }] : []),
          { value: 'external', label: 'External number' },
          { group: 'Teams', items: teams.map(({ id, name }) => ({ value: `team:${id}`, label: name })) },
          { group: 'Users', items: users.map(({ id, name }) => ({ value: `user:${id}`, label: name })) },
        ]}
        value={'id' in value && value.id !== undefined ? `${value.type}:${value.id}` : value.type}
        onChange={choose}
      />
      {isExternal && (
        <PhoneInput
          label="Number"
          maxLength={30}
          error={error}
          value={value.number ?? ''}
          onChange={(number) => onChange({ type: 'external', number })}
        />
      )}
    </Group>
  )
}

/** Display name of a destination. */
export function useTargetNames(): (target: Target) => string {
  const { data: users = [] } = useUsers()
  const { data: teams = [] } = useTeams()
  return ({ type, id, number }) => {
    if (type === 'branch') return 'the “Escalated” branch of the flow'
    if (type === 'external') return number ? displayNumber(number) : 'an external number'
    return (type === 'user' ? users : teams).find((one) => one.id === id)?.name ?? `${type} ${id}`
  }
}
