import { Anchor, Button, Group, NumberInput, Select, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import { api } from '../../kit/api.ts'
import { CheckedForm } from '../../kit/ui/checked-form.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { SaveError } from '../../kit/ui/save-error.tsx'

interface Parameter {
  type: 'integer' | 'number'
  default: number
  description: string
  min: number
  max: number
}

interface Scenario {
  name: string
  description: string
  parameters: Record<string, Parameter>
}

/** Runs a scenario with its parameters. */
export function SandboxScenarios() {
  const { data, error, refetch } = useQuery({
    queryKey: ['sandbox', 'scenarios'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await api.get('/sandbox/v1/scenarios')).scenarios as Scenario[],
  })
  const [name, setName] = useState<string | null>(null)
  const [given, setGiven] = useState<Record<string, number | string>>({})
  const scenario = data?.find((one) => one.name === name) ?? data?.[0]
  const begin = useMutation({
    mutationFn: (chosen: Scenario) => {
      const set = Object.entries(given).filter(([key, value]) => key in chosen.parameters && value !== '')
      return api.post('/sandbox/v1/scenarios/{name}', {
        params: { name: chosen.name },
        body: Object.fromEntries(set.map(([key, value]) => [key, Number(value)])),
      })
    },
  })
  if (error) return <ErrorAlert error={error} retry={() => void refetch()} />
  if (!scenario) return <Skeleton role="status" height={180} aria-label="Loading" />
  const submit = (event: FormEvent) => {
    event.preventDefault()
    begin.mutate(scenario)
  }
  return (
    <Stack gap="sm" component={CheckedForm} onSubmit={submit}>
      <Select
        label="Scenario"
        allowDeselect={false}
        data={data?.map(({ name: value }) => ({ value, label: wordsOf(value) })) ?? []}
        value={scenario.name}
        onChange={(value) => {
          setName(value)
          setGiven({})
          begin.reset()
        }}
      />
      <Text size="sm">{scenario.description}</Text>
      <SimpleGrid cols={2}>
        {Object.entries(scenario.parameters).map(([key, { description, default: defaultValue, min, max, type }]) => (
          <NumberInput
            key={`${scenario.name} ${key}`}
            label={wordsOf(key)}
            description={description}
            placeholder={String(defaultValue)}
            min={min}
            max={max}
            step={type === 'integer' ? 1 : 0.05}
            allowDecimal={type === 'number'}
            value={given[key] ?? ''}
            onChange={(value) => setGiven({ ...given, [key]: value })}
          />
        ))}
      </SimpleGrid>
      {begin.error && <SaveError error={begin.error} />}
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" role="status">
          {begin.data && (
            <>
              Scenario started. Advance the clock to continue it.{' '}
              <Anchor component={Link} to="/dashboard/live" inherit underline="always">
                Open Live
              </Anchor>
            </>
          )}
        </Text>
        <Button type="submit" loading={begin.isPending}>
          Start scenario
        </Button>
      </Group>
    </Stack>
  )
}

const wordsOf = (name: string) => {
  const words = name.replaceAll(/[-_]/g, ' ')
  return (words[0]?.toUpperCase() ?? '') + words.slice(1)
}
