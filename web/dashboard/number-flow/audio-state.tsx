import { Anchor, Button, Group, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { sayTrouble } from '../../kit/ui/toast.tsx'
import { lengthOf, type Sound, soundsKey, useSounds } from './sounds.ts'
import { Uploads } from './uploads.tsx'

/** What came of the audio at an address, and a way to give a file instead of an address. */
export function AudioState({
  url,
  mayChange,
  set,
}: {
  url: string | null
  mayChange: boolean
  set: (url: string) => void
}) {
  const queries = useQueryClient()
  const sounds = useSounds()
  const [isChoosing, setChoosing] = useState(false)
  const again = useMutation({
    mutationFn: (wanted: string) => api.post('/v1/sounds/fetch', { url: wanted }),
    onSuccess: () => queries.invalidateQueries({ queryKey: soundsKey }),
    onError: (error) => sayTrouble(error, 'It is not fetched'),
  })
  const sound = sounds.data?.find((one) => one.url === url)
  const mayTryAgain = mayChange && sound?.name === null && (sound.state === 'failed' || sound.reason !== null)
  return (
    <Group gap="xs" justify="space-between" wrap="nowrap" align="flex-start">
      <Text size="xs" c={sound?.state === 'failed' ? 'red.8' : 'dimmed'} role="status" style={{ minWidth: 0 }}>
        {sound && wordsFor(sound)}{' '}
        {sound && mayTryAgain && (
          <Anchor component="button" type="button" size="xs" onClick={() => again.mutate(sound.url)}>
            Try again
          </Anchor>
        )}
      </Text>
      {mayChange && (
        <Button size="compact-xs" variant="subtle" flex="none" onClick={() => setChoosing(true)}>
          Use a file…
        </Button>
      )}
      <Uploads opened={isChoosing} close={() => setChoosing(false)} chosen={url} choose={set} />
    </Group>
  )
}

function wordsFor(sound: Sound): string {
  const { state, reason, name } = sound
  switch (state) {
    case 'waiting':
      return reason ? `Not there yet, we try again: ${reason}` : 'Being fetched; until then the old audio plays.'
    case 'failed':
      return `Could not be fetched, the old audio plays. ${reason ?? ''}`
    case 'ready': {
      const what = `${name ?? 'Ready'}, ${lengthOf(sound)}.`
      return reason ? `${what} It could not be fetched again: ${reason}` : what
    }
  }
}
