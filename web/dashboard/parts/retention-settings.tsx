import { Button, Group, Modal, NumberInput, Paper, Skeleton, Stack, Table, Text, TextInput, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { maxCallDays } from '../../../src/domain/call/history.ts'
import { api, type ResponseOf } from '../../kit/api.ts'
import { EditDiscarded } from '../../kit/edits.ts'
import { CheckedForm } from '../../kit/ui/checked-form.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { count } from '../../kit/ui/format.ts'
import { SaveError } from '../../kit/ui/save-error.tsx'
import { notify } from '../../kit/ui/toast.tsx'

type Periods = ResponseOf<'/v1/company/retention'>['retention']
type Kind = keyof Periods
type Counts = ResponseOf<'/v1/company/retention/preview', 'post'>['would_delete']

const key = ['company', 'retention']

interface KindSettings {
  kind: Kind
  label: string
  what: string
  min: number
  max: number
  one: string
  many?: string
  /** What is deleted with it. */
  parts?: string
  /** What applies without a period. */
  otherwise: string
}

/** Data of calls is deleted after seven months at the latest. */
const longest = { max: maxCallDays, otherwise: '7 months' }

const kinds: KindSettings[] = [
  {
    kind: 'calls',
    label: 'Call details',
    what: 'The call with its recording, voicemail, transcript, notes and tags',
    min: 7,
    ...longest,
    one: 'call',
    parts: 'recordings, voicemails, transcripts, notes and tags',
  },
  {
    kind: 'recordings',
    label: 'Recordings',
    what: 'The audio, with the transcript and results made of it',
    min: 1,
    ...longest,
    one: 'recording',
    parts: 'the transcripts made of them',
  },
  {
    kind: 'voicemails',
    label: 'Voicemails',
    what: 'The audio, with the transcript and results made of it',
    min: 1,
    ...longest,
    one: 'voicemail',
    parts: 'the transcripts made of them',
  },
  {
    kind: 'transcripts',
    label: 'Transcripts',
    what: 'The transcript with summary, topics, sentiment and generated action items',
    min: 1,
    ...longest,
    one: 'transcript',
  },
  {
    kind: 'messages',
    label: 'Messages',
    what: 'SMS and WhatsApp messages with their attachments, and messages between users; conversations without messages are removed',
    min: 1,
    max: 3_650,
    otherwise: 'Until deleted',
    one: 'message',
    parts: 'attachments',
  },
  {
    kind: 'audit_log',
    label: 'Audit log',
    what: 'At least 365 days. The entries that are kept can still be verified',
    min: 365,
    max: 3_650,
    otherwise: 'Always kept',
    one: 'audit log entry',
    many: 'audit log entries',
  },
]

const fixed = [
  { label: 'Events and webhook deliveries', period: '30 days' },
  { label: 'Email log', period: '90 days' },
  { label: 'Analytics exports', period: '30 days' },
]

/** The kinds whose data is deleted earlier than before. */
const shortened = (before: Periods, after: Periods) =>
  kinds.filter(({ kind }) => (after[kind] ?? Number.POSITIVE_INFINITY) < (before[kind] ?? Number.POSITIVE_INFINITY))

/** How long each kind of data is kept. Shorter periods are previewed and confirmed by typing. */
export function RetentionSettings() {
  const queries = useQueryClient()
  const { data, error, refetch } = useQuery({ queryKey: key, queryFn: () => api.get('/v1/company/retention') })
  const [draft, setDraft] = useState<Periods>()
  // As they were when the user changed the first one.
  const [before, setBefore] = useState<Periods>()
  const [counts, setCounts] = useState<Counts>()
  const [failure, setFailure] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  if (error) return <ErrorAlert error={error} retry={() => void refetch()} />
  if (!data) return <Skeleton height={260} />
  const saved = data.retention
  const loaded = before ?? saved
  const periods = draft ?? saved
  const isChanged = kinds.some(({ kind }) => periods[kind] !== saved[kind])
  const change = (part: Partial<Periods>) => {
    setBefore(loaded)
    setDraft({ ...periods, ...part })
  }
  const discard = () => {
    setDraft(undefined)
    setBefore(undefined)
  }
  const save = async (confirmation?: string) => {
    const body = { retention: periods, ...(confirmation && { confirmation }) }
    queries.setQueryData(key, await api.put('/v1/company/retention', { body, loaded: { retention: loaded } }))
    discard()
    notify('Retention periods saved')
  }
  const unlessDiscarded = async (work: Promise<void>) => {
    await work.catch((problem) => {
      if (!(problem instanceof EditDiscarded)) throw problem
      discard()
    })
  }
  const submit = async () => {
    setBusy(true)
    setFailure(undefined)
    try {
      if (shortened(saved, periods).length > 0) {
        setCounts((await api.post('/v1/company/retention/preview', { body: periods })).would_delete)
      } else await unlessDiscarded(save())
    } catch (problem) {
      setFailure(problem)
    }
    setBusy(false)
  }
  return (
    <Paper withBorder p="lg" component="section" aria-label="Data retention">
      <Title order={2} size="h4" mb={4}>
        Data retention
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        Data older than its period is deleted once a day and cannot be restored. Calls are shown for six months, and
        deleted with their data after seven months at the latest.
      </Text>
      <CheckedForm
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <Stack gap="md">
          {kinds.map(({ kind, label, what, min, max, otherwise }) => (
            <NumberInput
              key={kind}
              label={label}
              description={what}
              placeholder={otherwise}
              suffix=" days"
              min={min}
              max={max}
              allowDecimal={false}
              value={periods[kind] ?? ''}
              onChange={(value) => change({ [kind]: value === '' ? null : Number(value) })}
            />
          ))}
          <SaveError error={failure} retry={() => void submit()} title="Retention periods not saved" />
          <Group gap="xs">
            <Button type="submit" loading={isBusy} disabled={!isChanged}>
              Save
            </Button>
            {isChanged && (
              <Button variant="default" onClick={discard}>
                Discard changes
              </Button>
            )}
          </Group>
        </Stack>
      </CheckedForm>
      <Table mt="lg" aria-label="Other data">
        <Table.Tbody>
          {fixed.map(({ label, period }) => (
            <Table.Tr key={label}>
              <Table.Th fw={500}>{label}</Table.Th>
              <Table.Td>{period}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {counts && (
        <ConfirmDeletion
          counts={counts}
          saved={saved}
          periods={periods}
          close={() => setCounts(undefined)}
          run={() => unlessDiscarded(save('DELETE'))}
        />
      )}
    </Paper>
  )
}

interface Confirmation {
  counts: Counts
  saved: Periods
  periods: Periods
  close: () => void
  run: () => Promise<void>
}

function ConfirmDeletion({ counts, saved, periods, close, run }: Confirmation) {
  const [typed, setTyped] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const affected = shortened(saved, periods)
  const deletesNow = affected.some(({ kind }) => counts[kind] > 0)
  const go = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    try {
      await run()
      close()
    } catch (problem) {
      setFailure(problem)
      setBusy(false)
    }
  }
  return (
    <Modal
      opened
      onClose={close}
      title="Shorten retention periods?"
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <CheckedForm onSubmit={(event) => void go(event)}>
        <Stack gap="sm">
          <Text size="sm">
            {deletesNow
              ? 'Within a day, the following is deleted and cannot be restored:'
              : 'No stored data is older than the new periods. From now on, data is deleted earlier:'}
          </Text>
          <ul style={{ margin: 0, paddingLeft: 20, fontSize: 'var(--mantine-font-size-sm)' }}>
            {affected.map(({ kind, one, many, parts }) => (
              <li key={kind}>
                {count(counts[kind], one, many)} older than {count(periods[kind] ?? 0, 'day')}
                {counts[kind] > 0 && parts && `, with ${parts}`}
              </li>
            ))}
          </ul>
          <TextInput
            label="Type DELETE to confirm"
            data-autofocus
            autoComplete="off"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          {failure !== undefined && <SaveError error={failure} title="Retention periods not saved" />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" color="red" loading={isBusy} disabled={typed !== 'DELETE'}>
              Shorten
            </Button>
          </Group>
        </Stack>
      </CheckedForm>
    </Modal>
  )
}
