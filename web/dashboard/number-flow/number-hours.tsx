import { Alert, Button, Group, Loader, Paper, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Hours } from '../../../src/domain/opening-hours.ts'
import { api } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { SaveError } from '../../kit/ui/save-error.tsx'
import { useSavedForm } from '../../kit/ui/saved-form.tsx'
import { notify } from '../../kit/ui/toast.tsx'
import { ClosedDates, HoursFields } from './hours.tsx'
import { type PhoneNumber, useRereadNumber } from './number.ts'
import { issuesOfHours } from './validate.ts'

interface OpeningHours {
  hours: Hours
  closed_dates: string[]
}

/** Business hours of a classic number. */
export function NumberHours({ number }: { number: PhoneNumber }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['number', number.id, 'hours'],
    queryFn: async () =>
      (await api.get('/v1/numbers/{id}/opening_hours', { params: { id: number.id } })) as OpeningHours,
  })
  if (error) return <ErrorAlert error={error} retry={() => void refetch()} />
  if (!data) return <Loader role="status" aria-label="Loading" />
  return <Fields number={number} before={data} />
}

function Fields({ number, before }: { number: PhoneNumber; before: OpeningHours }) {
  const mayChange = isAdmin(useSession())
  const reread = useRereadNumber(number.id)
  const { form, set, isChanged, isBusy, error, save, discard } = useSavedForm(before, async (body, loaded) => {
    await api.put('/v1/numbers/{id}/opening_hours', { params: { id: number.id }, body, loaded })
    await reread()
    notify('Business hours saved')
  })
  const [issue] = issuesOfHours(form.hours)
  return (
    <Paper withBorder p="lg" maw={560}>
      <Stack>
        <Text size="sm" c="dimmed">
          Time zone: {number.time_zone.replaceAll('_', ' ')}. Outside these hours callers can leave a voicemail.
        </Text>
        {number.availability_status !== 'custom' && (
          <Alert color="yellow" variant="light" p="xs">
            This number is set to {number.availability_status === 'open' ? 'always open' : 'always closed'}. These hours
            apply when its settings are changed to “Business hours”.
          </Alert>
        )}
        <HoursFields value={form.hours} onChange={(hours) => set({ hours })} readOnly={!mayChange} />
        <ClosedDates
          value={form.closed_dates}
          onChange={(closed_dates) => set({ closed_dates })}
          readOnly={!mayChange}
        />
        {issue && (
          <Text size="sm" c="red" role="status">
            {issue}
          </Text>
        )}
        <SaveError error={error} retry={() => void save()} title="Business hours not saved" />
        {mayChange && (
          <Group justify="flex-end" gap="xs">
            <Button variant="default" disabled={!isChanged} onClick={discard}>
              Discard changes
            </Button>
            <Button disabled={!isChanged || issue !== undefined} loading={isBusy} onClick={() => void save()}>
              Save
            </Button>
          </Group>
        )}
      </Stack>
    </Paper>
  )
}
