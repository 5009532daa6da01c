import { ActionIcon, Button, FileButton, Group, Modal, Stack, Text, Tooltip } from '@mantine/core'
import { IconTrash, IconUpload } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { notify } from '../../kit/ui/toast.tsx'
import { type AudioFile, audioLength, deleteSound, maxBytes, soundsKey, uploadSound, useSounds } from './sounds.ts'

const accepted = 'audio/mpeg,audio/wav,audio/ogg,.mp3,.wav,.ogg,.opus,.oga'

/** Uploaded audio files: select, upload and delete. */
export function Uploads({
  opened,
  close,
  chosen,
  choose,
}: {
  opened: boolean
  close: () => void
  chosen: string | null
  choose: (url: string) => void
}) {
  return (
    <Modal opened={opened} onClose={close} title="Audio files" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Files
        chosen={chosen}
        use={(sound) => {
          choose(sound.url)
          close()
          notify(`${sound.name} selected. Save to apply it`)
        }}
      />
    </Modal>
  )
}

function Files({ chosen, use }: { chosen: string | null; use: (sound: AudioFile) => void }) {
  const queries = useQueryClient()
  const sounds = useSounds()
  const [dialog, confirm] = useConfirm()
  const reread = () => queries.invalidateQueries({ queryKey: soundsKey })
  const upload = useMutation({
    mutationFn: uploadSound,
    onSuccess: async (sound) => {
      await reread()
      use(sound)
    },
  })
  const remove = (sound: AudioFile) =>
    confirm({
      title: `Delete ${sound.name}?`,
      body: 'This cannot be undone. Files in use by a number cannot be deleted.',
      action: 'Delete',
      run: async () => {
        await deleteSound(sound)
        await reread()
      },
    })
  const uploads = sounds.data?.filter(({ name }) => name !== null) ?? []
  return (
    <Stack>
      {dialog}
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" c="dimmed">
          MP3, WAV or Ogg, up to {maxBytes / 1_000} kB. For larger files, enter a URL.
        </Text>
        <FileButton accept={accepted} onChange={(file) => file && upload.mutate(file)}>
          {(props) => (
            <Button {...props} flex="none" leftSection={<IconUpload size={16} />} loading={upload.isPending}>
              Upload…
            </Button>
          )}
        </FileButton>
      </Group>
      {upload.error && <ErrorAlert error={upload.error} title="Upload failed" />}
      {sounds.error && <ErrorAlert error={sounds.error} retry={() => void sounds.refetch()} />}
      {sounds.data && uploads.length === 0 && (
        <Text size="sm" c="dimmed">
          No files yet.
        </Text>
      )}
      {uploads.length > 0 && (
        <Stack
          gap="xs"
          component="ul"
          m={0}
          p={0}
          mah={360}
          style={{ listStyle: 'none', overflowY: 'auto' }}
          aria-label="Files"
        >
          {uploads.map((sound) => (
            <Group key={sound.url} component="li" wrap="nowrap" gap="xs">
              <Text size="sm" truncate flex={1} miw={0} title={sound.name ?? ''}>
                {sound.name}
              </Text>
              <Text size="xs" c="dimmed" flex="none">
                {audioLength(sound)}
              </Text>
              <Button
                size="compact-sm"
                variant="default"
                flex="none"
                disabled={sound.url === chosen}
                aria-label={`${sound.url === chosen ? 'In use' : 'Use'} ${sound.name}`}
                onClick={() => use(sound)}
              >
                {sound.url === chosen ? 'In use' : 'Use'}
              </Button>
              <Tooltip label="Delete">
                <ActionIcon
                  variant="subtle"
                  color="red"
                  aria-label={`Delete ${sound.name}`}
                  onClick={() => remove(sound)}
                >
                  <IconTrash size={16} />
                </ActionIcon>
              </Tooltip>
            </Group>
          ))}
        </Stack>
      )}
    </Stack>
  )
}
