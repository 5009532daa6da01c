import { ActionIcon, Button, Group, Text, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError, api, type ResponseOf } from '../../kit/api.ts'
import { numberProblem } from '../../kit/phone-number.ts'
import { useFilters } from '../../kit/ui/filters.ts'
import { FormDrawer } from '../../kit/ui/form-drawer.tsx'
import { dateTime } from '../../kit/ui/format.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { PhoneInput } from '../../kit/ui/phone-input.tsx'
import { type Column, DataTable } from '../../kit/ui/table.tsx'
import { notify, notifyError, notifyWithUndo } from '../../kit/ui/toast.tsx'
import { usePageSize } from './table-tools.tsx'

type Blocked = ResponseOf<'/v1/blocked_callers'>['blocked_callers'][number]

const key = ['blocked-callers']

/** Numbers whose calls are rejected. */
export function BlockedCallers() {
  const queries = useQueryClient()
  const filters = useFilters()
  const [isOpen, setOpen] = useState(false)
  const [size, setSize] = usePageSize('blocked-callers', filters)
  const order = filters.get('order') === 'asc' ? 'asc' : 'desc'
  const { data, error, refetch } = useQuery({
    queryKey: [...key, filters.page, size, order],
    queryFn: () => api.get('/v1/blocked_callers', { query: { page: filters.page, per_page: size, order } }),
    placeholderData: keepPreviousData,
  })
  const refresh = () => queries.invalidateQueries({ queryKey: key })
  const unblock = async ({ id, phone, display, note }: Blocked) => {
    try {
      await api.delete('/v1/blocked_callers/{id}', { params: { id } })
      await refresh()
      notifyWithUndo(`${display} unblocked`, async () => {
        await api.post('/v1/blocked_callers', { body: { phone, note: note || null } })
        await refresh()
      })
    } catch (failure) {
      notifyError(failure, 'Caller not unblocked')
    }
  }
  return (
    <>
      <Group justify="space-between" mb="sm">
        <Text size="sm" c="dimmed" maw={560}>
          Calls from these numbers are rejected before the flow starts. They appear in no list of calls.
        </Text>
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpen(true)}>
          Block caller
        </Button>
      </Group>
      <DataTable
        label="Blocked callers"
        columns={[...columns, actions((caller) => void unblock(caller))]}
        rows={data?.blocked_callers}
        keyOf={({ id }) => id}
        meta={data?.meta}
        onPage={filters.setPage}
        onPageSize={setSize}
        sort={{ by: 'created_at', order, onChange: (_, next) => filters.set({ order: next === 'asc' ? next : null }) }}
        error={error}
        retry={() => void refetch()}
        empty={<Empty title="No blocked callers">Block numbers that call you with spam or abuse.</Empty>}
      />
      <BlockCaller opened={isOpen} close={() => setOpen(false)} refresh={refresh} />
    </>
  )
}

const columns: Column<Blocked>[] = [
  {
    label: 'Number',
    cell: ({ display }) => (
      <Text size="sm" fw={550} style={{ whiteSpace: 'nowrap' }}>
        {display}
      </Text>
    ),
  },
  { label: 'Note', cell: ({ note }) => <Text size="sm">{note || '–'}</Text>, from: 'xs' },
  {
    label: 'Rejected calls',
    cell: ({ rejected_calls, last_rejected_at }) => (
      <Text size="sm">
        {rejected_calls}
        {last_rejected_at && `, last ${dateTime(last_rejected_at)}`}
      </Text>
    ),
    from: 'sm',
  },
  {
    label: 'Blocked',
    sort: 'created_at',
    cell: ({ created_at }) => <Text size="sm">{dateTime(created_at)}</Text>,
    from: 'md',
  },
]

const actions = (unblock: (caller: Blocked) => void): Column<Blocked> => ({
  label: 'Actions',
  align: 'right',
  cell: (caller) => (
    <ActionIcon variant="subtle" color="red" aria-label={`Unblock ${caller.display}`} onClick={() => unblock(caller)}>
      <IconTrash size={16} />
    </ActionIcon>
  ),
})

function BlockCaller({
  opened,
  close,
  refresh,
}: {
  opened: boolean
  close: () => void
  refresh: () => Promise<unknown>
}) {
  const [phone, setPhone] = useState('')
  const [note, setNote] = useState('')
  const [problem, setProblem] = useState('')
  const leave = () => {
    setPhone('')
    setNote('')
    setProblem('')
    close()
  }
  const submit = async () => {
    try {
      const { blocked_caller: made } = await api.post('/v1/blocked_callers', {
        body: { phone, note: note.trim() || null },
      })
      notify(`${made.display} blocked`)
      await refresh()
    } catch (error) {
      if (error instanceof ApiError && error.message.includes('already blocked')) setProblem('Already blocked')
      else if (error instanceof ApiError && error.message.includes('`phone`')) setProblem(numberProblem())
      throw error
    }
  }
  return (
    <FormDrawer title="Block caller" opened={opened} close={leave} action="Block" submit={submit}>
      <PhoneInput
        label="Phone number"
        required
        maxLength={64}
        data-autofocus
        value={phone}
        error={problem || undefined}
        onChange={(text) => {
          setPhone(text)
          setProblem('')
        }}
      />
      <TextInput
        label="Note"
        description="Why it is blocked; only your company sees it"
        maxLength={200}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
    </FormDrawer>
  )
}
