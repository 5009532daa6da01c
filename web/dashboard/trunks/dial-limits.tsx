import {
  ActionIcon,
  Alert,
  Button,
  Group,
  MultiSelect,
  NumberInput,
  Paper,
  Radio,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../../kit/api.ts'
import { useSession } from '../../kit/session.tsx'
import { say } from '../../kit/ui/toast.tsx'
import { Trouble } from '../../kit/ui/trouble.tsx'
import { countryChoices } from '../parts/countries.ts'
import { countsNothing, type DialLimits, type RateLine, rateLinesOf, ratesOf } from './limits.ts'

/** Whoever steals a password dials expensive numbers: this is how much they can. */
export function DialLimitsForm() {
  const { data, error, refetch } = useQuery({
    queryKey: ['dial_limits'],
    queryFn: async () => (await api.get<{ dial_limits: DialLimits }>('/v1/dial_limits')).dial_limits,
  })
  if (error) return <Trouble error={error} retry={() => void refetch()} />
  if (!data) return <Skeleton height={480} />
  return <Form key={JSON.stringify(data)} kept={data} />
}

type Set = (part: Partial<DialLimits>) => void

function Form({ kept }: { kept: DialLimits }) {
  const queries = useQueryClient()
  const [form, setForm] = useState(kept)
  const [lines, setLines] = useState(() => rateLinesOf(kept.rates))
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const set: Set = (part) => setForm((before) => ({ ...before, ...part }))
  const priced = ratesOf(lines)
  const isChanged = JSON.stringify({ ...form, ...priced }) !== JSON.stringify(kept)
  const save = async () => {
    if ('flaw' in priced) return
    setBusy(true)
    setError(undefined)
    try {
      await api.put('/v1/dial_limits', { ...form, ...priced })
      await queries.invalidateQueries({ queryKey: ['dial_limits'] })
      say('Saved; it counts for every call from now on')
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isBusy) void save()
  }
  return (
    <Paper withBorder p="lg" maw={720}>
      <form onSubmit={submit}>
        <Stack gap="lg">
          <Title order={2} size="h4">
            Calls
          </Title>
          <Text size="sm" c="dimmed">
            Stolen passwords are used to dial expensive numbers, at night and many at once. What is not allowed here is
            refused, whoever wants it: people, API keys, campaigns, transfers. Emergency numbers are never held back.
          </Text>
          <Countries value={form.countries} onChange={(countries) => set({ countries })} />
          <Counts form={form} set={set} />
          <Rates title="What a minute costs" unit="a minute" lines={lines} onChange={setLines} />
          {'flaw' in priced && (
            <Alert color="orange" variant="light" role="status">
              {priced.flaw}
            </Alert>
          )}
          <NumberInput
            label="At most a day"
            description="In the currency of the prices, from midnight UTC; empty: no bound. Calls end when it is used up, and admins get a mail."
            min={0}
            maw={360}
            value={form.daily_spend ?? ''}
            onChange={(value) => set({ daily_spend: typeof value === 'number' ? value : null })}
          />
          {countsNothing(form, lines) && (
            <Alert color="orange" variant="light" role="status">
              Without prices every minute counts as free, and the amount holds nothing back.
            </Alert>
          )}
          <NumberInput
            label="Longest call, in minutes"
            description="A call that nobody ends is ended then"
            min={1}
            max={1_440}
            maw={360}
            required
            value={form.max_seconds / 60}
            onChange={(value) => typeof value === 'number' && set({ max_seconds: Math.round(value * 60) })}
          />
          {error !== undefined && <Trouble error={error} title="It was not saved" />}
          <Group justify="flex-end">
            {isChanged && (
              <Button
                variant="default"
                onClick={() => {
                  setForm(kept)
                  setLines(rateLinesOf(kept.rates))
                }}
              >
                Discard
              </Button>
            )}
            <Button type="submit" loading={isBusy} disabled={!isChanged || 'flaw' in priced}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  )
}

function Countries({ value, onChange }: { value: string[] | null; onChange: (countries: string[] | null) => void }) {
  const { mode } = useSession()
  return (
    <Stack gap="xs">
      <Radio.Group
        label="Countries that may be called"
        value={value === null ? 'own' : 'some'}
        onChange={(choice) => onChange(choice === 'own' ? null : [])}
      >
        <Stack gap={6} mt={6}>
          <Radio
            value="own"
            label="Those of your own Numbers"
            {...(mode === 'sandbox' && { description: 'In this sandbox: all, because nothing costs anything' })}
          />
          <Radio value="some" label="Only these" />
        </Stack>
      </Radio.Group>
      {value !== null && (
        <MultiSelect
          aria-label="Countries"
          placeholder={value.length > 0 ? '' : 'None: nobody can call outside'}
          searchable
          hidePickedOptions
          data={countryChoices([...value, '001'])}
          value={value}
          onChange={onChange}
        />
      )}
    </Stack>
  )
}

const counts = [
  { field: 'concurrent', label: 'Calls at the same time' },
  { field: 'concurrent_per_user', label: 'By one person at the same time' },
  { field: 'per_minute', label: 'Calls begun in a minute' },
  { field: 'per_minute_per_user', label: 'Begun by one person in a minute' },
] as const

function Counts({ form, set }: { form: DialLimits; set: Set }) {
  return (
    <Stack gap={6} role="group" aria-label="How many calls to the outside">
      <Text size="sm" fw={600}>
        How many calls to the outside
      </Text>
      <Text size="xs" c="dimmed">
        Empty: no bound
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {counts.map(({ field, label }) => (
          <NumberInput
            key={field}
            label={label}
            min={0}
            max={100_000}
            allowDecimal={false}
            value={form[field] ?? ''}
            onChange={(value) => set({ [field]: typeof value === 'number' ? value : null })}
          />
        ))}
      </SimpleGrid>
    </Stack>
  )
}

interface RatesProps {
  title: string
  /** What the price is for: `a minute`. */
  unit: string
  lines: RateLine[]
  onChange: (lines: RateLine[]) => void
}

export function Rates({ title, unit, lines, onChange }: RatesProps) {
  const change = (key: string, part: Partial<RateLine>) =>
    onChange(lines.map((line) => (line.key === key ? { ...line, ...part } : line)))
  return (
    <Stack gap={6} role="group" aria-label={title}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <Text size="xs" c="dimmed">
        By the beginning of the number; the longest that fits counts, and what none fits costs as much as the dearest.
      </Text>
      {lines.map(({ key, prefix, perMinute }, i) => (
        <Group key={key} gap={6} wrap="nowrap" maw={420}>
          <TextInput
            aria-label={`Beginning of number ${i + 1}`}
            type="tel"
            placeholder="+33"
            maxLength={20}
            value={prefix}
            onChange={(event) => change(key, { prefix: event.currentTarget.value })}
          />
          <NumberInput
            aria-label={`Price of ${unit} ${i + 1}`}
            placeholder="0.02"
            min={0}
            max={1_000_000}
            value={perMinute}
            onChange={(value) => change(key, { perMinute: typeof value === 'number' ? value : '' })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Remove price ${i + 1}`}
            onClick={() => onChange(lines.filter((line) => line.key !== key))}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Group>
      ))}
      <Group>
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<IconPlus size={14} />}
          onClick={() => onChange([...lines, { key: `new-${Date.now()}`, prefix: '', perMinute: '' }])}
        >
          Add a price
        </Button>
      </Group>
    </Stack>
  )
}
