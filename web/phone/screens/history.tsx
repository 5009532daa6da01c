import { ActionIcon, Alert, Button, Group, SegmentedControl, Stack, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconMessage, IconPhone, IconSearch } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { isOnlyEmojis } from '../../kit/ui/emoji-hint.ts'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { Empty } from '../../kit/ui/page.tsx'
import { notify, notifyError } from '../../kit/ui/toast.tsx'
import { usePhone } from '../context.ts'
import { historyKey, type PhoneCall } from '../data.ts'
import { numberIn } from '../links.ts'
import { useOpenConversation } from '../open-conversation.ts'
import css from '../phone.module.css'
import { unsavedNotes } from '../selectors.ts'
import { type OwnCallFilters, useOwnCalls } from '../work-data.ts'
import { CallRow, partyOfCall } from './call-row.tsx'
import { MoreRows } from './more-rows.tsx'

const views = [
  { value: 'all', label: 'All' },
  { value: 'inbound', label: 'Inbound' },
  { value: 'outbound', label: 'Outbound' },
  { value: 'missed', label: 'Missed' },
]
const filtersOf: Record<string, OwnCallFilters> = {
  inbound: { direction: 'inbound' },
  outbound: { direction: 'outbound' },
  missed: { missed: true },
}

/** The calls of the user, newest first. */
export default function History() {
  const [view, setView] = useState('all')
  const [text, setText] = useState('')
  const [query] = useDebouncedValue(text.trim(), 250)
  return (
    <Stack gap="xs">
      <Title order={1} size="h4">
        Your calls
      </Title>
      <UnsavedNotes />
      <TextInput
        type="search"
        aria-label="Search calls"
        placeholder="Name or part of a number"
        maxLength={64}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <SegmentedControl fullWidth size="xs" aria-label="Filter calls" data={views} value={view} onChange={setView} />
      <Calls filters={{ ...filtersOf[view], ...(query && { text: query }) }} />
    </Stack>
  )
}

function Calls({ filters }: { filters: OwnCallFilters }) {
  const list = useOwnCalls(filters)
  const isFiltered = Object.keys(filters).length > 0
  if (list.error) return <ErrorAlert error={list.error} retry={() => void list.refetch()} />
  if (list.isPending) return <Text c="dimmed">Loading…</Text>
  // A new call moves the others to the next page.
  const calls = [
    ...new Map(list.data.pages.flatMap((page) => page.calls).map((call) => [call.id, call] as const)).values(),
  ]
  if (calls.length === 0) {
    return isFiltered ? (
      <Empty title="No results">The search covers the names, companies and numbers of your calls.</Empty>
    ) : (
      <Empty title="No calls yet">Your inbound and outbound calls appear here.</Empty>
    )
  }
  return (
    <>
      <ul className={css.plainList} aria-label="Your calls">
        {calls.map((call) => (
          <CallRow key={call.id} call={call} actions={<Actions call={call} />} />
        ))}
      </ul>
      <MoreRows list={list} />
    </>
  )
}

function Actions({ call }: { call: PhoneCall }) {
  const { dispatch } = usePhone()
  const openConversation = useOpenConversation()
  const name = partyOfCall(call)
  const number = numberIn(call.raw_digits)
  return (
    <>
      {number?.startsWith('+') && (
        <ActionIcon
          variant="subtle"
          size="lg"
          color="gray"
          aria-label={`Message ${name}`}
          onClick={() => void openConversation(number, call.number?.id)}
        >
          <IconMessage size={18} aria-hidden />
        </ActionIcon>
      )}
      {number && (
        <ActionIcon
          variant="subtle"
          size="lg"
          color="green"
          aria-label={`Call ${name}`}
          onClick={() => dispatch({ type: 'prefilled', to: number })}
        >
          <IconPhone size={18} aria-hidden />
        </ActionIcon>
      )}
    </>
  )
}

/** Notes of ended calls that could not be saved. */
function UnsavedNotes() {
  const { state } = usePhone()
  return unsavedNotes(state).map(([callId, note]) => <UnsavedNote key={callId} callId={callId} note={note} />)
}

function UnsavedNote({ callId, note }: { callId: number; note: string }) {
  const { dispatch, notifyPage } = usePhone()
  const queries = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const drop = () => dispatch({ type: 'draft', callId, text: '' })
  const save = async () => {
    setBusy(true)
    try {
      await api.post('/v1/calls/{id}/comments', { params: { id: callId }, body: { content: note } })
      notify('Note saved')
      notifyPage('comment_saved', { comment: note, call_id: callId })
      drop()
      await queries.invalidateQueries({ queryKey: historyKey })
    } catch (error) {
      notifyError(error, 'Note not saved')
      setBusy(false)
    }
  }
  return (
    <Alert color="yellow" variant="light" title="Unsaved note" mb="sm">
      <Text size="sm" style={{ whiteSpace: 'pre-wrap', wordBreak: 'break-word' }}>
        {note}
      </Text>
      {isOnlyEmojis(note) && (
        <Text size="xs" c="var(--mantine-color-error)" mt={4}>
          Emoji are not stored, and the note has no text.
        </Text>
      )}
      <Group justify="flex-end" gap="xs" mt="xs">
        <Button size="xs" variant="default" disabled={isBusy} onClick={drop}>
          Discard
        </Button>
        <Button size="xs" loading={isBusy} disabled={isOnlyEmojis(note)} onClick={() => void save()}>
          Save note
        </Button>
      </Group>
    </Alert>
  )
}
