import { Badge, Button, Group, Modal, Paper, Progress, Radio, Stack, Text, TextInput, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { CheckedForm } from '../../kit/ui/checked-form.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { count, dateTime, dateTimeField } from '../../kit/ui/format.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { SaveError } from '../../kit/ui/save-error.tsx'
import { notify, notifyError } from '../../kit/ui/toast.tsx'
import { useProductNow } from './product-time.ts'
import type { Replay } from './webhook.ts'

/** Replays of a webhook with their progress. */
export function Replays({ webhookId, show }: { webhookId: string; show: (replayId: string) => void }) {
  const mayChange = isAdmin(useSession())
  const queries = useQueryClient()
  const [isAsking, { open, close }] = useDisclosure()
  const { data, error, refetch } = useQuery({
    queryKey: ['webhook', webhookId, 'replays'],
    refetchInterval: ({ state }) => (state.data?.replays.some((one) => one.state === 'running') ? 1_500 : 15_000),
    queryFn: () =>
      api.get('/v1/webhooks/{webhook_id}/replays', { params: { webhook_id: webhookId }, query: { order: 'desc' } }),
  })
  const cancel = useMutation({
    mutationFn: (id: string) =>
      api.delete('/v1/webhooks/{webhook_id}/replays/{replay_id}', { params: { webhook_id: webhookId, replay_id: id } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['webhook', webhookId] }),
    onError: (failure) => notifyError(failure),
  })
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm" c="dimmed" maw={560}>
          Events can be replayed for 30 days. They keep their ID and order, and do not delay new events.
        </Text>
        {mayChange && <Button onClick={open}>Replay events</Button>}
      </Group>
      {error && <ErrorAlert error={error} retry={() => void refetch()} />}
      {data?.replays.length === 0 && (
        <Paper withBorder>
          <Empty title="No replays yet">Replay events your endpoint missed, for example after an outage.</Empty>
        </Paper>
      )}
      {data?.replays.map((replay) => (
        <Paper key={replay.id} withBorder p="md">
          <Group justify="space-between" mb="xs">
            <Group gap="xs">
              <Badge
                variant="light"
                tt="none"
                color={replay.state === 'running' ? 'blue' : replay.state === 'done' ? 'green' : 'gray'}
              >
                {replay.state === 'running' ? 'Running' : replay.state === 'done' ? 'Done' : 'Cancelled'}
              </Badge>
              <Text size="sm" fw={550}>
                {count(replay.total, 'event')}
              </Text>
              <Text size="sm" c="dimmed">
                {dateTime(replay.created_at)}
              </Text>
            </Group>
            <Group gap="xs">
              <Button size="compact-sm" variant="subtle" onClick={() => show(replay.id)}>
                View deliveries
              </Button>
              {replay.state === 'running' && mayChange && (
                <Button size="compact-sm" variant="light" color="red" onClick={() => cancel.mutate(replay.id)}>
                  Cancel replay
                </Button>
              )}
            </Group>
          </Group>
          <Progress.Root size="lg">
            <Progress.Section value={share(replay.delivered, replay)} color="teal" aria-label="Delivered" />
            <Progress.Section value={share(replay.failed, replay)} color="red" aria-label="Failed" />
          </Progress.Root>
          <Text size="xs" c="dimmed" mt={6} aria-live="polite">
            {replay.delivered} delivered, {replay.failed} failed, {replay.cancelled} cancelled,{' '}
            {replay.total - replay.done} pending
          </Text>
        </Paper>
      ))}
      <Modal opened={isAsking} onClose={close} title="Replay events" closeButtonProps={{ 'aria-label': 'Close' }}>
        <ReplayForm webhookId={webhookId} close={close} />
      </Modal>
    </Stack>
  )
}

const share = (n: number, { total }: Replay) => (total === 0 ? 0 : (n / total) * 100)

const scopes = {
  failed: { label: 'Failed events', hint: 'Failed after 13 attempts, or expired while held' },
  all: { label: 'All events', hint: 'Including delivered events' },
  missed: { label: 'Events while paused', hint: 'Never sent to the endpoint' },
} as const
type Wanted = keyof typeof scopes

function ReplayForm({ webhookId, close }: { webhookId: string; close: () => void }) {
  const queries = useQueryClient()
  const now = useProductNow()
  const [from, setFrom] = useState(() => dateTimeField(now - 3_600_000))
  const [to, setTo] = useState(() => dateTimeField(now + 60_000))
  const [what, setWhat] = useState<Wanted>('failed')
  const begin = useMutation({
    mutationFn: () =>
      api.post('/v1/webhooks/{webhook_id}/replays', {
        params: { webhook_id: webhookId },
        body: {
          from: Date.parse(from) / 1_000,
          to: Date.parse(to) / 1_000,
          ...(what === 'missed' && { include: 'missed' }),
          ...(what === 'all' && { states: ['exhausted', 'expired', 'delivered'] }),
        },
      }),
    onSuccess: async ({ replay }) => {
      await queries.invalidateQueries({ queryKey: ['webhook', webhookId] })
      notify(replay.total === 0 ? 'No events to replay' : `Replaying ${count(replay.total, 'event')}`)
      close()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    begin.mutate()
  }
  return (
    <Stack component={CheckedForm} onSubmit={submit}>
      <Title order={2} size="h6">
        Time range
      </Title>
      <Stack gap="xs">
        <TextInput
          type="datetime-local"
          label="From"
          required
          value={from}
          onChange={({ currentTarget }) => setFrom(currentTarget.value)}
        />
        <TextInput
          type="datetime-local"
          label="To"
          required
          value={to}
          onChange={({ currentTarget }) => setTo(currentTarget.value)}
        />
      </Stack>
      <Radio.Group label="Events" value={what} onChange={(value) => setWhat(value as Wanted)}>
        <Stack gap="xs" mt={6}>
          {Object.entries(scopes).map(([value, { label, hint }]) => (
            <Radio key={value} value={value} label={label} description={hint} />
          ))}
        </Stack>
      </Radio.Group>
      {begin.error && <SaveError error={begin.error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button type="submit" loading={begin.isPending}>
          Replay
        </Button>
      </Group>
    </Stack>
  )
}
