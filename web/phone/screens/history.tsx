import { ActionIcon, Badge, Box, Button, Group, Stack, Text } from '@mantine/core'
import { IconArrowDownLeft, IconArrowUpRight, IconPhone, IconPhoneX } from '@tabler/icons-react'
import { useState } from 'react'
import { dateTime, span } from '../../kit/ui/format.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { Trouble } from '../../kit/ui/trouble.tsx'
import { usePhone } from '../context.ts'
import { type Call, nameOf, useHistory } from '../data.ts'
import { numberIn } from '../links.ts'
import css from '../phone.module.css'

/** The person's own calls, newest first: call back, or listen again. */
export default function History() {
  const { data: calls, error, refetch, isPending } = useHistory()
  if (error) return <Trouble error={error} retry={() => void refetch()} />
  if (isPending) return <Text c="dimmed">Loading …</Text>
  if (calls.length === 0) return <Empty title="No calls yet">Calls you make and take are listed here.</Empty>
  return (
    <>
      <h1 className={css.unseen}>Your calls</h1>
      <Stack gap={0} component="ul" m={0} p={0} aria-label="Your calls">
        {calls.map((call) => (
          <Row key={call.id} call={call} />
        ))}
      </Stack>
    </>
  )
}

function Row({ call }: { call: Call }) {
  const { dispatch } = usePhone()
  const [isOpen, setOpen] = useState(false)
  const name = call.contact ? nameOf(call.contact) : call.raw_digits
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
              {dateTime(call.started_at)} · {isMissed ? 'not answered' : span(call.duration)}
            </Text>
          </Box>
        </button>
        {number && (
          <ActionIcon
            variant="subtle"
            size="lg"
            color="green"
            aria-label={`Call ${name} back`}
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

function Details({ call }: { call: Call }) {
  const sound = call.recording ?? call.voicemail
  return (
    <Stack gap="xs" px={10} pb="sm">
      <Text size="sm" c="dimmed">
        {call.raw_digits} · {call.number?.name}
      </Text>
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
        <Player address={sound} what={call.recording ? 'recording' : 'voicemail'} />
      ) : (
        <Text size="sm">No recording</Text>
      )}
    </Stack>
  )
}

/** The sound is fetched only when somebody wants to hear it. */
function Player({ address, what }: { address: string; what: 'recording' | 'voicemail' }) {
  const [isWanted, setWanted] = useState(false)
  if (!isWanted) {
    return (
      <Button size="xs" variant="default" onClick={() => setWanted(true)}>
        Play the {what}
      </Button>
    )
  }
  return (
    // biome-ignore lint/a11y/useMediaCaption: nobody has written down what was said
    <audio
      controls
      autoPlay
      src={address}
      style={{ width: '100%' }}
      aria-label={what === 'recording' ? 'Recording' : 'Voicemail'}
    />
  )
}
