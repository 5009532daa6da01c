import { Alert, Button, Group, Loader, Paper, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { say } from '../../kit/ui/toast.tsx'
import { Trouble } from '../../kit/ui/trouble.tsx'
import type { Hours } from './flow.ts'
import { ClosedDates, HoursFields } from './hours.tsx'
import { flawsOfHours } from './judge.ts'
import { type PhoneNumber, useRereadNumber } from './number.ts'

interface OpeningHours {
  hours: Hours
  closed_dates: string[]
}

/** When a classic number is answered. */
export function NumberHours({ number }: { number: PhoneNumber }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['number', number.id, 'hours'],
    queryFn: () => api.get<OpeningHours>(`/v1/numbers/${number.id}/opening_hours`),
  })
  if (error) return <Trouble error={error} retry={() => void refetch()} />
  if (!data) return <Loader role="status" aria-label="Loading" />
  return <Fields key={JSON.stringify(data)} number={number} before={data} />
}

function Fields({ number, before }: { number: PhoneNumber; before: OpeningHours }) {
  const mayChange = isAdmin(useSession())
  const reread = useRereadNumber(number.id)
  const [wish, setWish] = useState(before)
  const [flaw] = flawsOfHours(wish.hours)
  const isChanged = JSON.stringify(wish) !== JSON.stringify(before)
  const save = useMutation({
    mutationFn: () => api.put(`/v1/numbers/${number.id}/opening_hours`, wish),
    onSuccess: async () => {
      await reread()
      say('The opening hours are saved.')
    },
  })
  return (
    <Paper withBorder p="lg" maw={560}>
      <Stack>
        <Text size="sm" c="dimmed">
          By the clock in {number.time_zone.replaceAll('_', ' ')}. At any other time callers can leave a message.
        </Text>
        {number.availability_status !== 'custom' && (
          <Alert color="yellow" variant="light" p="xs">
            The Number is set to be {number.availability_status === 'open' ? 'always open' : 'never open'}; these hours
            count once its settings say “By opening hours”.
          </Alert>
        )}
        <HoursFields value={wish.hours} onChange={(hours) => setWish({ ...wish, hours })} readOnly={!mayChange} />
        <ClosedDates
          value={wish.closed_dates}
          onChange={(closed_dates) => setWish({ ...wish, closed_dates })}
          readOnly={!mayChange}
        />
        {flaw && (
          <Text size="sm" c="red" role="status">
            {flaw}
          </Text>
        )}
        {save.error && <Trouble error={save.error} />}
        {mayChange && (
          <Group justify="flex-end" gap="xs">
            <Button variant="default" disabled={!isChanged} onClick={() => setWish(before)}>
              Reset
            </Button>
            <Button disabled={!isChanged || flaw !== undefined} loading={save.isPending} onClick={() => save.mutate()}>
              Save
            </Button>
          </Group>
        )}
      </Stack>
    </Paper>
  )
}
