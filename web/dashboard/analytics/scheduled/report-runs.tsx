import { Drawer, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../../kit/api.ts'
import { dateTime } from '../../../kit/ui/format.ts'
import { Empty } from '../../../kit/ui/page.tsx'
import { type Column, DataTable } from '../../../kit/ui/table.tsx'
import { datesOfRun, type Report, type ReportRun, reportsKey, resultWords } from './report.ts'
import { RunState } from './run-state.tsx'

/** The last runs of a report with their results. */
export function ReportRuns({ report, close }: { report: Report; close: () => void }) {
  const { data, error, refetch } = useQuery({
    queryKey: [...reportsKey, report.id, 'runs'],
    queryFn: () => api.get('/v1/analytics/scheduled_reports/{id}/runs', { params: { id: report.id } }),
    refetchInterval: 5_000,
  })
  return (
    <Drawer
      opened
      onClose={close}
      position="right"
      size="lg"
      title={`Run history: ${report.name}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <DataTable
        label="Runs"
        columns={columns}
        rows={data?.runs}
        keyOf={({ id }) => id}
        error={error}
        retry={() => void refetch()}
        empty={<Empty title="No runs yet">Each time the report is sent appears here for 90 days.</Empty>}
      />
    </Drawer>
  )
}

const causes = { schedule: 'Scheduled', manual: 'Sent now', test: 'Test' } as const

const columns: Column<ReportRun>[] = [
  {
    label: 'Run',
    cell: (run) => (
      <div>
        <Text size="sm">{dateTime(run.created_at)}</Text>
        <Text size="xs" c="dimmed">
          {[causes[run.cause], datesOfRun(run)].filter(Boolean).join(', ')}
        </Text>
      </div>
    ),
  },
  {
    label: 'Result',
    cell: (run) => (
      <div>
        <RunState run={run} />
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {resultWords(run)}
        </Text>
      </div>
    ),
  },
]
