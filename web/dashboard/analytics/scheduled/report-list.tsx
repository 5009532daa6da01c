import { ActionIcon, Alert, Anchor, Badge, Box, Button, Menu, Paper, Stack, Switch, Text } from '@mantine/core'
import {
  IconDots,
  IconHistory,
  IconMailForward,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconSend,
  IconTrash,
} from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { api } from '../../../kit/api.ts'
import { isAdmin, useSession } from '../../../kit/session.tsx'
import { type ConfirmRequest, useConfirm } from '../../../kit/ui/confirm.tsx'
import { count, when } from '../../../kit/ui/format.ts'
import { Empty } from '../../../kit/ui/page.tsx'
import { type Column, DataTable } from '../../../kit/ui/table.tsx'
import { notify, notifyError } from '../../../kit/ui/toast.tsx'
import {
  periodWords,
  type Report,
  type ReportList,
  type ReportRun,
  reportsKey,
  resultWords,
  runTime,
  scheduleWords,
  useReports,
} from './report.ts'
import { ReportDrawer } from './report-form.tsx'
import { ReportRuns } from './report-runs.tsx'
import { RunState } from './run-state.tsx'

/** Scheduled reports with their last and next run. */
export function ScheduledReports({ create }: { create: () => void }) {
  const session = useSession()
  const { data, error, refetch } = useReports()
  const [dialog, ask] = useConfirm()
  const [edited, setEdited] = useState<Report>()
  const [shown, setShown] = useState<Report>()
  return (
    <Stack gap="md">
      {data && <MailNotice mailServer={data.mail_server} mayOpenSettings={isAdmin(session)} />}
      <DataTable
        label="Scheduled reports"
        columns={[
          ...columns,
          {
            label: 'Actions',
            align: 'right',
            cell: (report) => <ReportMenu report={report} ask={ask} edit={setEdited} history={setShown} />,
          },
        ]}
        rows={data?.scheduled_reports}
        keyOf={({ id }) => id}
        error={error}
        retry={() => void refetch()}
        empty={
          <Empty title="No scheduled reports yet" action={<Button onClick={create}>Schedule report</Button>}>
            The figures of this page by email: every day, week or month.
          </Empty>
        }
      />
      {data && isAdmin(session) && <ExternalRecipients list={data} />}
      {edited && data && (
        <ReportDrawer report={edited} list={data} userId={session.user.id} close={() => setEdited(undefined)} />
      )}
      {shown && <ReportRuns report={shown} close={() => setShown(undefined)} />}
      {dialog}
    </Stack>
  )
}

function MailNotice({
  mailServer,
  mayOpenSettings,
}: {
  mailServer: ReportList['mail_server']
  mayOpenSettings: boolean
}) {
  if (mailServer === 'configured') return null
  const isSandbox = mailServer === 'email_log'
  return (
    <Alert
      variant="light"
      color={isSandbox ? 'blue' : 'orange'}
      title={isSandbox ? 'Reports are not sent in this sandbox' : 'No mail server is configured'}
      role="note"
    >
      <Text size="sm">
        {isSandbox
          ? 'Without a mail server, reports are written to the email log only.'
          : 'Reports are not sent until the operator of this installation sets up a mail server. Runs until then fail.'}{' '}
        {mayOpenSettings ? (
          <Anchor component={Link} to="/dashboard/company/mails" size="sm" c="inherit" underline="always">
            {isSandbox ? 'Open the email log' : 'Email settings and log'}
          </Anchor>
        ) : (
          'An owner or admin can see the email log.'
        )}
      </Text>
    </Alert>
  )
}

const columns: Column<Report>[] = [
  {
    label: 'Report',
    cell: (report) => (
      <div>
        <Text size="sm" fw={550} style={{ overflowWrap: 'anywhere' }}>
          {report.name}
        </Text>
        <Text size="xs" c="dimmed">
          {scheduleWords(report)} ({report.time_zone}), {periodWords(report.period)}
        </Text>
        <Box hiddenFrom="sm">
          <Text size="xs" c="dimmed" mb={4}>
            {nextWords(report)}
          </Text>
          {report.last_run && <LastRun run={report.last_run} />}
        </Box>
      </div>
    ),
  },
  { label: 'Recipients', cell: (report) => <Recipients report={report} />, from: 'md' },
  { label: 'Last run', cell: ({ last_run: run }) => <LastRun run={run} />, from: 'sm' },
  {
    label: 'Next run',
    cell: (report) =>
      report.next_run_at === null ? (
        <Badge variant="light" color="gray" tt="none" fw={550}>
          Paused
        </Badge>
      ) : (
        <Text size="sm">{runTime(report.next_run_at, report.time_zone)}</Text>
      ),
    from: 'sm',
  },
]

