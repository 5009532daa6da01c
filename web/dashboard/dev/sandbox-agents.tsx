import { Button, Group, NumberInput, Select, SimpleGrid, Slider, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../../kit/api.ts'
import { CheckedForm } from '../../kit/ui/checked-form.tsx'
import { useTags } from '../../kit/ui/lists.ts'
import { PersonPicker } from '../../kit/ui/people.tsx'
import { notify, notifyError } from '../../kit/ui/toast.tsx'

interface Autopilot {
  answer: number | string
  talk: number | string
  decline: number
  tag: string | null
  wrapUp: number | string
}

/** Connects simulated agents and configures their autopilot. */
export function SandboxAgents() {
  const queries = useQueryClient()
  const [id, setId] = useState<number | null>(null)
  const [form, setForm] = useState<Autopilot>({ answer: 3, talk: 20, decline: 0, tag: null, wrapUp: '' })
  const orNull = (value: number | string) => (value === '' ? null : Number(value))
  const onError = (error: Error) => notifyError(error)
  const act = useMutation({
    mutationFn: (action: 'connect' | 'disconnect') =>
      api.post('/sandbox/v1/users/{id}/actions', { params: { id: id ?? '' }, body: { action } }),
    onSuccess: async (_, action) => {
      await queries.invalidateQueries({ queryKey: ['users'] })
      notify(action === 'connect' ? 'Agent connected' : 'Agent disconnected')
    },
    onError,
  })
  const autopilot = useMutation({
    mutationFn: async (enabled: boolean) => {
      await api.put('/sandbox/v1/users/{id}/autopilot', {
        params: { id: id ?? '' },
        body: {
          enabled,
          answer_after_seconds: orNull(form.answer),
          talk_seconds: orNull(form.talk),
          decline_rate: form.decline,
          tag: form.tag === null ? null : Number(form.tag),
          finish_wrap_up_after_seconds: orNull(form.wrapUp),
        },
      })
      if (enabled)
        await api.post('/sandbox/v1/users/{id}/actions', { params: { id: id ?? '' }, body: { action: 'connect' } })
    },
    onSuccess: async (_, enabled) => {
      await queries.invalidateQueries({ queryKey: ['users'] })
      notify(enabled ? 'Agent connected with autopilot' : 'Autopilot disabled')
    },
    onError,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    autopilot.mutate(true)
  }
  const isUnselected = id === null
  return (
    <Stack gap="sm" component={CheckedForm} onSubmit={submit}>
      <PersonPicker label="Agent" placeholder="Select an agent" value={id} onChange={setId} required />
      <AutopilotFields form={form} set={(part) => setForm({ ...form, ...part })} />
      <Group gap="xs" justify="flex-end">
        <Button
          size="xs"
          variant="default"
          disabled={isUnselected || act.isPending}
          onClick={() => act.mutate('connect')}
        >
          Connect
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={isUnselected || act.isPending}
          onClick={() => act.mutate('disconnect')}
        >
          Disconnect
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={isUnselected || autopilot.isPending}
          onClick={() => autopilot.mutate(false)}
        >
          Disable autopilot
        </Button>
        <Button size="xs" type="submit" disabled={isUnselected} loading={autopilot.isPending}>
          Enable autopilot
        </Button>
      </Group>
    </Stack>
  )
}

function AutopilotFields({ form, set }: { form: Autopilot; set: (part: Partial<Autopilot>) => void }) {
  const { data: tags = [] } = useTags()
  return (
    <>
      <SimpleGrid cols={2}>
        <NumberInput
          label="Answer after"
          placeholder="Never"
          suffix=" s"
          min={0}
          max={86_400}
          value={form.answer}
          onChange={(answer) => set({ answer })}
        />
        <NumberInput
          label="Talk for"
          placeholder="Until the caller hangs up"
          suffix=" s"
          min={0}
          max={86_400}
          value={form.talk}
          onChange={(talk) => set({ talk })}
        />
        <Select
          label="Tag"
          placeholder="No tag"
          clearable
          data={tags.map(({ id: tag, name }) => ({ value: String(tag), label: name }))}
          value={form.tag}
          onChange={(tag) => set({ tag })}
        />
        <NumberInput
          label="End wrap-up after"
          placeholder="Wrap-up time"
          suffix=" s"
          min={0}
          max={86_400}
          value={form.wrapUp}
          onChange={(wrapUp) => set({ wrapUp })}
        />
      </SimpleGrid>
      <div>
        <Text size="sm" fw={500}>
          Decline {Math.round(form.decline * 100)} % of calls
        </Text>
        <Slider
          min={0}
          max={1}
          step={0.05}
          thumbLabel="Share of declined calls"
          label={(value) => `${Math.round(value * 100)} %`}
          value={form.decline}
          onChange={(decline) => set({ decline })}
        />
      </div>
    </>
  )
}
