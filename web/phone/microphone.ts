export type Microphone = 'off' | 'asking' | 'on' | 'denied' | 'absent' | 'busy' | 'insecure'

/** What the browser's refusal means. */
export function whyNoMicrophone(error: unknown): Microphone {
  const name = typeof error === 'object' && error !== null && 'name' in error ? error.name : undefined
  switch (name) {
    case 'NotAllowedError':
    case 'SecurityError':
      return 'denied'
    case 'NotFoundError':
    case 'OverconstrainedError':
      return 'absent'
    // There is no such function on a page that did not come by https.
    case 'TypeError':
      return 'insecure'
    default:
      return 'busy'
  }
}

/** What a person can do about it. */
export const microphoneAdvice: Partial<Record<Microphone, { title: string; text: string }>> = {
  denied: {
    title: 'Nobody hears you: the microphone is blocked',
    text: 'Press the sign beside the address of this page, allow the microphone, then try again. You can listen meanwhile.',
  },
  absent: {
    title: 'Nobody hears you: there is no microphone',
    text: 'Connect a headset or a microphone, then try again. You can listen meanwhile.',
  },
  busy: {
    title: 'Nobody hears you: the microphone does not work',
    text: 'Another program may be using it. Close that program, or choose another microphone, then try again.',
  },
  insecure: {
    title: 'Nobody hears you: this page is not secure',
    text: 'Browsers give the microphone to pages with https only. Open this address with https, or ask whoever runs it.',
  },
}

/** An own device that is gone is no reason to be silent: then it is the usual one. */
export async function openMicrophone(deviceId: string | null): Promise<MediaStreamTrack> {
  const audio = {
    echoCancellation: true,
    noiseSuppression: true,
    autoGainControl: true,
    ...(deviceId !== null && { deviceId: { ideal: deviceId } }),
  }
  const [track] = (await navigator.mediaDevices.getUserMedia({ audio })).getAudioTracks()
  if (!track) throw new DOMException('no sound', 'NotFoundError')
  return track
}

/** With names only once the microphone was allowed. */
export async function soundDevices(): Promise<{ microphones: MediaDeviceInfo[]; speakers: MediaDeviceInfo[] }> {
  // Not there on a page that did not come by https.
  const media: MediaDevices | undefined = navigator.mediaDevices
  const all = (await media?.enumerateDevices()) ?? []
  const named = all.filter(({ deviceId, label }) => deviceId !== '' && label !== '')
  return {
    microphones: named.filter(({ kind }) => kind === 'audioinput'),
    speakers: named.filter(({ kind }) => kind === 'audiooutput'),
  }
}

/** Where a sound comes out; not every browser lets one choose. */
export async function playAt(audio: HTMLAudioElement, speaker: string | null): Promise<void> {
  if (speaker === null || !('setSinkId' in audio)) return
  // A speaker that was unplugged: then it is the usual one.
  await audio.setSinkId(speaker).catch(() => {})
}
