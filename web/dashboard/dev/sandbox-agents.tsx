import { Button, Group, NumberInput, Select, SimpleGrid, Slider, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../../kit/api.ts'
import { useTags } from '../../kit/ui/lists.ts'
import { PersonPicker } from '../../kit/ui/people.tsx'
import { say, sayTrouble } from '../../kit/ui/toast.tsx'

/** Connects somebody, or lets them act by themselves. */
export function SandboxAgents() {
  const queries = useQueryClient()
  const { data: tags = [] } = useTags()
  const [id, setId] = useState<number | null>(null)
  const [wish, setWish] = useState<{
    answer: number | string
    talk: number | string
    decline: number
    tag: string | null
    wrapUp: number | string
  }>({
    answer: 3,
    talk: 20,
    decline: 0,
    tag: null,
    wrapUp: '',
  })
  const orNull = (value: number | string) => (value === '' ? null : Number(value))
  const onError = (error: Error) => sayTrouble(error)
  const act = useMutation({
    mutationFn: (action: 'connect' | 'disconnect') => api.post(`/sandbox/v1/users/${id}/actions`, { action }),
    onSuccess: async (_, action) => {
      await queries.invalidateQueries({ queryKey: ['users'] })
      say(action === 'connect' ? 'Connected: they can be rung now.' : 'Disconnected.')
    },
    onError,
  })
  const fly = useMutation({
    mutationFn: async (enabled: boolean) => {
      await api.put(`/sandbox/v1/users/${id}/autopilot`, {
        enabled,
        answer_after_seconds: orNull(wish.answer),
        talk_seconds: orNull(wish.talk),
        decline_rate: wish.decline,
        tag: wish.tag === null ? null : Number(wish.tag),
        finish_wrap_up_after_seconds: orNull(wish.wrapUp),
      })
      if (enabled) await api.post(`/sandbox/v1/users/${id}/actions`, { action: 'connect' })
    },
    onSuccess: async (_, enabled) => {
      await queries.invalidateQueries({ queryKey: ['users'] })
      say(enabled ? 'Connected, and on autopilot.' : 'The autopilot is off.')
    },
    onError,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    fly.mutate(true)
  }
  const nobody = id === null
  return (
    <Stack gap="sm" component="form" onSubmit={submit}>
      <PersonPicker label="Who" placeholder="Choose somebody" value={id} onChange={setId} required />
      <SimpleGrid cols={2}>
        <NumberInput
          label="Answers after"
          placeholder="Never"
          suffix=" s"
          min={0}
          max={86_400}
          value={wish.answer}
          onChange={(answer) => setWish({ ...wish, answer })}
        />
        <NumberInput
          label="Talks for"
          placeholder="Until the other hangs up"
          suffix=" s"
          min={0}
          max={86_400}
          value={wish.talk}
          onChange={(talk) => setWish({ ...wish, talk })}
        />
        <Select
          label="Tags the call"
          placeholder="No tag"
          clearable
          data={tags.map(({ id: tag, name }) => ({ value: String(tag), label: name }))}
          value={wish.tag}
          onChange={(tag) => setWish({ ...wish, tag })}
        />
        <NumberInput
          label="Ends wrap-up after"
          placeholder="Waits for the time"
          suffix=" s"
          min={0}
          max={86_400}
          value={wish.wrapUp}
          onChange={(wrapUp) => setWish({ ...wish, wrapUp })}
        />
      </SimpleGrid>
      <div>
        <Text size="sm" fw={500}>
          Declines {Math.round(wish.decline * 100)} % of calls
        </Text>
        <Slider
          min={0}
          max={1}
          step={0.05}
          thumbLabel="How many calls are declined"
          label={(value) => `${Math.round(value * 100)} %`}
          value={wish.decline}
          onChange={(decline) => setWish({ ...wish, decline })}
        />
      </div>
      <Group gap="xs" justify="flex-end">
        <Button size="xs" variant="default" disabled={nobody || act.isPending} onClick={() => act.mutate('connect')}>
          Connect
        </Button>
        <Button size="xs" variant="default" disabled={nobody || act.isPending} onClick={() => act.mutate('disconnect')}>
          Disconnect
        </Button>
        <Button size="xs" variant="default" disabled={nobody || fly.isPending} onClick={() => fly.mutate(false)}>
          Autopilot off
        </Button>
        <Button size="xs" type="submit" disabled={nobody} loading={fly.isPending}>
          Autopilot on
        </Button>
      </Group>
    </Stack>
  )
}
