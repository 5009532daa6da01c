import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../../kit/api.ts'
import { CheckedForm } from '../../kit/ui/checked-form.tsx'
import { FormModal } from '../../kit/ui/leave-form.tsx'
import { SaveError } from '../../kit/ui/save-error.tsx'
import { EventToggles } from './event-toggles.tsx'
import { getsAll } from './events.ts'
import type { Webhook } from './webhook.ts'

/** Creates a webhook. */
export function NewWebhook({
  opened,
  close,
  made,
}: {
  opened: boolean
  close: () => void
  made: (webhook: Webhook, secret: string) => void
}) {
  return (
    <FormModal opened={opened} close={close} title="New webhook" size="lg">
      {(form) => <Fields {...form} made={made} />}
    </FormModal>
  )
}

function Fields({
  leave,
  done,
  made,
}: {
  leave: () => void
  done: () => void
  made: (webhook: Webhook, secret: string) => void
}) {
  const queries = useQueryClient()
  const [url, setUrl] = useState('')
  const [name, setName] = useState('')
  const [events, setEvents] = useState<string[]>(['call.created', 'call.answered', 'call.ended'])
  const create = useMutation({
    mutationFn: () =>
      api.post('/v1/webhooks', {
        body: {
          url: url.trim(),
          ...(name.trim() && { custom_name: name.trim() }),
          // Omitting `events` subscribes to all events, including future ones.
          ...(!(getsAll(events) && events.every((event) => !event.startsWith('webhook.'))) && { events }),
        },
      }),
    onSuccess: async ({ webhook, signing_secret: secret }) => {
      await queries.invalidateQueries({ queryKey: ['webhooks'] })
      done()
      made(webhook, secret)
    },
  })
  const [lacksEvents, setLacksEvents] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setLacksEvents(events.length === 0)
    if (events.length > 0) create.mutate()
  }
  return (
    <Stack component={CheckedForm} onSubmit={submit}>
      <TextInput
        label="Endpoint URL"
        description="Events are sent to this URL. A 2xx response within 5 seconds acknowledges an event."
        placeholder="https://example.com/hook"
        type="url"
        required
        data-autofocus
        maxLength={2_048}
        value={url}
        onChange={({ currentTarget }) => setUrl(currentTarget.value)}
      />
      <TextInput
        label="Name"
        placeholder="CRM sync"
        maxLength={255}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <div>
        <Text size="sm" fw={500} mb={6}>
          Events
        </Text>
        <EventToggles value={events} onChange={setEvents} />
        {lacksEvents && events.length === 0 && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert" mt="xs">
            Select at least one event
          </Text>
        )}
      </div>
      {create.error && <SaveError error={create.error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={leave}>
          Cancel
        </Button>
        <Button type="submit" loading={create.isPending}>
          Create webhook
        </Button>
      </Group>
    </Stack>
  )
}
