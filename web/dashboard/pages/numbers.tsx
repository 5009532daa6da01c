import { ActionIcon, Badge, Button, Group, Menu, Text } from '@mantine/core'
import { IconCheck, IconDots, IconPlus, IconTrash } from '@tabler/icons-react'
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from 'react-router'
import { api } from '../../kit/api.ts'
import { isAdmin, managesNumbers, useSession } from '../../kit/session.tsx'
import { type ConfirmRequest, useConfirm } from '../../kit/ui/confirm.tsx'
import { useLinkedDialog } from '../../kit/ui/filters.ts'
import { count } from '../../kit/ui/format.ts'
import { everyPage } from '../../kit/ui/lists.ts'
import { Empty, Page } from '../../kit/ui/page.tsx'
import { notify, notifyError } from '../../kit/ui/toast.tsx'
import { AddNumber } from '../number-flow/add-number.tsx'
import { type NumberSettings, type PhoneNumber, settingsQuery } from '../number-flow/number.ts'
import type { ListColumn } from '../parts/list-table.ts'
import { type ListAction, type ListChoice, ShortList } from '../parts/short-list.tsx'

const plain = (text: string) => text.replace(/[^\d+]/g, '')

type Row = PhoneNumber & { settings: NumberSettings | undefined }

export default function Numbers() {
  const session = useSession()
  const queries = useQueryClient()
  const [isAdding, { open, close }] = useLinkedDialog()
  const [dialog, ask] = useConfirm()
  const { data, error, refetch } = useQuery({
    queryKey: ['numbers', 'page'],
    queryFn: () =>
      everyPage(
        (query) => api.get('/v1/numbers', { query }),
        ({ numbers }) => numbers,
      ),
  })
  const settings = useQueries({ queries: (data ?? []).map(({ id }) => settingsQuery(id)) })
  const rows = data?.map((number, nth): Row => ({ ...number, settings: settings[nth]?.data }))
  const refresh = async () => {
    await queries.invalidateQueries({ queryKey: ['numbers'] })
    await queries.invalidateQueries({ queryKey: ['number'] })
  }
  const mayChange = isAdmin(session)
  const addButton = managesNumbers(session) && (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      Add number
    </Button>
  )
  return (
    <Page
      title="Numbers"
      lead="Phone numbers of your company and their call flows."
      actions={
        <>
          <Button component={Link} to="/dashboard/numbers/prompts" variant="default">
            Prompts
          </Button>
          {addButton}
        </>
      }
    >
      <ShortList
        page="numbers"
        label="Numbers"
        word="number"
        search="Name or number"
        alsoFinds={({ digits }, words) => plain(words) !== '' && plain(digits).includes(plain(words))}
        choices={[hours]}
        columns={columns}
        actions={mayChange && actionColumn(ask)}
        bulk={managesNumbers(session) ? bulkActions : []}
        refresh={refresh}
        rows={rows}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        hrefOf={({ id }) => `/dashboard/numbers/${id}`}
        error={error}
        retry={() => void refetch()}
        empty={
          <Empty title="No numbers yet" action={addButton}>
            {session.tenancy === 'multi'
              ? 'The operator of this installation assigns numbers. They appear here.'
              : 'Add a number to receive calls, then design its call flow.'}
          </Empty>
        }
      />
      {dialog}
      <AddNumber opened={isAdding} close={close} />
    </Page>
  )
}

const hours: ListChoice<Row> = {
  name: 'open',
  label: 'Hours',
  all: 'Open or closed',
  options: [
    { value: 'yes', label: 'Open' },
    { value: 'no', label: 'Closed' },
  ],
  of: ({ open }) => (open ? 'yes' : 'no'),
}

const verify = ({ id }: Row, validated: boolean) =>
  api.put('/v1/numbers/{id}/settings', { params: { id }, body: { validated } })

const bulkActions: readonly ListAction<Row>[] = [
  {
    label: 'Mark as verified',
    done: 'marked as verified',
    icon: <IconCheck size={14} />,
    run: (number) => verify(number, true),
    undo: (number) => verify(number, false),
    skips: { row: ({ settings }) => settings?.validated === true, because: 'already verified' },
  },
  {
    label: 'Remove',
    done: 'removed',
    icon: <IconTrash size={14} />,
    body: 'Calls to them will no longer be answered, and their flows are deleted. Past calls are kept.',
    typed: 'remove',
    run: ({ id }) => api.delete('/v1/numbers/{id}', { params: { id } }),
  },
]