const nextWords = ({ next_run_at: next, time_zone: zone }: Report) =>
  next === null ? 'Paused' : `Next run: ${runTime(next, zone)}`

const recipientStates = {
  unsubscribed: 'unsubscribed',
  deactivated: 'deactivated',
  not_allowed: 'not allowed',
} as const

function Recipients({ report: { recipients } }: { report: Report }) {
  const active = recipients.filter(({ state }) => state === 'receives')
  const names = active.slice(0, 2).map(({ name, email }) => name ?? email)
  const left = recipients.flatMap(({ state, name, email }) =>
    state === 'receives' ? [] : [`${name ?? email} (${recipientStates[state]})`],
  )
  return (
    <div>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {active.length === 0 ? 'None' : names.join(', ')}
        {active.length > 2 && ` and ${active.length - 2} more`}
      </Text>
      {left.length > 0 && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {left.join(', ')}
        </Text>
      )}
    </div>
  )
}

function LastRun({ run }: { run: ReportRun | null }) {
  if (!run) return <Text size="sm">Not sent yet</Text>
  return (
    <div>
      <RunState run={run} />
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {[run.cause === 'test' && 'Test', when(run.created_at), resultWords(run)].filter(Boolean).join(', ')}
      </Text>
    </div>
  )
}

function ReportMenu({
  report,
  ask,
  edit,
  history,
}: {
  report: Report
  ask: (question: ConfirmRequest) => void
  edit: (report: Report) => void
  history: (report: Report) => void
}) {
  const queries = useQueryClient()
  const params = { id: report.id }
  const refresh = () => queries.invalidateQueries({ queryKey: reportsKey })
  const attempt = async (change: () => Promise<unknown>, done: string, failed: string) => {
    try {
      await change()
      notify(done)
    } catch (failure) {
      notifyError(failure, failed)
    }
    await refresh()
  }
  const send = (to: 'me' | 'recipients') =>
    api.post('/v1/analytics/scheduled_reports/{id}/send', { params, body: { to } })
  const setActive = (active: boolean) =>
    attempt(
      () => api.put('/v1/analytics/scheduled_reports/{id}/active', { params, body: { active } }),
      active ? 'Report resumed' : 'Report paused',
      active ? 'Report not resumed' : 'Report not paused',
    )
  const receivers = report.recipients.filter(({ state }) => state === 'receives').length
  const askSend = () =>
    ask({
      title: `Send ${report.name} now?`,
      body: `The report of the ${periodWords(report.period)} is sent to ${count(receivers, 'recipient')}. The schedule does not change.`,
      action: 'Send now',
      run: async () => {
        await send('recipients')
        notify('Report is being sent')
        await refresh()
      },
    })
  const askDelete = () =>
    ask({
      title: `Delete ${report.name}?`,
      body: 'The report is no longer sent, and its run history is deleted. Emails that were sent stay in the email log.',
      action: 'Delete',
      run: async () => {
        await api.delete('/v1/analytics/scheduled_reports/{id}', { params })
        notify('Report deleted')
        await refresh()
      },
    })
  return (
    <Menu position="bottom-end" width={220} withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${report.name}`}>
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => edit(report)}>
          Edit
        </Menu.Item>
        <Menu.Item leftSection={<IconSend size={16} />} onClick={askSend} disabled={receivers === 0}>
          Send now
        </Menu.Item>
        <Menu.Item
          leftSection={<IconMailForward size={16} />}
          onClick={() => void attempt(() => send('me'), 'Test is being sent to you', 'Test not sent')}
        >
          Send test to me
        </Menu.Item>
        {report.active ? (
          <Menu.Item leftSection={<IconPlayerPause size={16} />} onClick={() => void setActive(false)}>
            Pause
          </Menu.Item>
        ) : (
          <Menu.Item leftSection={<IconPlayerPlay size={16} />} onClick={() => void setActive(true)}>
            Resume
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconHistory size={16} />} onClick={() => history(report)}>
          Run history
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={askDelete}>
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

function ExternalRecipients({ list }: { list: ReportList }) {
  const queries = useQueryClient()
  const change = async (allowed: boolean) => {
    try {
      await api.put('/v1/analytics/report_settings', { body: { external_recipients: allowed } })
      notify(allowed ? 'External recipients allowed' : 'External recipients no longer receive reports')
    } catch (failure) {
      notifyError(failure, 'Setting not saved')
    }
    await queries.invalidateQueries({ queryKey: reportsKey })
  }
  return (
    <Paper withBorder p="md">
      <Switch
        label="Allow recipients outside of the company"
        description="Reports contain names of agents and numbers. Users of the company can always be recipients."
        checked={list.external_recipients}
        onChange={(event) => void change(event.currentTarget.checked)}
      />
    </Paper>
  )
}
