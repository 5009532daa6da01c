import {
  ActionIcon,
  Badge,
  Button,
  Group,
  Paper,
  ScrollArea,
  Stack,
  Text,
  TextInput,
  Timeline,
  Title,
} from '@mantine/core'
import { IconArrowLeft, IconPhoneCall } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { Link } from 'react-router'
import { api } from '../../kit/api.ts'
import { CheckedForm } from '../../kit/ui/checked-form.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { Figure } from '../../kit/ui/figure.tsx'
import { instantOf } from '../../kit/ui/format.ts'
import { PersonPicker } from '../../kit/ui/people.tsx'
import { PhoneInput } from '../../kit/ui/phone-input.tsx'
import { SaveError } from '../../kit/ui/save-error.tsx'
import { notifyError } from '../../kit/ui/toast.tsx'
import type { TraceEntry } from '../parts/trace.ts'
import type { FlowNames } from './catalogue.ts'
import { type CallPath, callPathThrough, hasCallEnded, sentenceOf } from './trace.ts'

interface TestCallForm {
  from: string
  keys: string
  patience: number
  answers: number | null
}

/** Places a simulated call and highlights its path on the canvas. */
export function FlowTestCall({
  numberId,
  digits,
  names,
  titleAt,
  show,
  close,
}: {
  numberId: number
  digits: string
  names: FlowNames
  titleAt: (node: string) => string
  show: (callPath: CallPath | undefined) => void
  close: () => void
}) {
  const [form, setForm] = useState<TestCallForm>({ from: '+33199000777', keys: '', patience: 60, answers: null })
  const call = useMutation({ mutationFn: () => placeCall(digits, form) })
  const callId = call.data
  const { data, error } = useQuery({
    queryKey: ['trace', callId],
    enabled: callId !== undefined,
    queryFn: async () => (await api.get('/v1/calls/{id}/trace', { params: { id: callId ?? 0 } })).trace as TraceEntry[],
    refetchInterval: ({ state }) => (state.data && hasCallEnded(state.data) ? false : 600),
  })
  const trace = callId === undefined ? undefined : data
  useEffect(() => {
    show(trace && callPathThrough(trace, numberId))
  }, [trace, numberId, show])
  // Clears the highlight when the panel closes.
  useEffect(() => () => show(undefined), [show])

  const begin = (event: FormEvent) => {
    event.preventDefault()
    call.mutate()
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
        </Group>
        <Stack gap="xs" component={CheckedForm} onSubmit={begin}>
          <PhoneInput
            label="Caller number"
            type="text"
            size="xs"
            value={form.from}
            required
            title="A number, or anonymous"
            onChange={(from) => setForm({ ...form, from })}
          />
          <Group gap="xs" grow>
            <TextInput
              label="Keys to press"
              size="xs"
              placeholder="None"
              pattern="[0-9*#]*"
              title="Keys 0–9, * and #"
              value={form.keys}
              onChange={({ currentTarget: { value } }) => setForm({ ...form, keys: value })}
            />
            <Figure
              label="Hang up after"
              size="xs"
              suffix=" s"
              min={1}
              max={86_400}
              value={form.patience}
              onChange={(patience) => setForm({ ...form, patience })}
            />
          </Group>
          <PersonPicker
            label="Answered by"
            placeholder="Available agents"
            size="xs"
            clearable
            value={form.answers}
            onChange={(answers) => setForm({ ...form, answers })}
          />
          <Button type="submit" size="xs" leftSection={<IconPhoneCall size={15} />} loading={call.isPending}>
            Call {digits}
          </Button>
        </Stack>
        {call.error && <SaveError error={call.error} />}
        {error && <ErrorAlert error={error} />}
        {trace && callId !== undefined && <Journey trace={trace} callId={callId} names={names} titleAt={titleAt} />}
      </Stack>
    </ScrollArea>
  )
}

async function placeCall(digits: string, { from, keys, patience, answers }: TestCallForm): Promise<number> {
  if (answers !== null) {
    await api.put('/sandbox/v1/users/{id}/autopilot', {
      params: { id: answers },
      body: { answer_after_seconds: 3, talk_seconds: 5 },
    })
    await api.post('/sandbox/v1/users/{id}/actions', {
      params: { id: answers },
      body: { action: 'connect', session: 'flow-test' },
    })
  }
  const script = [...keys].flatMap((key) => [{ wait: 6 }, { press: key }])
  const to = digits.replace(/[^\d+]/g, '')
  const made = await api.post('/sandbox/v1/calls', { body: { from, to, patience, ...(keys && { script }) } })
  return made.call_id
}

function Journey({
  trace,
  callId,
  names,
  titleAt,
}: {
  trace: TraceEntry[]
  callId: number
  names: FlowNames
  titleAt: (node: string) => string
}) {
  const over = hasCallEnded(trace)
  const [first] = trace
  const since = (at: string) =>
    first ? Math.round((instantOf(at).getTime() - instantOf(first.at).getTime()) / 1_000) : 0
  return (
    <Paper withBorder p="sm">
      <Group justify="space-between" mb="sm">
        <Badge variant="light" color={over ? 'gray' : 'yellow'} tt="none" role="status">
          {over ? 'Call ended' : 'Call in progress'}
        </Badge>
        <Text size="xs" component={Link} to={`/dashboard/calls/${callId}`} c="inherit">
          Call {callId}
        </Text>
      </Group>
      {!over && <AdvanceClock />}
      <Timeline bulletSize={10} lineWidth={1} active={trace.length} aria-label="Call trace">
        {trace.map((entry, nth) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is append-only
          <Timeline.Item key={nth} mt={6}>
            <Group gap={6} wrap="nowrap" justify="space-between" align="flex-start">
              <Text size="xs" fw={entry.kind === 'widget' ? 600 : 400}>
                {sentenceOf(entry, names, titleAt)}
              </Text>
              <Text size="xs" c="dimmed" flex="none">
                {since(entry.at)} s
              </Text>
            </Group>
          </Timeline.Item>
        ))}
      </Timeline>
    </Paper>
  )
}

/** Advances the sandbox clock. */
function AdvanceClock() {
  const [isBusy, setBusy] = useState(false)
  const advance = async () => {
    setBusy(true)
    try {
      await api.put('/sandbox/v1/clock', { body: { advance_seconds: 10 } })
    } catch (error) {
      notifyError(error)
    }
    setBusy(false)
  }
  return (
    <Button size="compact-xs" variant="default" mb="sm" loading={isBusy} onClick={() => void advance()}>
      Advance clock by 10 s
    </Button>
  )
}
