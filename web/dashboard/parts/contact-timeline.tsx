import { Anchor, Box, Button, Group, Loader, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { IconMessage } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { api, type ResponseOf } from '../../kit/api.ts'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { dateTime, span } from '../../kit/ui/format.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { type Call, outcomeOf, outcomeWords } from './call.ts'
import { CallSign } from './call-sign.tsx'
import type { Contact } from './contact-drawer.tsx'
import { TagPill } from './tag-pill.tsx'

type Item = ResponseOf<'/v1/conversations/{id}/timeline'>['items'][number]
type Message = NonNullable<Item['message']>

type Entry =
  | { key: string; at: number; call: Call }
  | { key: string; at: number; message: Message; conversation: string; line: string }

const messagesPerConversation = 50

/** Calls, voicemails, notes and messages with a contact, newest first. */
export function ContactTimeline({ contact }: { contact: Contact }) {
  const [size, setSize] = useState(20)
  const calls = useQuery({
    queryKey: ['calls', 'of-contact', contact.id, size],
    queryFn: () =>
      api.get('/v1/calls/search', {
        query: { contact_id: contact.id, order: 'desc', per_page: size, fetch_contact: true },
      }),
    placeholderData: (before) => before,
    refetchInterval: 15_000,
  })
  const messages = useQuery({
    queryKey: ['messages', 'of-contact', contact.id],
    queryFn: () => messagesOf(contact),
    refetchInterval: 15_000,
  })
  const entries = [...(calls.data?.calls.map(callEntry) ?? []), ...(messages.data ?? [])].sort((a, b) => b.at - a.at)
  const isLoading = !calls.data && !calls.error
  const hasMore = (calls.data?.meta.total ?? 0) > size
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          Timeline
        </Title>
        {isLoading && <Loader size="xs" role="status" aria-label="Loading timeline" />}
      </Group>
      {calls.error !== null && !calls.data && <ErrorAlert error={calls.error} retry={() => void calls.refetch()} />}
      {!isLoading && !calls.error && entries.length === 0 && (
        <Empty title="No calls or messages yet">
          Calls, voicemails, notes and messages with this contact appear here.
        </Empty>
      )}
      <Stack gap="md" component="ol" m={0} p={0} style={{ listStyle: 'none' }} aria-label="Timeline">
        {entries.map((entry) => (
          <Box key={entry.key} component="li">
            {'call' in entry ? <CallEntry call={entry.call} /> : <MessageEntry {...entry} />}
          </Box>
        ))}
      </Stack>
      {hasMore && size < 50 && (
        <Button mt="md" variant="default" size="xs" onClick={() => setSize(50)}>
          Load more
        </Button>
      )}
      {hasMore && size === 50 && (
        <Anchor mt="md" display="block" size="sm" component={Link} to={allCalls(contact)}>
          All {calls.data?.meta.total.toLocaleString()} calls
        </Anchor>
      )}
    </Paper>
  )
}

const allCalls = ({ phone_numbers: [first] }: Contact) =>
  `/dashboard/calls?phone=${encodeURIComponent(first?.value ?? '')}`

const callEntry = (call: Call): Entry => ({ key: `call:${call.id}`, at: call.started_at * 1_000, call })

/** The conversations with the numbers of the contact, on all numbers of the company. */
async function messagesOf(contact: Contact): Promise<Entry[]> {
  const found = await Promise.all(
    contact.phone_numbers.slice(0, 5).map(async ({ value }) => {
      const search = value.replace(/\D/g, '').replace(/^0+/, '')
      return (await api.get('/v1/conversations', { query: { search, limit: 10 } })).conversations
    }),
  )
  const conversations = [...new Map(found.flat().map((one) => [one.id, one])).values()]
  const timelines = await Promise.all(
    conversations.map(async ({ id, line }) => {
      const query = { limit: messagesPerConversation }
      const { items } = await api.get('/v1/conversations/{id}/timeline', { params: { id }, query })
      return items.flatMap(({ key, at, message }): Entry[] =>
        message ? [{ key, at, message, conversation: id, line: line.name }] : [],
      )
    }),
  )
  return timelines.flat()
}

function Line({ icon, title, at, children }: { icon: ReactNode; title: ReactNode; at: number; children?: ReactNode }) {
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start">
      <Box flex="none">{icon}</Box>
      <Box flex={1} miw={0}>
        <Group justify="space-between" gap="xs">
          {title}
          <Text size="xs" c="dimmed">
            {dateTime(at / 1_000)}
          </Text>
        </Group>
        {children}
      </Box>
    </Group>
  )
}

function CallEntry({ call }: { call: Call }) {
  const isMissed = ['missed', 'voicemail'].includes(outcomeOf(call))
  const people = [call.user?.name, call.number?.name].filter(Boolean).join(' · ')
  return (
    <Line
      icon={<CallSign call={call} />}
      at={call.started_at * 1_000}
      title={
        <Anchor
          component={Link}
          to={`/dashboard/calls/${call.id}`}
          size="sm"
          fw={550}
          {...(isMissed && { c: 'var(--mantine-color-error)' })}
        >
          {call.direction === 'inbound' ? 'Inbound call' : 'Outbound call'}: {outcomeWords(call)}
        </Anchor>
      }
    >
      <Text size="sm" c="dimmed">
        {[people, call.status === 'done' ? span(call.duration) : 'In progress'].filter(Boolean).join(' · ')}
        {call.recording && ' · Recording'}
      </Text>
      {call.tags.length > 0 && (
        <Group gap={4} mt={4}>
          {call.tags.map(({ id, name }) => (
            <TagPill key={id} id={id} name={name} />
          ))}
        </Group>
      )}
      {call.comments.map(({ id, content }) => (
        <Text key={id} size="sm" mt={4} style={{ whiteSpace: 'pre-wrap', wordBreak: 'break-word' }}>
          “{content}”
        </Text>
      ))}
    </Line>
  )
}

function MessageEntry({ message, at, conversation, line }: Extract<Entry, { message: Message }>) {
  return (
    <Line
      icon={
        <ThemeIcon variant="light" radius="xl" size={28} aria-hidden>
          <IconMessage size={16} />
        </ThemeIcon>
      }
      at={at}
      title={
        <Anchor
          component={Link}
          to={`/dashboard/messages/inbox?c=${encodeURIComponent(conversation)}`}
          size="sm"
          fw={550}
        >
          {message.direction === 'inbound' ? 'Message received' : 'Message sent'} · {line}
        </Anchor>
      }
    >
      <Text size="sm" style={{ whiteSpace: 'pre-wrap', wordBreak: 'break-word' }}>
        {message.body}
      </Text>
    </Line>
  )
}
