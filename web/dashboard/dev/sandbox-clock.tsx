import { Badge, Button, Group, NumberInput, Select, Stack, Text } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../../kit/api.ts'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { count } from '../../kit/ui/format.ts'
import { notifyError } from '../../kit/ui/toast.tsx'
import { type ClockView, clockKey, inWords, useProductNow, useSandboxClock } from './product-time.ts'

const steps = [10, 30, 300, 1_800, 3_600, 86_400]
const speeds = ['1', '2', '10', '60', '300', '1000']
const units = { 60: 'minutes', 3600: 'hours', 86400: 'days' }
const shown = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' })

/** State and controls of the sandbox clock. */
export function SandboxClock() {
  const queries = useQueryClient()
  const { data: clock, error, refetch } = useSandboxClock()
  const now = useProductNow()
  const [amount, setAmount] = useState<number | string>(2)
  const [unit, setUnit] = useState('3600')
  const change = useMutation({
    mutationFn: (change: { mode?: ClockView['mode']; speed?: number; advance_seconds?: number }) =>
      api.put('/sandbox/v1/clock', { body: change }),
    onSuccess: async (view) => {
      queries.setQueryData(clockKey, { ...view, readAt: Date.now() })
      // Everything on the page may have changed.
      await queries.invalidateQueries()
    },
    onError: (failure) => notifyError(failure, 'Clock not changed'),
  })
  if (error && !clock) return <ErrorAlert error={error} retry={() => void refetch()} />
  const isFrozen = clock?.mode === 'frozen'
  const advance = (event: FormEvent) => {
    event.preventDefault()
    change.mutate({ advance_seconds: Number(amount) * Number(unit) })
  }
  return (
    <Stack gap="sm">
      <Group gap="md">
        <Text fw={600} size="lg" style={{ fontVariantNumeric: 'tabular-nums' }}>
          {clock ? shown.format(now) : '…'}
        </Text>
        <Badge variant="light" color={isFrozen ? 'blue' : 'green'} tt="none">
          {isFrozen ? 'Paused' : clock && clock.speed !== 1 ? `Running at ${clock.speed}× speed` : 'Running'}
        </Badge>
        {clock && clock.pending > 0 && (
          <Badge variant="light" color="yellow" tt="none">
            {count(clock.pending, 'scheduled event')} pending
          </Badge>
        )}
      </Group>
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          disabled={!clock || change.isPending}
          leftSection={isFrozen ? <IconPlayerPlay size={15} /> : <IconPlayerPause size={15} />}
          onClick={() => change.mutate({ mode: isFrozen ? 'running' : 'frozen' })}
        >
          {isFrozen ? 'Resume' : 'Pause'}
        </Button>
        <Select
          size="xs"
          w={150}
          aria-label="Speed"
          allowDeselect={false}
          data={withOwn(speeds, String(clock?.speed ?? 1)).map((value) => ({
            value,
            label: value === '1' ? 'Real time' : `${value}× speed`,
          }))}
          value={String(clock?.speed ?? 1)}
          onChange={(speed) => speed && change.mutate({ speed: Number(speed) })}
        />
        {steps.map((seconds) => (
          <Button
            key={seconds}
            size="xs"
            variant="light"
            disabled={change.isPending}
            aria-label={`Advance the clock by ${inWords(seconds * 1_000)}`}
            onClick={() => change.mutate({ advance_seconds: seconds })}
          >
            + {inWords(seconds * 1_000)}
          </Button>
        ))}
        <Group gap={4} component="form" onSubmit={advance} wrap="nowrap">
          <NumberInput size="xs" w={70} min={1} max={1_000} aria-label="Amount" value={amount} onChange={setAmount} />
          <Select
            size="xs"
            w={100}
            aria-label="Unit"
            allowDeselect={false}
            data={Object.entries(units).map(([value, label]) => ({ value, label }))}
            value={unit}
            onChange={(value) => value && setUnit(value)}
          />
          <Button size="xs" type="submit" loading={change.isPending}>
            Advance
          </Button>
        </Group>
      </Group>
    </Stack>
  )
}

const withOwn = (list: string[], own: string) => (list.includes(own) ? list : [...list, own])
