import { Button, Code, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../../kit/api.ts'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { dateTime } from '../../kit/ui/format.ts'
import { useUsers } from '../../kit/ui/lists.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { DataTable } from '../../kit/ui/table.tsx'
import { say } from '../../kit/ui/toast.tsx'
import { Trouble } from '../../kit/ui/trouble.tsx'
import { Copied, ShownOnce } from './copy.tsx'

interface Key {
  id: number
  api_id: string
  name: string
  created_by: number | null
  created_at: string
}
type NewKey = Key & { api_token: string }

/** Keys for software of your own: made, shown once, revoked. */
export function ApiKeys() {
  const queries = useQueryClient()
  const { data: users } = useUsers()
  const [isMaking, { open, close }] = useDisclosure()
  const [made, setMade] = useState<NewKey>()
  const [dialog, ask] = useConfirm()
  const { data, error, refetch } = useQuery({
    queryKey: ['api_keys'],
    queryFn: async () => (await api.get<{ api_keys: Key[] }>('/v1/api_keys')).api_keys,
  })
  const revoke = ({ id, name }: Key) =>
    ask({
      title: `Revoke ${name}?`,
      body: 'Whatever uses this key is refused from the next request on. It cannot be taken back.',
      action: 'Revoke',
      run: async () => {
        await api.delete(`/v1/api_keys/${id}`)
        await queries.invalidateQueries({ queryKey: ['api_keys'] })
        say(`${name} was revoked.`)
      },
    })
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm" c="dimmed" maw={560}>
          A key opens the whole public API of this company. Give each program its own, so that one can be revoked
          without the others.
        </Text>
        <Button leftSection={<IconPlus size={16} />} onClick={open}>
          New key
        </Button>
      </Group>
      <DataTable
        label="API keys"
        rows={data}
        keyOf={({ id }) => id}
        error={error}
        retry={() => void refetch()}
        empty={<Empty title="No key yet">Make one to call the API from your own software.</Empty>}
        columns={[
          {
            label: 'Key',
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
            label: 'Made by',
            from: 'sm',
            cell: ({ created_by: by }) => (
              <Text size="sm">
                {users?.find(({ id }) => id === by)?.name ?? (by === null ? 'The installation' : `User ${by}`)}
              </Text>
            ),
          },
          { label: 'Made', from: 'sm', cell: ({ created_at: at }) => <Text size="sm">{dateTime(at)}</Text> },
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
      <Modal opened={isMaking} onClose={close} title="New API key" closeButtonProps={{ 'aria-label': 'Close' }}>
        <NewKeyForm close={close} made={setMade} />
      </Modal>
      <ShownOnce
        title={`${made?.name ?? 'Key'} is ready`}
        secrets={
          made && [
            { label: 'api_id', value: made.api_id },
            { label: 'api_token', value: made.api_token },
          ]
        }
        close={() => setMade(undefined)}
      >
        {made && (
          <Copied label="Try it" value={`curl -u ${made.api_id}:${made.api_token} ${window.location.origin}/v1/ping`} />
        )}
      </ShownOnce>
    </Stack>
  )
}

function NewKeyForm({ close, made }: { close: () => void; made: (key: NewKey) => void }) {
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const create = useMutation({
    mutationFn: () => api.post<{ api_key: NewKey }>('/v1/api_keys', { name: name.trim() }),
    onSuccess: async ({ api_key: key }) => {
      await queries.invalidateQueries({ queryKey: ['api_keys'] })
      close()
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
        description="Which program will use it?"
        placeholder="CRM sync"
        required
        data-autofocus
        maxLength={255}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      {create.error && <Trouble error={create.error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button type="submit" loading={create.isPending}>
          Create
        </Button>
      </Group>
    </Stack>
  )
}
