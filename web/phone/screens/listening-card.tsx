import { Button, Card, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { displayNumber } from '../../kit/phone-number.ts'
import { usePhone } from '../context.ts'
import { listenAs, listenTo, type Mode, stopListening } from '../listening.ts'
import type { Listening } from '../model.ts'
import { Devices } from './call-sound.tsx'

const hints = {
  listen: 'You hear the call. No one can hear you.',
  whisper: 'Only the agents can hear you. The external party cannot.',
}

/** The call that the user supervises; in a window for supervision also that there is none. */
export function ListeningCard() {
  const { state, isSupervision } = usePhone()
  if (state.listening) return <ListeningTo listening={state.listening} />
  return isSupervision && state.talks.length === 0 ? <NotListening /> : null
}

function NotListening() {
  return (
    <Card withBorder radius={0} padding="sm" component="section" aria-label="Supervision" flex="none">
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <div>
          <Text size="sm" fw={600}>
            Not listening to a call
          </Text>
          <Text size="xs" c="dimmed">
            {noRings}
          </Text>
        </div>
        <Button size="compact-sm" variant="light" component="a" href="/phone" flex="none">
          Use as phone
        </Button>
      </Group>
    </Card>
  )
}

const noRings = 'Calls do not ring in this window.'

function ListeningTo({ listening }: { listening: Listening }) {
  const { dispatch, live, sound, isSupervision } = usePhone()
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
  const who = call ? [partyOf(call), ...call.users.map(({ name }) => name)].join(', ') : 'the call'
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
              {isSupervision && ` ${noRings}`}
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

function partyOf({ from, contact }: { from: string; contact: string | null }): string {
  // A number is not wrapped.
  const number = from === 'anonymous' ? 'Anonymous' : displayNumber(from).replaceAll(' ', '\u00a0')
  return contact === null ? number : `${contact} (${number})`
}
