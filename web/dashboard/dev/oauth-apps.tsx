import {
  ActionIcon,
  Avatar,
  Badge,
  Button,
  Code,
  Group,
  Menu,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { IconDots, IconPlus, IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, type ResponseOf } from '../../kit/api.ts'
import { CheckedForm } from '../../kit/ui/checked-form.tsx'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { dateTime } from '../../kit/ui/format.ts'
import { FormModal } from '../../kit/ui/leave-form.tsx'
import { Empty } from '../../kit/ui/page.tsx'
import { SaveError } from '../../kit/ui/save-error.tsx'
import { notify } from '../../kit/ui/toast.tsx'
import type { ListColumn } from '../parts/list-table.ts'
import { type ListAction, type ListChoice, ShortList } from '../parts/short-list.tsx'
import { ShownOnce } from './copy.tsx'

type OauthApp = ResponseOf<'/v1/oauth_apps'>['oauth_apps'][number]

/** OAuth apps of this company that other companies can install. */
export function OauthApps() {
  const queries = useQueryClient()
  const [dialog, ask] = useConfirm()
  const [edited, setEdited] = useState<OauthApp | 'new'>()
  const [secret, setSecret] = useState<{ client_id: string; client_secret: string }>()
  const { data, error, refetch } = useQuery({
    queryKey: ['oauth_apps'],
    queryFn: async () => (await api.get('/v1/oauth_apps')).oauth_apps,
  })
  const refresh = async () => {
    await queries.invalidateQueries({ queryKey: ['oauth_apps'] })
    await queries.invalidateQueries({ queryKey: ['marketplace'] })
  }
  const remove = ({ id, name }: OauthApp) =>
    ask({
      title: `Delete ${name}?`,
      body: 'The app is uninstalled from every company and its tokens are revoked immediately. This cannot be undone.',
      action: 'Delete',
      run: async () => {
        await api.delete('/v1/oauth_apps/{id}', { params: { id } })
        await refresh()
        notify(`${name} deleted`)
      },
    })
  const renew = ({ id, name, client_id }: OauthApp) =>
    ask({
      title: `Rotate the client secret of ${name}?`,
      body: 'The current secret stops working immediately. Issued tokens stay valid.',
      action: 'Rotate',
      run: async () => {
        const { client_secret } = await api.post('/v1/oauth_apps/{id}/secret/rotations', { params: { id } })
        setSecret({ client_id, client_secret })
      },
    })
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm" c="dimmed" maw={560}>
          An OAuth app accesses the companies whose admins authorize it, with a separate token for each. Register an app
          to build an integration for other companies.
        </Text>
        <Button leftSection={<IconPlus size={16} />} onClick={() => setEdited('new')}>
          New OAuth app
        </Button>
      </Group>
      <ShortList
        page="oauth-apps"
        label="OAuth apps"
        word="OAuth app"
        search="Name or client_id"
        textsOf={({ name, description, client_id: id }) => [name, description, id]}
        dateOf={({ created_at: at }) => at}
        choices={[visibility]}
        columns={columns}
        actions={{
          label: 'Actions',
          align: 'right',
          width: 80,
          cell: (app) => (
            <AppActions app={app} edit={() => setEdited(app)} rotate={() => renew(app)} remove={() => remove(app)} />
          ),
        }}
        bulk={[deletion]}
        refresh={refresh}
        rows={data}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        error={error}
        retry={() => void refetch()}
        empty={<Empty title="No OAuth apps yet">For your own integrations, use an API key.</Empty>}
      />
      {dialog}
      <FormModal
        opened={edited !== undefined}
        close={() => setEdited(undefined)}
        title={edited === 'new' ? 'New OAuth app' : edited && `Edit ${edited.name}`}
      >
        {({ leave, done }) =>
          edited && <AppForm app={edited === 'new' ? undefined : edited} cancel={leave} close={done} made={setSecret} />
        }
      </FormModal>
      <ShownOnce
        title="App credentials"
        secrets={
          secret && [
            { label: 'client_id', value: secret.client_id },
            { label: 'client_secret', value: secret.client_secret },
          ]
        }
        close={() => setSecret(undefined)}
      />
    </Stack>
  )
}

const visibility: ListChoice<OauthApp> = {
  name: 'listed',
  label: 'Marketplace',
  all: 'Listed or private',
  options: [
    { value: 'yes', label: 'Listed' },
    { value: 'no', label: 'Private' },
  ],
  of: ({ listed }) => (listed ? 'yes' : 'no'),
}

const deletion: ListAction<OauthApp> = {
  label: 'Delete',
  done: 'deleted',
  icon: <IconTrash size={14} />,
  body: 'The apps are uninstalled from every company and their tokens are revoked immediately. This cannot be undone.',
  typed: 'delete',
  run: ({ id }) => api.delete('/v1/oauth_apps/{id}', { params: { id } }),
}

