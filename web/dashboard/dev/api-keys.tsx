import { Button, Code, Group, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, type ResponseOf } from '../../kit/api.ts'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { dateTime } from '../../kit/ui/format.ts'
import { FormModal } from '../../kit/ui/leave-form.tsx'
import { useUsers } from '../../kit/ui/lists.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { SaveError } from '../../kit/ui/save-error.tsx'
import { DataTable } from '../../kit/ui/table.tsx'
import { notify } from '../../kit/ui/toast.tsx'
import { Copied, ShownOnce } from './copy.tsx'

type Key = ResponseOf<'/v1/api_keys'>['api_keys'][number]
type NewKey = ResponseOf<'/v1/api_keys', 'post'>['api_key']

/** API keys of the company. */
export function ApiKeys() {
  const queries = useQueryClient()
  const { data: users } = useUsers()
  const [isCreating, { open, close }] = useDisclosure()
  const [made, setMade] = useState<NewKey>()
  const [dialog, ask] = useConfirm()
  const { data, error, refetch } = useQuery({
    queryKey: ['api_keys'],
    queryFn: async () => (await api.get('/v1/api_keys')).api_keys,
  })
  const revoke = ({ id, name }: Key) =>
    ask({
      title: `Revoke ${name}?`,
      body: 'Requests with this key are rejected immediately. This cannot be undone.',
      action: 'Revoke',
      run: async () => {
        await api.delete('/v1/api_keys/{id}', { params: { id } })
        await queries.invalidateQueries({ queryKey: ['api_keys'] })
        notify(`${name} revoked`)
      },
    })
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm" c="dimmed" maw={560}>
          An API key gives full access to the public API of this company. Create a separate key for each integration, so
          that you can revoke it individually.
        </Text>
        <Button leftSection={<IconPlus size={16} />} onClick={open}>
          New API key
        </Button>
      </Group>
      <DataTable
        label="API keys"
        rows={data}
        keyOf={({ id }) => id}
        error={error}
        retry={() => void refetch()}
        empty={<Empty title="No API keys yet">Create a key to use the API from your own software.</Empty>}
        columns={[
          {
            label: 'API key',
            cell: ({ name, api_id: id }) => (
              <div>
                <Text size="sm" fw={600}>
                  {name}
                </Text>
                <Code style={{ wordBreak: 'break-all' }}>{id}</Code>
              </div>
            ),
          },
          {
            label: 'Created by',
            from: 'sm',
            cell: ({ created_by: by }) => (
              <Text size="sm">
                {users?.find(({ id }) => id === by)?.name ?? (by === null ? 'System' : `User ${by}`)}
              </Text>
            ),
          },
          { label: 'Created', from: 'sm', cell: ({ created_at: at }) => <Text size="sm">{dateTime(at)}</Text> },
          {
            label: 'Actions',
            align: 'right',
            cell: (key) => (
              <Button
                size="compact-sm"
                variant="light"
                color="red"
                aria-label={`Revoke ${key.name}`}
                onClick={() => revoke(key)}
              >
                Revoke
              </Button>
            ),
          },
        ]}
      />
      {dialog}
      <FormModal opened={isCreating} close={close} title="New API key">
        {(form) => <NewKeyForm {...form} made={setMade} />}
      </FormModal>
      <ShownOnce
        title={`${made?.name ?? 'API key'} created`}
        secrets={
          made && [
            { label: 'api_id', value: made.api_id },
            { label: 'api_token', value: made.api_token },
          ]
        }
        close={() => setMade(undefined)}
      >
        {made && (
          <Copied
            label="Test request"
            value={`curl -u ${made.api_id}:${made.api_token} ${window.location.origin}/v1/ping`}
          />
        )}
      </ShownOnce>
    </Stack>
  )
}

function NewKeyForm({ leave, done, made }: { leave: () => void; done: () => void; made: (key: NewKey) => void }) {
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const create = useMutation({
    mutationFn: () => api.post('/v1/api_keys', { body: { name: name.trim() } }),
    onSuccess: async ({ api_key: key }) => {
      await queries.invalidateQueries({ queryKey: ['api_keys'] })
      done()
      made(key)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <Stack component="form" onSubmit={submit}>
      <TextInput
        label="Name"
        description="The integration that uses this key"
        placeholder="CRM sync"
        required
        data-autofocus
        maxLength={255}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      {create.error && <SaveError error={create.error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={leave}>
          Cancel
        </Button>
        <Button type="submit" loading={create.isPending}>
          Create API key
        </Button>
      </Group>
    </Stack>
  )
}
