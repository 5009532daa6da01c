import {
  Box,
  Checkbox,
  Group,
  type MantineBreakpoint,
  Pagination,
  Paper,
  Select,
  Skeleton,
  Table,
  Text,
  UnstyledButton,
} from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import type { MouseEvent, ReactNode } from 'react'
import { Link, useNavigate } from 'react-router'
import { ErrorAlert } from './error-alert.tsx'
import { Empty } from './page.tsx'
import classes from './table.module.css'

/** Pagination data of the API's lists. */
export interface Meta {
  count: number
  total: number
  current_page: number
  per_page: number
}

export interface Column<T> {
  label: string
  cell: (row: T) => ReactNode
  width?: number | string
  /** May take half of a narrow screen: its phone numbers do not wrap. */
  isWide?: boolean
  align?: 'left' | 'right'
  /** The column is hidden below this breakpoint. */
  from?: MantineBreakpoint
  /** The name by which the list can be sorted; absent: it cannot. */
  sort?: string
}

export interface Sort {
  by: string
  order: 'asc' | 'desc'
  /** The order of a column that was not sorted before: newest first, unless names are sorted. */
  first?: 'asc' | 'desc'
  onChange: (by: string, order: 'asc' | 'desc') => void
}

/** The keys of selected rows, which may be on other pages. */
export interface Selection<T> {
  keys: ReadonlySet<string | number>
  onChange: (rows: readonly T[], isSelected: boolean) => void
  /** The accessible name of a row: "Call with Ada". */
  nameOf: (row: T) => string
}

export const pageSizes = [10, 20, 50] as const

/** The API returns no pages beyond this item. */
const maxItems = 10_000

