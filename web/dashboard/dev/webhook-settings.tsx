import { Box, Button, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'
import { api } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { dateTime } from '../../kit/ui/format.ts'
import { say } from '../../kit/ui/toast.tsx'
import { Trouble } from '../../kit/ui/trouble.tsx'
import { Copied, ShownOnce } from './copy.tsx'
import { type Webhook, webhookPath } from './webhook.ts'

/** Address, name, token, secret, and the end of it. */
export function WebhookSettings({ webhook }: { webhook: Webhook }) {
  const mayChange = isAdmin(useSession())
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [dialog, ask] = useConfirm()
  const [url, setUrl] = useState(webhook.url)
  const [name, setName] = useState(webhook.custom_name)
  const [fresh, setFresh] = useState<{ signing_secret: string; previous_valid_until: string }>()
  const path = webhookPath(webhook.webhook_id)
  const reread = async () => {
    await queries.invalidateQueries({ queryKey: ['webhook', webhook.webhook_id] })
    await queries.invalidateQueries({ queryKey: ['webhooks'] })
  }
  const save = useMutation({
    mutationFn: () => api.put(`${path}?events_action=add`, { url: url.trim(), custom_name: name.trim() }),
    onSuccess: async () => {
      await reread()
      say('Saved.')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  const isChanged = url !== webhook.url || name !== webhook.custom_name
  return (
    <Stack maw={720}>
      <Paper withBorder p="lg" component="form" onSubmit={submit}>
        <Stack>
          <TextInput
            label="Address"
            type="url"
            required
            maxLength={2_048}
            readOnly={!mayChange}
            value={url}
            onChange={({ currentTarget }) => setUrl(currentTarget.value)}
          />
          <TextInput
            label="Name"
            required
            maxLength={255}
            readOnly={!mayChange}
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          {save.error && <Trouble error={save.error} />}
          {mayChange && (
            <Group justify="flex-end">
              <Button type="submit" disabled={!isChanged} loading={save.isPending}>
                Save
              </Button>
            </Group>
          )}
        </Stack>
      </Paper>
      <Paper withBorder p="lg">
        <Copied label="Token, part of every body" value={webhook.token} />
      </Paper>
      {mayChange && (
        <Deed
          title="Signing secret"
          about="It was shown when the webhook was made. A new one signs beside the old for 24 hours, so that nothing is lost."
        >
          <Button
            variant="default"
            onClick={() =>
              ask({
                title: 'Make a new signing secret?',
                body: 'The old one goes on working for 24 hours. Whatever was in use before that one stops at once.',
                action: 'Make a new one',
                run: async () => {
                  setFresh(await api.post(`${path}/secret/rotations`))
                },
              })
            }
          >
            Rotate
          </Button>
        </Deed>
      )}
      {mayChange && (
        <Deed title="Delete this webhook" about="Its configuration, token and delivery log are lost.">
          <Button
            color="red"
            variant="light"
            onClick={() =>
              ask({
                title: `Delete ${webhook.custom_name}?`,
                body: 'Nothing is sent any more, and what waits is dropped. To stop it for a while, pause it instead.',
                action: 'Delete',
                run: async () => {
                  await api.delete(path)
                  await navigate('/dashboard/webhooks')
                  await queries.invalidateQueries({ queryKey: ['webhooks'] })
                  say('The webhook was deleted.')
                },
              })
            }
          >
            Delete
          </Button>
        </Deed>
      )}
      {dialog}
      <ShownOnce
        title="The new signing secret"
        secrets={fresh && [{ label: 'Signing secret', value: fresh.signing_secret }]}
        close={() => setFresh(undefined)}
      >
        <Text size="sm">The one before signs as well until {dateTime(fresh?.previous_valid_until)}.</Text>
      </ShownOnce>
    </Stack>
  )
}

function Deed({ title, about, children }: { title: string; about: string; children: ReactNode }) {
  return (
    <Paper withBorder p="lg">
      <Group justify="space-between" wrap="nowrap">
        <div>
          <Title order={2} size="h5">
            {title}
          </Title>
          <Text size="sm" c="dimmed">
            {about}
          </Text>
        </div>
        <Box flex="none">{children}</Box>
      </Group>
    </Paper>
  )
}
