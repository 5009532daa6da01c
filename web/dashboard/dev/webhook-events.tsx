import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { notifyWithUndo } from '../../kit/ui/toast.tsx'
import { useUnsaved } from '../../kit/unsaved.ts'
import { EventToggles } from './event-toggles.tsx'
import { getsAll } from './events.ts'
import type { Webhook } from './webhook.ts'

/** Event subscription of a webhook. */
export function WebhookEvents({ webhook }: { webhook: Webhook }) {
  const mayChange = isAdmin(useSession())
  const queries = useQueryClient()
  const [events, setEvents] = useState<readonly string[]>(webhook.events)
  const isChanged = [...events].sort().join() !== [...webhook.events].sort().join()
  useUnsaved(isChanged)
  const write = async (names: readonly string[]) => {
    const isAll = getsAll(names) && names.every((name) => !name.startsWith('webhook.'))
    await api.put('/v1/webhooks/{webhook_id}', {
      params: { webhook_id: webhook.webhook_id },
      body: isAll ? {} : { events: names },
    })
    await queries.invalidateQueries({ queryKey: ['webhook', webhook.webhook_id] })
    await queries.invalidateQueries({ queryKey: ['webhooks'] })
  }
  const save = useMutation({
    mutationFn: () => write(events),
    onSuccess: () => notifyWithUndo('Events saved', () => write(webhook.events)),
  })
  return (
    <Stack maw={720}>
      <EventToggles value={events} onChange={setEvents} readOnly={!mayChange} />
      {save.error && <ErrorAlert error={save.error} />}
      {mayChange && (
        <Group justify="flex-end" gap="xs">
          {events.length === 0 && (
            <Text size="sm" c="dimmed">
              Select at least one event. To stop deliveries, pause the webhook.
            </Text>
          )}
          <Button variant="default" disabled={!isChanged} onClick={() => setEvents(webhook.events)}>
            Discard changes
          </Button>
          <Button disabled={!isChanged || events.length === 0} loading={save.isPending} onClick={() => save.mutate()}>
            Save
          </Button>
        </Group>
      )}
    </Stack>
  )
}
