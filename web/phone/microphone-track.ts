import { type Microphone, microphoneErrorOf, openMicrophone } from './microphone.ts'

/** The microphone of this phone, open only while a call needs it. */
export interface MicrophoneTrack {
  readonly status: Microphone
  readonly track: MediaStreamTrack | undefined
  open(): Promise<void>
  release(): void
  /** After the user has allowed or connected a microphone. */
  retry(): void
}

interface Options {
  /** The selected device; null: the default one. */
  device(): string | null
  onStatus(): void
  /** The track was opened, or has ended. */
  onTrack(): void
}

export function createMicrophoneTrack({ device, onStatus, onTrack }: Options): MicrophoneTrack {
  let track: MediaStreamTrack | undefined
  let status: Microphone = 'off'

  function setStatus(next: Microphone): void {
    status = next
    onStatus()
  }

  function release(): void {
    track?.stop()
    track = undefined
    if (status !== 'off' && status !== 'asking') setStatus('off')
  }

  return {
    get status() {
      return status
    },
    get track() {
      return track
    },
    async open() {
      // After a failure the user retries.
      if (track || status !== 'off') return
      setStatus('asking')
      try {
        track = await openMicrophone(device())
        // Unplugged: another device takes over.
        track.onended = () => {
          release()
          onTrack()
        }
        setStatus('on')
      } catch (error) {
        setStatus(microphoneErrorOf(error))
      }
      onTrack()
    },
    release,
    retry() {
      if (status === 'asking' || status === 'on') return
      setStatus('off')
      onTrack()
    },
  }
}
