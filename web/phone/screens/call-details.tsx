import { Box, Button, Group, MultiSelect, Stack, Text, Textarea } from '@mantine/core'
import { IconArchive, IconArchiveOff } from '@tabler/icons-react'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { emojiHint, isOnlyEmojis } from '../../kit/ui/emoji-hint.ts'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { timeOnly } from '../../kit/ui/format.ts'
import { useTags } from '../../kit/ui/lists.ts'
import { PersonPicker } from '../../kit/ui/people.tsx'
import { notify, notifyError, notifyWithUndo } from '../../kit/ui/toast.tsx'
import { usePhone } from '../context.ts'
import { contactName, type PhoneCall, useCall, useCallWriter } from '../data.ts'
import { isOffline, offlineHint } from '../selectors.ts'

/** Tags, notes, assignee and archive of a call, during the call and in wrap-up. */
export default function CallDetails({ callId, needsTag = false }: { callId: number; needsTag?: boolean }) {
  const { data: call, error, refetch } = useCall(callId)
  if (error) return <ErrorAlert error={error} retry={() => void refetch()} />
  if (!call) return <Text c="dimmed">Loading…</Text>
  return (
    <Stack gap="sm" component="section" aria-label="Call details">
      <ContactLink call={call} />
      <Tags call={call} needsTag={needsTag} />
      <Notes call={call} />
      <AssignAndArchive call={call} />
    </Stack>
  )
}

/** Asks the embedding page to show the contact. */
function ContactLink({ call: { contact } }: { call: PhoneCall }) {
  const { notifyPage } = usePhone()
  if (!contact || window.parent === window) return null
  return (
    <Button variant="light" size="xs" onClick={() => notifyPage('redirect_event', { type: 'contact', id: contact.id })}>
      View {contactName(contact)}
    </Button>
  )
}

function Tags({ call, needsTag }: { call: PhoneCall; needsTag: boolean }) {
  const { state } = usePhone()
  const { data: tags = [], refetch } = useTags()
  const write = useCallWriter(call.id)
  const [isBusy, setBusy] = useState(false)
  const has = call.tags.map(({ id }) => String(id))
  const options = [...tags, ...call.tags.filter(({ id }) => !tags.some((tag) => tag.id === id))]
  const change = async (ids: string[]) => {
    const added = ids.filter((id) => !has.includes(id)).map(Number)
    const removed = has.filter((id) => !ids.includes(id))
    setBusy(true)
    try {
      await write(async () => {
        for (const id of removed)
          await api.delete('/v1/calls/{id}/tags/{tag_id}', { params: { id: call.id, tag_id: id } })
        return added.length > 0
          ? api.post('/v1/calls/{id}/tags', { params: { id: call.id }, body: { tags: added } })
          : undefined
      })
    } catch (error) {
      notifyError(error, 'Tag not saved')
    }
    setBusy(false)
  }
  return (
    <MultiSelect
      label="Tags"
      placeholder={has.length === 0 ? 'Add tags' : ''}
      searchable
      hidePickedOptions
      disabled={isBusy || isOffline(state)}
      withAsterisk={needsTag}
      error={needsTag && has.length === 0 ? 'Add a tag to finish wrap-up' : undefined}
      nothingFoundMessage="No results"
      data={options.map(({ id, name }) => ({ value: String(id), label: name }))}
      value={has}
      // A tag created during the call is offered at once.
      onDropdownOpen={() => void refetch()}
      onChange={(ids) => void change(ids)}
    />
  )
}

const maxNotes = 5

function Notes({ call }: { call: PhoneCall }) {
  const { state, dispatch, notifyPage } = usePhone()
  const write = useCallWriter(call.id)
  const [isBusy, setBusy] = useState(false)
  const text = state.drafts[call.id] ?? ''
  const save = async () => {
    const content = text.trim()
    if (content === '' || isOnlyEmojis(content) || isOffline(state)) return
    setBusy(true)
    try {
      await write(() => api.post('/v1/calls/{id}/comments', { params: { id: call.id }, body: { content } }))
      dispatch({ type: 'draft', callId: call.id, text: '' })
      notifyPage('comment_saved', { comment: content, call_id: call.id })
      notify('Note saved')
    } catch (error) {
      notifyError(error, 'Note not saved')
    }
    setBusy(false)
  }
  const isFull = call.comments.length >= maxNotes
  return (
    <Stack gap="xs">
      {call.comments.map(({ id, content, posted_by, posted_at }) => (
        <Box key={id}>
          <Text size="xs" c="dimmed">
            {posted_by?.name ?? 'Unknown user'}, {timeOnly(posted_at)}
          </Text>
          <Text size="sm" style={{ whiteSpace: 'pre-wrap', wordBreak: 'break-word' }}>
            {content}
          </Text>
        </Box>
      ))}
      <Textarea
        label="Note"
        {...emojiHint(text)}
        placeholder={isFull ? 'Limit of 5 notes reached' : 'Visible to your colleagues'}
        disabled={isFull}
        autosize
        minRows={2}
        maxRows={6}
        value={text}
        onChange={(event) => dispatch({ type: 'draft', callId: call.id, text: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save()
        }}
      />
      {text.trim() !== '' && (
        <Group justify="flex-end">
          <Button
            size="xs"
            loading={isBusy}
            disabled={isOffline(state) || isOnlyEmojis(text)}
            title={isOffline(state) ? offlineHint(state) : undefined}
            onClick={() => void save()}
          >
            Save note
          </Button>
        </Group>
      )}
    </Stack>
  )
}

function AssignAndArchive({ call }: { call: PhoneCall }) {
  const { state } = usePhone()
  const write = useCallWriter(call.id)
  const put = (action: 'archive' | 'unarchive') => () =>
    write(() => api.put(`/v1/calls/{id}/${action}`, { params: { id: call.id } }))
  const archive = async () => {
    try {
      await put(call.archived ? 'unarchive' : 'archive')()
      if (!call.archived) notifyWithUndo('Call archived', put('unarchive'))
    } catch (error) {
      notifyError(error, call.archived ? 'Call not unarchived' : 'Call not archived')
    }
  }
  const assign = async (userId: number | null) => {
    if (userId === null) return
    try {
      await write(() => api.post('/v1/calls/{id}/assign', { params: { id: call.id }, body: { user_id: userId } }))
    } catch (error) {
      notifyError(error, 'Call not assigned')
    }
  }
  return (
    <Group align="flex-end" wrap="nowrap" gap="xs">
      <Box flex={1} miw={0}>
        <PersonPicker
          label="Assigned to"
          placeholder="Unassigned"
          disabled={isOffline(state)}
          value={call.assigned_to?.id ?? null}
          onChange={(id) => void assign(id)}
        />
      </Box>
      <Button
        variant="default"
        flex="none"
        disabled={isOffline(state)}
        leftSection={call.archived ? <IconArchiveOff size={16} aria-hidden /> : <IconArchive size={16} aria-hidden />}
        onClick={() => void archive()}
      >
        {call.archived ? 'Unarchive' : 'Archive'}
      </Button>
    </Group>
  )
}
