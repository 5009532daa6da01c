import { ActionIcon, Alert, Badge, Button, Group, Stack, Text, Tooltip } from '@mantine/core'
import { IconPencil, IconPhoneCall, IconPlus, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { useSession } from '../../kit/session.tsx'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { when } from '../../kit/ui/format.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { type Column, DataTable } from '../../kit/ui/table.tsx'
import { notify } from '../../kit/ui/toast.tsx'
import { switchActions } from '../parts/activation.tsx'
import type { ListColumn } from '../parts/list-table.ts'
import { type ListAction, type ListChoice, ShortList } from '../parts/short-list.tsx'
import { TrunkTestCall } from './test-call.tsx'
import { type SharedTrunk, stateLookOf, type Trunk } from './trunk.ts'
import { TrunkDrawer } from './trunk-drawer.tsx'

export function TrunkList() {
  const { mode } = useSession()
  const queries = useQueryClient()
  const [wanted, setWanted] = useState<Trunk | 'new'>()
  const [tested, setTested] = useState<Pick<Trunk, 'id' | 'name'>>()
  const [dialog, confirm] = useConfirm()
  const {
    data: all,
    error,
    refetch,
  } = useQuery({
    queryKey: ['trunks'],
    queryFn: () => api.get('/v1/trunks'),
    // Shows status changes within seconds.
    refetchInterval: 5_000,
  })
  const data = all?.trunks
  const shared = all?.shared_trunks ?? []
  const refresh = () => queries.invalidateQueries({ queryKey: ['trunks'] })
  const remove = ({ id, name }: Trunk) =>
    confirm({
      title: `Delete ${name}?`,
      body: 'Calls in progress continue. No new calls use this trunk. Its password is deleted permanently.',
      action: 'Delete',
      run: async () => {
        await api.delete('/v1/trunks/{id}', { params: { id } })
        await refresh()
        notify(`${name} deleted`)
      },
    })
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setWanted('new')}>
      Add SIP trunk
    </Button>
  )
  const hasEmergencyTrunk =
    data?.some(({ enabled, emergency }) => enabled && emergency) ||
    shared.some(({ state, emergency }) => state !== 'off' && emergency)
  return (
    <Stack>
      {dialog}
      {data && data.length > 0 && <Group justify="flex-end">{add}</Group>}
      {mode === 'production' && data && !hasEmergencyTrunk && (
        <Alert color="orange" variant="light" title="No emergency calls">
          No enabled trunk carries emergency calls. The phone app warns agents; keep another phone available.
        </Alert>
      )}
      <ShortList
        page="trunks"
        label="SIP trunks"
        word="SIP trunk"
        search="Name or host"
        textsOf={({ name, host, username }) => [name, host, username]}
        choices={[states]}
        columns={columns}
        actions={actions({ edit: setWanted, test: setTested, remove })}
        bulk={bulkActions}
        refresh={refresh}
        nameOf={({ name }) => name}
        rows={data}
        keyOf={({ id }) => id}
        error={error}
        retry={() => void refetch()}
        empty={
          <Empty title="No SIP trunks yet" action={add}>
            A SIP trunk connects this server to the public telephone network. Your carrier provides the settings.
            {mode === 'sandbox' && ' The sandbox works without a trunk: its callers are simulated.'}
          </Empty>
        }
      />
      {shared.length > 0 && (
        <>
          <Text size="sm" fw={550}>
            Shared trunks of the operator
          </Text>
          <DataTable
            label="Shared trunks"
            columns={sharedColumns(setTested)}
            rows={shared}
            keyOf={({ id }) => id}
            error={null}
            retry={() => void refetch()}
            empty={null}
          />
        </>
      )}
      <TrunkDrawer wanted={wanted} close={() => setWanted(undefined)} />
      {tested && <TrunkTestCall trunk={tested} close={() => setTested(undefined)} />}
    </Stack>
  )
}

const states: ListChoice<Trunk> = {
  name: 'state',
  label: 'Status',
  all: 'All statuses',
  options: [
    { value: 'up', label: 'Reachable' },
    { value: 'down', label: 'Unreachable' },
    { value: 'unknown', label: 'Pending' },
    { value: 'off', label: 'Disabled' },
  ],
  of: ({ state }) => state,
}

const enable = ({ id }: Trunk, enabled: boolean) => api.put('/v1/trunks/{id}', { params: { id }, body: { enabled } })