/** A table with loading, empty and error states, and pagination. */
export function DataTable<T>({
  label,
  columns,
  rows,
  keyOf,
  hrefOf,
  error,
  retry,
  empty,
  meta,
  onPage,
  onPageSize,
  sort,
  selection,
}: {
  /** The accessible name. */
  label: string
  columns: Column<T>[]
  /** Undefined while they are loading. */
  rows: T[] | undefined
  keyOf: (row: T) => string | number
  /** The target of a row: its first cell is a link, and a click anywhere in the row follows it. */
  hrefOf?: (row: T) => string
  error?: unknown
  retry?: () => void
  empty?: ReactNode
  meta?: Meta | undefined
  onPage?: (page: number) => void
  onPageSize?: (size: number) => void
  sort?: Sort | undefined
  selection?: Selection<T> | undefined
}) {
  if (error && !rows) return <ErrorAlert error={error} {...(retry && { retry })} />
  if (rows?.length === 0) return <Paper withBorder>{empty ?? <Empty title="No results" />}</Paper>
  return (
    <Box>
      {Boolean(error) && (
        <Box mb="sm">
          <ErrorAlert error={error} title="This list may be out of date" {...(retry && { retry })} />
        </Box>
      )}
      <Paper withBorder style={{ overflow: 'hidden' }}>
        <div className={classes.scroll}>
          <Table
            aria-label={label}
            aria-busy={!rows}
            verticalSpacing="xs"
            horizontalSpacing="md"
            highlightOnHover={Boolean(hrefOf)}
          >
            <Table.Thead>
              <Table.Tr>
                {selection && <SelectAll rows={rows} keyOf={keyOf} selection={selection} />}
                {columns.map((column) => (
                  <Head key={column.label} column={column} sort={sort} />
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows ? (
                rows.map((row) => (
                  <Row
                    key={keyOf(row)}
                    row={row}
                    columns={columns}
                    href={hrefOf?.(row)}
                    selection={selection}
                    isSelected={selection?.keys.has(keyOf(row)) ?? false}
                  />
                ))
              ) : (
                <SkeletonRows columns={columns} hasSelection={selection !== undefined} />
              )}
            </Table.Tbody>
          </Table>
        </div>
      </Paper>
      {meta && onPage && <Pages meta={meta} onPage={onPage} {...(onPageSize && { onPageSize })} />}
    </Box>
  )
}

const placeOf = <T,>({ label, width, align, from, isWide }: Column<T>) => ({
  ...(isWide && { 'data-wide': true }),
  ...(label === 'Actions' && { 'data-actions': true }),
  ...(width !== undefined && { w: width }),
  ...(align && { ta: align }),
  ...(from && { visibleFrom: from }),
})

const opposite = { asc: 'desc', desc: 'asc' } as const

function Head<T>({ column, sort }: { column: Column<T>; sort: Sort | undefined }) {
  const { label, sort: name } = column
  if (!sort || name === undefined) {
    return (
      <Table.Th {...placeOf(column)} className={classes.head}>
        {label}
      </Table.Th>
    )
  }
  const isSorted = sort.by === name
  const Icon = sort.order === 'asc' ? IconArrowUp : IconArrowDown
  return (
    <Table.Th
      {...placeOf(column)}
      className={classes.head}
      aria-sort={isSorted ? (sort.order === 'asc' ? 'ascending' : 'descending') : 'none'}
    >
      <UnstyledButton
        className={classes.sort}
        onClick={() => sort.onChange(name, isSorted ? opposite[sort.order] : (sort.first ?? 'desc'))}
      >
        {label} {isSorted && <Icon size={14} aria-hidden />}
      </UnstyledButton>
    </Table.Th>
  )
}

function SelectAll<T>({
  rows = [],
  keyOf,
  selection,
}: {
  rows: T[] | undefined
  keyOf: (row: T) => string | number
  selection: Selection<T>
}) {
  const selected = rows.filter((row) => selection.keys.has(keyOf(row))).length
  const isAll = rows.length > 0 && selected === rows.length
  return (
    <Table.Th w={36} pr={0}>
      <Checkbox
        size="xs"
        aria-label="Select all rows of this page"
        checked={isAll}
        indeterminate={selected > 0 && !isAll}
        onChange={() => selection.onChange(rows, !isAll)}
      />
    </Table.Th>
  )
}

function Row<T>({
  row,
  columns,
  href,
  selection,
  isSelected,
}: {
  row: T
  columns: Column<T>[]
  href: string | undefined
  selection: Selection<T> | undefined
  isSelected: boolean
}) {
  const navigate = useNavigate()
  const open = (event: MouseEvent) => {
    if (!href || event.defaultPrevented || !(event.target instanceof Element)) return
    // Controls inside the row keep their own action; selecting text is not a click.
    if (event.target.closest('a, button, input, label, [role="menu"]') || window.getSelection()?.toString()) return
    if (event.metaKey || event.ctrlKey) window.open(href, '_blank', 'noopener')
    else void navigate(href)
  }
  return (
    <Table.Tr
      onClick={open}
      className={href ? classes.opens : undefined}
      {...(isSelected && { bg: 'var(--mantine-primary-color-light)' })}
    >
      {selection && (
        <Table.Td w={36} pr={0}>
          <Checkbox
            size="xs"
            aria-label={`Select ${selection.nameOf(row)}`}
            checked={isSelected}
            onChange={(event) => selection.onChange([row], event.currentTarget.checked)}
          />
        </Table.Td>
      )}
      {columns.map((column, index) => (
        <Table.Td key={column.label} {...placeOf(column)}>
          {href && index === 0 ? (
            <Link to={href} className={classes.link}>
              {column.cell(row)}
            </Link>
          ) : (
            column.cell(row)
          )}
        </Table.Td>
      ))}
    </Table.Tr>
  )
}

const skeletonRows = [0, 1, 2, 3, 4, 5]

function SkeletonRows<T>({ columns, hasSelection }: { columns: Column<T>[]; hasSelection: boolean }) {
  return skeletonRows.map((row) => (
    <Table.Tr key={row}>
      {hasSelection && <Table.Td w={36} />}
      {columns.map((column) => (
        <Table.Td key={column.label} {...placeOf(column)}>
          <Skeleton height={14} my={4} radius="sm" width={`${55 + ((row * 17) % 40)}%`} />
        </Table.Td>
      ))}
    </Table.Tr>
  ))
}

/** "21–40 of 398", the page size and the page buttons. */
export function Pages({
  meta,
  onPage,
  onPageSize,
}: {
  meta: Meta
  onPage: (page: number) => void
  onPageSize?: (size: number) => void
}) {
  const { total, per_page: size, current_page: page, count } = meta
  const pages = Math.ceil(Math.min(total, maxItems) / size)
  const first = (page - 1) * size + 1
  return (
    <Group justify="space-between" mt="sm" gap="xs">
      <Group gap="sm">
        <Text size="sm" c="dimmed" aria-live="polite">
          {count === 0 ? '0' : `${first.toLocaleString()}–${(first + count - 1).toLocaleString()}`} of{' '}
          {total.toLocaleString()}
        </Text>
        {onPageSize && (
          <Select
            aria-label="Rows per page"
            size="xs"
            w={120}
            allowDeselect={false}
            data={pageSizes.map((n) => ({ value: String(n), label: `${n} per page` }))}
            value={String(size)}
            onChange={(n) => onPageSize(Number(n))}
          />
        )}
      </Group>
      {pages > 1 && (
        <Pagination
          size="sm"
          total={pages}
          value={page}
          onChange={onPage}
          getItemProps={(item) => ({ 'aria-label': `Page ${item}` })}
          getControlProps={(control) => ({ 'aria-label': `${control[0]?.toUpperCase()}${control.slice(1)} page` })}
        />
      )}
    </Group>
  )
}
