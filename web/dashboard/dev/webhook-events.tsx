import { Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { SaveError } from '../../kit/ui/save-error.tsx'
import { useSavedForm } from '../../kit/ui/saved-form.tsx'
import { notifyWithUndo } from '../../kit/ui/toast.tsx'
import { EventToggles } from './event-toggles.tsx'
import { getsAll } from './events.ts'
import type { Webhook } from './webhook.ts'

/** Event subscription of a webhook. */
export function WebhookEvents({ webhook }: { webhook: Webhook }) {
  const mayChange = isAdmin(useSession())
  const queries = useQueryClient()
  const write = async (names: readonly string[], loaded?: object) => {
    const isAll = getsAll(names) && names.every((name) => !name.startsWith('webhook.'))
    await api.put('/v1/webhooks/{webhook_id}', {
      params: { webhook_id: webhook.webhook_id },
      body: isAll ? {} : { events: names },
      loaded,
    })
    await queries.invalidateQueries({ queryKey: ['webhook', webhook.webhook_id] })
    await queries.invalidateQueries({ queryKey: ['webhooks'] })
  }
  const { form, set, isChanged, isBusy, error, save, discard } = useSavedForm(
    { events: webhook.events },
    async (values, loaded) => {
      await write(values.events, loaded)
      notifyWithUndo('Events saved', () => write(loaded.events))
    },
  )
  const { events } = form
  return (
    <Stack maw={720}>
      <EventToggles value={events} onChange={(names) => set({ events: [...names] })} readOnly={!mayChange} />
      <SaveError error={error} retry={() => void save()} title="Events not saved" />
      {mayChange && (
        <Group justify="flex-end" gap="xs">
          {events.length === 0 && (
            <Text size="sm" c="dimmed">
              Select at least one event. To stop deliveries, pause the webhook.
            </Text>
          )}
          <Button variant="default" disabled={!isChanged} onClick={discard}>
            Discard changes
          </Button>
          <Button disabled={!isChanged || events.length === 0} loading={isBusy} onClick={() => void save()}>
            Save
          </Button>
        </Group>
      )}
    </Stack>
  )
}