const bulkActions: readonly ListAction<Trunk>[] = [
  ...switchActions<Trunk>({
    isOn: ({ enabled }) => enabled,
    set: enable,
    on: { label: 'Enable', done: 'enabled', state: 'already enabled' },
    off: {
      label: 'Disable',
      done: 'disabled',
      state: 'already disabled',
      body: 'Calls in progress continue. No new calls use these trunks until you enable them again.',
    },
  }),
  {
    label: 'Delete',
    done: 'deleted',
    icon: <IconTrash size={14} />,
    body: 'Calls in progress continue. No new calls use these trunks. Their passwords are deleted permanently.',
    typed: 'delete',
    run: ({ id }) => api.delete('/v1/trunks/{id}', { params: { id } }),
  },
]

const columns: ListColumn<Trunk>[] = [
  {
    label: 'Name',
    value: ({ name }) => name,
    cell: ({ name, host, port, transport }) => (
      <>
        <Text size="sm" fw={550}>
          {name}
        </Text>
        <Text size="xs" c="dimmed" style={{ wordBreak: 'break-all' }}>
          {host.includes(':') && port !== null ? `[${host}]` : host}
          {port === null ? '' : `:${port}`} · {transport === 'auto' ? 'Automatic (DNS)' : transport.toUpperCase()}
        </Text>
      </>
    ),
  },
  { label: 'Status', value: (trunk) => stateLookOf(trunk).label, cell: (trunk) => <State trunk={trunk} /> },
  {
    label: 'Allowed prefixes',
    value: ({ prefixes }) => prefixes.join(),
    cell: ({ prefixes, emergency }) => (
      <Text size="sm">
        {prefixes.length === 0 ? 'All' : prefixes.map((prefix) => `+${prefix}`).join(', ')}
        {emergency && ', emergency calls'}
      </Text>
    ),
    from: 'sm',
  },
  {
    label: 'Authentication',
    value: ({ registers }) => (registers ? 1 : 0),
    cell: ({ registers, username }) => (registers ? `Registration (${username})` : 'IP'),
    from: 'md',
  },
  {
    label: 'Priority',
    value: ({ priority }) => priority,
    cell: ({ priority }) => priority,
    align: 'right',
    from: 'md',
  },
]

const sharedColumns = (test: (trunk: SharedTrunk) => void): Column<SharedTrunk>[] => [
  { label: 'Name', cell: ({ name }) => <Text size="sm">{name}</Text> },
  { label: 'Status', cell: (trunk) => <State trunk={trunk} /> },
  {
    label: 'Test',
    align: 'right',
    cell: (trunk) => (
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Test ${trunk.name}`}
        disabled={trunk.state === 'off'}
        onClick={() => test(trunk)}
      >
        <IconPhoneCall size={16} />
      </ActionIcon>
    ),
  },
]

function State({ trunk }: { trunk: SharedTrunk & { registers?: boolean } }) {
  const { state, state_since, state_detail } = trunk
  const { label, color, hint: meaning } = stateLookOf(trunk)
  const hint = state_detail === null ? meaning : `${meaning} Last response: ${state_detail}`
  return (
    <Tooltip label={hint} events={{ hover: true, focus: true, touch: true }} multiline maw={240}>
      <Group gap={6} wrap="nowrap" w="fit-content">
        <Badge variant="light" color={color} tt="none" aria-description={hint} tabIndex={0}>
          {label}
        </Badge>
        {state_since !== null && state !== 'off' && (
          <Text size="xs" c="dimmed" visibleFrom="xs">
            since {when(state_since)}
          </Text>
        )}
      </Group>
    </Tooltip>
  )
}

const actions = (run: Record<'edit' | 'test' | 'remove', (trunk: Trunk) => void>): Column<Trunk> => ({
  label: 'Actions',
  align: 'right',
  cell: (trunk) => (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Test ${trunk.name}`}
        disabled={!trunk.enabled}
        onClick={() => run.test(trunk)}
      >
        <IconPhoneCall size={16} />
      </ActionIcon>
      <ActionIcon variant="subtle" color="gray" aria-label={`Edit ${trunk.name}`} onClick={() => run.edit(trunk)}>
        <IconPencil size={16} />
      </ActionIcon>
      <ActionIcon variant="subtle" color="red" aria-label={`Delete ${trunk.name}`} onClick={() => run.remove(trunk)}>
        <IconTrash size={16} />
      </ActionIcon>
    </Group>
  ),
})
