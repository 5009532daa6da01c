import { Button, Code, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { dateTime } from '../../kit/ui/format.ts'
import { FormModal } from '../../kit/ui/leave-form.tsx'
import { useUsers } from '../../kit/ui/lists.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { notify } from '../../kit/ui/toast.tsx'
import type { ListColumn } from '../parts/list-table.ts'
import { type ListAction, type ListChoice, ShortList } from '../parts/short-list.tsx'
import { type ApiKey, ApiKeyForm, type NewApiKey } from './api-key-form.tsx'
import { accessLabel } from './api-key-scopes.ts'
import { Copied, ShownOnce } from './copy.tsx'
import { RotateApiKey } from './rotate-api-key.tsx'

/** A token that is shown once. */
interface Shown {
  title: string
  key: NewApiKey
}

/** API keys of the company. */
export function ApiKeys() {
  const queries = useQueryClient()
  const [isCreating, { open, close }] = useDisclosure()
  const [edited, setEdited] = useState<ApiKey>()
  const [rotated, setRotated] = useState<ApiKey>()
  const [shown, setShown] = useState<Shown>()
  const [dialog, ask] = useConfirm()
  const { data, error, refetch } = useQuery({
    queryKey: ['api_keys'],
    queryFn: async () => (await api.get('/v1/api_keys')).api_keys,
  })
  const refresh = () => queries.invalidateQueries({ queryKey: ['api_keys'] })
  const revoke = ({ id, name }: ApiKey) =>
    ask({
      title: `Revoke ${name}?`,
      body: 'Requests with this key are rejected immediately. This cannot be undone.',
      action: 'Revoke',
      run: async () => {
        await api.delete('/v1/api_keys/{id}', { params: { id } })
        await refresh()
        notify(`${name} revoked`)
      },
    })
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm" c="dimmed" maw={560}>
          An API key gives your software access to the public API of this company. Create a key for each integration and
          select only the scopes it needs.
        </Text>
        <Button leftSection={<IconPlus size={16} />} onClick={open}>
          New API key
        </Button>
      </Group>
      <ShortList
        page="api-keys"
        label="API keys"
        word="API key"
        search="Name or api_id"
        textsOf={({ name, api_id: id }) => [name, id]}
        dateOf={({ created_at: at }) => at}
        choices={[states]}
        columns={columns}
        actions={{
          label: 'Actions',
          align: 'right',
          cell: (key) => (
            <Actions
              name={key.name}
              edit={() => setEdited(key)}
              rotate={() => setRotated(key)}
              revoke={() => revoke(key)}
            />
          ),
        }}
        bulk={[revocation]}
        refresh={refresh}
        rows={data}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        error={error}
        retry={() => void refetch()}
        empty={<Empty title="No API keys yet">Create a key to use the API from your own software.</Empty>}
      />
      {dialog}
      <FormModal opened={isCreating} close={close} title="New API key">
        {(form) => <ApiKeyForm {...form} created={(key) => setShown({ title: `${key.name} created`, key })} />}
      </FormModal>
      <FormModal opened={edited !== undefined} close={() => setEdited(undefined)} title={`Edit ${edited?.name ?? ''}`}>
        {(form) => <ApiKeyForm {...form} edited={edited} />}
      </FormModal>
      <FormModal
        opened={rotated !== undefined}
        close={() => setRotated(undefined)}
        title={`Rotate ${rotated?.name ?? ''}`}
      >
        {(form) =>
          rotated && (
            <RotateApiKey
              {...form}
              apiKey={rotated}
              rotated={(key) => setShown({ title: `${key.name} has a new token`, key })}
            />
          )
        }
      </FormModal>
      <ShownOnce
        title={shown?.title ?? 'API key'}
        secrets={
          shown && [
            { label: 'api_id', value: shown.key.api_id },
            { label: 'api_token', value: shown.key.api_token },
          ]
        }
        close={() => setShown(undefined)}
      >
        {shown && (
          <Copied
            label="Test request"
            value={`curl -u ${shown.key.api_id}:${shown.key.api_token} ${window.location.origin}/v1/ping`}
          />
        )}
      </ShownOnce>
    </Stack>
  )
}

