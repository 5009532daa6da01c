import { ActionIcon, Badge, Box, Text, Tooltip } from '@mantine/core'
import {
  IconAlignLeft,
  IconEar,
  IconMessage2,
  IconPhoneIncoming,
  IconPhoneOutgoing,
  IconUserPlus,
} from '@tabler/icons-react'
import { memo, useDeferredValue, useState } from 'react'
import { Link } from 'react-router'
import type { LiveLine } from '../../kit/conversation/live.ts'
import { LiveTranscript } from '../../kit/conversation/live-transcript.tsx'
import { partyNames, type SpeakerNames } from '../../kit/conversation/transcript.ts'
import { count } from '../../kit/ui/format.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { useAgents } from '../agents/use-agents.ts'
import { useLiveWords } from '../conversation/live-words.ts'
import { Elapsed } from '../live/elapsed.tsx'
import { digitsOf } from './call.ts'
import { useTraceNames } from './call-story.tsx'
import classes from './live.module.css'
import type { CallState, LiveCall } from './live.ts'
import { LiveSection } from './live-section.tsx'

const stateLooks: Record<CallState, { label: string; color: string }> = {
  menu: { label: 'In IVR', color: 'violet' },
  waiting: { label: 'Waiting', color: 'orange' },
  ringing: { label: 'Ringing', color: 'yellow' },
  connected: { label: 'On a call', color: 'blue' },
  on_hold: { label: 'On hold', color: 'grape' },
}

/** Drawn at once; the others follow without blocking input. */
const firstRows = 20

/** Rendered only when a call changes: durations count up on their own. */
export const LiveCalls = memo(function LiveCalls({ calls }: { calls: LiveCall[] }) {
  const shown = useDeferredValue(calls, calls.slice(0, firstRows))
  const [hint, hintHandlers] = useHint()
  return (
    <LiveSection
      title="Active calls"
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
      {shown.length === 0 ? (
        <Empty title="No active calls">Calls appear here while they are in progress.</Empty>
      ) : (
        <ul className={classes.list} {...hintHandlers}>
          {shown.map((call) => (
            <CallLine key={call.id} call={call} />
          ))}
        </ul>
      )}
      {hint && <Tooltip key={hint.text} target={hint.target} label={hint.text} opened multiline maw={240} />}
    </LiveSection>
  )
})

interface Hint {
  target: HTMLElement
  text: string
}

/** One tooltip for all buttons of the list, which carry its text. */
function useHint() {
  const [hint, setHint] = useState<Hint>()
  const show = ({ target }: { target: EventTarget }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('[data-hint]') : null
    const text = button?.dataset.hint
    setHint(button && text ? { target: button, text } : undefined)
  }
  const hide = () => setHint(undefined)
  return [hint, { onPointerOver: show, onFocus: show, onPointerLeave: hide, onBlur: hide }] as const
}

const CallLine = memo(function CallLine({ call }: { call: LiveCall }) {
  const lines = useLiveWords(call.id)
  const [isOpen, setOpen] = useState(false)
  const { label, color } = stateLooks[call.state]
  const Icon = call.direction === 'inbound' ? IconPhoneIncoming : IconPhoneOutgoing
  const since = call.answered_at ?? call.waiting_since ?? call.started_at
  const isTalked = call.state === 'connected' || call.state === 'on_hold'
  return (
    <li className={classes.call}>
      <div className={classes.line}>
        <Icon size={18} role="img" aria-label={call.direction === 'inbound' ? 'Inbound' : 'Outbound'} />
        <Box miw={0} flex={1}>
          <Link to={`/dashboard/calls/${call.id}`} className={classes.link}>
            <Text size="sm" fw={550} truncate>
              {call.contact ?? digitsOf(call.from)}
            </Text>
          </Link>
          <Text size="xs" c="dimmed" truncate>
            {[call.contact && digitsOf(call.from), call.number?.name, ...call.users.map(({ name }) => name)]
              .filter(Boolean)
              .join(' · ')}
          </Text>
        </Box>
        <Badge variant="light" color={color} tt="none" flex="none">
          {label}
        </Badge>
        <Elapsed since={since} className={classes.elapsed} />
        {lines.length > 0 && (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            flex="none"
            aria-label={`Live transcript of call ${call.id}`}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <IconAlignLeft size={16} />
          </ActionIcon>
        )}
        <div className={classes.ways}>
          {ways.map(({ mode, icon, label, hint }) => (
            <SuperviseButton
              key={mode}
              icon={icon}
              label={`${label} call ${call.id}`}
              hint={disabledReason(isTalked) ?? hintFor(call, hint)}
              href={disabledReason(isTalked) ? undefined : `/phone?listen=${encodeURIComponent(call.key)}&mode=${mode}`}
            />
          ))}
        </div>
      </div>
      {isOpen && <LiveWordsOf call={call} lines={lines} />}
    </li>
  )
})

function LiveWordsOf({ call, lines }: { call: LiveCall; lines: readonly LiveLine[] }) {
  const { user } = useTraceNames()
  const { data: agents = [] } = useAgents(lines.some(({ ai_voice_agent_id }) => ai_voice_agent_id !== undefined))
  const names: SpeakerNames = {
    user: (id) => call.users.find((one) => one.id === id)?.name ?? user(id),
    agent: (id) => agents.find((agent) => agent.id === id)?.name ?? 'AI agent',
    party: partyNames(call.from, call.contact ?? digitsOf(call.from)),
  }
  return (
    <Box px="md" pb="sm">
      <LiveTranscript lines={lines} names={names} />
    </Box>
  )
}

const ways = [
  { mode: 'listen', icon: IconEar, label: 'Listen to', hint: 'Listen: no one on the call hears you' },
  { mode: 'whisper', icon: IconMessage2, label: 'Whisper on', hint: 'Whisper: only the agent hears you' },
  { mode: 'join', icon: IconUserPlus, label: 'Barge in on', hint: 'Barge in: everyone on the call hears you' },
] as const

const disabledReason = (isTalked: boolean) => (isTalked ? undefined : 'The call is not connected yet')

const hintFor = ({ line }: LiveCall, hint: string) =>
  line === 'real' ? hint : `${hint}. Simulated calls have no audio.`

/** Opens the phone app in one shared popup. Without `href` the hint explains why supervision is not possible. */
function SuperviseButton({
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
    <button
      type="button"
      className={classes.supervise}
      aria-label={label}
      aria-description={hint}
      data-hint={hint}
      aria-disabled={href === undefined}
      onClick={() => href && window.open(href, 'hookswitch-listening', 'popup,width=420,height=720')}
    >
      <Icon size={16} aria-hidden />
    </button>
  )
}
