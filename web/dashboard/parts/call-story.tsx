import { Box, Group, Table, Text, ThemeIcon, Timeline } from '@mantine/core'
import {
  IconArrowForwardUp,
  IconArrowsSplit2,
  IconClock,
  IconDialpad,
  IconHeadphones,
  IconHourglass,
  IconMicrophone,
  IconPhoneCalling,
  IconPhoneCheck,
  IconPhoneEnd,
  IconPhoneIncoming,
  IconPhonePause,
  IconPhoneX,
  IconRefresh,
  IconRobot,
  IconShieldCheck,
  IconVolume,
} from '@tabler/icons-react'
import type { Target } from '../../../src/domain/flow/document.ts'
import { callerIdWords } from '../../kit/caller-id-words.ts'
import { consentWords } from '../../kit/recording-words.ts'
import { useNumbers, useTeams, useUsers } from '../../kit/ui/lists.ts'
import { AvailabilityBadge } from '../../kit/ui/people.tsx'
import { missedWords } from './call.ts'
import { type Asked, type RoutingStep, supervisionWords } from './trace.ts'

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })

/** Display names for the ids in a trace. */
export function useTraceNames() {
  const { data: users = [] } = useUsers()
  const { data: teams = [] } = useTeams()
  const { data: numbers = [] } = useNumbers()
  const find = (list: { id: number; name: string }[], id: number | null, word: string) =>
    list.find((one) => one.id === id)?.name ?? `${word} ${id ?? ''}`.trim()
  return {
    user: (id: number | null) => find(users, id, 'Deleted user'),
    team: (id: number | null) => find(teams, id, 'Team'),
    number: (id: number | null) => find(numbers, id, 'Number'),
  }
}

export type TraceNames = ReturnType<typeof useTraceNames>

/** The routing decisions of a call, step by step. */
export function CallStory({ steps: all }: { steps: RoutingStep[] }) {
  // An unnamed ring step adds nothing to the ring entry that follows it.
  const steps = all.filter(({ what }) => what.kind !== 'widget' || what.type !== 'ring_to' || what.name !== null)
  const names = useTraceNames()
  const widgets = new Map(
    steps.flatMap(({ what }) =>
      what.kind === 'widget' ? [[what.node, what.name ?? widgetWords[what.type] ?? what.type]] : [],
    ),
  )
  return (
    <Timeline bulletSize={26} lineWidth={2} active={-1}>
      {steps.map((step) => {
        const { icon: Icon, title, color } = viewOf(step, names, widgets)
        return (
          <Timeline.Item
            key={`${step.at}${step.what.kind}${title}`}
            bullet={
              <ThemeIcon variant="light" color={color} size={26} radius="xl">
                <Icon size={15} />
              </ThemeIcon>
            }
            title={
              <Group gap="xs" justify="space-between" wrap="nowrap" align="baseline">
                <Text size="sm" fw={550}>
                  {title}
                </Text>
                <Text size="xs" c="dimmed" ff="monospace" flex="none">
                  {clock.format(step.at)}
                </Text>
              </Group>
            }
          >
            {step.asked.length > 0 && <ConsideredAgents asked={step.asked} names={names} />}
          </Timeline.Item>
        )
      })}
    </Timeline>
  )
}

const widgetWords: Record<string, string> = {
  time_rule: 'Business hours',
  audio: 'Audio',
  ivr: 'IVR',
  ring_to: 'Ring to',
  waiting: 'Waiting experience',
  voicemail: 'Voicemail',
  callback: 'Callback',
}

const strategyWords: Record<string, string> = {
  simultaneous: 'simultaneous',
  random: 'random',
  longest_idle: 'longest idle',
  one_by_one: 'sequential',
}

interface StepView {
  icon: typeof IconClock
  title: string
  color: string
}

