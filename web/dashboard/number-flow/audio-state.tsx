import { Anchor, Button, Group, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { notifyError } from '../../kit/ui/toast.tsx'
import { PromptPicker } from '../prompts/picker.tsx'
import { type AudioFile, audioLength, soundsKey, useSounds } from './sounds.ts'

/** Download state of an audio URL, and a button to choose other audio: from the library, typed, recorded or uploaded. */
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
  const retry = useMutation({
    mutationFn: (wanted: string) => api.post('/v1/sounds/fetch', { body: { url: wanted } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: soundsKey }),
    onError: (error) => notifyError(error, 'Download not started'),
  })
  const sound = sounds.data?.find((one) => one.url === url)
  const mayRetry = mayChange && sound?.name === null && (sound.state === 'failed' || sound.reason !== null)
  return (
    <Group gap="xs" justify="space-between" wrap="nowrap" align="flex-start">
      <Text size="xs" c={sound?.state === 'failed' ? 'red.8' : 'dimmed'} role="status" style={{ minWidth: 0 }}>
        {sound && wordsFor(sound)}{' '}
        {sound && mayRetry && (
          <Anchor component="button" type="button" size="xs" onClick={() => retry.mutate(sound.url)}>
            Retry
          </Anchor>
        )}
      </Text>
      {mayChange && (
        <Button size="compact-xs" variant="subtle" flex="none" onClick={() => setChoosing(true)}>
          Choose audio…
        </Button>
      )}
      <PromptPicker opened={isChoosing} close={() => setChoosing(false)} chosen={url} choose={set} />
    </Group>
  )
}

function wordsFor(sound: AudioFile): string {
  const { state, reason, name } = sound
  switch (state) {
    case 'waiting':
      return reason
        ? `Not available yet, retrying: ${reason}`
        : 'Downloading. The previous audio plays until it is ready.'
    case 'failed':
      return `Download failed. The previous audio plays. ${reason ?? ''}`
    case 'ready': {
      const what = `${name ?? 'Ready'}, ${audioLength(sound)}.`
      return reason ? `${what} The latest download failed: ${reason}` : what
    }
  }
}
