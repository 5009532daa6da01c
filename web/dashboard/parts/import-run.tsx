import { Alert, Badge, Button, Group, Paper, Progress, Table, Text, Title } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { writeCsv } from '../../../src/domain/csv.ts'
import { importKindLabels } from '../../../src/domain/import/kinds.ts'
import { api, type ResponseOf } from '../../kit/api.ts'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { count, dateTime } from '../../kit/ui/format.ts'
import { notify, notifyError } from '../../kit/ui/toast.tsx'
import { saveFile } from './save-file.ts'

export type CompanyImport = ResponseOf<'/v1/company_imports'>['imports'][number]

export const importsKey = ['imports']

export const sourceLabel = ({ source }: CompanyImport) => (source.startsWith('csv:') ? 'CSV files' : source)

const sentence = (reason: string) => reason.charAt(0).toUpperCase() + reason.slice(1)

const states = {
  running: { label: 'In progress', color: 'blue' },
  stopped: { label: 'Stopped', color: 'gray' },
  failed: { label: 'Failed', color: 'red' },
  done: { label: 'Complete', color: 'green' },
} as const

export const ImportState = ({ run }: { run: CompanyImport }) => (
  <Badge color={states[run.state].color} variant="light">
    {states[run.state].label}
  </Badge>
)

/** An import with its progress and, at its end, its report. */
export function ImportRun({ run }: { run: CompanyImport }) {
  const { state, created_at: startedAt, finished_at: finishedAt } = run
  return (
    <Paper withBorder p="lg" component="section" aria-label="Latest import">
      <Group justify="space-between" align="flex-start" mb="sm">
        <div style={{ minWidth: 0 }}>
          <Group gap="xs" mb={4}>
            <Title order={2} size="h4" style={{ overflowWrap: 'anywhere' }}>
              {sourceLabel(run)}
            </Title>
            <ImportState run={run} />
          </Group>
          <Text size="sm" c="dimmed">
            Started {dateTime(startedAt)}
            {finishedAt !== null && `, completed ${dateTime(finishedAt)}`}
            {run.merge && '. Existing objects are updated'}
          </Text>
        </div>
        <RunActions run={run} />
      </Group>
      {run.error !== null && (
        <Alert color="red" variant="light" mb="sm" title="The import failed" role="alert">
          {sentence(run.error)}. What was imported is kept. Continue when the source can be read again, or start a new
          import if its API key has changed.
        </Alert>
      )}
      <ProgressTable run={run} />
      {state !== 'running' && <ImportReport run={run} />}
    </Paper>
  )
}

function RunActions({ run }: { run: CompanyImport }) {
  const queries = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const act = async (path: '/v1/company_imports/{id}/stop' | '/v1/company_imports/{id}/continue', done: string) => {
    setBusy(true)
    try {
      await api.post(path, { params: { id: run.id } })
      notify(done)
    } catch (problem) {
      notifyError(problem, 'Import not changed')
    }
    await queries.invalidateQueries({ queryKey: importsKey })
    setBusy(false)
  }
  if (run.state === 'done') return null
  return run.state === 'running' ? (
    <Button
      variant="default"
      loading={isBusy}
      onClick={() => void act('/v1/company_imports/{id}/stop', 'Import stopped')}
    >
      Stop
    </Button>
  ) : (
    <Button loading={isBusy} onClick={() => void act('/v1/company_imports/{id}/continue', 'Import continued')}>
      Continue
    </Button>
  )
}

const columns = [
  { label: 'Created', of: ({ created }: Kind) => created },
  { label: 'Existing', of: ({ existing }: Kind) => existing, visibleFrom: 'sm' },
  { label: 'Updated', of: ({ updated }: Kind) => updated, visibleFrom: 'sm' },
  { label: 'Rejected', of: ({ rejected }: Kind) => rejected, visibleFrom: 'sm' },
]

type Kind = CompanyImport['progress'][number]

