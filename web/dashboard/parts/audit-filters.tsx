import { Button, Group, Select, TextInput } from '@mantine/core'
import { IconDownload, IconX } from '@tabler/icons-react'
import type { useFilters } from '../../kit/ui/filters.ts'
import { PersonPicker } from '../../kit/ui/people.tsx'

type Filters = ReturnType<typeof useFilters>

const kinds = [
  { value: 'sign_in', label: 'Sign-in and accounts' },
  { value: 'users', label: 'Users and roles' },
  { value: 'developers', label: 'API keys and integrations' },
  { value: 'calls', label: 'Calls and recordings' },
]

/** The query parameters of the page as API parameters. */
export const auditQuery = (filters: Filters) => ({
  user_id: Number(filters.get('user')) || undefined,
  kind: kinds.find(({ value }) => value === filters.get('kind'))?.value,
  from: dayEdge(filters.get('from'), 0),
  to: dayEdge(filters.get('to'), 1),
})

/** UNIX seconds; the last day is included. */
function dayEdge(day: string | null, later: 0 | 1): number | undefined {
  const [year, month, date] = (day ?? '').split('-').map(Number)
  if (!year || !month || !date) return undefined
  return new Date(year, month - 1, date + later).getTime() / 1_000 - later
}

export function AuditFilters({ filters }: { filters: Filters }) {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(auditQuery(filters)))
    if (value !== undefined) search.set(name, String(value))
  return (
    <Group gap="xs" align="flex-end" mb="sm" role="search" aria-label="Audit log">
      <PersonPicker
        aria-label="User"
        placeholder="All users"
        value={Number(filters.get('user')) || null}
        onChange={(user) => filters.set({ user })}
      />
      <Select
        aria-label="Kind"
        placeholder="All kinds"
        clearable
        w={220}
        data={kinds}
        value={filters.get('kind')}
        onChange={(kind) => filters.set({ kind })}
      />
      <TextInput
        aria-label="From"
        type="date"
        w={150}
        value={filters.get('from') ?? ''}
        onChange={(event) => filters.set({ from: event.currentTarget.value })}
      />
      <TextInput
        aria-label="To"
        type="date"
        w={150}
        value={filters.get('to') ?? ''}
        onChange={(event) => filters.set({ to: event.currentTarget.value })}
      />
      {!filters.isEmpty && (
        <Button variant="subtle" color="gray" leftSection={<IconX size={16} aria-hidden />} onClick={filters.clear}>
          Clear
        </Button>
      )}
      <Button
        variant="default"
        component="a"
        href={`/app/v1/audit_log/export?${search}`}
        download="audit-log.csv"
        leftSection={<IconDownload size={16} aria-hidden />}
      >
        Export CSV
      </Button>
    </Group>
  )
}
