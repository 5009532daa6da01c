import { Button, Group, Paper, Radio, SegmentedControl, SimpleGrid, Skeleton, Stack, Switch, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { sessionKey } from '../../kit/session.tsx'
import { say, sayWithUndo } from '../../kit/ui/toast.tsx'
import { Trouble } from '../../kit/ui/trouble.tsx'

interface Plan {
  plan: 'essentials' | 'professional' | 'custom'
  ai_package: 'none' | 'assist' | 'assist-pro'
  whatsapp: boolean
  analytics_plus: boolean
  ai_voice_agents: boolean
}

const plans: { value: Plan['plan']; label: string; hint: string }[] = [
  {
    value: 'essentials',
    label: 'Essentials',
    hint: 'Calls, contacts, flows, webhooks and the public API, without the add-ons below',
  },
  { value: 'professional', label: 'Professional', hint: 'The same, with the add-ons that are switched on below' },
  { value: 'custom', label: 'Custom', hint: 'As Professional, on terms of your own' },
]

const addOns = [
  { key: 'whatsapp', label: 'WhatsApp', hint: 'Messages over WhatsApp' },
  { key: 'analytics_plus', label: 'Analytics+', hint: 'Deeper reports' },
  { key: 'ai_voice_agents', label: 'AI voice agents', hint: 'Automatic agents that answer calls' },
] as const

export function CompanyPlan() {
  const { data, error, refetch } = useQuery({
    queryKey: ['company', 'plan'],
    queryFn: () => api.get<Plan>('/v1/company/plan'),
  })
  if (error) return <Trouble error={error} retry={() => void refetch()} />
  if (!data) return <Skeleton height={320} />
  return <Form key={JSON.stringify(data)} kept={data} />
}

function Form({ kept }: { kept: Plan }) {
  const queries = useQueryClient()
  const [form, setForm] = useState(kept)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const set = (part: Partial<Plan>) => setForm((before) => ({ ...before, ...part }))
  const put = async (plan: Plan) => {
    await api.put('/v1/company/plan', plan)
    await queries.invalidateQueries({ queryKey: ['company'] })
    await queries.invalidateQueries({ queryKey: sessionKey })
  }
  const save = async () => {
    setBusy(true)
    setError(undefined)
    try {
      await put(form)
      sayWithUndo('The plan is changed', () => put(kept).then(() => say('As it was')))
    } catch (failure) {
      setError(failure)
    }
    setBusy(false)
  }
  const isChanged = JSON.stringify(form) !== JSON.stringify(kept)
  return (
    <Stack gap="lg" maw={860}>
      <Radio.Group
        label="Plan"
        value={form.plan}
        onChange={(value) => set({ plan: plans.find((plan) => plan.value === value)?.value ?? form.plan })}
      >
        <SimpleGrid cols={{ base: 1, sm: 3 }} mt="xs">
          {plans.map(({ value, label, hint }) => (
            <Radio.Card
              key={value}
              value={value}
              p="md"
              radius="md"
              aria-label={label}
              style={{ display: 'flex', alignItems: 'flex-start' }}
            >
              <Group wrap="nowrap" align="flex-start">
                <Radio.Indicator />
                <div>
                  <Text fw={600}>{label}</Text>
                  <Text size="sm" c="dimmed">
                    {hint}
                  </Text>
                </div>
              </Group>
            </Radio.Card>
          ))}
        </SimpleGrid>
      </Radio.Group>
      <Paper withBorder p="md">
        <Stack>
          {form.plan === 'essentials' && (
            <Text size="sm" c="dimmed">
              On Essentials the add-ons have no effect; what is switched on counts again with another plan.
            </Text>
          )}
          <div>
            <Text size="sm" fw={600} mb={6} id="ai-package">
              AI package
            </Text>
            <SegmentedControl
              aria-labelledby="ai-package"
              data={[
                { value: 'none', label: 'None' },
                { value: 'assist', label: 'Assist' },
                { value: 'assist-pro', label: 'Assist Pro' },
              ]}
              value={form.ai_package}
              onChange={(ai_package) => set({ ai_package })}
            />
          </div>
          {addOns.map(({ key, label, hint }) => (
            <Switch
              key={key}
              label={label}
              description={hint}
              checked={form[key]}
              onChange={(event) => set({ [key]: event.currentTarget.checked })}
            />
          ))}
        </Stack>
      </Paper>
      {error !== undefined && <Trouble error={error} title="It was not saved" />}
      <Group justify="flex-end">
        <Button loading={isBusy} disabled={!isChanged} onClick={() => void save()}>
          Change the plan
        </Button>
      </Group>
    </Stack>
  )
}
