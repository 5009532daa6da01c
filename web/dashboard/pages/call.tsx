import { Alert, Anchor, Badge, Button, Grid, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import { IconArchive, IconArchiveOff, IconHelpCircle, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Link, useParams } from 'react-router'
import { ApiError, api } from '../../kit/api.ts'
import { consentWords } from '../../kit/recording-words.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { dateTime, span } from '../../kit/ui/format.ts'
import { Empty, Page } from '../../kit/ui/page.tsx'
import { notify, notifyError, notifyWithUndo } from '../../kit/ui/toast.tsx'
import { CreateTest } from '../agents/create-test.tsx'
import { ExtractedData } from '../agents/extracted-data.tsx'
import { ConversationSection, Insights } from '../conversation/conversation.tsx'
import { Evaluations } from '../conversation/evaluations.tsx'
import { useRerun } from '../conversation/rerun.ts'
import { type Call, digitsOf, externalPartyName, mayChange, outcomeWords } from '../parts/call.ts'
import { CallNotes } from '../parts/call-notes.tsx'
import { CallPicture } from '../parts/call-picture.tsx'
import { CallQuality } from '../parts/call-quality.tsx'
import { CallSign, colorOf } from '../parts/call-sign.tsx'
import { CallStory, useTraceNames } from '../parts/call-story.tsx'
import { pictureOf, talkTimeOf } from '../parts/lanes.ts'
import { CallBackLink, ShareCall } from '../parts/share-call.tsx'
import { type CallEvent, storyOf, type TraceEntry, verdictOf } from '../parts/trace.ts'
import { useConsent } from '../recording-notice/use-consent.ts'

const everyMs = 5_000

function useCall(id: string) {
  const call = useQuery({
    queryKey: ['call', id],
    queryFn: async () =>
      (await api.get('/v1/calls/{id}', { params: { id }, query: { fetch_contact: true, fetch_aiva_conv: true } })).call,
    refetchInterval: everyMs,
  })
  const isOver = call.data?.status === 'done'
  const refetchInterval = isOver ? (false as const) : everyMs
  const trace = useQuery({
    queryKey: ['call', id, 'trace', isOver],
    queryFn: async () => (await api.get('/v1/calls/{id}/trace', { params: { id } })).trace as TraceEntry[],
    enabled: call.isSuccess,
    refetchInterval,
  })
  const events = useQuery({
    queryKey: ['call', id, 'events', isOver],
    queryFn: async () =>
      (await api.get('/v1/events', { query: { call_id: id, events: 'call.*', per_page: 50 } })).events as CallEvent[],
    enabled: call.isSuccess,
    refetchInterval,
  })
  return { call, trace, events }
}

/** Server time in milliseconds, which may differ from browser time in the sandbox. Queried only during an active call. */
function useServiceTime(isNeeded: boolean): number {
  const { data } = useQuery({
    queryKey: ['live', 'now'],
    queryFn: async () => (await api.get('/v1/live')).now * 1_000,
    enabled: isNeeded,
    refetchInterval: everyMs,
  })
  return data ?? Date.now()
}

export default function CallPage() {
  const { id = '' } = useParams()
  const session = useSession()
  const { call, trace, events } = useCall(id)
  const now = useServiceTime(call.data !== undefined && call.data.status !== 'done')
  const rerun = useRerun(Number(id))
  if (call.error && !call.data) return <NotThere error={call.error} retry={() => void call.refetch()} />
  if (!call.data) return <Waiting />
  return (
    <Page
      title={externalPartyName(call.data)}
      lead={<BackLink />}
      actions={
        <>
          {call.data.status === 'done' && <CallBackLink raw_digits={call.data.raw_digits} />}
          <ShareCall call={call.data} />
          {mayChange(session, call.data) && <Actions call={call.data} />}
        </>
      }
    >
      <Head call={call.data} trace={trace.data ?? []} now={now} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <Stack gap="lg">
            <Course call={call.data} trace={trace.data ?? []} events={events.data ?? []} now={now} />
            <ConversationSection
              call={call.data}
              rerun={rerun}
              actionsOf={(sound) => call.data && <Deletable call={call.data} sound={sound} />}
            >
              {(playback) => call.data && <Evaluations call={call.data} playback={playback} />}
            </ConversationSection>
            <CallQuality call={call.data} />
            <Why call={call.data} trace={trace.data} events={events.data ?? []} error={trace.error} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Stack gap="lg">
            <Insights call={call.data} isAwaited={rerun.isGoingOn} />
            <CallNotes call={call.data} may={mayChange(session, call.data)} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  )
}

const BackLink = () => (
  <Anchor component={Link} to="/dashboard/calls" size="sm">
    All calls
  </Anchor>
)

function Waiting() {
  return (
    <Page title="Call" lead={<BackLink />}>
      <Skeleton height={90} />
      <Skeleton height={220} />
    </Page>
  )
}

function NotThere({ error, retry }: { error: Error; retry: () => void }) {
  const isGone = error instanceof ApiError && error.status === 404
  return (
    <Page title="Call" lead={<BackLink />}>
      {isGone ? (
        <Empty title="Call not found">It may be older than six months, or the link is incorrect.</Empty>
      ) : (
        <ErrorAlert error={error} retry={retry} />
      )}
    </Page>
  )
}

function useReread(id: number) {
  const queries = useQueryClient()
  return () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: ['call', String(id)] }),
      queries.invalidateQueries({ queryKey: ['calls'] }),
    ])
}

