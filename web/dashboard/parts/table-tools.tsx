import { ActionIcon, Button, Checkbox, Group, Menu, Popover, Stack, Text, TextInput, Tooltip } from '@mantine/core'
import { IconBookmark, IconColumns3, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, type RequestOf } from '../../kit/api.ts'
import { browserStorage } from '../../kit/storage.ts'
import { errorMessage } from '../../kit/ui/error-alert.tsx'
import type { useFilters } from '../../kit/ui/filters.ts'
import { type Column, pageSizes, type Selection } from '../../kit/ui/table.tsx'
import { notify, notifyError, notifyWithUndo } from '../../kit/ui/toast.tsx'

// Tools of the tables of daily work: columns, page size, selection and saved filters.

export type Filters = ReturnType<typeof useFilters>
/** Pages whose columns, page size and filters are saved. */
export type TablePage = RequestOf<'/v1/me/filters'>['page']

/** The columns to show, remembered in this browser; the first column always stays. */
export function useColumns<T>(page: TablePage, columns: Column<T>[]) {
  const key = `hookswitch.columns.${page}`
  const [hidden, setHidden] = useState<string[]>(() => listIn(browserStorage.read(key)))
  const toggle = (label: string) => {
    const next = hidden.includes(label) ? hidden.filter((one) => one !== label) : [...hidden, label]
    browserStorage.write(key, JSON.stringify(next))
    setHidden(next)
  }
  const shown = columns.filter(({ label }, i) => i === 0 || !hidden.includes(label))
  const menu = (
    <Popover position="bottom-end" shadow="md" withinPortal>
      <Popover.Target>
        <Tooltip label="Columns">
          <ActionIcon variant="default" size={36} aria-label="Columns">
            <IconColumns3 size={18} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs" role="group" aria-label="Columns">
          {columns.slice(1).map(({ label }) => (
            <Checkbox
              key={label}
              size="xs"
              label={label}
              checked={!hidden.includes(label)}
              onChange={() => toggle(label)}
            />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
  return { shown, menu }
}

function listIn(text: string | null): string[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
  } catch {
    return []
  }
}

/** Rows per page: in the URL, and remembered in this browser for the next visit. */
export function usePageSize(page: TablePage, filters: Filters): [size: number, setSize: (size: number) => void] {
  const key = `hookswitch.page-size.${page}`
  const wanted = Number(filters.get('size') ?? browserStorage.read(key))
  const size = pageSizes.find((one) => one === wanted) ?? 20
  const setSize = (next: number) => {
    browserStorage.write(key, String(next))
    filters.set({ size: next })
  }
  return [size, setSize]
}

/** Selected rows; rows of other pages stay selected until the filters change. */
export function useSelection<T>(keyOf: (row: T) => string | number, nameOf: (row: T) => string, scope: string) {
  const [state, setState] = useState({ scope, rows: new Map<string | number, T>() })
  const rows = state.scope === scope ? state.rows : new Map<string | number, T>()
  const selection: Selection<T> = {
    keys: new Set(rows.keys()),
    nameOf,
    onChange(changed, isSelected) {
      const next = new Map(rows)
      for (const row of changed) isSelected ? next.set(keyOf(row), row) : next.delete(keyOf(row))
      setState({ scope, rows: next })
    },
  }
  return { selection, selected: [...rows.values()], clear: () => setState({ scope, rows: new Map() }) }
}

const savedKey = ['me', 'filters']

/** The saved filters of the user for a page. The URL has the same filters, so it can be shared. */
export function SavedFilters({ page, filters }: { page: TablePage; filters: Filters }) {
  const queries = useQueryClient()
  const { data = [] } = useQuery({
    queryKey: savedKey,
    staleTime: 60_000,
    queryFn: async () => (await api.get('/v1/me/filters')).filters,
  })
  const mine = data.filter((filter) => filter.page === page)
  const refresh = () => queries.invalidateQueries({ queryKey: savedKey })
  const remove = async (filter: (typeof mine)[number]) => {
    await api.delete('/v1/me/filters/{id}', { params: { id: filter.id } })
    await refresh()
    notifyWithUndo(`Filter “${filter.name}” deleted`, async () => {
      await api.post('/v1/me/filters', { body: { page, name: filter.name, query: filter.query } })
      await refresh()
    })
  }
  return (
    <Menu position="bottom-end" shadow="md" width={280} closeOnItemClick={false}>
      <Menu.Target>
        <Button variant="default" leftSection={<IconBookmark size={16} />}>
          Saved filters
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {mine.length === 0 && (
          <Text size="sm" c="dimmed" px="sm" py={6}>
            Set filters, then save them here under a name.
          </Text>
        )}
        {mine.map((filter) => (
          <Group key={filter.id} gap={4} wrap="nowrap">
            <Menu.Item closeMenuOnClick onClick={() => filters.replace(filter.query)} fw={550}>
              {filter.name}
            </Menu.Item>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Delete filter ${filter.name}`}
              onClick={() => void remove(filter).catch(notifyError)}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </Group>
        ))}
        <Menu.Divider />
        <SaveFilter page={page} filters={filters} saved={refresh} />
      </Menu.Dropdown>
    </Menu>
  )
}

function SaveFilter({ page, filters, saved }: { page: TablePage; filters: Filters; saved: () => Promise<unknown> }) {
  const [name, setName] = useState('')
  const [error, setError] = useState('')
  const save = async (event: FormEvent) => {
    event.preventDefault()
    if (!name.trim()) return setError('Enter a name')
    try {
      await api.post('/v1/me/filters', { body: { page, name: name.trim(), query: filters.query } })
      await saved()
      setName('')
      notify('Filter saved')
    } catch (failure) {
      setError(errorMessage(failure))
    }
  }
  return (
    <form onSubmit={(event) => void save(event)}>
      <Group gap={6} p={6} wrap="nowrap" align="flex-start">
        <TextInput
          size="xs"
          flex={1}
          aria-label="Name of the filter"
          placeholder={filters.isEmpty ? 'No filter is set' : 'Save current filters as…'}
          disabled={filters.isEmpty}
          maxLength={80}
          value={name}
          error={error || undefined}
          onChange={(event) => {
            setError('')
            setName(event.currentTarget.value)
          }}
          onKeyDown={(event) => event.stopPropagation()}
        />
        <Button size="xs" type="submit" disabled={filters.isEmpty}>
          Save
        </Button>
      </Group>
    </form>
  )
}