const columns: ListColumn<OauthApp>[] = [
  { label: 'App', value: ({ name }) => name, cell: (app) => <AppName app={app} /> },
  {
    label: 'client_id',
    from: 'sm',
    value: ({ client_id: id }) => id,
    cell: ({ client_id: id }) => <Code style={{ whiteSpace: 'nowrap' }}>{id}</Code>,
  },
  {
    label: 'Marketplace',
    value: ({ listed }) => (listed ? 0 : 1),
    from: 'md',
    cell: ({ listed }) => (
      <Badge variant="light" color={listed ? 'green' : 'gray'} tt="none">
        {listed ? 'Listed' : 'Private'}
      </Badge>
    ),
  },
  {
    label: 'Created',
    value: ({ created_at: at }) => at,
    from: 'lg',
    cell: ({ created_at: at }) => <Text size="sm">{dateTime(at)}</Text>,
  },
]

function AppName({ app: { name, description, logo_url: logo } }: { app: OauthApp }) {
  return (
    <Group gap="sm" wrap="nowrap">
      <Avatar src={logo} alt="" radius="md" name={name} color="initials" />
      <div>
        <Text size="sm" fw={600}>
          {name}
        </Text>
        <Text size="xs" c="dimmed" lineClamp={2}>
          {description}
        </Text>
      </div>
    </Group>
  )
}

function AppActions({
  app,
  edit,
  rotate,
  remove,
}: {
  app: OauthApp
  edit: () => void
  rotate: () => void
  remove: () => void
}) {
  return (
    <Group justify="flex-end">
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${app.name}`}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={edit}>Edit</Menu.Item>
          <Menu.Item onClick={rotate}>Rotate secret</Menu.Item>
          <Menu.Divider />
          <Menu.Item color="red" onClick={remove}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  )
}

function AppForm({
  app,
  cancel,
  close,
  made,
}: {
  app: OauthApp | undefined
  cancel: () => void
  close: () => void
  made: (secret: { client_id: string; client_secret: string }) => void
}) {
  const queries = useQueryClient()
  const [form, setForm] = useState({
    name: app?.name ?? '',
    description: app?.description ?? '',
    logo_url: app?.logo_url ?? '',
    install_uri: app?.install_uri ?? '',
    redirect_uri: app?.redirect_uri ?? '',
    listed: app?.listed ?? false,
  })
  const set = (change: Partial<typeof form>) => setForm({ ...form, ...change })
  const save = useMutation({
    mutationFn: async () => {
      const body = {
        ...form,
        name: form.name.trim(),
        description: form.description.trim() || null,
        logo_url: form.logo_url.trim() || null,
      }
      if (!app) return { isNew: true as const, ...(await api.post('/v1/oauth_apps', { body })) }
      return {
        isNew: false as const,
        ...(await api.put('/v1/oauth_apps/{id}', { params: { id: app.id }, body, loaded: app })),
      }
    },
    onSuccess: async (saved) => {
      await queries.invalidateQueries({ queryKey: ['oauth_apps'] })
      await queries.invalidateQueries({ queryKey: ['marketplace'] })
      close()
      if (!saved.isNew) return notify(`${saved.oauth_app.name} saved`)
      const { client_id, client_secret } = saved.oauth_app
      made({ client_id, client_secret })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  const urlField = (label: string, description: string, name: 'logo_url' | 'install_uri' | 'redirect_uri') => (
    <TextInput
      label={label}
      description={description}
      type="url"
      placeholder="https://"
      maxLength={2_048}
      required={name !== 'logo_url'}
      value={form[name]}
      onChange={({ currentTarget }) => set({ [name]: currentTarget.value })}
    />
  )
  return (
    <Stack component={CheckedForm} onSubmit={submit}>
      <TextInput
        label="Name"
        required
        data-autofocus
        maxLength={100}
        value={form.name}
        onChange={({ currentTarget }) => set({ name: currentTarget.value })}
      />
      <Textarea
        label="Description"
        autosize
        minRows={2}
        maxLength={1_000}
        value={form.description}
        onChange={({ currentTarget }) => set({ description: currentTarget.value })}
      />
      {urlField('Install URL', 'Opened when an admin clicks Install', 'install_uri')}
      {urlField('Redirect URI', 'Receives the authorization code; must match exactly', 'redirect_uri')}
      {urlField('Logo URL', 'Square image', 'logo_url')}
      <Switch
        label="List in the marketplace of this installation"
        checked={form.listed}
        onChange={({ currentTarget }) => set({ listed: currentTarget.checked })}
      />
      {save.error && <SaveError error={save.error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={cancel}>
          Cancel
        </Button>
        <Button type="submit" loading={save.isPending}>
          {app ? 'Save' : 'Create app'}
        </Button>
      </Group>
    </Stack>
  )
}
