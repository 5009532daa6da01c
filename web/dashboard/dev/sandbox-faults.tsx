import { Alert, Button, Group, Skeleton, Slider, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { Figure } from '../../kit/ui/figure.tsx'
import { say, sayTrouble } from '../../kit/ui/toast.tsx'
import { Trouble } from '../../kit/ui/trouble.tsx'

interface Faults {
  seed: number
  duplicate_events: number
  late_events_seconds: number
  rate_limit_storm: number
  carrier_failure: number
  drop_media: number
}

const rates = [
  ['duplicate_events', 'Deliveries that are sent twice'],
  ['rate_limit_storm', 'Requests of your software answered with 429'],
  ['carrier_failure', 'Outbound calls that fail'],
  ['drop_media', 'Calls that break off'],
] as const

const path = '/sandbox/v1/faults'
const queryKey = ['sandbox', 'faults']

/** What goes wrong, and how often. */
export function SandboxFaults() {
  const { data, error, refetch } = useQuery({ queryKey, queryFn: () => api.get<Faults>(path) })
  if (error) return <Trouble error={error} retry={() => void refetch()} />
  return data ? <Form known={data} /> : <Skeleton height={320} />
}

function Form({ known }: { known: Faults }) {
  const queries = useQueryClient()
  const [wish, setWish] = useState(known)
  const set = useMutation({
    mutationFn: (faults: Partial<Faults>) => api.put<Faults>(path, faults),
    onSuccess: (faults) => {
      queries.setQueryData(queryKey, faults)
      setWish(faults)
      say(isCalm(faults) ? 'Nothing goes wrong any more.' : 'Things go wrong from now on.')
    },
    onError: (error) => sayTrouble(error),
  })
  return (
    <Stack gap="md">
      {rates.map(([name, label]) => (
        <div key={name}>
          <Text size="sm" fw={500}>
            {label}: {Math.round(wish[name] * 100)} %
          </Text>
          <Slider
            min={0}
            max={1}
            step={0.05}
            thumbLabel={label}
            label={(value) => `${Math.round(value * 100)} %`}
            value={wish[name]}
            onChange={(rate) => setWish({ ...wish, [name]: rate })}
          />
        </div>
      ))}
      <Group grow>
        <Figure
          label="Events are late by"
          suffix=" s"
          min={0}
          max={86_400}
          value={wish.late_events_seconds}
          onChange={(seconds) => setWish({ ...wish, late_events_seconds: seconds })}
        />
        <Figure
          label="Seed"
          description="The same hits the same"
          min={0}
          max={999_999_999}
          value={wish.seed}
          onChange={(seed) => setWish({ ...wish, seed })}
        />
      </Group>
      {!isCalm(known) && (
        <Alert color="orange" variant="light" p="xs" role="status">
          Faults are on until you end them.
        </Alert>
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" disabled={set.isPending || isCalm(known)} onClick={() => set.mutate({})}>
          End all faults
        </Button>
        <Button color="orange" loading={set.isPending} onClick={() => set.mutate(wish)}>
          Let it go wrong
        </Button>
      </Group>
    </Stack>
  )
}

const isCalm = ({ seed: _, ...faults }: Faults) => Object.values(faults).every((rate) => rate === 0)
