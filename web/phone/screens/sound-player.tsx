import { Button } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { useState } from 'react'

/** Loads the audio only when the user plays it. */
export function SoundPlayer({
  address,
  kind,
  onPlay,
}: {
  address: string
  kind: 'recording' | 'voicemail'
  onPlay?: () => void
}) {
  const [isPlayed, setPlayed] = useState(false)
  const play = () => {
    setPlayed(true)
    onPlay?.()
  }
  if (!isPlayed) {
    return (
      <Button
        size="xs"
        variant="default"
        w="fit-content"
        leftSection={<IconPlayerPlay size={14} aria-hidden />}
        onClick={play}
      >
        Play {kind}
      </Button>
    )
  }
  return (
    // biome-ignore lint/a11y/useMediaCaption: the transcript is below, if there is one
    <audio
      controls
      autoPlay
      src={address}
      style={{ width: '100%' }}
      aria-label={kind === 'recording' ? 'Recording' : 'Voicemail'}
    />
  )
}
