import { Button, Group, Paper, Skeleton, Stack, Table, Text, Title } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { dateTime } from '../../kit/ui/format.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { type CompanyImport, ImportRun, ImportState, importsKey, sourceLabel } from './import-run.tsx'
import { NewImport } from './new-import.tsx'

/** Brings the company over from another server. */
export function ImportSettings() {
  const [isOpen, setOpen] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: importsKey,
    queryFn: () => api.get('/v1/company_imports'),
    refetchInterval: ({ state }) => (state.data?.imports.some((run) => run.state === 'running') ? 1_000 : false),
  })
  if (error && !data) return <ErrorAlert error={error} retry={() => void refetch()} />
  if (!data) return <Skeleton height={320} />
  const [latest, ...earlier] = data.imports
  const open = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpen(true)}>
      New import
    </Button>
  )
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start">
        <Text size="sm" c="dimmed" maw={640}>
          Copies a company from another server of this API, or from CSV files. The source is not changed, and imported
          calls, contacts and messages publish no events.
        </Text>
        {latest && latest.state !== 'running' && !isOpen && open}
      </Group>
      {isOpen && latest?.state !== 'running' && <NewImport close={() => setOpen(false)} />}
      {latest && <ImportRun run={latest} />}
      {!latest && !isOpen && (
        <Paper withBorder>
          <Empty title="No imports yet" action={open}>
            You need the URL of the other server and an API key of the company there, or CSV files. The progress and the
            report of an import appear here.
          </Empty>
        </Paper>
      )}
      {earlier.length > 0 && <EarlierImports runs={earlier} />}
    </Stack>
  )
}

function EarlierImports({ runs }: { runs: readonly CompanyImport[] }) {
  return (
    <Paper withBorder p="lg" component="section" aria-label="Earlier imports">
      <Title order={2} size="h4" mb="sm">
        Earlier imports
      </Title>
      <Table verticalSpacing={6} aria-label="Earlier imports">
        <Table.Tbody>
          {runs.map((run) => (
            <Table.Tr key={run.id}>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{sourceLabel(run)}</Table.Td>
              <Table.Td>{dateTime(run.created_at)}</Table.Td>
              <Table.Td ta="right">
                <ImportState run={run} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  )
}
