import { ActionIcon, Badge, Box, Group, Text, Tooltip } from '@mantine/core'
import {
  IconAlignLeft,
  IconEar,
  IconMessage2,
  IconPhoneIncoming,
  IconPhoneOutgoing,
  IconUserPlus,
} from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'react-router'
import type { LiveLine } from '../../kit/conversation/live.ts'
import { LiveTranscript } from '../../kit/conversation/live-transcript.tsx'
import type { Names } from '../../kit/conversation/transcript.ts'
import { count, span } from '../../kit/ui/format.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { useAgents } from '../agents/use-agents.ts'
import { useLiveWords } from '../conversation/live-words.ts'
import { digitsOf } from './call.ts'
import { useNames } from './call-story.tsx'
import classes from './live.module.css'
import type { CallState, LiveCall } from './live.ts'
import { LiveSection } from './live-section.tsx'

const stateLooks: Record<CallState, { label: string; color: string }> = {
  menu: { label: 'In the flow', color: 'violet' },
  waiting: { label: 'Waiting', color: 'orange' },
  ringing: { label: 'Ringing', color: 'yellow' },
  connected: { label: 'Talking', color: 'blue' },
  on_hold: { label: 'On hold', color: 'grape' },
}

/** Every call from its first ring to its last word. */
export function LiveCalls({ calls, now }: { calls: LiveCall[]; now: number }) {
  return (
    <LiveSection
      title="Calls now"
      extra={
        <Badge
          variant="light"
          color="gray"
          circle={calls.length < 10}
          role="img"
          aria-label={count(calls.length, 'call')}
        >
          {calls.length}
        </Badge>
      }
    >
      {calls.length === 0 ? (
        <Empty title="The lines are quiet">A call stands here from its first ring to its last word.</Empty>
      ) : (
        <ul className={classes.list}>
          {calls.map((call) => (
            <CallLine key={call.id} call={call} now={now} />
          ))}
        </ul>
      )}
    </LiveSection>
  )
}

function CallLine({ call, now }: { call: LiveCall; now: number }) {
  const lines = useLiveWords()[call.id] ?? []
  const [isOpen, setOpen] = useState(false)
  const { label, color } = stateLooks[call.state]
  const Icon = call.direction === 'inbound' ? IconPhoneIncoming : IconPhoneOutgoing
  const since = call.answered_at ?? call.waiting_since ?? call.started_at
  const isTalked = call.state === 'connected' || call.state === 'on_hold'
  return (
    <li className={classes.item}>
      <div className={classes.line}>
        <Icon size={18} role="img" aria-label={call.direction === 'inbound' ? 'Inbound' : 'Outbound'} />
        <Box miw={0} flex={1}>
          <Link to={`/dashboard/calls/${call.id}`} className={classes.link}>
            <Text size="sm" fw={550} truncate>
              {digitsOf(call.from)}
            </Text>
          </Link>
          <Text size="xs" c="dimmed" truncate>
            {[call.number?.name, ...call.users.map(({ name }) => name)].filter(Boolean).join(' · ')}
          </Text>
        </Box>
        <Badge variant="light" color={color} tt="none" flex="none">
          {label}
        </Badge>
        <Text ff="monospace" size="sm" w={52} ta="right" flex="none">
          {span(now - since)}
        </Text>
        {lines.length > 0 && (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            flex="none"
            aria-label={`What is being said on call ${call.id}`}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <IconAlignLeft size={16} />
          </ActionIcon>
        )}
        <Group gap={2} wrap="nowrap" flex="none" visibleFrom="xs">
          {ways.map(({ mode, icon, label, hint }) => (
            <TakePart
              key={mode}
              icon={icon}
              label={`${label} call ${call.id}`}
              hint={whyNot(call, isTalked) ?? hint}
              href={whyNot(call, isTalked) ? undefined : `/phone?listen=${encodeURIComponent(call.key)}&mode=${mode}`}
            />
          ))}
        </Group>
      </div>
      {isOpen && <LiveWordsOf call={call} lines={lines} />}
    </li>
  )
}

function LiveWordsOf({ call, lines }: { call: LiveCall; lines: readonly LiveLine[] }) {
  const { user } = useNames()
  const { data: agents = [] } = useAgents(lines.some(({ ai_voice_agent_id }) => ai_voice_agent_id !== undefined))
  const names: Names = {
    user: (id) => call.users.find((one) => one.id === id)?.name ?? user(id),
    agent: (id) => agents.find((agent) => agent.id === id)?.name ?? 'AI voice agent',
    party: (phone) => digitsOf(phone ?? call.from),
  }
  return (
    <Box px="md" pb="sm">
      <LiveTranscript lines={lines} names={names} />
    </Box>
  )
}

const ways = [
  { mode: 'listen', icon: IconEar, label: 'Listen to', hint: 'Listen: nobody hears you' },
  { mode: 'whisper', icon: IconMessage2, label: 'Whisper into', hint: 'Whisper: only your people hear you' },
  { mode: 'join', icon: IconUserPlus, label: 'Join', hint: 'Join: everybody hears you' },
] as const

function whyNot({ line }: LiveCall, isTalked: boolean): string | undefined {
  if (line !== 'real') return 'A simulated call has no sound'
  return isTalked ? undefined : 'Nobody talks yet'
}

/** Opens the phone app in a window of its own, the same for every call. Without a call to hear it only says why. */
function TakePart({
  icon: Icon,
  label,
  hint,
  href,
}: {
  icon: typeof IconEar
  label: string
  hint: string
  href: string | undefined
}) {
  return (
    <Tooltip label={hint} events={{ hover: true, focus: true, touch: true }} multiline maw={240}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        aria-label={label}
        aria-description={hint}
        {...(!href && { 'data-disabled': true, 'aria-disabled': true })}
        onClick={() => href && window.open(href, 'hookswitch-listening', 'popup,width=420,height=720')}
      >
        <Icon size={16} />
      </ActionIcon>
    </Tooltip>
  )
}
