import { ActionIcon, Alert, Anchor, Badge, Button, Group, Progress, Stack, Text } from '@mantine/core'
import { IconDownload, IconFileSpreadsheet, IconPlus, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { ApiError, api, type ResponseOf } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { count, dateTime } from '../../kit/ui/format.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { notify } from '../../kit/ui/toast.tsx'
import type { ListColumn } from '../parts/list-table.ts'
import { type ListAction, type ListChoice, ShortList } from '../parts/short-list.tsx'
import { exportsKey, NewExport } from './new-export.tsx'
import { reportLabel } from './reports.ts'

export type ExportItem = ResponseOf<'/v1/analytics/exports'>['exports'][number]

/** Report files, created in the background and kept for 30 days. */
export function Exports() {
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const [dialog, confirm] = useConfirm()
  const { data, error, refetch } = useQuery({
    queryKey: exportsKey,
    queryFn: () => api.get('/v1/analytics/exports'),
    // Polls quickly while an export is pending; download links expire after an hour.
    refetchInterval: ({ state }) => (state.data?.exports.some(({ status }) => status === 'PENDING') ? 1_500 : 60_000),
    retry: false,
  })
  if (error instanceof ApiError && error.status === 403) return <NotInPlan />
  const refresh = () => queries.invalidateQueries({ queryKey: exportsKey })
  const remove = (item: ExportItem) =>
    confirm({
      title: `Delete ${nameOf(item)}?`,
      body: isPending(item)
        ? 'The report is no longer created.'
        : 'The file is deleted, and download links stop working. This cannot be undone.',
      action: 'Delete',
      run: async () => {
        await deleteExport(item)
        await refresh()
        notify(`${nameOf(item)} deleted`)
      },
    })
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setOpen(true)}>
      New export
    </Button>
  )
  return (
    <Stack gap="md">
      {dialog}
      <Group justify="space-between" align="flex-start">
        <Text size="sm" c="dimmed" maw={560}>
          CSV files with the data behind the charts. Files are kept for 30 days.
        </Text>
        {create}
      </Group>
      <ShortList
        page="exports"
        label="Exports"
        word="export"
        search="Name or report"
        textsOf={({ exportName, reportName }) => [exportName, reportLabel(reportName)]}
        dateOf={({ createdAt }) => createdAt}
        choices={[states]}
        columns={columns}
        actions={actions(remove)}
        bulk={bulkActions}
        refresh={refresh}
        rows={data?.exports}
        keyOf={({ exportID }) => exportID}
        nameOf={nameOf}
        error={error}
        retry={() => void refetch()}
        empty={
          <Empty title="No exports yet" action={create}>
            Select a report and a date range to create a CSV file.
          </Empty>
        }
      />
      {isOpen && <NewExport close={() => setOpen(false)} />}
    </Stack>
  )
}

function NotInPlan() {
  const session = useSession()
  return (
    <Alert
      variant="light"
      color="blue"
      icon={<IconFileSpreadsheet size={20} />}
      title="Exports require Analytics+"
      role="note"
    >
      <Text size="sm">
        {session.company.name} is on the {planWords(session.company.plan)} plan. Exports are part of the Analytics+
        add-on, which is available for the Professional and Custom plans. The charts are included in every plan.
      </Text>
      <Text size="sm" mt="xs">
        {isAdmin(session) && session.tenancy === 'multi' ? (
          <Anchor component={Link} to="/dashboard/company/plan" size="sm" c="inherit" underline="always">
            View plan
          </Anchor>
        ) : (
          'Contact the operator of this installation to add it.'
        )}
      </Text>
    </Alert>
  )
}

const planWords = (plan: string) => plan.charAt(0).toUpperCase() + plan.slice(1)

const sizeWords = (bytes: number) =>
  bytes < 1_000_000 ? `${Math.max(1, Math.round(bytes / 1_000))} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`

const nameOf = ({ exportName, reportName }: ExportItem) =>
  exportName === reportName ? reportLabel(reportName) : exportName

