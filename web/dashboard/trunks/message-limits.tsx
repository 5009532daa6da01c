import {
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
  Title,
} from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../../kit/api.ts'
import { useSession } from '../../kit/session.tsx'
import { say } from '../../kit/ui/toast.tsx'
import { Trouble } from '../../kit/ui/trouble.tsx'
import { countryChoices } from '../parts/countries.ts'
import { Rates } from './dial-limits.tsx'
import { countsNothing, type MessageLimits, messageRateLinesOf, messageRatesOf } from './limits.ts'

/** Countries, caps and amounts for SMS, MMS and WhatsApp templates. */
export function MessageLimitsForm() {
  const { data, error, refetch } = useQuery({
    queryKey: ['message_limits'],
    queryFn: async () => (await api.get<{ message_limits: MessageLimits }>('/v1/message_limits')).message_limits,
  })
  if (error) return <Trouble error={error} retry={() => void refetch()} />
  if (!data) return <Skeleton height={480} />
  return <Form key={JSON.stringify(data)} kept={data} />
}

const counts = [
  { field: 'per_minute', label: 'Messages per minute' },
  { field: 'per_minute_per_user', label: 'Messages per minute and user' },
  { field: 'per_day', label: 'Messages per day' },
  { field: 'per_day_per_user', label: 'Messages per day and user' },
] as const

const amounts = [
  { field: 'daily_spend', label: 'Daily spend limit for messages' },
  { field: 'daily_spend_per_user', label: 'Daily spend limit per user' },
] as const

function Form({ kept }: { kept: MessageLimits }) {
  const queries = useQueryClient()
  const [form, setForm] = useState(kept)
  const [lines, setLines] = useState(() => messageRateLinesOf(kept.rates))
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const set = (part: Partial<MessageLimits>) => setForm((before) => ({ ...before, ...part }))
  const priced = messageRatesOf(lines)
  const isChanged = JSON.stringify({ ...form, ...priced }) !== JSON.stringify(kept)
  const save = async () => {
    if ('flaw' in priced) return
    setBusy(true)
    setError(undefined)
    try {
      await api.put('/v1/message_limits', { ...form, ...priced })
      await queries.invalidateQueries({ queryKey: ['message_limits'] })
      say('Rules for messages saved')
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }
  const discard = () => {
    setForm(kept)
    setLines(messageRateLinesOf(kept.rates))
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isBusy) void save()
  }
  return (
    <Paper withBorder p="lg" maw={720} component="section" aria-label="Outbound rules for messages">
      <form onSubmit={submit}>
        <Stack gap="lg">
          <Title order={2} size="h4">
            Messages
          </Title>
          <Text size="sm" c="dimmed">
            Stolen API keys and sign-up forms are used to send texts to expensive numbers. A message that breaks one of
            these rules is refused, whether a user, an API key or an app sends it. Premium-rate and short numbers are
            always refused. WhatsApp answers within 24 hours may go to any country.
          </Text>
          <Countries value={form.countries} onChange={(countries) => set({ countries })} />
          <Stack gap={6} role="group" aria-label="Caps">
            <Text size="sm" fw={600}>
              Caps
            </Text>
            <Text size="xs" c="dimmed">
              Each recipient of a group counts. Days begin at midnight UTC. Leave blank for unlimited.
            </Text>
            <SimpleGrid cols={{ base: 1, xs: 2 }}>
              {counts.map(({ field, label }) => (
                <NumberInput
                  key={field}
                  label={label}
                  min={0}
                  max={10_000_000}
                  allowDecimal={false}
                  placeholder="Unlimited"
                  value={form[field] ?? ''}
                  onChange={(value) => set({ [field]: typeof value === 'number' ? value : null })}
                />
              ))}
            </SimpleGrid>
          </Stack>
          <Rates title="Rates per message part" unit="a message" lines={lines} onChange={setLines} />
          {'flaw' in priced && (
            <Alert color="orange" variant="light" role="status">
              {priced.flaw}
            </Alert>
          )}
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            {amounts.map(({ field, label }) => (
              <NumberInput
                key={field}
                label={label}
                min={0}
                placeholder="Unlimited"
                value={form[field] ?? ''}
                onChange={(value) => set({ [field]: typeof value === 'number' ? value : null })}
              />
            ))}
          </SimpleGrid>
          {(countsNothing(form, lines) || countsNothing({ daily_spend: form.daily_spend_per_user }, lines)) && (
            <Alert color="orange" variant="light" role="status">
              Without rates every message counts as free, and the spend limit has no effect.
            </Alert>
          )}
          {error !== undefined && <Trouble error={error} title="The rules were not saved" />}
          <Group justify="flex-end">
            {isChanged && (
              <Button variant="default" onClick={discard}>
                Discard changes
              </Button>
            )}
            <Button type="submit" loading={isBusy} disabled={!isChanged || 'flaw' in priced}>
              Save rules for messages
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  )
}

function Countries({ value, onChange }: { value: string[] | null; onChange: (countries: string[] | null) => void }) {
  const { mode } = useSession()
  const everywhere = mode === 'sandbox' ? 'In this sandbox: every country' : 'The countries that may be called'
  return (
    <Stack gap="xs">
      <Radio.Group
        label="Allowed countries for messages"
        value={value === null ? 'default' : 'some'}
        onChange={(choice) => onChange(choice === 'default' ? null : [])}
      >
        <Stack gap={6} mt={6}>
          <Radio
            value="default"
            label="Default"
            description={`${everywhere}, without those where fraudulent traffic is common`}
          />
          <Radio value="some" label="Only these countries" />
        </Stack>
      </Radio.Group>
      {value !== null && (
        <MultiSelect
          aria-label="Countries for messages"
          placeholder={value.length > 0 ? '' : 'None: no messages can be sent'}
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
