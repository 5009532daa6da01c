import { Button, Group, Paper, Select, Stack, Table, Text, Title } from '@mantine/core'
import { count } from '../../kit/ui/format.ts'
import { SaveError } from '../../kit/ui/save-error.tsx'
import type { ImportColumn, ImportTable } from './table.ts'

/** Step 2: what each column is imported as, and the button that checks the rows. */
export function ColumnsStep<Field extends string>({
  table,
  columns,
  setMapping,
  missing,
  check,
}: {
  table: ImportTable<Field>
  columns: readonly ImportColumn<Field>[]
  setMapping: (mapping: (Field | 'ignore')[]) => void
  /** What is missing before the rows can be checked. */
  missing: string | undefined
  check: { run: () => void; isPending: boolean; error: unknown }
}) {
  const change = (at: number, chosen: string | null) => {
    const field = columns.find(({ value }) => value === chosen)?.value ?? 'ignore'
    setMapping(table.mapping.map((one, i) => (i === at ? field : one)))
  }
  return (
    <Paper withBorder p="md">
      <Stack>
        <Title order={2} size="h4">
          2. Columns
        </Title>
        <div style={{ overflowX: 'auto' }}>
          <Table aria-label="Columns">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Column</Table.Th>
                <Table.Th>Imported as</Table.Th>
                <Table.Th>First values</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {table.header.map((name, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other identity
                <Table.Tr key={i}>
                  <Table.Td>{name}</Table.Td>
                  <Table.Td>
                    <Select
                      aria-label={`Column ${name}`}
                      size="xs"
                      w={170}
                      allowDeselect={false}
                      data={columns.map(({ value, label }) => ({ value, label }))}
                      value={table.mapping[i] ?? 'ignore'}
                      onChange={(chosen) => change(i, chosen)}
                    />
                  </Table.Td>
                  <Table.Td>
                    <Text size="sm" c="dimmed" lineClamp={1}>
                      {table.rows
                        .slice(0, 3)
                        .map((row) => row[i])
                        .filter(Boolean)
                        .join(' · ')}
                    </Text>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
        {missing && (
          <Text size="sm" c="var(--mantine-color-error)">
            {missing}
          </Text>
        )}
        {check.error !== null && <SaveError error={check.error} retry={check.run} title="Rows not checked" />}
        <Group>
          <Button disabled={missing !== undefined} loading={check.isPending} onClick={check.run}>
            Check {count(table.rows.length, 'row')}
          </Button>
        </Group>
      </Stack>
    </Paper>
  )
}