function Actions({ call }: { call: Call }) {
  const reread = useReread(call.id)
  const [isBusy, setBusy] = useState(false)
  const put = async (word: 'archive' | 'unarchive') => {
    await api.put(`/v1/calls/{id}/${word}`, { params: { id: call.id } })
    await reread()
  }
  const toggle = async () => {
    setBusy(true)
    try {
      await put(call.archived ? 'unarchive' : 'archive')
      if (call.archived) notify('Call unarchived')
      else notifyWithUndo('Call archived', () => put('unarchive'))
    } catch (error) {
      notifyError(error)
    }
    setBusy(false)
  }
  const Icon = call.archived ? IconArchiveOff : IconArchive
  return (
    <Button
      variant="default"
      leftSection={<Icon size={16} />}
      loading={isBusy}
      onClick={() => void toggle()}
      disabled={call.status !== 'done'}
    >
      {call.archived ? 'Unarchive' : 'Archive'}
    </Button>
  )
}

function Head({ call, trace, now }: { call: Call; trace: TraceEntry[]; now: number }) {
  const talked = talkTimeOf(call, trace, now)
  const waited = (call.answered_at ?? call.ended_at ?? now / 1_000) - call.started_at
  return (
    <Paper withBorder p="md">
      <Group gap="lg" wrap="wrap">
        <Group gap="sm" wrap="nowrap">
          <CallSign call={call} size={46} />
          <div>
            <Group gap="xs">
              <Text fw={650}>{outcomeWords(call)}</Text>
              {call.archived && (
                <Badge variant="light" color="gray">
                  Archived
                </Badge>
              )}
            </Group>
            <Text size="sm" c="dimmed">
              {call.direction === 'inbound' ? 'Inbound' : 'Outbound'} · {dateTime(call.started_at)}
            </Text>
          </div>
        </Group>
        <Fact name={call.direction === 'inbound' ? 'Caller' : 'Called'}>{digitsOf(call.raw_digits)}</Fact>
        <Fact name="Number">
          {call.number ? (
            <Anchor component={Link} to={`/dashboard/numbers/${call.number.id}`} size="sm">
              {call.number.name}
            </Anchor>
          ) : (
            '–'
          )}
        </Fact>
        {call.ai_voice_agents?.map(({ agent_id, agent_name, agent_version, escalation_reason, ...session }) => (
          <Fact key={agent_id} name="AI agent">
            <Anchor component={Link} to={`/dashboard/agents/${agent_id}`} size="sm">
              {agent_name}
            </Anchor>
            {agent_version !== null && (
              <Text size="xs" c="dimmed">
                Version {agent_version}
              </Text>
            )}
            {escalation_reason && <Text size="xs">{escalation_reason}</Text>}
            <ExtractedData data={session.structured_data} problem={session.structured_data_problem} />
            <CreateTest agentId={agent_id} callId={call.id} isOver={call.status === 'done'} />
          </Fact>
        ))}
        <Fact name="Agent">
          {call.user ? (
            <Anchor component={Link} to={`/dashboard/users/${call.user.id}`} size="sm">
              {call.user.name}
            </Anchor>
          ) : (
            '–'
          )}
        </Fact>
        <RecordingFact id={call.id} isOver={call.status === 'done'} />
        <Fact name="Wait time">{span(waited)}</Fact>
        {talked !== null && <Fact name="Talk time">{span(talked)}</Fact>}
        {call.transferred_to && <Fact name={transferWords(call)}>{call.transferred_to.name}</Fact>}
        {call.teams.length > 0 && <Fact name="Team">{call.teams.map(({ name }) => name).join(', ')}</Fact>}
      </Group>
    </Paper>
  )
}

