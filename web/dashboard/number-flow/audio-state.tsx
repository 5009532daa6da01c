import { Anchor, Button, FileButton, Group, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../kit/api.ts'
import { say, sayTrouble } from '../../kit/ui/toast.tsx'

interface Sound {
  url: string
  name: string | null
  state: 'waiting' | 'ready' | 'failed'
  reason: string | null
  seconds: number | null
}

const mostBytes = 700_000

const soundsQuery = {
  queryKey: ['sounds'],
  queryFn: async () => (await api.get<{ sounds: Sound[] }>('/v1/sounds')).sounds,
}

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
  const sounds = useQuery({
    ...soundsQuery,
    refetchInterval: ({ state }) => (state.data?.some((sound) => sound.state === 'waiting') ? 3_000 : false),
  })
  const reread = () => queries.invalidateQueries({ queryKey: soundsQuery.queryKey })
  const again = useMutation({
    mutationFn: (wanted: string) => api.post('/v1/sounds/fetch', { url: wanted }),
    onSuccess: reread,
    onError: (error) => sayTrouble(error, 'It is not fetched'),
  })
  const upload = useMutation({
    mutationFn: async (file: File) => {
      if (file.size > mostBytes) {
        throw new Error(`The file is larger than ${mostBytes / 1_000} kB; make it an mp3, or give its address`)
      }
      const body = { name: file.name.slice(0, 255), data: await base64Of(file) }
      return (await api.post<{ sound: Sound }>('/v1/sounds/uploads', body)).sound
    },
    onSuccess: async (sound) => {
      set(sound.url)
      await reread()
      say('Uploaded. It is heard once you save.')
    },
    onError: (error) => sayTrouble(error, 'The file was not taken'),
  })
  const sound = sounds.data?.find((one) => one.url === url)
  return (
    <Group gap="xs" justify="space-between" wrap="nowrap" align="flex-start">
      <Text size="xs" c={sound?.state === 'failed' ? 'red' : 'dimmed'} role="status">
        {sound && wordsFor(sound)}{' '}
        {sound && mayChange && sound.name === null && (sound.state === 'failed' || sound.reason) && (
          <Anchor component="button" type="button" size="xs" onClick={() => again.mutate(sound.url)}>
            Try again
          </Anchor>
        )}
      </Text>
      {mayChange && (
        <FileButton accept="audio/mpeg,audio/wav,.mp3,.wav" onChange={(file) => file && upload.mutate(file)}>
          {(props) => (
            <Button {...props} size="compact-xs" variant="subtle" loading={upload.isPending}>
              Upload…
            </Button>
          )}
        </FileButton>
      )}
    </Group>
  )
}

function wordsFor({ state, reason, seconds, name }: Sound): string {
  switch (state) {
    case 'waiting':
      return reason ? `Not there yet, we try again: ${reason}` : 'Being fetched; until then the old audio plays.'
    case 'failed':
      return `Could not be fetched, the old audio plays. ${reason ?? ''}`
    case 'ready': {
      const what = `${name ?? 'Ready'}, ${Math.max(1, Math.round(seconds ?? 0))} s.`
      return reason ? `${what} It could not be fetched again: ${reason}` : what
    }
  }
}

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let text = ''
  // In pieces: a call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192))
  return btoa(text)
}
