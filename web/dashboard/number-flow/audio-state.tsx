import { ActionIcon, Anchor, Button, Group, Stack, Text, Tooltip } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { notifyError } from '../../kit/ui/toast.tsx'
import { Listen } from '../prompts/new-prompt.tsx'
import { PromptPicker } from '../prompts/picker.tsx'
import { type AudioFile, audioLength, soundsKey, useSounds } from './sounds.ts'

/**
 * Download state of an audio URL, a player for a prompt of the library, and a button to choose other audio: from the
 * library, typed, recorded or uploaded.
 */
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
  const [played, setPlayed] = useState<string>()
  const retry = useMutation({
    mutationFn: (wanted: string) => api.post('/v1/sounds/fetch', { body: { url: wanted } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: soundsKey }),
    onError: (error) => notifyError(error, 'Download not started'),
  })
  const sound = sounds.data?.find((one) => one.url === url)
  const mayRetry = mayChange && sound?.name === null && (sound.state === 'failed' || sound.reason !== null)
  // Browsers do not load audio of other servers here.
  const prompt = sound?.name ? { url: sound.url, name: sound.name } : undefined
  const isOpen = prompt !== undefined && played === prompt.url
  return (
    <Stack gap={6}>
      <Group gap="xs" justify="space-between" wrap="nowrap" align="center">
        {prompt && (
          <Tooltip label="Listen">
            <ActionIcon
              size="sm"
              variant="light"
              aria-label={`Listen to ${prompt.name}`}
              aria-expanded={isOpen}
              onClick={() => setPlayed(isOpen ? undefined : prompt.url)}
            >
              <IconPlayerPlay size={13} />
            </ActionIcon>
          </Tooltip>
        )}
        <Text size="xs" c={sound?.state === 'failed' ? 'red.8' : 'dimmed'} role="status" flex={1} miw={0}>
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
      </Group>
      {isOpen && <Listen source={prompt.url} label={prompt.name} />}
      <PromptPicker opened={isChoosing} close={() => setChoosing(false)} chosen={url} choose={set} />
    </Stack>
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