const isExpired = ({ expires_at: at }: ApiKey) => at !== null && Date.parse(at) <= Date.now()

const states: ListChoice<ApiKey> = {
  name: 'state',
  label: 'Status',
  all: 'All statuses',
  options: [
    { value: 'active', label: 'Active' },
    { value: 'expired', label: 'Expired' },
    { value: 'unused', label: 'Never used' },
  ],
  of: (key) => (isExpired(key) ? 'expired' : key.last_used_at === null ? 'unused' : 'active'),
}

const revocation: ListAction<ApiKey> = {
  label: 'Revoke',
  done: 'revoked',
  icon: <IconTrash size={14} />,
  body: 'Requests with these keys are rejected immediately. This cannot be undone.',
  typed: 'revoke',
  run: ({ id }) => api.delete('/v1/api_keys/{id}', { params: { id } }),
}

const columns: ListColumn<ApiKey>[] = [
  { label: 'API key', value: ({ name }) => name, cell: (key) => <KeyName apiKey={key} /> },
  {
    label: 'Access',
    value: ({ scopes }) => accessLabel(scopes),
    from: 'sm',
    cell: ({ scopes }) => <Text size="sm">{accessLabel(scopes)}</Text>,
  },
  {
    label: 'Last used',
    value: ({ last_used_at: at }) => at ?? '',
    from: 'sm',
    cell: ({ last_used_at: at }) => <Text size="sm">{at === null ? 'Never' : dateTime(at)}</Text>,
  },
  { label: 'Created', value: ({ created_at: at }) => at, from: 'lg', cell: (key) => <Created apiKey={key} /> },
]

function KeyName({ apiKey: key }: { apiKey: ApiKey }) {
  return (
    <Stack gap={4}>
      <Text size="sm" fw={600}>
        {key.name}
      </Text>
      <Code style={{ wordBreak: 'break-all' }}>{key.api_id}</Code>
      <Text size="xs" c="dimmed" hiddenFrom="sm">
        {accessLabel(key.scopes)}
      </Text>
      {key.expires_at !== null && (
        <Text size="xs" c={isExpired(key) ? 'red' : 'dimmed'}>
          {isExpired(key) ? 'Expired' : 'Expires'} {dateTime(key.expires_at)}
        </Text>
      )}
      {key.allowed_ips !== null && (
        <Text size="xs" c="dimmed" style={{ wordBreak: 'break-word' }}>
          Only from {key.allowed_ips.join(', ')}
        </Text>
      )}
      {key.previous_token_expires_at !== null && (
        <Text size="xs" c="dimmed">
          Previous token until {dateTime(key.previous_token_expires_at)}
        </Text>
      )}
    </Stack>
  )
}

function Created({ apiKey: { created_at: at, created_by: by } }: { apiKey: ApiKey }) {
  const { data: users } = useUsers()
  const who = users?.find(({ id }) => id === by)?.name ?? (by === null ? 'System' : `User ${by}`)
  return (
    <div>
      <Text size="sm">{dateTime(at)}</Text>
      <Text size="xs" c="dimmed">
        {who}
      </Text>
    </div>
  )
}

function Actions(props: { name: string; edit: () => void; rotate: () => void; revoke: () => void }) {
  const { name, edit, rotate, revoke } = props
  return (
    <Group gap={6} justify="flex-end">
      <Button size="compact-sm" variant="light" aria-label={`Edit ${name}`} onClick={edit}>
        Edit
      </Button>
      <Button size="compact-sm" variant="light" aria-label={`Rotate ${name}`} onClick={rotate}>
        Rotate
      </Button>
      <Button size="compact-sm" variant="light" color="red" aria-label={`Revoke ${name}`} onClick={revoke}>
        Revoke
      </Button>
    </Group>
  )
}
