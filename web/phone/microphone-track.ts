import { type Microphone, microphoneErrorOf, onMicrophoneChange, openMicrophone } from './microphone.ts'

/** The microphone of this phone, open only while a call needs it. */
export interface MicrophoneTrack {
  readonly status: Microphone
  readonly track: MediaStreamTrack | undefined
  open(): Promise<void>
  release(): void
  /** After the user has allowed or connected a microphone. */
  retry(): void
  close(): void
}

interface Options {
  /** The selected device; null: the default one. */
  device(): string | null
  onStatus(): void
  /** The track was opened, or has ended. */
  onTrack(): void
  /** The microphone was disconnected during a call, and this one is used instead. */
  onReplaced(label: string): void
}

export function createMicrophoneTrack({ device, onStatus, onTrack, onReplaced }: Options): MicrophoneTrack {
  let track: MediaStreamTrack | undefined
  let status: Microphone = 'off'
  let isReplacing = false

  function setStatus(next: Microphone): void {
    status = next
    onStatus()
  }

  function release(): void {
    isReplacing = false
    track?.stop()
    track = undefined
    if (status !== 'off' && status !== 'asking') setStatus('off')
  }

  function use(opened: MediaStreamTrack): void {
    track = opened
    track.onended = () => {
      release()
      isReplacing = true
      onTrack()
    }
    track.onmute = () => setStatus('silent')
    track.onunmute = () => setStatus('on')
    setStatus(track.muted ? 'silent' : 'on')
    if (isReplacing) onReplaced(track.label)
    isReplacing = false
  }

  function retry(): void {
    if (status === 'asking' || status === 'on') return
    const wasReplacing = isReplacing
    release()
    isReplacing = wasReplacing
    setStatus('off')
    onTrack()
  }

  const unwatch = onMicrophoneChange((changed) => {
    if (changed === 'permission' ? status === 'denied' : status === 'absent' || status === 'busy') retry()
  })

  return {
    get status() {
      return status
    },
    get track() {
      return track
    },
    async open() {
      // After a failure the user retries, or a change of the devices does.
      if (track || status !== 'off') return
      setStatus('asking')
      try {
        use(await openMicrophone(device()))
      } catch (error) {
        setStatus(microphoneErrorOf(error))
      }
      onTrack()
    },
    release,
    retry,
    close() {
      unwatch()
      release()
    },
  }
}
