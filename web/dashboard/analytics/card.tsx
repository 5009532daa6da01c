import { ActionIcon, Group, Paper, Stack, Table, Text, Title, Tooltip } from '@mantine/core'
import { IconChartBar, IconTable } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import classes from './chart.module.css'

/** The data of a chart as a table. */
export interface Figures {
  columns: string[]
  rows: (string | number)[][]
  /** The calls behind the first cell and the following ones of each row. */
  hrefs?: (readonly (string | undefined)[])[]
}

/** A titled chart that can switch to a table. */
export function ChartCard({
  title,
  hint,
  figures,
  legend,
  children,
}: {
  title: string
  hint?: string
  figures: Figures
  legend?: ReactNode
  children: ReactNode
}) {
  const [isTable, setTable] = useState(false)
  const other = isTable ? 'Show chart' : 'Show table'
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Stack gap="sm">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <div>
            <Title order={2} size="h5">
              {title}
            </Title>
            {hint && (
              <Text size="xs" c="dimmed">
                {hint}
              </Text>
            )}
          </div>
          <Tooltip label={other}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`${title}: ${other.toLowerCase()}`}
              aria-pressed={isTable}
              onClick={() => setTable(!isTable)}
            >
              {isTable ? <IconChartBar size={18} /> : <IconTable size={18} />}
            </ActionIcon>
          </Tooltip>
        </Group>
        {!isTable && legend}
        {isTable ? <FigureTable title={title} figures={figures} /> : children}
      </Stack>
    </Paper>
  )
}

function FigureTable({ title, figures: { columns, rows, hrefs } }: { title: string; figures: Figures }) {
  return (
    <Table.ScrollContainer minWidth={280} mah={320}>
      <Table aria-label={title} verticalSpacing={4} className={classes.number} stickyHeader>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column, i) => (
              <Table.Th key={column} ta={i === 0 ? 'left' : 'right'}>
                {column}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, at) => (
            <Table.Tr key={row[0]}>
              {row.map((cell, i) => (
                <Table.Td key={columns[i]} ta={i === 0 ? 'left' : 'right'}>
                  <CallsAnchor href={hrefs?.[at]?.[i]}>
                    {typeof cell === 'number' ? cell.toLocaleString() : cell}
                  </CallsAnchor>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

/** A figure that links to the calls behind it. */
export function CallsAnchor({ href, children }: { href: string | undefined; children: ReactNode }) {
  if (href === undefined) return children
  return (
    <Link to={href} className={classes.link}>
      {children}
    </Link>
  )
}
