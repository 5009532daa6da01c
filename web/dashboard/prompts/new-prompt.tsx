import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { SaveError } from '../../kit/ui/save-error.tsx'
import { type AudioFile, soundsKey, uploadSound } from '../number-flow/sounds.ts'

/** A browser's player for audio that is not stored yet, or for a stored file. */
export function Listen({ source, label }: { source: Blob | string; label: string }) {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (typeof source === 'string') return setUrl(source)
    const created = URL.createObjectURL(source)
    setUrl(created)
    return () => URL.revokeObjectURL(created)
  }, [source])
  return <audio controls {...(url && { src: url })} aria-label={label} style={{ width: '100%', height: 40 }} />
}

/** New audio: listen to it, name it, save it. */
export function SavePrompt({
  audio,
  proposed,
  action,
  onSaved,
}: {
  audio: Blob
  /** The name that is filled in. */
  proposed: string
  /** The verb on the button. */
  action: string
  onSaved: (sound: AudioFile) => void
}) {
  const queries = useQueryClient()
  const [name, setName] = useState(proposed)
  const save = useMutation({
    mutationFn: () => uploadSound(audio, name.trim()),
    onSuccess: async (sound) => {
      await queries.invalidateQueries({ queryKey: soundsKey })
      onSaved(sound)
    },
  })
  return (
    <Stack gap="sm">
      <Listen source={audio} label="New prompt" />
      <TextInput
        label="Name"
        required
        maxLength={255}
        value={name}
        error={name.trim() === '' && 'Enter a name'}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      {save.error && <SaveError error={save.error} retry={() => save.mutate()} title="Prompt not saved" />}
      <Group justify="flex-end">
        <Button onClick={() => save.mutate()} loading={save.isPending} disabled={name.trim() === ''}>
          {action}
        </Button>
      </Group>
    </Stack>
  )
}

export const PromptHint = ({ children }: { children: React.ReactNode }) => (
  <Text size="sm" c="dimmed">
    {children}
  </Text>
)
