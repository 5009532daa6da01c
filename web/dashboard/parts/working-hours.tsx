import { Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../kit/api.ts'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { HoursEditor, HoursView, officeHours, type Schedule, scheduleError } from '../../kit/ui/hours.tsx'
import { SaveError } from '../../kit/ui/save-error.tsx'
import { useSavedForm } from '../../kit/ui/saved-form.tsx'
import { notify } from '../../kit/ui/toast.tsx'

const isAllDay = ({ hours }: Schedule) =>
  Object.values(hours).length === 7 && Object.values(hours).every((ranges) => ranges.join() === '00:00,24:00')

interface Props {
  userId: number
  timeZone: string
  /** Whether the availability of the user follows the working hours. */
  isUsed: boolean
  may: boolean
}

export function WorkingHours(props: Props) {
  const { data, error, refetch } = useQuery({
    queryKey: ['users', 'hours', props.userId],
    queryFn: async () => (await api.get('/v1/users/{id}/working_hours', { params: { id: props.userId } })) as Schedule,
  })
  if (error) return <ErrorAlert error={error} retry={() => void refetch()} />
  if (!data) return <Skeleton height={260} />
  if (!props.may) return <HoursView value={data} />
  return <Editor saved={data} {...props} />
}

function Editor({ saved, userId, timeZone, isUsed }: Props & { saved: Schedule }) {
  const queries = useQueryClient()
  const {
    form: value,
    set: setValue,
    isChanged,
    isBusy,
    error,
    save,
  } = useSavedForm(saved, async (body, loaded) => {
    await api.put('/v1/users/{id}/working_hours', { params: { id: userId }, body, loaded })
    await queries.invalidateQueries({ queryKey: ['users'] })
    notify('Working hours saved')
  })
  const issue = scheduleError(value)
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        Time zone: {timeZone}.{' '}
        {isUsed
          ? 'The user receives calls at these times.'
          : 'These hours apply when availability is set to “By working hours”.'}
      </Text>
      {Object.keys(value.hours).length === 0 && <Text size="sm">Closed every day: the user receives no calls.</Text>}
      {(Object.keys(value.hours).length === 0 || isAllDay(value)) && (
        <Group>
          <Button size="xs" variant="light" onClick={() => setValue({ ...value, hours: officeHours })}>
            Monday–Friday, 09:00–17:00
          </Button>
        </Group>
      )}
      <HoursEditor value={value} onChange={setValue} />
      <SaveError error={error} retry={() => void save()} title="Working hours not saved" />
      <Group justify="flex-end">
        {issue && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {issue}
          </Text>
        )}
        <Button loading={isBusy} disabled={!isChanged || issue !== undefined} onClick={() => void save()}>
          Save working hours
        </Button>
      </Group>
    </Stack>
  )
}
