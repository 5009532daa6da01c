import { Box, Button, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'
import { api } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { CheckedForm } from '../../kit/ui/checked-form.tsx'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { dateTime } from '../../kit/ui/format.ts'
import { SaveError } from '../../kit/ui/save-error.tsx'
import { useSavedForm } from '../../kit/ui/saved-form.tsx'
import { notify } from '../../kit/ui/toast.tsx'
import { Copied, ShownOnce } from './copy.tsx'
import type { Webhook } from './webhook.ts'

/** Endpoint URL, name, token, signing secret and deletion. */
export function WebhookSettings({ webhook }: { webhook: Webhook }) {
  const mayChange = isAdmin(useSession())
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [dialog, ask] = useConfirm()
  const [fresh, setFresh] = useState<{ signing_secret: string; previous_valid_until: string }>()
  return (
    <Stack maw={720}>
      <EndpointForm webhook={webhook} mayChange={mayChange} />
      <Paper withBorder p="lg">
        <Copied label="Token (included in every request body)" value={webhook.token} />
      </Paper>
      {mayChange && (
        <ActionCard
          title="Signing secret"
          hint="Shown once when the webhook was created. After rotation, requests are signed with both secrets for 24 hours."
        >
          <Button
            variant="default"
            onClick={() =>
              ask({
                title: 'Rotate the signing secret?',
                body: 'The current secret stays valid for 24 hours. Older secrets stop working immediately.',
                action: 'Rotate',
                run: async () => {
                  setFresh(
                    await api.post('/v1/webhooks/{webhook_id}/secret/rotations', {
                      params: { webhook_id: webhook.webhook_id },
                    }),
                  )
                },
              })
            }
          >
            Rotate
          </Button>
        </ActionCard>
      )}
      {mayChange && (
        <ActionCard title="Delete webhook" hint="Deletes its configuration, token and delivery log.">
          <Button
            color="red"
            variant="light"
            onClick={() =>
              ask({
                title: `Delete ${webhook.custom_name}?`,
                body: 'No more events are sent, and pending deliveries are dropped. To stop deliveries temporarily, pause the webhook instead.',
                action: 'Delete',
                run: async () => {
                  await api.delete('/v1/webhooks/{webhook_id}', { params: { webhook_id: webhook.webhook_id } })
                  await navigate('/dashboard/webhooks')
                  await queries.invalidateQueries({ queryKey: ['webhooks'] })
                  notify('Webhook deleted')
                },
              })
            }
          >
            Delete
          </Button>
        </ActionCard>
      )}
      {dialog}
      <ShownOnce
        title="New signing secret"
        secrets={fresh && [{ label: 'Signing secret', value: fresh.signing_secret }]}
        close={() => setFresh(undefined)}
      >
        <Text size="sm">The previous secret stays valid until {dateTime(fresh?.previous_valid_until)}.</Text>
      </ShownOnce>
    </Stack>
  )
}

function EndpointForm({ webhook, mayChange }: { webhook: Webhook; mayChange: boolean }) {
  const queries = useQueryClient()
  const reread = async () => {
    await queries.invalidateQueries({ queryKey: ['webhook', webhook.webhook_id] })
    await queries.invalidateQueries({ queryKey: ['webhooks'] })
  }
  const { url, custom_name } = webhook
  const { form, set, isChanged, isBusy, error, save } = useSavedForm({ url, custom_name }, async (values, loaded) => {
    await api.put('/v1/webhooks/{webhook_id}', {
      params: { webhook_id: webhook.webhook_id },
      query: { events_action: 'add' },
      body: { url: values.url.trim(), custom_name: values.custom_name.trim() },
      loaded,
    })
    await reread()
    notify('Webhook saved')
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void save()
  }
  return (
    <Paper withBorder p="lg" component={CheckedForm} onSubmit={submit}>
      <Stack>
        <TextInput
          label="Endpoint URL"
          type="url"
          required
          maxLength={2_048}
          readOnly={!mayChange}
          value={form.url}
          onChange={({ currentTarget }) => set({ url: currentTarget.value })}
        />
        <TextInput
          label="Name"
          required
          maxLength={255}
          readOnly={!mayChange}
          value={form.custom_name}
          onChange={({ currentTarget }) => set({ custom_name: currentTarget.value })}
        />
        <SaveError error={error} retry={() => void save()} title="Webhook not saved" />
        {mayChange && (
          <Group justify="flex-end">
            <Button type="submit" disabled={!isChanged} loading={isBusy}>
              Save
            </Button>
          </Group>
        )}
      </Stack>
    </Paper>
  )
}

function ActionCard({ title, hint, children }: { title: string; hint: string; children: ReactNode }) {
  return (
    <Paper withBorder p="lg">
      <Group justify="space-between" wrap="nowrap">
        <div>
          <Title order={2} size="h5">
            {title}
          </Title>
          <Text size="sm" c="dimmed">
            {hint}
          </Text>
        </div>
        <Box flex="none">{children}</Box>
      </Group>
    </Paper>
  )
}
