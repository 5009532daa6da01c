import { Button, Card, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { usePhone } from '../context.ts'
import { listenAs, listenTo, type Mode, stopListening } from '../listening.ts'
import type { Listening } from '../model.ts'
import { Devices } from './call-sound.tsx'

const hints = {
  listen: 'You hear the call. No one can hear you.',
  whisper: 'Only the agents can hear you. The external party cannot.',
}

/** The call that the user supervises. */
export function ListeningCard() {
  const { state } = usePhone()
  return state.listening && <ListeningTo listening={state.listening} />
}

function ListeningTo({ listening }: { listening: Listening }) {
  const { dispatch, live, sound } = usePhone()
  const [isBusy, setBusy] = useState(false)
  const { key, mode, phase } = listening
  const { data: call } = useQuery({
    queryKey: ['listening', key],
    queryFn: async () => {
      const { calls } = await api.get('/v1/live')
      return calls.find((one) => one.key === key) ?? null
    },
    refetchInterval: 10_000,
  })
  const parts = { store: { dispatch }, live, sound }
  const during = async (work: Promise<void>) => {
    setBusy(true)
    await work
    setBusy(false)
  }
  const who = call ? [call.from, ...call.users.map(({ name }) => name)].join(', ') : 'the call'
  return (
    <Card withBorder radius={0} padding="sm" component="section" aria-label="Supervision" flex="none">
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap" gap="xs">
          <Text size="sm" fw={600} style={{ wordBreak: 'break-word' }}>
            {mode === 'whisper' ? 'Whispering on' : 'Listening to'} {who}
          </Text>
          <Button size="compact-sm" variant="default" flex="none" onClick={() => void stopListening(parts, listening)}>
            Stop
          </Button>
        </Group>
        {phase === 'lost' ? (
          <Group justify="space-between" wrap="nowrap" gap="xs" role="alert">
            <Text size="sm">Audio lost.</Text>
            <Button
              size="compact-sm"
              variant="light"
              flex="none"
              loading={isBusy}
              onClick={() => void during(listenTo(parts, key, mode))}
            >
              Retry
            </Button>
          </Group>
        ) : (
          <>
            <SegmentedControl
              fullWidth
              size="xs"
              aria-label="Supervision mode"
              disabled={isBusy || phase === 'starting'}
              value={mode}
              onChange={(value) => void during(listenAs(parts, listening, value as Mode))}
              data={[
                { value: 'listen', label: 'Listen' },
                { value: 'whisper', label: 'Whisper' },
                { value: 'join', label: 'Barge in' },
              ]}
            />
            <Text size="xs" c="dimmed" role="status">
              {phase === 'starting' ? 'Connecting…' : hints[mode]}
            </Text>
            {call?.line === 'simulated' ? (
              <Text size="xs" c="dimmed">
                Simulated calls have no audio.
              </Text>
            ) : (
              <Devices />
            )}
          </>
        )}
      </Stack>
    </Card>
  )
}
