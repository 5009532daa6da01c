import { Badge, Box, Group, Stack, Text, Title } from '@mantine/core'
import { IconArrowDownLeft, IconArrowUpRight, IconMessage, IconPhoneX, IconRecordMail } from '@tabler/icons-react'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { span, when } from '../../kit/ui/format.ts'
import { outcomeOfItem } from '../call-labels.ts'
import css from '../phone.module.css'
import { type CustomerItem, useCustomer, useToDoWriter } from '../work-data.ts'
import { MoreRows } from './more-rows.tsx'
import { SoundPlayer } from './sound-player.tsx'

/** Calls, voicemails, messages and notes with a customer, newest first. */
export function CustomerThread({ number, without }: { number: string; without: number | null }) {
  const list = useCustomer(number)
  const items = list.data?.pages.flatMap((page) => page.items).filter(({ call }) => call?.id !== without) ?? []
  return (
    <Stack gap="xs" component="section" aria-label="Earlier calls and messages">
      <Title order={2} size="h5">
        Earlier calls and messages
      </Title>
      {list.error && <ErrorAlert error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <Text c="dimmed">Loading…</Text>}
      {list.data && items.length === 0 && (
        <Text size="sm" c="dimmed">
          None on your numbers in the last six months.
        </Text>
      )}
      <ol className={css.thread}>
        {items.map((item) => (
          <li key={item.key} className={css.threadItem}>
            <Sign item={item} />
            <Box flex={1} miw={0}>
              {item.call ? <Call item={item} /> : <Message item={item} />}
            </Box>
          </li>
        ))}
      </ol>
      <MoreRows list={list} />
    </Stack>
  )
}

function Sign({ item: { call } }: { item: CustomerItem }) {
  const isMissed = call?.status === 'done' && !call.answered
  const Icon = !call
    ? IconMessage
    : isMissed
      ? call.voicemail
        ? IconRecordMail
        : IconPhoneX
      : call.direction === 'inbound'
        ? IconArrowDownLeft
        : IconArrowUpRight
  return (
    <Box c={isMissed ? 'var(--mantine-color-error)' : 'dimmed'} lh={0} pt={2} flex="none">
      <Icon size={18} aria-hidden />
    </Box>
  )
}

function Meta({ item, words }: { item: CustomerItem; words: readonly (string | null | undefined)[] }) {
  return (
    <Text size="xs" c="dimmed">
      {[when(item.at / 1_000), ...words, item.number?.name].filter(Boolean).join(' · ')}
    </Text>
  )
}

function Call({ item }: { item: CustomerItem }) {
  const { call, details } = item
  const write = useToDoWriter()
  if (!call) return null
  return (
    <Stack gap={4}>
      <Text size="sm" fw={550}>
        {call.direction === 'inbound' ? 'Inbound call' : 'Outbound call'}: {outcomeOfItem(item)}
      </Text>
      <Meta item={item} words={[call.user?.name, call.talk_seconds === null ? null : span(call.talk_seconds)]} />
      {details && details.tags.length > 0 && (
        <Group gap={4}>
          {details.tags.map(({ id, name }) => (
            <Badge key={id} variant="light" tt="none" size="sm">
              {name}
            </Badge>
          ))}
        </Group>
      )}
      {details?.summary && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {details.summary}
        </Text>
      )}
      {details?.notes.map(({ id, content, by }) => (
        <Text key={id} size="sm" className={css.note} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {content}
          {by && (
            <Text span size="xs" c="dimmed">
              {' '}
              {by}
            </Text>
          )}
        </Text>
      ))}
      {call.voicemail !== null && (
        <SoundPlayer address={call.voicemail} kind="voicemail" onPlay={() => void write.read(call.id, true)} />
      )}
    </Stack>
  )
}

function Message({ item }: { item: CustomerItem }) {
  const { message } = item
  if (!message) return null
  const { body, media, direction, user, channel } = message
  return (
    <Stack gap={4}>
      <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {body || (media.length > 0 ? media.map(({ name }) => name || 'File').join(', ') : 'Message')}
      </Text>
      <Meta
        item={item}
        words={[
          direction === 'inbound' ? 'Received' : 'Sent',
          channel === 'whatsapp' ? 'WhatsApp' : null,
          direction === 'outbound' ? user?.name : null,
        ]}
      />
    </Stack>
  )
}
