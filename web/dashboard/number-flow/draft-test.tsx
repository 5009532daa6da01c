import {
  ActionIcon,
  Alert,
  Badge,
  Button,
  Group,
  Paper,
  ScrollArea,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  TextInput,
  Timeline,
  Title,
} from '@mantine/core'
import { IconArrowLeft, IconPhoneCall, IconPhoneOff, IconPlayerTrackNext } from '@tabler/icons-react'
import { useQueries, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import {
  actInDraftCall,
  beginDraftCall,
  type DraftAction,
  type DraftAgents,
  type DraftCall,
  hasNextInDraftCall,
  isDraftCallOver,
} from '../../../src/domain/call/draft-call.ts'
import type { NumberFacts } from '../../../src/domain/call/state.ts'
import { api } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { count, span } from '../../kit/ui/format.ts'
import { browserZone } from '../../kit/ui/time-zones.ts'
import type { TraceEntry } from '../parts/trace.ts'
import type { FlowNames } from './catalogue.ts'
import type { Flow } from './flow.ts'
import { settingsQuery, useNumber } from './number.ts'
import { type SentEvents, useTestWebhooks } from './test-webhooks.ts'
import { type CallPath, callPathThrough, sentenceOf } from './trace.ts'

interface Props {
  number: { id: number; digits: string }
  flow: Flow
  names: FlowNames
  titleAt: (node: string) => string
  show: (callPath: CallPath | undefined) => void
  close: () => void
}

const teamsIn = (flow: Flow) => [
  ...new Set(
    Object.values(flow.nodes).flatMap((widget) =>
      widget.type === 'ring_to' ? widget.targets.flatMap(({ type, id }) => (type === 'team' ? id : [])) : [],
    ),
  ),
]

/** The members of the teams that the flow rings. */
function useMembers(flow: Flow): Map<number, readonly number[]> {
  const ids = teamsIn(flow)
  const teams = useQueries({
    queries: ids.map((id) => ({
      queryKey: ['teams', 'one', id, 'members'],
      queryFn: () => api.get('/v1/teams/{id}', { params: { id } }),
    })),
  })
  return new Map(
    teams.flatMap(({ data }) => (data ? [[data.team.id, data.team.users.map(({ id }) => id)] as const] : [])),
  )
}

/** Time of a `datetime-local` input, in the time zone of the browser. */
const inputTime = (at: Date) => new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)

/** Plays a caller through the flow on the canvas, saved or not, and highlights the path. */
export function DraftTest({ number, flow, names, titleAt, show, close }: Props) {
  const { data: settings } = useQuery(settingsQuery(number.id))
  const { data: details } = useNumber(number.id)
  const members = useMembers(flow)
  const [time, setTime] = useState(() => inputTime(new Date()))
  const [agents, setAgents] = useState<DraftAgents>('answer')
  const [call, setCall] = useState<DraftCall>()
  const [sendsWebhooks, setSendsWebhooks] = useState(false)
  const mayUseWebhooks = isAdmin(useSession())
  const webhooks = useTestWebhooks(number.id)
  const act = (action: DraftAction) => {
    if (!call) return
    const next = actInDraftCall(call, action)
    setCall(next)
    webhooks.send(next)
  }
  const trace = useMemo(
    () => call?.trace.map(({ at, entry }) => ({ ...entry, at: new Date(at).toISOString() }) as TraceEntry),
    [call],
  )
  useEffect(() => {
    show(trace && callPathThrough(trace, number.id))
  }, [trace, number.id, show])
  // Clears the highlight when the panel closes.
  useEffect(() => () => show(undefined), [show])
  const begin = () => {
    const facts: NumberFacts = {
      id: number.id,
      digits: number.digits,
      timeZone: details?.time_zone ?? browserZone(),
      recording: false,
      priority: null,
      // A branch that leads nowhere ends the call, as the editor says.
      flow: flow as NumberFacts['flow'],
      ringSimultaneousMs: (settings?.ring_simultaneous_seconds ?? 30) * 1_000,
      ringOneByOneMs: (settings?.ring_one_by_one_seconds ?? 20) * 1_000,
      musicOnHold: null,
    }
    const at = new Date(time).getTime() || Date.now()
    const membersOf = (id: number) => members.get(id) ?? []
    const newCall = beginDraftCall({ number: facts, at, agents, membersOf })
    setCall(newCall)
    webhooks.begin(sendsWebhooks ? newCall : undefined)
  }
  return (
    <ScrollArea h="100%" type="auto">
      <Stack gap="sm" p="sm">
        <Group gap="xs" wrap="nowrap">
          <ActionIcon variant="subtle" color="gray" aria-label="Close test" onClick={close}>
            <IconArrowLeft size={17} />
          </ActionIcon>
          <Title order={2} size="h5">
            Test flow
          </Title>
          <Badge variant="light" color="yellow" tt="none">
            Test
          </Badge>
        </Group>
        <Text size="xs" c="dimmed">
          Tests the flow on the canvas, with changes that are not published. You are the caller; agents are simulated.
          No phone rings and no call is stored.
        </Text>
        <TextInput
          label="Time of the call"
          type="datetime-local"
          size="xs"
          value={time}
          onChange={(event) => setTime(event.currentTarget.value)}
        />
        <div>
          <Text size="xs" fw={500} mb={4} id="draft-agents">
            Agents
          </Text>
          <SegmentedControl
            fullWidth
            size="xs"
            aria-labelledby="draft-agents"
            value={agents}
            onChange={(value) => setAgents(value as DraftAgents)}
            data={[
              { value: 'answer', label: 'Answer' },
              { value: 'no_answer', label: 'Do not answer' },
              { value: 'unavailable', label: 'Not available' },
            ]}
          />
        </div>
        {mayUseWebhooks && (
          <Switch
            size="xs"
            label="Send webhooks of this test"
            description="Events go to the webhooks of your company, with the header webhook-test: true."
            checked={sendsWebhooks}
            onChange={(event) => setSendsWebhooks(event.currentTarget.checked)}
          />
        )}
        <Button size="xs" leftSection={<IconPhoneCall size={15} />} disabled={!details} onClick={begin}>
          {call ? 'Call again' : 'Start test call'}
        </Button>
        {call && trace && (
          <>
            {!isDraftCallOver(call) && <CallerPanel call={call} act={act} />}
            <Webhooks sent={webhooks.sent} />
            <Path call={call} trace={trace} names={names} titleAt={titleAt} />
          </>
        )}
      </Stack>
    </ScrollArea>
  )
}

