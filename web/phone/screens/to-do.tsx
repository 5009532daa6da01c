import { ActionIcon, NativeSelect, SegmentedControl, Stack, Text, Title, Tooltip } from '@mantine/core'
import { IconArchive, IconArchiveOff } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { Empty } from '../../kit/ui/page.tsx'
import { usePhone } from '../context.ts'
import { useCall, useMe } from '../data.ts'
import { useLayout } from '../layout.ts'
import css from '../phone.module.css'
import { isOffline } from '../selectors.ts'
import { type ToDoFilters, type ToDoItem, useToDo, useToDoWriter } from '../work-data.ts'
import { CallBack, CallRow, partyOfCall } from './call-row.tsx'
import { MoreRows } from './more-rows.tsx'

const kinds = [
  { value: 'all', label: 'All' },
  { value: 'missed', label: 'Missed' },
  { value: 'voicemail', label: 'Voicemail' },
]

/** Unanswered calls and voicemails that no colleague has handled yet. */
export default function ToDo() {
  const [kind, setKind] = useState('all')
  return (
    <ToDoList
      title="To do"
      kind={kind === 'all' ? undefined : (kind as 'missed' | 'voicemail')}
      empty="Unanswered calls and voicemails of your numbers and teams appear here until a colleague archives them."
    >
      <SegmentedControl fullWidth size="xs" aria-label="Kind" data={kinds} value={kind} onChange={setKind} />
    </ToDoList>
  )
}

/** The voicemails of the user's numbers and teams. */
export function Voicemails() {
  return (
    <ToDoList
      title="Voicemail"
      kind="voicemail"
      empty="Voicemails to your numbers and teams appear here, with a transcript where transcription is on."
    />
  )
}

const states = [
  { value: 'open', label: 'Open' },
  { value: 'mine', label: 'Assigned to me' },
  { value: 'archived', label: 'Archived' },
]

function ToDoList({
  title,
  kind,
  empty,
  children,
}: {
  title: string
  kind: ToDoFilters['kind']
  empty: string
  children?: ReactNode
}) {
  const { data: me } = useMe()
  const [state, setState] = useState('open')
  const [line, setLine] = useState('')
  const isArchived = state === 'archived'
  const list = useToDo({ kind, done: isArchived, mine: state === 'mine', number_id: line ? Number(line) : undefined })
  const items = list.data?.pages.flatMap((page) => page.items) ?? []
  const lines = me?.numbers ?? []
  const linked = useLinkedCall()
  const isElsewhere = linked !== undefined && list.data && !items.some(({ call }) => call.id === linked)
  return (
    <Stack gap="xs">
      <Title order={1} size="h4">
        {title}
      </Title>
      {children}
      <SegmentedControl fullWidth size="xs" aria-label="State" data={states} value={state} onChange={setState} />
      {lines.length > 1 && (
        <NativeSelect
          size="xs"
          aria-label="Number"
          value={line}
          onChange={(event) => setLine(event.currentTarget.value)}
          data={[
            { value: '', label: 'All numbers' },
            ...lines.map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
        />
      )}
      {list.error && <ErrorAlert error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <Text c="dimmed">Loading…</Text>}
      {list.data && items.length === 0 && (
        <Empty title={isArchived ? 'No archived calls' : 'Nothing to do'}>
          {isArchived ? 'Calls that a colleague or you have archived appear here for 30 days.' : empty}
        </Empty>
      )}
      {isElsewhere && <LinkedCall id={linked} />}
      <ul className={css.plainList} aria-label={title}>
        {items.map((item) => (
          <ToDoRow key={item.call.id} item={item} isArchived={isArchived} />
        ))}
      </ul>
      <MoreRows list={list} />
    </Stack>
  )
}

/** The call of the link that opened the app, in a column; on a desktop it is shown beside the list. */
function useLinkedCall(): number | undefined {
  const { item } = usePhone().state
  const isColumn = useLayout() === 'column'
  return isColumn && item?.kind === 'call' ? item.id : undefined
}

/** A linked call that is not in the list, such as one that is archived. */
function LinkedCall({ id }: { id: number }) {
  const { data: call, error } = useCall(id)
  if (error) return <ErrorAlert error={error} />
  if (!call) return null
  return (
    <ul className={css.plainList} aria-label="Linked call">
      <CallRow call={call} actions={<CallBack call={call} />} />
    </ul>
  )
}

function ToDoRow({ item: { call, unread }, isArchived }: { item: ToDoItem; isArchived: boolean }) {
  const { state } = usePhone()
  const write = useToDoWriter()
  const action = isArchived ? 'Unarchive' : 'Archive'
  return (
    <CallRow
      call={call}
      isUnread={unread && !isArchived}
      onOpen={() => unread && void write.read(call.id, true)}
      actions={
        <>
          <Tooltip label={action}>
            <ActionIcon
              variant="subtle"
              size="lg"
              color="gray"
              aria-label={`${action} the call with ${partyOfCall(call)}`}
              disabled={isOffline(state)}
              onClick={() => void write.archive(call.id, !isArchived)}
            >
              {isArchived ? <IconArchiveOff size={18} aria-hidden /> : <IconArchive size={18} aria-hidden />}
            </ActionIcon>
          </Tooltip>
          <CallBack call={call} />
        </>
      }
    />
  )
}
