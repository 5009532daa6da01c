import { Button, Group, Select, Stack } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { useFilters } from '../../kit/ui/filters.ts'
import { count } from '../../kit/ui/format.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { DataTable } from '../../kit/ui/table.tsx'
import { type BulkAction, BulkBar, useBulk } from './bulk-bar.tsx'
import { DateFilter, dateParams, dateSpanOf, isInSpan } from './date-filter.tsx'
import { type ListColumn, matches, useListTable } from './list-table.ts'
import { SearchBox } from './search-box.tsx'
import { type Filters, SavedFilters, type TablePage, useColumns, useSelection } from './table-tools.tsx'

/** A filter with a fixed set of values, in the query parameter `name`. */
export interface ListChoice<T> {
  name: string
  /** "Status" */
  label: string
  /** "All statuses" */
  all: string
  options: readonly { value: string; label: string }[]
  of: (row: T) => string
}

/** A button that acts on all selected rows. */
export interface ListAction<T> extends BulkAction<T> {
  /** "Delete" */
  label: string
  icon: ReactNode
  /** The consequences, for actions that ask first. */
  body?: string
  /** The word to type, for actions that cannot be undone. */
  typed?: string
}

interface ShortListProps<T> {
  page: TablePage
  /** The accessible name. */
  label: string
  /** "API key" */
  word: string
  /** "Name or URL" */
  search: string
  /** The texts that are searched; the name, unless given. */
  textsOf?: (row: T) => readonly (string | null)[]
  /** Finds rows by more than their texts. */
  alsoFinds?: (row: T, words: string) => boolean
  /** With date presets. */
  dateOf?: (row: T) => string | number | null
  choices?: readonly ListChoice<T>[]
  columns: ListColumn<T>[]
  /** The column of buttons; it cannot be hidden. */
  actions?: ListColumn<T> | false
  bulk?: readonly ListAction<T>[]
  refresh: () => Promise<unknown>
  rows: T[] | undefined
  keyOf: (row: T) => string | number
  nameOf: (row: T) => string
  hrefOf?: (row: T) => string
  error: unknown
  retry: () => void
  empty: ReactNode
}

/** A list that is read completely, with search, filters, saved filters, columns, order, pages, selection and bulk actions. */
export function ShortList<T>(props: ShortListProps<T>) {
  const { page, label, word, columns, actions, bulk, rows, keyOf, nameOf, hrefOf, choices = [] } = props
  const filters = useFilters()
  const { shown, menu } = useColumns(page, columns)
  const table = useListTable(page, filters, shown, found(props, filters))
  const names = ['q', ...dateParams, ...choices.map(({ name }) => name)]
  const { selection, selected, clear } = useSelection(keyOf, nameOf, names.map((name) => filters.get(name)).join('|'))
  const isFiltered = names.some((name) => filters.get(name) !== null)
  const all = new Map(rows?.map((row) => [keyOf(row), row]))
  // Rows as they are now; those that were deleted meanwhile are no longer selected.
  const current = selected.flatMap((row) => all.get(keyOf(row)) ?? [])
  const isEmpty = rows?.length === 0
  return (
    <Stack gap="md">
      {!isEmpty && (
        <Group justify="space-between" align="flex-start" gap="xs">
          <ListFilters {...props} filters={filters} isFiltered={isFiltered} />
          <Group gap="xs">
            <SavedFilters page={page} filters={filters} />
            {menu}
          </Group>
        </Group>
      )}
      {bulk && bulk.length > 0 && <Selected {...props} bulk={bulk} selected={current} clear={clear} />}
      <DataTable
        label={label}
        {...table}
        columns={actions ? [...table.columns, actions] : table.columns}
        keyOf={keyOf}
        {...(hrefOf && { hrefOf })}
        selection={bulk && bulk.length > 0 ? selection : undefined}
        error={props.error}
        retry={props.retry}
        empty={
          isEmpty ? (
            props.empty
          ) : (
            <Empty
              title="No results"
              action={
                <Button variant="light" size="xs" onClick={filters.clear}>
                  Clear filters
                </Button>
              }
            >
              No {word} matches.
            </Empty>
          )
        }
      />
    </Stack>
  )
}

function found<T>(
  { rows, nameOf, textsOf = (row) => [nameOf(row)], alsoFinds, dateOf, choices = [] }: ShortListProps<T>,
  filters: Filters,
): T[] | undefined {
  const words = filters.get('q') ?? ''
  const span = dateSpanOf(filters)
  const isSearched = (row: T) => {
    const texts = textsOf(row).map((text) => text ?? '')
    return matches(words, texts) || alsoFinds?.(row, words) === true
  }
  return rows?.filter(
    (row) =>
      isSearched(row) &&
      (!dateOf || isInSpan(span, dateOf(row))) &&
      choices.every(({ name, of }) => [null, of(row)].includes(filters.get(name))),
  )
}

function ListFilters<T>({
  label,
  search,
  choices = [],
  dateOf,
  filters,
  isFiltered,
}: ShortListProps<T> & { filters: Filters; isFiltered: boolean }) {
  return (
    <Group gap="xs" role="search" aria-label={label}>
      <SearchBox label={search} value={filters.get('q') ?? ''} onChange={(q) => filters.set({ q })} />
      {choices.map((choice) => (
        <Select
          key={choice.name}
          aria-label={choice.label}
          placeholder={choice.all}
          clearable
          w={160}
          data={[...choice.options]}
          value={filters.get(choice.name)}
          onChange={(value) => filters.set({ [choice.name]: value })}
        />
      ))}
      {dateOf && <DateFilter filters={filters} />}
      {isFiltered && (
        <Button variant="subtle" color="gray" leftSection={<IconX size={14} />} onClick={filters.clear}>
          Clear filters
        </Button>
      )}
    </Group>
  )
}

function Selected<T>({
  word,
  nameOf,
  refresh,
  bulk: buttons,
  selected,
  clear,
}: ShortListProps<T> & { bulk: readonly ListAction<T>[]; selected: T[]; clear: () => void }) {
  const bulk = useBulk<T>({ word, nameOf, refresh })
  const [dialog, confirm] = useConfirm()
  const start = (action: ListAction<T>) => {
    const { label, body, typed } = action
    const run = async () => {
      await bulk.run(selected, action)
      clear()
    }
    if (body === undefined) return void run()
    const title = `${label} ${count(selected.length, word)}?`
    confirm({ title, body, action: label, run, ...(typed !== undefined && { typed }) })
  }
  return (
    <>
      {dialog}
      <BulkBar selected={selected.length} word={word} clear={clear} bulk={bulk}>
        {buttons.map((action) => (
          <Button
            key={action.label}
            variant="default"
            size="xs"
            leftSection={action.icon}
            disabled={bulk.progress !== undefined}
            {...(action.typed !== undefined && { c: 'var(--mantine-color-error)' })}
            onClick={() => start(action)}
          >
            {action.label}
          </Button>
        ))}
      </BulkBar>
    </>
  )
}