function ProgressTable({ run }: { run: CompanyImport }) {
  const current = run.progress.find(({ finished }) => !finished)
  return (
    <Table aria-label="Progress" verticalSpacing={6} horizontalSpacing="xs">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Objects</Table.Th>
          <Table.Th w="34%">Progress</Table.Th>
          {columns.map(({ label, visibleFrom }) => (
            <Table.Th key={label} ta="right" {...(visibleFrom && { visibleFrom })}>
              {label}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {run.progress.map((one) => (
          <Table.Tr key={one.kind}>
            <Table.Th fw={500}>{importKindLabels[one.kind]}</Table.Th>
            <Table.Td>
              <Progress.Root size="sm">
                <Progress.Section
                  value={shareOf(one)}
                  color={one.finished ? 'green' : states[run.state].color}
                  animated={run.state === 'running' && one === current}
                  aria-label={importKindLabels[one.kind]}
                />
              </Progress.Root>
              <Text size="xs" c="dimmed" mt={2}>
                {progressText(one)}
                {one.rejected > 0 && (
                  <Text span inherit hiddenFrom="sm" c="var(--mantine-color-error)">
                    {`, ${one.rejected.toLocaleString()} rejected`}
                  </Text>
                )}
              </Text>
            </Table.Td>
            {columns.map(({ label, of, visibleFrom }) => (
              <Table.Td
                key={label}
                ta="right"
                style={{ fontVariantNumeric: 'tabular-nums' }}
                {...(visibleFrom && { visibleFrom })}
              >
                {of(one).toLocaleString()}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

const readOf = ({ created, existing, updated, rejected }: Kind) => created + existing + updated + rejected

function shareOf(kind: Kind): number {
  if (kind.finished) return 100
  return kind.total ? Math.min(99, (readOf(kind) / kind.total) * 100) : 0
}

function progressText(kind: Kind): string {
  if (kind.finished) return readOf(kind) === 0 ? 'None' : 'Complete'
  return kind.total === null
    ? 'Waiting'
    : `${readOf(kind).toLocaleString()} of ${Math.max(kind.total, readOf(kind)).toLocaleString()}`
}

/** Rejected rows, and settings that the public API does not show. */
function ImportReport({ run: { id, state } }: { run: CompanyImport }) {
  const { data, error, refetch } = useQuery({
    queryKey: [...importsKey, id, state],
    queryFn: () => api.get('/v1/company_imports/{id}', { params: { id } }),
  })
  if (error) return <ErrorAlert error={error} retry={() => void refetch()} />
  if (!data) return null
  const { remarks } = data.import
  const rejected = remarks.filter(({ severity }) => severity === 'rejected').length
  const save = () =>
    saveFile(
      `import-${id}.csv`,
      writeCsv([
        ['Severity', 'Objects', 'ID at the source', 'Reason'],
        ...remarks.map((one) => [one.severity, importKindLabels[one.kind], one.source_id, one.reason]),
      ]),
    )
  return (
    <>
      <Group justify="space-between" mt="lg" mb="xs">
        <div>
          <Title order={3} size="h5">
            Report
          </Title>
          <Text size="sm" c="dimmed">
            {remarks.length === 0
              ? 'No rows were rejected, and no settings need a check.'
              : `${count(rejected, 'rejected row')}, ${count(remarks.length - rejected, 'setting')} to check`}
            {remarks.length === maxRemarks && `; the first ${maxRemarks} are shown`}
          </Text>
        </div>
        {remarks.length > 0 && (
          <Button variant="default" size="xs" leftSection={<IconDownload size={14} aria-hidden />} onClick={save}>
            Download CSV
          </Button>
        )}
      </Group>
      {remarks.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <section style={{ maxHeight: 420, overflowY: 'auto' }} tabIndex={0} aria-label="Report">
          <Table aria-label="Report" verticalSpacing={6} horizontalSpacing="xs">
            <Table.Tbody>
              {remarks.map(({ kind, source_id: sourceId, severity, reason }, nth) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a row of the source may have several equal remarks
                <Table.Tr key={nth}>
                  <Table.Td w={104}>
                    <Badge color={severity === 'rejected' ? 'red' : 'yellow'} variant="light">
                      {severity === 'rejected' ? 'Rejected' : 'Check'}
                    </Badge>
                  </Table.Td>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>
                    <Text size="sm" fw={500}>
                      {importKindLabels[kind]} {sourceId}
                    </Text>
                    <Text size="sm">{sentence(reason)}</Text>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </section>
      )}
    </>
  )
}

/** As many as the server returns. */
const maxRemarks = 500
