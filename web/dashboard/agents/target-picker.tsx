import { Group, Select, TextInput } from '@mantine/core'
import { useTeams, useUsers } from '../../kit/ui/lists.ts'
import type { Target } from './agent.ts'

/** Who gets the call: somebody of the company, an outside number, or the next widget of the flow. */
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
  const isOutside = value.type === 'external'
  return (
    <Group gap="xs" align="flex-start" grow>
      <Select
        label={label}
        searchable
        allowDeselect={false}
        nothingFoundMessage="Nobody of this name"
        error={isOutside ? undefined : error}
        data={[
          ...(withBranch ? [{ value: 'branch', label: 'The way “Escalated” in the flow' }] : []),
          { value: 'external', label: 'An outside number' },
          { group: 'Teams', items: teams.map(({ id, name }) => ({ value: `team:${id}`, label: name })) },
          { group: 'Users', items: users.map(({ id, name }) => ({ value: `user:${id}`, label: name })) },
        ]}
        value={'id' in value && value.id !== undefined ? `${value.type}:${value.id}` : value.type}
        onChange={choose}
      />
      {isOutside && (
        <TextInput
          label="Number"
          placeholder="+33123456789"
          inputMode="tel"
          maxLength={16}
          error={error}
          value={value.number ?? ''}
          onChange={({ currentTarget }) => onChange({ type: 'external', number: currentTarget.value.trim() })}
        />
      )}
    </Group>
  )
}

/** As people say it. */
export function useTargetNames(): (target: Target) => string {
  const { data: users = [] } = useUsers()
  const { data: teams = [] } = useTeams()
  return ({ type, id, number }) => {
    if (type === 'branch') return 'the way “Escalated” of the flow'
    if (type === 'external') return number ?? 'an outside number'
    return (type === 'user' ? users : teams).find((one) => one.id === id)?.name ?? `${type} ${id}`
  }
}