const keys = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '*', '0', '#']

/** What the caller can do. */
function CallerPanel({ call, act }: { call: DraftCall; act: (action: DraftAction) => void }) {
  return (
    <Stack gap="xs" role="group" aria-label="Caller">
      <SimpleGrid cols={3} spacing={4} verticalSpacing={4}>
        {keys.map((key) => (
          <Button
            key={key}
            size="compact-sm"
            variant="default"
            aria-label={`Press ${key}`}
            onClick={() => act({ kind: 'key', digit: key })}
          >
            {key}
          </Button>
        ))}
      </SimpleGrid>
      <Group gap={6} grow>
        <Button size="compact-sm" variant="default" onClick={() => act({ kind: 'wait', seconds: 10 })}>
          Wait 10 s
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          disabled={!hasNextInDraftCall(call)}
          leftSection={<IconPlayerTrackNext size={14} aria-hidden />}
          onClick={() => act({ kind: 'next' })}
        >
          Next
        </Button>
      </Group>
      <Button
        size="compact-sm"
        color="red"
        variant="light"
        leftSection={<IconPhoneOff size={14} aria-hidden />}
        onClick={() => act({ kind: 'hang_up' })}
      >
        Hang up
      </Button>
    </Stack>
  )
}

/** What was sent to webhooks; undefined if nothing is to be sent. */
function Webhooks({ sent }: { sent: SentEvents | undefined }) {
  if (!sent) return null
  if (sent.error) {
    return (
      <Alert color="red" p="xs" title="Webhooks not sent">
        {sent.error}
      </Alert>
    )
  }
  return (
    <Paper withBorder p="sm" component="section" aria-label="Webhooks of this test">
      <Text size="xs" fw={600} mb={4}>
        Webhooks
      </Text>
      <Stack gap={2} role="status">
        {sent.events.map(({ event, webhooks }, nth) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is append-only
          <Group key={nth} gap={6} justify="space-between" wrap="nowrap">
            <Text size="xs" ff="monospace">
              {event}
            </Text>
            <Text size="xs" c="dimmed" flex="none">
              {webhooks === 0 ? 'No subscriber' : count(webhooks, 'webhook')}
            </Text>
          </Group>
        ))}
      </Stack>
    </Paper>
  )
}

function Path({
  call,
  trace,
  names,
  titleAt,
}: {
  call: DraftCall
  trace: readonly TraceEntry[]
  names: FlowNames
  titleAt: (node: string) => string
}) {
  const [first] = call.trace
  const since = (at: number) => span((at - (first?.at ?? at)) / 1_000)
  return (
    <Paper withBorder p="sm">
      <Group justify="space-between" mb="sm">
        <Badge variant="light" color={isDraftCallOver(call) ? 'gray' : 'yellow'} tt="none" role="status">
          {isDraftCallOver(call) ? 'Call ended' : 'Call in progress'}
        </Badge>
        <Text size="xs" ff="monospace">
          {since(call.now)}
        </Text>
      </Group>
      <Timeline bulletSize={10} lineWidth={1} active={trace.length} aria-label="Call trace">
        {trace.map((entry, nth) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is append-only
          <Timeline.Item key={nth} mt={6}>
            <Group gap={6} wrap="nowrap" justify="space-between" align="flex-start">
              <Text size="xs" fw={entry.kind === 'widget' ? 600 : 400}>
                {sentenceOf(entry, names, titleAt)}
              </Text>
              <Text size="xs" c="dimmed" flex="none">
                {since(call.trace[nth]?.at ?? call.now)}
              </Text>
            </Group>
          </Timeline.Item>
        ))}
      </Timeline>
    </Paper>
  )
}