function viewOf({ what, open }: RoutingStep, names: TraceNames, widgets: Map<string, string>): StepView {
  switch (what.kind) {
    case 'widget':
      return widgetView(what.type, what.name, open)
    case 'menu':
      return {
        icon: IconDialpad,
        title:
          what.key === 'fallback' ? `No input or invalid key: ${what.title}` : `Pressed ${what.key}: ${what.title}`,
        color: 'violet',
      }
    case 'ring':
      if (what.purpose === 'consult' || what.purpose === 'conference') {
        const whom = targetWords(what.targets, names)
        const title = what.purpose === 'consult' ? `Consultation with ${whom}` : `Adds ${whom} to the call`
        return { icon: IconPhoneIncoming, title, color: 'blue' }
      }
      return {
        icon: IconPhoneIncoming,
        title: `Rings ${targetWords(what.targets, names)}${what.targets.every(({ type }) => type === 'user') && what.targets.length < 2 ? '' : `, ${strategyWords[what.strategy] ?? what.strategy}`}`,
        color: 'orange',
      }
    case 'queue':
      return {
        icon: IconHourglass,
        title: `Waits in the queue until ${clock.format(what.waits_until)} at the latest`,
        color: 'yellow',
      }
    case 'answered':
      return {
        icon: IconPhoneCheck,
        title: what.user_id === null ? 'Answered' : `${names.user(what.user_id)} answered`,
        color: 'green',
      }
    case 'transfer': {
      const whom =
        what.to === 'user'
          ? names.user(what.id)
          : what.to === 'team'
            ? names.team(what.id)
            : what.to === 'number'
              ? names.number(what.id)
              : what.to
      return {
        icon: IconArrowForwardUp,
        title: `${what.by === null ? 'Transferred' : `${names.user(what.by)} transferred the call`} to ${whom}`,
        color: 'blue',
      }
    }
    case 'no_answer': {
      const next = what.goes_to === null ? undefined : (widgets.get(what.goes_to) ?? what.goes_to)
      return { icon: IconPhoneX, title: `No answer${next ? `; continues at “${next}”` : ''}`, color: 'red' }
    }
    case 'callback':
      return { icon: IconRefresh, title: 'The caller requested a callback', color: 'blue' }
    case 'ai_agent':
      return { icon: IconRobot, title: `AI agent “${what.name}” answered`, color: 'teal' }
    case 'escalated':
      return { icon: IconArrowForwardUp, title: `The AI agent escalated the call: ${what.reason}`, color: 'blue' }
    case 'voicemail_detected':
      return { icon: IconMicrophone, title: 'A voicemail answered', color: 'gray' }
    case 'progress': {
      const early = what.early_media ? ', with early media' : ''
      return { icon: IconPhoneCalling, title: `The network responded with ${what.code}${early}`, color: 'gray' }
    }
    case 'caller_id': {
      const color = what.verification === 'passed' ? 'green' : what.verification === 'failed' ? 'red' : 'gray'
      return { icon: IconShieldCheck, title: callerIdWords(what), color }
    }
    case 'remote_hold': {
      const title = what.held ? 'The other party put the call on hold' : 'The other party resumed the call'
      return { icon: IconPhoneCalling, title, color: 'yellow' }
    }
    case 'supervised':
      return { icon: IconHeadphones, title: `${names.user(what.by)} ${supervisionWords(what.mode)}`, color: 'blue' }
    case 'recording_notice': {
      const isRecorded = what.result === 'announced' || what.result === 'consented'
      return { icon: IconMicrophone, title: consentWords(what.result), color: isRecorded ? 'gray' : 'yellow' }
    }
    case 'ended': {
      if (what.failure) return { icon: IconPhoneX, title: `Call failed: ${what.failure}`, color: 'red' }
      const why = what.missed_call_reason ? `Call ended · ${missedWords[what.missed_call_reason]}` : 'Call ended'
      return { icon: IconPhoneEnd, title: why, color: what.missed_call_reason ? 'red' : 'gray' }
    }
    case 'event':
      return eventView(what.event.event, what.event.data.user?.name)
  }
}

