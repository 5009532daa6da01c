import { Box, Button, Group, MultiSelect, Stack, Text, Textarea } from '@mantine/core'
import { IconArchive, IconArchiveOff } from '@tabler/icons-react'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { timeOnly } from '../../kit/ui/format.ts'
import { useTags } from '../../kit/ui/lists.ts'
import { PersonPicker } from '../../kit/ui/people.tsx'
import { say, sayTrouble, sayWithUndo } from '../../kit/ui/toast.tsx'
import { Trouble } from '../../kit/ui/trouble.tsx'
import { usePhone } from '../context.ts'
import { type Call, nameOf, useCall, useCallWriter } from '../data.ts'

/** Tags, notes, assignment and archive: the same during the call and after it. */
export default function Paperwork({ callId, needsTag = false }: { callId: number; needsTag?: boolean }) {
  const { data: call, error, refetch } = useCall(callId)
  if (error) return <Trouble error={error} retry={() => void refetch()} />
  if (!call) return <Text c="dimmed">Loading …</Text>
  return (
    <Stack gap="sm" component="section" aria-label="About the call">
      <ContactLink call={call} />
      <Tags call={call} needsTag={needsTag} />
      <Notes call={call} />
      <Filing call={call} />
    </Stack>
  )
}

/** The page around the phone knows where its contacts are shown. */
function ContactLink({ call: { contact } }: { call: Call }) {
  const { tellPage } = usePhone()
  if (!contact || window.parent === window) return null
  return (
    <Button variant="light" size="xs" onClick={() => tellPage('redirect_event', { type: 'contact', id: contact.id })}>
      Show {nameOf(contact)}
    </Button>
  )
}

function Tags({ call, needsTag }: { call: Call; needsTag: boolean }) {
  const { data: tags = [] } = useTags()
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
        for (const id of removed) await api.delete(`/v1/calls/${call.id}/tags/${id}`)
        return added.length > 0 ? api.post<{ call: Call }>(`/v1/calls/${call.id}/tags`, { tags: added }) : undefined
      })
    } catch (error) {
      sayTrouble(error, 'The tag was not saved')
    }
    setBusy(false)
  }
  return (
    <MultiSelect
      label="Tags"
      placeholder={has.length === 0 ? 'What was it about?' : ''}
      searchable
      hidePickedOptions
      disabled={isBusy}
      withAsterisk={needsTag}
      error={needsTag && has.length === 0 ? 'This call needs a tag before you can go on' : undefined}
      nothingFoundMessage="No such tag"
      data={options.map(({ id, name }) => ({ value: String(id), label: name }))}
      value={has}
      onChange={(ids) => void change(ids)}
    />
  )
}

const mostNotes = 5

function Notes({ call }: { call: Call }) {
  const { state, dispatch, tellPage } = usePhone()
  const write = useCallWriter(call.id)
  const [isBusy, setBusy] = useState(false)
  const text = state.drafts[call.id] ?? ''
  const save = async () => {
    const content = text.trim()
    if (content === '') return
    setBusy(true)
    try {
      await write(() => api.post<{ call: Call }>(`/v1/calls/${call.id}/comments`, { content }))
      dispatch({ type: 'draft', callId: call.id, text: '' })
      tellPage('comment_saved', { comment: content, call_id: call.id })
      say('Note saved')
    } catch (error) {
      sayTrouble(error, 'The note was not saved')
    }
    setBusy(false)
  }
  const isFull = call.comments.length >= mostNotes
  return (
    <Stack gap="xs">
      {call.comments.map(({ id, content, posted_by, posted_at }) => (
        <Box key={id}>
          <Text size="xs" c="dimmed">
            {posted_by?.name ?? 'Somebody'}, {timeOnly(posted_at)}
          </Text>
          <Text size="sm" style={{ whiteSpace: 'pre-wrap', wordBreak: 'break-word' }}>
            {content}
          </Text>
        </Box>
      ))}
      <Textarea
        label="Note"
        placeholder={isFull ? 'A call has at most five notes' : 'For you and your colleagues'}
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
          <Button size="xs" loading={isBusy} onClick={() => void save()}>
            Save note
          </Button>
        </Group>
      )}
    </Stack>
  )
}

function Filing({ call }: { call: Call }) {
  const write = useCallWriter(call.id)
  const put = (word: 'archive' | 'unarchive') => () =>
    write(() => api.put<{ call: Call }>(`/v1/calls/${call.id}/${word}`))
  const archive = async () => {
    try {
      await put(call.archived ? 'unarchive' : 'archive')()
      if (!call.archived) sayWithUndo('Call archived', put('unarchive'))
    } catch (error) {
      sayTrouble(error)
    }
  }
  const assign = async (userId: number | null) => {
    if (userId === null) return
    try {
      await write(() => api.post<{ call: Call }>(`/v1/calls/${call.id}/assign`, { user_id: userId }))
    } catch (error) {
      sayTrouble(error, 'The call was not assigned')
    }
  }
  return (
    <Group align="flex-end" wrap="nowrap" gap="xs">
      <Box flex={1} miw={0}>
        <PersonPicker
          label="Assigned to"
          placeholder="Nobody"
          value={call.assigned_to?.id ?? null}
          onChange={(id) => void assign(id)}
        />
      </Box>
      <Button
        variant="default"
        flex="none"
        leftSection={call.archived ? <IconArchiveOff size={16} aria-hidden /> : <IconArchive size={16} aria-hidden />}
        onClick={() => void archive()}
      >
        {call.archived ? 'Unarchive' : 'Archive'}
      </Button>
    </Group>
  )
}
