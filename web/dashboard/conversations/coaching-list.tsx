import {
  Badge,
  Button,
  Center,
  Group,
  Loader,
  MultiSelect,
  Paper,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
} from '@mantine/core'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { when } from '../../kit/ui/format.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { notify, notifyError } from '../../kit/ui/toast.tsx'
import { CallLine } from './call-line.tsx'
import { type CoachingCall, type CoachingReason, coachingWords, kindsOfReasons } from './coaching.ts'
import { AcrossFilters, useAcross } from './filters.tsx'

const reasonChoices = Object.entries(kindsOfReasons).map(([value, { label }]) => ({ value, label }))

/** Calls that are worth listening to with the agent, and those that are reviewed. */
export function CoachingList() {
  const { filters, zone, asked } = useAcross()
  const isReviewed = filters.get('show') === 'reviewed'
  const reasons = filters.all('reason')?.filter((kind) => kind in kindsOfReasons) as
    | CoachingReason['kind'][]
    | undefined
  const { data, error, refetch } = useQuery({
    queryKey: ['coaching', isReviewed, reasons, asked],
    queryFn: () =>
      api.get('/v1/intelligence/coaching', {
        query: { ...asked, reviewed: isReviewed || undefined, reason: reasons?.length ? reasons : undefined },
      }),
    enabled: asked !== undefined,
    placeholderData: keepPreviousData,
  })
  return (
    <Stack gap="lg">
      <AcrossFilters filters={filters} zone={zone} />
      <Group gap="sm" align="flex-end">
        <SegmentedControl
          aria-label="Show"
          data={[
            { value: 'open', label: 'To review' },
            { value: 'reviewed', label: 'Reviewed' },
          ]}
          value={isReviewed ? 'reviewed' : 'open'}
          onChange={(show) => filters.setOnly({ show: show === 'reviewed' ? show : null })}
        />
        <MultiSelect
          aria-label="Reasons"
          placeholder={reasons?.length ? undefined : 'All reasons'}
          data={reasonChoices}
          value={reasons ?? []}
          onChange={(chosen) => filters.setOnly({ reason: chosen })}
          clearable
          miw={220}
        />
      </Group>
      {error && <ErrorAlert error={error} retry={() => void refetch()} />}
      {!data && !error && (
        <Center>
          <Loader size="sm" role="status" aria-label="Loading calls" />
        </Center>
      )}
      {data?.calls.length === 0 && (
        <Paper withBorder>
          <Empty title={isReviewed ? 'No calls reviewed' : 'No calls to review'}>
            {isReviewed
              ? 'Calls that are marked as reviewed appear here with their notes.'
              : 'Transcribed calls appear here with a reason to listen to them: a low score, negative sentiment or low predicted CSAT, several handovers, a long monologue, a high talk share, or overdue action items.'}
          </Empty>
        </Paper>
      )}
      {data && data.calls.length > 0 && (
        <>
          <Stack gap="xs" component="ul" m={0} p={0} style={{ listStyle: 'none' }} aria-label="Calls">
            {data.calls.map((one) => (
              <CoachedCall key={one.call.id} coached={one} />
            ))}
          </Stack>
          {data.total > data.calls.length && (
            <Text size="sm" c="dimmed">
              {data.calls.length} of {data.total} calls. Select a shorter date range or an agent to see others.
            </Text>
          )}
        </>
      )}
    </Stack>
  )
}

function CoachedCall({ coached: { call, reasons, review } }: { coached: CoachingCall }) {
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const [note, setNote] = useState('')
  const [isBusy, setBusy] = useState(false)
  const name = call.contact ?? call.phone_number
  const put = async (reviewed: boolean) => {
    setBusy(true)
    try {
      const body = { reviewed, note: reviewed && note.trim() !== '' ? note.trim() : null }
      await api.put('/v1/intelligence/coaching/{id}', { params: { id: call.id }, body })
      notify(reviewed ? 'Call marked as reviewed' : 'Call reopened')
      await queries.invalidateQueries({ queryKey: ['coaching'] })
    } catch (failure) {
      notifyError(failure, reviewed ? 'Call not marked as reviewed' : 'Call not reopened')
    }
    setBusy(false)
  }
  return (
    <Paper withBorder p="sm" component="li" aria-label={`Call with ${name}`}>
      <Stack gap={8}>
        <Group justify="space-between" align="flex-start" gap="xs">
          <CallLine call={call} />
          {review ? (
            <Button size="compact-sm" variant="default" loading={isBusy} onClick={() => void put(false)}>
              Reopen
            </Button>
          ) : (
            !isOpen && (
              <Button size="compact-sm" variant="default" onClick={() => setOpen(true)}>
                Mark as reviewed
              </Button>
            )
          )}
        </Group>
        {reasons.length > 0 && (
          <Group gap={6}>
            {reasons.map((reason) => (
              <Badge key={reason.kind} variant="light" color={kindsOfReasons[reason.kind].color} tt="none">
                {coachingWords(reason)}
              </Badge>
            ))}
          </Group>
        )}
        {review && (
          <Text size="xs" c="dimmed">
            Reviewed{review.reviewed_by ? ` by ${review.reviewed_by}` : ''}, {when(review.reviewed_at)}
          </Text>
        )}
        {review?.note && (
          <Text size="sm" style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
            {review.note}
          </Text>
        )}
        {isOpen && !review && (
          <Stack gap="xs">
            <Textarea
              label="Note"
              description="Visible to owners, admins and supervisors."
              autosize
              minRows={2}
              maxLength={2_000}
              data-autofocus
              value={note}
              onChange={({ currentTarget: { value } }) => setNote(value)}
            />
            <Group gap="xs">
              <Button size="xs" loading={isBusy} onClick={() => void put(true)}>
                Save review
              </Button>
              <Button size="xs" variant="default" onClick={() => setOpen(false)}>
                Cancel
              </Button>
            </Group>
          </Stack>
        )}
      </Stack>
    </Paper>
  )
}
