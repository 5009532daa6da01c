import { ActionIcon, Badge, Button, Group, Stack, Text, Tooltip } from '@mantine/core'
import { IconPencil, IconPlus, IconRefresh, IconSend, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { useSession } from '../../kit/session.tsx'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { count, when } from '../../kit/ui/format.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { notify, notifyError } from '../../kit/ui/toast.tsx'
import type { ListColumn } from '../parts/list-table.ts'
import { type ListAction, type ListChoice, ShortList } from '../parts/short-list.tsx'
import { type Carrier, carrierStateLooks, kindNames } from './carrier.ts'
import { CarrierDrawer } from './carrier-drawer.tsx'
import { TestMessage } from './test-message.tsx'

export const useCarriers = () =>
  useQuery({
    queryKey: ['carriers'],
    queryFn: async () => (await api.get('/v1/carriers')).carriers,
    // Shows status changes within seconds.
    refetchInterval: 5_000,
  })

export function CarrierList() {
  const { mode } = useSession()
  const queries = useQueryClient()
  const [wanted, setWanted] = useState<Carrier | 'new'>()
  const [tested, setTested] = useState<Carrier>()
  const [dialog, confirm] = useConfirm()
  const { data, error, refetch } = useCarriers()
  const remove = ({ id, name }: Carrier) =>
    confirm({
      title: `Delete ${name}?`,
      body: 'Numbers that use it will have no carrier, and their messages stay queued. Its secrets are deleted permanently.',
      action: 'Delete',
      run: async () => {
        await api.delete('/v1/carriers/{id}', { params: { id } })
        await queries.invalidateQueries()
        notify(`${name} deleted`)
      },
    })
  const sync = async ({ id }: Carrier) => {
    try {
      const { lines, templates, left_out, trouble } = await api.post('/v1/carriers/{id}/sync', {
        params: { id },
        body: {},
      })
      if (trouble !== null) return notifyError(new Error(trouble))
      const rest = left_out > 0 ? `; ${count(left_out, 'template')} not supported` : ''
      notify(`${count(lines, 'number')} and ${count(templates, 'template')} synced${rest}`)
      await queries.invalidateQueries({ queryKey: ['message_lines'] })
    } catch (failure) {
      notifyError(failure)
    }
  }
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setWanted('new')}>
      Add carrier
    </Button>
  )
  return (
    <Stack>
      {dialog}
      {data && data.length > 0 && <Group justify="flex-end">{add}</Group>}
      <ShortList
        page="carriers"
        label="Carriers"
        word="carrier"
        search="Name or address"
        textsOf={(carrier) => [carrier.name, kindNames[carrier.kind], placeOf(carrier)]}
        choices={[states]}
        columns={columns}
        actions={actions({ edit: setWanted, test: setTested, remove, sync: (one) => void sync(one) })}
        bulk={bulkActions}
        refresh={() => queries.invalidateQueries()}
        rows={data}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        error={error}
        retry={() => void refetch()}
        empty={
          <Empty title="No carriers yet" action={add}>
            A carrier sends and receives your SMS, MMS or WhatsApp messages. The carrier provides the settings.
            {mode === 'sandbox' && ' The sandbox works without a carrier: its contacts are simulated.'}
          </Empty>
        }
      />
      <CarrierDrawer wanted={wanted} close={() => setWanted(undefined)} />
      {tested && <TestMessage carrier={tested} close={() => setTested(undefined)} />}
    </Stack>
  )
}

const placeOf = ({ smpp, http, whatsapp }: Carrier) =>
  smpp ? `${smpp.host}:${smpp.port}` : (http?.url ?? whatsapp?.base_url ?? '')

const states: ListChoice<Carrier> = {
  name: 'state',
  label: 'Status',
  all: 'All statuses',
  options: Object.entries(carrierStateLooks).map(([value, { label }]) => ({ value, label })),
  of: ({ state }) => state,
}

const bulkActions: readonly ListAction<Carrier>[] = [
  {
    label: 'Delete',
    done: 'deleted',
    icon: <IconTrash size={14} />,
    body: 'Numbers that use them will have no carrier, and their messages stay queued. The secrets are deleted permanently.',
    typed: 'delete',
    run: ({ id }) => api.delete('/v1/carriers/{id}', { params: { id } }),
  },
]

const columns: ListColumn<Carrier>[] = [
  {
    label: 'Name',
    value: ({ name }) => name,
    cell: (carrier) => (
      <>
        <Text size="sm" fw={550}>
          {carrier.name}
        </Text>
        <Text size="xs" c="dimmed" style={{ wordBreak: 'break-all' }}>
          {kindNames[carrier.kind]} · {placeOf(carrier)}
        </Text>
      </>
    ),
  },
  {
    label: 'Status',
    value: ({ state }) => carrierStateLooks[state].label,
    cell: (carrier) => <State carrier={carrier} />,
  },
  { label: 'Queued', value: ({ waiting }) => waiting, cell: (carrier) => <Queued carrier={carrier} />, from: 'xs' },
]

function State({ carrier: { state, state_since, trouble, waiting } }: { carrier: Carrier }) {
  const { label, color, hint } = carrierStateLooks[state]
  const hasError = state === 'down' && trouble !== null
  return (
    <Stack gap={2}>
      <Tooltip label={hint} events={{ hover: true, focus: true, touch: true }} multiline maw={240}>
        <Group gap={6} wrap="nowrap" w="fit-content">
          <Badge variant="light" color={color} tt="none" aria-description={hint} tabIndex={0} flex="none">
            {label}
          </Badge>
          {state_since !== null && state !== 'off' && (
            <Text size="xs" c="dimmed" visibleFrom="sm">
              since {when(state_since)}
            </Text>
          )}
        </Group>
      </Tooltip>
      {hasError && (
        <Text size="xs" maw={320}>
          {trouble}
        </Text>
      )}
      {waiting > 0 && (
        <Text size="xs" c="dimmed" hiddenFrom="xs">
          {count(waiting, 'message')} queued
        </Text>
      )}
    </Stack>
  )
}

function Queued({ carrier: { waiting, waiting_since } }: { carrier: Carrier }) {
  if (waiting === 0) {
    return (
      <Text size="sm" c="dimmed">
        None
      </Text>
    )
  }
  return (
    <>
      <Text size="sm">{count(waiting, 'message')}</Text>
      {waiting_since !== null && (
        <Text size="xs" c="dimmed">
          since {when(waiting_since)}
        </Text>
      )}
    </>
  )
}

const actions = (
  run: Record<'edit' | 'test' | 'remove' | 'sync', (carrier: Carrier) => void>,
): ListColumn<Carrier> => ({
  label: 'Actions',
  align: 'right',
  cell: (carrier) => (
    // Four buttons wrap to two rows on small screens.
    <Group gap={4} justify="flex-end" miw={60}>
      {carrier.kind === 'whatsapp' && (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Sync templates and limits of ${carrier.name}`}
          disabled={!carrier.enabled}
          onClick={() => run.sync(carrier)}
        >
          <IconRefresh size={16} />
        </ActionIcon>
      )}
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Test ${carrier.name}`}
        disabled={!carrier.enabled}
        onClick={() => run.test(carrier)}
      >
        <IconSend size={16} />
      </ActionIcon>
      <ActionIcon variant="subtle" color="gray" aria-label={`Edit ${carrier.name}`} onClick={() => run.edit(carrier)}>
        <IconPencil size={16} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="red"
        aria-label={`Delete ${carrier.name}`}
        onClick={() => run.remove(carrier)}
      >
        <IconTrash size={16} />
      </ActionIcon>
    </Group>
  ),
})
