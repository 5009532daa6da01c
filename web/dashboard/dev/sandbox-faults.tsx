import { Alert, Button, Group, Skeleton, Slider, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type ResponseOf } from '../../kit/api.ts'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { Figure } from '../../kit/ui/figure.tsx'
import { notify, notifyError } from '../../kit/ui/toast.tsx'

const path = '/sandbox/v1/faults'

type Faults = ResponseOf<typeof path>

const rates = [
  ['duplicate_events', 'Duplicate deliveries'],
  ['rate_limit_storm', 'API requests answered with 429'],
  ['carrier_failure', 'Failed outbound calls'],
  ['drop_media', 'Dropped calls'],
] as const

const queryKey = ['sandbox', 'faults']

/** Fault injection. */
export function SandboxFaults() {
  const { data, error, refetch } = useQuery({ queryKey, queryFn: () => api.get(path) })
  if (error) return <ErrorAlert error={error} retry={() => void refetch()} />
  return data ? <Form known={data} /> : <Skeleton height={320} />
}

function Form({ known }: { known: Faults }) {
  const queries = useQueryClient()
  const [form, setForm] = useState(known)
  const set = useMutation({
    mutationFn: (faults: Partial<Faults>) => api.put(path, { body: faults }),
    onSuccess: (faults) => {
      queries.setQueryData(queryKey, faults)
      setForm(faults)
      notify(hasNoFaults(faults) ? 'Faults cleared' : 'Faults enabled')
    },
    onError: (error) => notifyError(error),
  })
  return (
    <Stack gap="md">
      {rates.map(([name, label]) => (
        <div key={name}>
          <Text size="sm" fw={500}>
            {label}: {Math.round(form[name] * 100)} %
          </Text>
          <Slider
            min={0}
            max={1}
            step={0.05}
            thumbLabel={label}
            label={(value) => `${Math.round(value * 100)} %`}
            value={form[name]}
            onChange={(rate) => setForm({ ...form, [name]: rate })}
          />
        </div>
      ))}
      <Group grow>
        <Figure
          label="Event delay"
          suffix=" s"
          min={0}
          max={86_400}
          value={form.late_events_seconds}
          onChange={(seconds) => setForm({ ...form, late_events_seconds: seconds })}
        />
        <Figure
          label="Seed"
          description="The same seed repeats the same faults"
          min={0}
          max={999_999_999}
          value={form.seed}
          onChange={(seed) => setForm({ ...form, seed })}
        />
      </Group>
      {!hasNoFaults(known) && (
        <Alert color="orange" variant="light" p="xs" role="status">
          Faults stay enabled until you clear them.
        </Alert>
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" disabled={set.isPending || hasNoFaults(known)} onClick={() => set.mutate({})}>
          Clear all faults
        </Button>
        <Button color="orange" loading={set.isPending} onClick={() => set.mutate(form)}>
          Enable faults
        </Button>
      </Group>
    </Stack>
  )
}

const hasNoFaults = ({ seed: _, ...faults }: Faults) => Object.values(faults).every((rate) => rate === 0)
