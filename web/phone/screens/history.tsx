import { ActionIcon, Alert, Badge, Box, Button, Group, Stack, Text } from '@mantine/core'
import { IconArrowDownLeft, IconArrowUpRight, IconMessage, IconPhone, IconPhoneX } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { api } from '../../kit/api.ts'
import { lazyPart } from '../../kit/load.ts'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { dateTime, span } from '../../kit/ui/format.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { notify, notifyError } from '../../kit/ui/toast.tsx'
import { usePhone } from '../context.ts'
import { contactName, historyKey, type PhoneCall, useFailure, useHistory } from '../data.ts'
import { numberIn } from '../links.ts'
import { useOpenConversation } from '../open-conversation.ts'
import css from '../phone.module.css'
import { unsavedNotes } from '../selectors.ts'

const CallTranscript = lazyPart(() => import('./call-transcript.tsx'))

/** The calls of the user, newest first. */
export default function History() {
  return (
    <>
      <h1 className={css.unseen}>Your calls</h1>
      <UnsavedNotes />
      <Calls />
    </>
  )
}

function Calls() {
  const { data: calls, error, refetch, isPending } = useHistory()
  if (error) return <ErrorAlert error={error} retry={() => void refetch()} />
  if (isPending) return <Text c="dimmed">Loading…</Text>
  if (calls.length === 0) return <Empty title="No calls yet">Your inbound and outbound calls appear here.</Empty>
  return (
    <Stack gap={0} component="ul" m={0} p={0} aria-label="Your calls">
      {calls.map((call) => (
        <Row key={call.id} call={call} />
      ))}
    </Stack>
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
      <Group justify="flex-end" gap="xs" mt="xs">
        <Button size="xs" variant="default" disabled={isBusy} onClick={drop}>
          Discard
        </Button>
        <Button size="xs" loading={isBusy} onClick={() => void save()}>
          Save note
        </Button>
      </Group>
    </Alert>
  )
}

const missedLabel = ({ direction, voicemail }: PhoneCall) => {
  if (voicemail) return 'Voicemail'
  return direction === 'inbound' ? 'Missed' : 'No answer'
}

function Row({ call }: { call: PhoneCall }) {
  const { dispatch } = usePhone()
  const openConversation = useOpenConversation()
  const [isOpen, setOpen] = useState(false)
  const name = call.contact ? contactName(call.contact) : call.raw_digits
  const number = numberIn(call.raw_digits)
  const isMissed = call.status === 'done' && call.answered_at === null
  const Icon = isMissed ? IconPhoneX : call.direction === 'inbound' ? IconArrowDownLeft : IconArrowUpRight
  return (
    <li style={{ listStyle: 'none' }}>
      <Group gap={0} wrap="nowrap">
        <button type="button" className={css.row} aria-expanded={isOpen} onClick={() => setOpen((open) => !open)}>
          <Box c={isMissed ? 'var(--mantine-color-error)' : 'dimmed'} lh={0}>
            <Icon size={18} aria-hidden />
            <span className={css.unseen}>{call.direction === 'inbound' ? 'Inbound' : 'Outbound'}</span>
          </Box>
          <Box flex={1} miw={0}>
            <Text size="sm" fw={550} truncate>
              {name}
            </Text>
            <Text size="xs" c="dimmed" truncate>
              {dateTime(call.started_at)} · {isMissed ? missedLabel(call) : span(call.duration)}
            </Text>
          </Box>
        </button>
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
      </Group>
      {isOpen && <Details call={call} />}
    </li>
  )
}

function Details({ call }: { call: PhoneCall }) {
  const sound = call.recording ?? call.voicemail
  return (
    <Stack gap="xs" px={10} pb="sm">
      <Text size="sm" c="dimmed">
        {call.raw_digits} · {call.number?.name}
      </Text>
      {call.direction === 'outbound' && call.status === 'done' && call.answered_at === null && <Failure id={call.id} />}
      {call.tags.length > 0 && (
        <Group gap={4}>
          {call.tags.map(({ id, name }) => (
            <Badge key={id} variant="light" tt="none">
              {name}
            </Badge>
          ))}
        </Group>
      )}
      {call.comments.map(({ id, content }) => (
        <Text key={id} size="sm" style={{ whiteSpace: 'pre-wrap', wordBreak: 'break-word' }}>
          {content}
        </Text>
      ))}
      {sound ? (
        <Player address={sound} kind={call.recording ? 'recording' : 'voicemail'} />
      ) : (
        <Text size="sm">No recording</Text>
      )}
      {sound && (
        <Suspense fallback={null}>
          <CallTranscript call={call} />
        </Suspense>
      )}
    </Stack>
  )
}

function Failure({ id }: { id: number }) {
  const { data: failure } = useFailure(id)
  return failure ? (
    <Text size="sm" c="var(--mantine-color-error)">
      {failure}
    </Text>
  ) : null
}

/** Loads the audio only when the user plays it. */
function Player({ address, kind }: { address: string; kind: 'recording' | 'voicemail' }) {
  const [isPlayed, setPlayed] = useState(false)
  if (!isPlayed) {
    return (
      <Button size="xs" variant="default" onClick={() => setPlayed(true)}>
        Play {kind}
      </Button>
    )
  }
  return (
    // biome-ignore lint/a11y/useMediaCaption: the transcript is below, if there is one
    <audio
      controls
      autoPlay
      src={address}
      style={{ width: '100%' }}
      aria-label={kind === 'recording' ? 'Recording' : 'Voicemail'}
    />
  )
}
