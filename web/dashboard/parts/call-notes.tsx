import {
  Anchor,
  Avatar,
  Button,
  Combobox,
  Group,
  Paper,
  Stack,
  Text,
  Textarea,
  Title,
  useCombobox,
} from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { Link } from 'react-router'
import { api } from '../../kit/api.ts'
import { emojiHint, isOnlyEmojis } from '../../kit/ui/emoji-hint.ts'
import { dateTime } from '../../kit/ui/format.ts'
import { useTags } from '../../kit/ui/lists.ts'
import { Dot, PersonPicker } from '../../kit/ui/people.tsx'
import { notify, notifyError, notifyWithUndo } from '../../kit/ui/toast.tsx'
import { type Call, nameOfContact } from './call.ts'
import { TagPill } from './tag-pill.tsx'

type Change = (edit: (call: Call) => Call, send: () => Promise<unknown>) => Promise<boolean>

/** Optimistic update, rolled back when the request fails. */
function useChange(id: number): Change {
  const queries = useQueryClient()
  const key = ['call', String(id)]
  return async (edit, send) => {
    const before = queries.getQueryData<Call>(key)
    queries.setQueryData<Call>(key, (call) => call && edit(call))
    try {
      await send()
      await queries.invalidateQueries({ queryKey: key, exact: true })
      void queries.invalidateQueries({ queryKey: ['calls'] })
      return true
    } catch (error) {
      queries.setQueryData(key, before)
      notifyError(error)
      return false
    }
  }
}

/** Tags, assignee and notes of a call. */
export function CallNotes({ call, may }: { call: Call; may: boolean }) {
  const change = useChange(call.id)
  return (
    <Stack gap="lg">
      <Section title="Tags">
        <Tags call={call} change={change} may={may} />
      </Section>
      <Section title="Assigned to">
        <Assigned call={call} change={change} may={may} />
      </Section>
      <Section title="Notes">
        <Notes call={call} may={may} />
      </Section>
      {call.contact && (
        <Section title="Contact">
          <Anchor component={Link} to={`/dashboard/contacts?contact=${call.contact.id}`} size="sm">
            {nameOfContact(call.contact) || 'View contact'}
          </Anchor>
        </Section>
      )}
    </Stack>
  )
}

function Section({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Stack gap="sm">
        <Title order={2} size="h5">
          {title}
        </Title>
        {children}
      </Stack>
    </Paper>
  )
}

function Tags({ call, change, may }: { call: Call; change: Change; may: boolean }) {
  const { data: tags = [] } = useTags()
  const combobox = useCombobox({
    onDropdownClose: () => combobox.resetSelectedOption(),
    onDropdownOpen: () => combobox.selectFirstOption(),
  })
  const left = tags.filter(({ id }) => !call.tags.some((tag) => tag.id === id))
  const put = (id: number, name: string) => {
    const { color = '', direct_link = '' } = tags.find((tag) => tag.id === id) ?? {}
    const added = { id, name, color, direct_link, tagged_by: null, created_at: Date.now() / 1_000 }
    return change(
      (now) => ({ ...now, tags: [...now.tags, added] }),
      () => api.post('/v1/calls/{id}/tags', { params: { id: call.id }, body: { tags: [id] } }),
    )
  }
  const take = (id: number) =>
    change(
      (now) => ({ ...now, tags: now.tags.filter((tag) => tag.id !== id) }),
      () => api.delete('/v1/calls/{id}/tags/{tag_id}', { params: { id: call.id, tag_id: id } }),
    )
  const add = async (value: string) => {
    combobox.closeDropdown()
    const tag = tags.find(({ id }) => String(id) === value)
    if (tag && (await put(tag.id, tag.name))) notifyWithUndo(`Tag “${tag.name}” added`, () => take(tag.id))
  }
  const remove = async (id: number, name: string) => {
    if (await take(id)) notifyWithUndo(`Tag “${name}” removed`, () => put(id, name))
  }
  return (
    <Group gap={6}>
      {call.tags.map(({ id, name }) => (
        <TagPill key={id} id={id} name={name} {...(may && { remove: () => void remove(id, name) })} />
      ))}
      {!may && call.tags.length === 0 && (
        <Text size="sm" c="dimmed">
          None
        </Text>
      )}
      {may && (
        <Combobox store={combobox} width={220} position="bottom-start" onOptionSubmit={(value) => void add(value)}>
          <Combobox.Target targetType="button">
            <Button
              size="compact-xs"
              radius="xl"
              variant="light"
              leftSection={<IconPlus size={12} />}
              onClick={() => combobox.toggleDropdown()}
            >
              Add tag
            </Button>
          </Combobox.Target>
          <Combobox.Dropdown>
            <Combobox.Options aria-label="Tags" mah={260} style={{ overflowY: 'auto' }}>
              {left.length === 0 && (
                <Combobox.Empty>{tags.length === 0 ? 'No tags yet' : 'All tags are already added'}</Combobox.Empty>
              )}
              {left.map(({ id, name, color }) => (
                <Combobox.Option key={id} value={String(id)}>
                  <Group gap="xs">
                    <Dot color={color} />
                    <span>{name}</span>
                  </Group>
                </Combobox.Option>
              ))}
            </Combobox.Options>
          </Combobox.Dropdown>
        </Combobox>
      )}
    </Group>
  )
}