const states: ListChoice<ExportItem> = {
  name: 'state',
  label: 'Status',
  all: 'All statuses',
  options: [
    { value: 'PENDING', label: 'Pending' },
    { value: 'COMPLETED', label: 'Ready' },
    { value: 'FAILED', label: 'Failed' },
  ],
  of: ({ status }) => status,
}

const download: ListAction<ExportItem> = {
  label: 'Download',
  done: 'downloading',
  icon: <IconDownload size={14} />,
  skips: { row: ({ downloadUrl }) => !downloadUrl, because: 'without a file' },
  async run({ downloadUrl }) {
    const link = document.createElement('a')
    link.href = downloadUrl ?? ''
    link.download = ''
    link.click()
  },
}

const isPending = ({ status }: ExportItem) => status === 'PENDING'

const deleteExport = ({ exportID }: ExportItem) =>
  api.delete('/v1/analytics/exports/{export_id}', { params: { export_id: exportID } })

const bulkActions: readonly ListAction<ExportItem>[] = [
  download,
  {
    label: 'Delete',
    done: 'deleted',
    icon: <IconTrash size={14} />,
    body: 'The files are deleted, and download links stop working. Reports in progress are cancelled. This cannot be undone.',
    typed: 'delete',
    run: deleteExport,
  },
]

const actions = (remove: (item: ExportItem) => void): ListColumn<ExportItem> => ({
  label: 'Actions',
  align: 'right',
  cell: (item) => (
    <ActionIcon variant="subtle" color="red" aria-label={`Delete ${nameOf(item)}`} onClick={() => remove(item)}>
      <IconTrash size={16} />
    </ActionIcon>
  ),
})

const columns: ListColumn<ExportItem>[] = [
  {
    label: 'Report',
    value: nameOf,
    cell: (item) => (
      <div>
        <Text size="sm" fw={550} style={{ overflowWrap: 'anywhere' }}>
          {nameOf(item)}
        </Text>
        {item.exportName !== item.reportName && (
          <Text size="xs" c="dimmed">
            {reportLabel(item.reportName)}
          </Text>
        )}
      </div>
    ),
  },
  {
    label: 'Created',
    value: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => <Text size="sm">{dateTime(createdAt)}</Text>,
    from: 'sm',
  },
  { label: 'Status', value: ({ status }) => status, cell: (item) => <State item={item} /> },
  {
    label: 'File',
    cell: ({ status, downloadUrl, exportName }) =>
      status === 'COMPLETED' && downloadUrl ? (
        <Button
          component="a"
          href={downloadUrl}
          size="xs"
          variant="default"
          leftSection={<IconDownload size={14} />}
          aria-label={`Download ${exportName}`}
        >
          Download
        </Button>
      ) : null,
    align: 'right',
  },
]

function State({ item: { status, progress, rows, bytes, errorMessage, exportName } }: { item: ExportItem }) {
  const { done, total } = progress
  if (status === 'FAILED') {
    return (
      <div>
        <Badge color="red" variant="light" tt="none">
          Failed
        </Badge>
        <Text size="xs" c="dimmed">
          {errorMessage}
        </Text>
      </div>
    )
  }
  if (status === 'COMPLETED') {
    return (
      <div>
        <Badge color="green" variant="light" tt="none">
          Ready
        </Badge>
        <Text size="xs" c="dimmed">
          {count(rows, 'row')}
          {bytes !== null && ` · ${sizeWords(bytes)}`}
        </Text>
      </div>
    )
  }
  const share = total ? Math.min(100, (done / total) * 100) : 0
  return (
    <div>
      <Progress value={share} miw={120} animated aria-label={`Progress of ${exportName}`} />
      <Text size="xs" c="dimmed" aria-live="polite">
        {total === null ? 'Queued' : `${done.toLocaleString()} of ${total.toLocaleString()}`}
      </Text>
    </div>
  )
}