const columns: ListColumn<Row>[] = [
  {
    label: 'Number',
    value: ({ name }) => name,
    cell: ({ name, digits }) => (
      <div>
        <Text size="sm" fw={600}>
          {name}
        </Text>
        <Text size="sm" c="dimmed" style={{ fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' }}>
          {digits}
        </Text>
      </div>
    ),
  },
  {
    label: 'Routing',
    from: 'xs',
    cell: ({ settings, is_ivr: isIvr }) =>
      settings && <Text size="sm">{settings.flow_editor_enabled ? `Flow${isIvr ? ' with IVR' : ''}` : 'Classic'}</Text>,
  },
  {
    label: 'Status',
    value: ({ open }) => (open ? 0 : 1),
    cell: ({ open, availability_status: mode }) => (
      <Badge variant="light" color={open ? 'green' : 'gray'} tt="none" miw="max-content">
        {mode === 'custom' ? (open ? 'Open' : 'Closed') : open ? 'Always open' : 'Always closed'}
      </Badge>
    ),
  },
  {
    label: 'Verified',
    value: ({ settings }) => (settings?.validated ? 0 : 1),
    from: 'md',
    cell: ({ settings }) =>
      settings && (
        <Badge variant="light" color={settings.validated ? 'green' : 'yellow'} tt="none">
          {settings.validated ? 'Verified' : 'Not verified'}
        </Badge>
      ),
  },
  {
    label: 'Recording',
    value: ({ live_recording_activated: isOn }) => (isOn ? 0 : 1),
    from: 'md',
    cell: ({ live_recording_activated: isOn }) => (
      <Text size="sm" {...(!isOn && { c: 'dimmed' })}>
        {isOn ? 'On' : 'Off'}
      </Text>
    ),
  },
  {
    label: 'Priority',
    value: ({ priority }) => (priority === 1 ? 0 : 1),
    from: 'lg',
    cell: ({ priority }) => (
      <Text size="sm" {...(priority !== 1 && { c: 'dimmed' })}>
        {priority === 1 ? 'High priority' : 'Normal'}
      </Text>
    ),
  },
  {
    label: 'Users',
    value: ({ users }) => users.length,
    from: 'lg',
    cell: ({ users }) => <Text size="sm">{count(users.length, 'user')}</Text>,
  },
]

const actionColumn = (ask: (question: ConfirmRequest) => void): ListColumn<Row> => ({
  label: 'Actions',
  align: 'right',
  width: 80,
  cell: (row) => <Actions row={row} ask={ask} />,
})

function Actions({ row, ask }: { row: Row; ask: (question: ConfirmRequest) => void }) {
  const queries = useQueryClient()
  const { id, name, settings } = row
  const isSelfService = managesNumbers(useSession())
  const validate = async (validated: boolean) => {
    try {
      await api.put('/v1/numbers/{id}/settings', { params: { id }, body: { validated } })
      await queries.invalidateQueries({ queryKey: ['number', id] })
      notify(validated ? `${name} marked as verified` : `${name} marked as not verified`)
    } catch (error) {
      notifyError(error)
    }
  }
  const remove = async () => {
    await api.delete('/v1/numbers/{id}', { params: { id } })
    await queries.invalidateQueries({ queryKey: ['numbers'] })
    notify(`${name} removed`)
  }
  return (
    <Group justify="flex-end">
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${name}`}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item component={Link} to={`/dashboard/numbers/${id}/settings`}>
            Settings
          </Menu.Item>
          {settings && isSelfService && (
            <Menu.Item onClick={() => void validate(!settings.validated)}>
              {settings.validated ? 'Mark as not verified' : 'Mark as verified'}
            </Menu.Item>
          )}
          {isSelfService && (
            <>
              <Menu.Divider />
              <Menu.Item
                color="red"
                onClick={() =>
                  ask({
                    title: `Remove ${name}?`,
                    body: 'Calls to it will no longer be answered, and its flow is deleted. Past calls are kept.',
                    action: 'Remove',
                    run: remove,
                  })
                }
              >
                Remove
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
    </Group>
  )
}