/** Without an answer, and after a cancelled consultation, the call stays with the transferring agent. */
function transferWords({ status, user, transferred_by }: Call): string {
  const stayed = status === 'done' && (user?.id ?? null) === (transferred_by?.id ?? null)
  return stayed ? 'Transfer not completed' : 'Transferred to'
}

/** The result of the recording announcement, where one was due. */
function RecordingFact({ id, isOver }: { id: number; isOver: boolean }) {
  const { data } = useConsent(id, isOver)
  return data ? <Fact name="Recording">{consentWords(data)}</Fact> : null
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text size="sm" component="div">
        {children}
      </Text>
    </div>
  )
}

interface Written {
  call: Call
  trace: TraceEntry[]
  events: CallEvent[]
}

function Course({ call, trace, events, now }: Written & { now: number }) {
  const names = useTraceNames()
  const picture = pictureOf(call, trace, events, now)
  return (
    <Paper withBorder p="md" component="section" aria-label="Timeline">
      <Stack gap="md">
        <Title order={2} size="h4">
          Timeline
        </Title>
        <CallPicture picture={picture} caller={externalPartyName(call)} nameOf={names.user} />
      </Stack>
    </Paper>
  )
}

function Why({
  call,
  trace,
  events,
  error,
}: Omit<Written, 'trace'> & { trace: TraceEntry[] | undefined; error: Error | null }) {
  const steps = storyOf(trace ?? [], events)
  const isMissed = call.missed_call_reason !== null
  return (
    <Paper withBorder p="md" component="section" aria-label="Routing details">
      <Stack gap="md">
        <Title order={2} size="h4">
          Routing details
        </Title>
        {isMissed && (
          <Alert
            color={colorOf(call)}
            variant="light"
            icon={<IconHelpCircle />}
            title={outcomeWords({ ...call, voicemail: null })}
          >
            {verdictOf(steps) ?? fallbackReason(call)}
          </Alert>
        )}
        {error && <ErrorAlert error={error} title="Routing details could not be loaded" />}
        {!trace && !error && <Skeleton height={120} />}
        {trace && steps.length === 0 && (
          <Text size="sm" c="dimmed">
            No routing details were recorded for this call.
          </Text>
        )}
        {steps.length > 0 && <CallStory steps={steps} />}
      </Stack>
    </Paper>
  )
}

/** The explanation when the trace names no agents. */
function fallbackReason({ missed_call_reason, started_at, ended_at }: Call): string {
  const after = span((ended_at ?? started_at) - started_at)
  switch (missed_call_reason) {
    case 'out_of_opening_hours':
      return 'The number was closed when the call arrived.'
    case 'abandoned_in_ivr':
      return `The caller hung up in the IVR after ${after}, before any agent was rung.`
    case 'no_available_agent':
      return 'No agent could be rung: all agents were offline, on a call or unavailable.'
    case 'agents_did_not_answer':
      return `Agents were rung, but none answered; the call ended after ${after}.`
    default:
      return `The caller hung up after ${after}.`
  }
}

/** Deletes a recording or voicemail together with its transcript. */
function Deletable({ call, sound }: { call: Call; sound: 'recording' | 'voicemail' }) {
  const session = useSession()
  const reread = useReread(call.id)
  const [dialog, confirm] = useConfirm()
  if (!isAdmin(session)) return null
  const remove = () =>
    confirm({
      title: `Delete the ${sound}?`,
      body: 'This permanently deletes the audio and its transcript. Links to the file stop working. The call itself is kept.',
      action: 'Delete',
      run: async () => {
        await api.delete(`/v1/calls/{id}/${sound}`, { params: { id: call.id } })
        await reread()
        notify(sound === 'recording' ? 'Recording deleted' : 'Voicemail deleted')
      },
    })
  return (
    <>
      {dialog}
      <Button size="compact-sm" variant="subtle" color="red" leftSection={<IconTrash size={14} />} onClick={remove}>
        Delete
      </Button>
    </>
  )
}
