import { ActionIcon, Alert, Box, Group, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core'
import {
  IconDownload,
  IconPlayerPause,
  IconPlayerPlay,
  IconRewindBackward10,
  IconRewindForward10,
} from '@tabler/icons-react'
import {
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
} from 'react'
import WaveSurfer from 'wavesurfer.js'
import { span } from '../../kit/ui/format.ts'
import { useScheme } from '../../kit/ui/scheme.ts'

const colors = {
  light: { waveColor: '#a8b5bf', progressColor: '#0b7a75', cursorColor: '#0b7a75' },
  dark: { waveColor: '#5c666f', progressColor: '#36a39c', cursorColor: '#76c0bb' },
}

/** Playback control for the transcript. */
export interface PlayerHandle {
  /** Plays from the given second. */
  playFrom(seconds: number): void
}

/** Waveform player. Each read returns a new signature in the URL, so only a different path reloads the audio. */
export function Player({
  url,
  label,
  actions,
  onTime,
  handle,
}: {
  url: string
  label: string
  actions?: ReactNode
  /** Called with the playback position, several times per second. */
  onTime?: (seconds: number) => void
  handle?: Ref<PlayerHandle>
}) {
  const place = useRef<HTMLDivElement>(null)
  const wave = useRef<WaveSurfer>(null)
  const { scheme } = useScheme()
  const [state, setState] = useState<'loading' | 'ready' | 'plain'>('loading')
  const [isPlaying, setPlaying] = useState(false)
  const [at, setAt] = useState(0)
  const [length, setLength] = useState(0)
  const timeListener = useRef(onTime)
  timeListener.current = onTime
  const plain = useRef<HTMLAudioElement>(null)
  const file = url.split('?')[0]
  const first = useRef({ url, scheme })
  if (first.current.url.split('?')[0] !== file) first.current = { url, scheme }

  // biome-ignore lint/correctness/useExhaustiveDependencies: another signature is the same audio
  useEffect(() => {
    if (!place.current) return
    const surfer = WaveSurfer.create({
      container: place.current,
      url: first.current.url,
      height: 72,
      barWidth: 2,
      barGap: 1.5,
      barRadius: 2,
      normalize: true,
      dragToSeek: true,
      ...colors[first.current.scheme],
    })
    wave.current = surfer
    surfer.on('ready', (seconds) => {
      setState('ready')
      setLength(seconds)
    })
    surfer.on('timeupdate', (seconds) => {
      setAt(seconds)
      timeListener.current?.(seconds)
    })
    surfer.on('play', () => setPlaying(true))
    surfer.on('pause', () => setPlaying(false))
    // Files of another host may be playable but not readable: fall back to the browser's player.
    surfer.on('error', () => setState('plain'))
    return () => {
      wave.current = null
      surfer.destroy()
      setState('loading')
    }
  }, [file])

  useEffect(() => wave.current?.setOptions(colors[scheme]), [scheme])

  useImperativeHandle(handle, () => ({
    playFrom(seconds) {
      const media = plain.current ?? wave.current?.getMediaElement()
      if (!media) return
      media.currentTime = seconds
      void media.play().catch(() => setPlaying(false))
    },
  }))

  return (
    <Box component="section" p="md" aria-label={label}>
      <Stack gap="xs">
        <Group justify="space-between">
          <Text fw={600}>{label}</Text>
          <Group gap={4}>
            <ActionIcon
              component="a"
              href={url}
              download
              variant="subtle"
              color="gray"
              aria-label={`Download ${label.toLowerCase()}`}
            >
              <IconDownload size={18} />
            </ActionIcon>
            {actions}
          </Group>
        </Group>
        {state === 'loading' && <Skeleton height={72} />}
        {state === 'plain' ? (
          <PlainPlayer url={first.current.url} label={label} media={plain} {...(onTime && { onTime })} />
        ) : (
          <Box
            ref={place}
            display={state === 'loading' ? 'none' : 'block'}
            role="slider"
            tabIndex={0}
            aria-label={`Position in ${label.toLowerCase()}`}
            aria-valuemin={0}
            aria-valuemax={Math.round(length)}
            aria-valuenow={Math.round(at)}
            aria-valuetext={`${span(at)} of ${span(length)}`}
            onKeyDown={(event) => onKey(event, wave.current)}
          />
        )}
        {state === 'ready' && <Controls isPlaying={isPlaying} at={at} length={length} wave={wave} />}
      </Stack>
    </Box>
  )
}

/** Arrow keys seek, Home returns to the start, Space plays and pauses. */
function onKey(event: KeyboardEvent, wave: WaveSurfer | null) {
  const moves: Record<string, () => void> = {
    ArrowLeft: () => wave?.skip(-5),
    ArrowRight: () => wave?.skip(5),
    Home: () => wave?.setTime(0),
    ' ': () => void wave?.playPause(),
  }
  const move = moves[event.key]
  if (!move) return
  event.preventDefault()
  move()
}

function Controls({
  isPlaying,
  at,
  length,
  wave,
}: {
  isPlaying: boolean
  at: number
  length: number
  wave: RefObject<WaveSurfer | null>
}) {
  return (
    <Group justify="space-between">
      <Group gap="xs">
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label="Rewind 10 seconds"
          onClick={() => wave.current?.skip(-10)}
        >
          <IconRewindBackward10 size={20} />
        </ActionIcon>
        <ActionIcon
          size={40}
          radius="xl"
          variant="filled"
          aria-label={isPlaying ? 'Pause' : 'Play'}
          onClick={() => void wave.current?.playPause()}
        >
          {isPlaying ? <IconPlayerPause size={20} /> : <IconPlayerPlay size={20} />}
        </ActionIcon>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label="Forward 10 seconds"
          onClick={() => wave.current?.skip(10)}
        >
          <IconRewindForward10 size={20} />
        </ActionIcon>
        <Text size="sm" ff="monospace">
          {span(at)} / {span(length)}
        </Text>
      </Group>
      <SegmentedControl
        size="xs"
        aria-label="Playback speed"
        defaultValue="1"
        data={['1', '1.5', '2'].map((value) => ({ value, label: `${value}×` }))}
        onChange={(speed) => wave.current?.setPlaybackRate(Number(speed), true)}
      />
    </Group>
  )
}

function PlainPlayer({
  url,
  label,
  media,
  onTime,
}: {
  url: string
  label: string
  media: Ref<HTMLAudioElement>
  onTime?: (seconds: number) => void
}) {
  const [isBroken, setBroken] = useState(false)
  if (isBroken) {
    return (
      <Alert color="yellow" variant="light" title={`The ${label.toLowerCase()} cannot be played`}>
        The link may have expired, or the file was deleted. Reload the page to try again.
      </Alert>
    )
  }
  return (
    // biome-ignore lint/a11y/useMediaCaption: the transcript of the page replaces captions
    <audio
      ref={media}
      controls
      src={url}
      style={{ width: '100%' }}
      onError={() => setBroken(true)}
      onTimeUpdate={({ currentTarget }) => onTime?.(currentTarget.currentTime)}
      aria-label={label}
    />
  )
}