function Assigned({ call, change, may }: { call: Call; change: Change; may: boolean }) {
  const before = call.assigned_to
  if (!may) return <Text size="sm">{before?.name ?? 'Unassigned'}</Text>
  const assign = (id: number) =>
    change(
      (now) => now,
      () => api.post('/v1/calls/{id}/assign', { params: { id: call.id }, body: { user_id: id } }),
    )
  const pick = async (id: number | null) => {
    if (id === null || id === before?.id || !(await assign(id))) return
    if (before) notifyWithUndo('Call assigned', () => assign(before.id))
    else notify('Call assigned')
  }
  return (
    <PersonPicker
      aria-label="Assigned to"
      placeholder="Unassigned"
      value={before?.id ?? null}
      onChange={(id) => void pick(id)}
    />
  )
}

const maxNotes = 5

function Notes({ call, may }: { call: Call; may: boolean }) {
  const queries = useQueryClient()
  const [text, setText] = useState('')
  const [isBusy, setBusy] = useState(false)
  const isFull = call.comments.length >= maxNotes
  const post = async () => {
    if (!text.trim() || isOnlyEmojis(text) || isBusy) return
    setBusy(true)
    try {
      await api.post('/v1/calls/{id}/comments', { params: { id: call.id }, body: { content: text.trim() } })
      setText('')
      await queries.invalidateQueries({ queryKey: ['call', String(call.id)], exact: true })
    } catch (error) {
      notifyError(error, 'Note not saved')
    }
    setBusy(false)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void post()
  }
  const keys = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void post()
  }
  return (
    <Stack gap="md">
      {call.comments.length === 0 && (
        <Text size="sm" c="dimmed">
          No notes yet.
        </Text>
      )}
      {call.comments.map(({ id, content, posted_by, posted_at }) => (
        <Group key={id} gap="sm" align="flex-start" wrap="nowrap">
          <Avatar name={posted_by?.name ?? '?'} color="initials" size={28} radius="xl" alt="" aria-hidden />
          <div style={{ minWidth: 0 }}>
            <Text size="xs" c="dimmed">
              {posted_by?.name ?? 'Deleted user'} · {dateTime(posted_at)}
            </Text>
            <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {content}
            </Text>
          </div>
        </Group>
      ))}
      {!may ? null : isFull ? (
        <Text size="xs" c="dimmed">
          A call can have at most {maxNotes} notes.
        </Text>
      ) : (
        <form onSubmit={submit}>
          <Stack gap="xs" align="flex-end">
            <Textarea
              w="100%"
              autosize
              minRows={2}
              maxRows={8}
              aria-label="Note"
              {...emojiHint(text)}
              placeholder="Add a note"
              maxLength={10_000}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              onKeyDown={keys}
            />
            <Button type="submit" size="xs" loading={isBusy} disabled={!text.trim() || isOnlyEmojis(text)}>
              Add note
            </Button>
          </Stack>
        </form>
      )}
    </Stack>
  )
}