function widgetView(type: string, name: string | null, open: boolean | undefined): StepView {
  const called = name ?? widgetWords[type] ?? type
  switch (type) {
    case 'time_rule':
      return {
        icon: IconClock,
        title: `${called}: ${open === false ? 'closed' : 'open'}`,
        color: open === false ? 'red' : 'green',
      }
    case 'audio':
      return { icon: IconVolume, title: `Plays “${called}”`, color: 'gray' }
    case 'ivr':
      return { icon: IconDialpad, title: `IVR “${called}”`, color: 'violet' }
    case 'voicemail':
      return { icon: IconMicrophone, title: `Voicemail “${called}”`, color: 'violet' }
    case 'waiting':
      return { icon: IconHourglass, title: `Waits in “${called}”`, color: 'yellow' }
    case 'ring_to':
      return { icon: IconArrowsSplit2, title: name ? `Ring to “${name}”` : 'Ring to', color: 'gray' }
    default:
      return { icon: IconArrowsSplit2, title: called, color: 'gray' }
  }
}

function eventView(event: string, who = 'The agent'): StepView {
  switch (event) {
    case 'call.hold':
      return { icon: IconPhonePause, title: `${who} put the call on hold`, color: 'orange' }
    case 'call.unhold':
      return { icon: IconPhoneCheck, title: `${who} resumed the call`, color: 'green' }
    case 'call.unsuccessful_transfer':
      return { icon: IconPhoneX, title: 'Transfer not completed', color: 'red' }
    case 'call.external_transferred':
      return { icon: IconArrowForwardUp, title: 'Transferred to an external number', color: 'blue' }
    default:
      return { icon: IconMicrophone, title: 'Voicemail left', color: 'violet' }
  }
}

const targetWords = (targets: readonly Target[], names: TraceNames) =>
  targets.map(({ type, id }) => (type === 'team' ? `team ${names.team(id)}` : names.user(id))).join(', ') || 'agents'

function ConsideredAgents({ asked, names }: { asked: Asked[]; names: TraceNames }) {
  return (
    // Scrolled with the keyboard where it is wider than the screen.
    <Box mt={4} style={{ overflowX: 'auto' }} tabIndex={0} role="group" aria-label="Agents considered, scrollable">
      <Table fz="sm" verticalSpacing={4} horizontalSpacing="xs" aria-label="Agents considered" withRowBorders={false}>
        <Table.Thead>
          <Table.Tr c="dimmed" fz="xs">
            <Table.Th fw={500}>Agent</Table.Th>
            <Table.Th fw={500}>Status</Table.Th>
            <Table.Th fw={500}>For</Table.Th>
            <Table.Th fw={500}>Result</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {asked.map((person, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an agent can be rung twice, and the list is append-only
            <Table.Tr key={index}>
              <Table.Td>{names.user(person.userId)}</Table.Td>
              <Table.Td>
                <AvailabilityBadge availability={person.availability} />
              </Table.Td>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>
                {person.sinceSeconds === undefined ? '' : longSpan(person.sinceSeconds)}
              </Table.Td>
              <Table.Td>{resultOf(person)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  )
}

function resultOf({ outcome, seconds = 0, reserved, later }: Asked): string {
  const first = later && outcome !== undefined ? 'rung later: ' : ''
  switch (outcome) {
    case 'answered':
      return `${first}answered after ${seconds} s`
    case 'declined':
      return `${first}declined after ${seconds} s`
    case 'no_answer':
      return `${first}rang ${seconds} s, no answer`
    case 'cancelled':
      return `${first}rang ${seconds} s, then stopped ringing`
    case undefined:
      return reserved ? 'not rung: ringing for another call' : 'not rung'
  }
}

/** A duration in its largest sensible unit: 90 s, 5 min, 3 h, 12 days. */
export function longSpan(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`
  return `${Math.round(seconds / 86_400)} days`
}
