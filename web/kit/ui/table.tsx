import { Box, Group, type MantineBreakpoint, Pagination, Paper, Skeleton, Table, Text } from '@mantine/core'
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
  align?: 'left' | 'right'
  /** The column is hidden below this breakpoint. */
  from?: MantineBreakpoint
}

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
                {columns.map((column) => (
                  <Table.Th key={column.label} {...placeOf(column)} className={classes.head}>
                    {column.label}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows ? (
                rows.map((row) => <Row key={keyOf(row)} row={row} columns={columns} href={hrefOf?.(row)} />)
              ) : (
                <SkeletonRows columns={columns} />
              )}
            </Table.Tbody>
          </Table>
        </div>
      </Paper>
      {meta && onPage && <Pages meta={meta} onPage={onPage} />}
    </Box>
  )
}

const placeOf = <T,>({ width, align, from }: Column<T>) => ({
  ...(width !== undefined && { w: width }),
  ...(align && { ta: align }),
  ...(from && { visibleFrom: from }),
})

function Row<T>({ row, columns, href }: { row: T; columns: Column<T>[]; href: string | undefined }) {
  const navigate = useNavigate()
  const open = (event: MouseEvent) => {
    if (!href || event.defaultPrevented || !(event.target instanceof Element)) return
    // Controls inside the row keep their own action; selecting text is not a click.
    if (event.target.closest('a, button, input, label, [role="menu"]') || window.getSelection()?.toString()) return
    if (event.metaKey || event.ctrlKey) window.open(href, '_blank', 'noopener')
    else void navigate(href)
  }
  return (
    <Table.Tr onClick={open} className={href ? classes.opens : undefined}>
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

function SkeletonRows<T>({ columns }: { columns: Column<T>[] }) {
  return skeletonRows.map((row) => (
    <Table.Tr key={row}>
      {columns.map((column) => (
        <Table.Td key={column.label} {...placeOf(column)}>
          <Skeleton height={14} my={4} radius="sm" width={`${55 + ((row * 17) % 40)}%`} />
        </Table.Td>
      ))}
    </Table.Tr>
  ))
}

/** "21–40 of 398" and the page buttons. */
export function Pages({ meta, onPage }: { meta: Meta; onPage: (page: number) => void }) {
  const { total, per_page: size, current_page: page, count } = meta
  const pages = Math.ceil(Math.min(total, maxItems) / size)
  const first = (page - 1) * size + 1
  return (
    <Group justify="space-between" mt="sm" gap="xs">
      <Text size="sm" c="dimmed" aria-live="polite">
        {count === 0 ? '0' : `${first.toLocaleString()}–${(first + count - 1).toLocaleString()}`} of{' '}
        {total.toLocaleString()}
      </Text>
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
