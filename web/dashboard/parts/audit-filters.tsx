import { Button, Group, Select } from '@mantine/core'
import { IconDownload, IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { PersonPicker } from '../../kit/ui/people.tsx'
import { DateFilter, dateSpanOf } from './date-filter.tsx'
import { type Filters, SavedFilters } from './table-tools.tsx'

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
  ...dateSpanOf(filters),
})

export function AuditFilters({ filters, columns }: { filters: Filters; columns: ReactNode }) {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(auditQuery(filters)))
    if (value !== undefined) search.set(name, String(value))
  return (
    <Group justify="space-between" align="flex-start" gap="xs" mb="sm">
      <Group gap="xs" role="search" aria-label="Audit log">
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
        <DateFilter filters={filters} />
        {!filters.isEmpty && (
          <Button variant="subtle" color="gray" leftSection={<IconX size={16} aria-hidden />} onClick={filters.clear}>
            Clear filters
          </Button>
        )}
      </Group>
      <Group gap="xs">
        <SavedFilters page="audit-log" filters={filters} />
        <Button
          variant="default"
          component="a"
          href={`/app/v1/audit_log/export?${search}`}
          download="audit-log.csv"
          leftSection={<IconDownload size={16} aria-hidden />}
        >
          Export CSV
        </Button>
        {columns}
      </Group>
    </Group>
  )
}
