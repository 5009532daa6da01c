import { type Column, type Meta, pageSizes, type Sort } from '../../kit/ui/table.tsx'
import { type Filters, type TablePage, usePageSize } from './table-tools.tsx'

// Lists that are read completely: search, order and pages are made here. Longer lists are paged by the server.

export type ListColumn<T> = Column<T> & {
  /** What the column is sorted by; absent: it cannot be sorted. */
  value?: (row: T) => string | number
}

const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** Whether all words of a search are in the texts of a row. */
export function matches(search: string, texts: readonly string[]): boolean {
  const searched = plain(texts.join(' '))
  return plain(search.trim())
    .split(/\s+/)
    .every((word) => searched.includes(word))
}

/** The properties of the table: the rows of the current page, in the order of the chosen column. */
export function useListTable<T>(
  page: TablePage,
  filters: Filters,
  columns: ListColumn<T>[],
  rows: T[] | undefined,
): {
  columns: Column<T>[]
  rows: T[] | undefined
  sort: Sort
  meta: Meta | undefined
  onPage: (page: number) => void
  onPageSize: (size: number) => void
} {
  const [size, setSize] = usePageSize(page, filters)
  const by = filters.get('sort') ?? ''
  const order = filters.get('order') === 'desc' ? 'desc' : 'asc'
  const value = columns.find(({ label }) => nameOf(label) === by)?.value
  const sorted = rows && (value ? inOrder(rows, value, order) : rows)
  const last = Math.max(1, Math.ceil((sorted?.length ?? 0) / size))
  const current = Math.min(filters.page, last)
  const shown = sorted?.slice((current - 1) * size, current * size)
  return {
    columns: columns.map((column) => (column.value ? { ...column, sort: nameOf(column.label) } : column)),
    rows: shown,
    sort: { by, order, first: 'asc', onChange: (sort, next) => filters.set({ sort, order: next }) },
    // A list that fits on the smallest page needs no pages.
    meta:
      sorted && shown && sorted.length > pageSizes[0]
        ? { count: shown.length, total: sorted.length, current_page: current, per_page: size }
        : undefined,
    onPage: filters.setPage,
    onPageSize: setSize,
  }
}

const nameOf = (label: string) => label.toLowerCase().replaceAll(' ', '_')

function inOrder<T>(rows: readonly T[], value: (row: T) => string | number, order: 'asc' | 'desc'): T[] {
  const sign = order === 'asc' ? 1 : -1
  return rows
    .map((row) => ({ row, key: value(row) }))
    .sort((a, b) => sign * compare(a.key, b.key))
    .map(({ row }) => row)
}

const compare = (a: string | number, b: string | number) =>
  typeof a === 'number' && typeof b === 'number'
    ? a - b
    : String(a).localeCompare(String(b), undefined, { numeric: true, sensitivity: 'base' })
