/** `silent`: open, but muted by its switch or by the operating system. */
export type Microphone = 'off' | 'asking' | 'on' | 'silent' | 'denied' | 'absent' | 'busy' | 'insecure'

/** The state that an error of getUserMedia means. */
export function microphoneErrorOf(error: unknown): Microphone {
  const name = typeof error === 'object' && error !== null && 'name' in error ? error.name : undefined
  switch (name) {
    case 'NotAllowedError':
    case 'SecurityError':
      return 'denied'
    case 'NotFoundError':
    case 'OverconstrainedError':
      return 'absent'
    // navigator.mediaDevices is undefined in an insecure context.
    case 'TypeError':
      return 'insecure'
    default:
      return 'busy'
  }
}

/** What the user can do about it. */
export const microphoneAdvice: Partial<Record<Microphone, { title: string; text: string }>> = {
  denied: {
    title: 'Microphone blocked',
    text: 'The other party cannot hear you. Click the icon next to the address bar, allow the microphone, then retry.',
  },
  silent: {
    title: 'Microphone is silent',
    text: 'The other party cannot hear you. The microphone is muted by its switch or by your computer: turn it on, or select another microphone.',
  },
  absent: {
    title: 'No microphone found',
    text: 'The other party cannot hear you. Connect a headset or a microphone, then retry.',
  },
  busy: {
    title: 'Microphone not available',
    text: 'The other party cannot hear you. Another application may be using the microphone: close it or select another microphone, then retry.',
  },
  insecure: {
    title: 'Microphone needs HTTPS',
    text: 'The other party cannot hear you. Browsers allow the microphone on HTTPS pages only. Open this page with https:// or ask your administrator.',
  },
}

/** Falls back to the default device if the selected one is not connected. */
export async function openMicrophone(deviceId: string | null): Promise<MediaStreamTrack> {
  const audio = {
    echoCancellation: true,
    noiseSuppression: true,
    autoGainControl: true,
    ...(deviceId !== null && { deviceId: { ideal: deviceId } }),
  }
  const [track] = (await navigator.mediaDevices.getUserMedia({ audio })).getAudioTracks()
  if (!track) throw new DOMException('no audio track', 'NotFoundError')
  return track
}

/** Runs when a microphone that was not usable may have become usable: a device was connected, or the permission changed. */
export function onMicrophoneChange(run: (changed: 'device' | 'permission') => void): () => void {
  const media: MediaDevices | undefined = navigator.mediaDevices
  const onDevice = () => run('device')
  media?.addEventListener('devicechange', onDevice)
  let permission: PermissionStatus | undefined
  // Not every browser knows this permission: the user retries there.
  navigator.permissions?.query({ name: 'microphone' as PermissionName }).then(
    (status) => {
      permission = status
      permission.onchange = () => run('permission')
    },
    () => {},
  )
  return () => {
    media?.removeEventListener('devicechange', onDevice)
    if (permission) permission.onchange = null
  }
}

/** Devices have labels only after microphone permission was granted. */
export async function soundDevices(): Promise<{ microphones: MediaDeviceInfo[]; speakers: MediaDeviceInfo[] }> {
  // Undefined in an insecure context.
  const media: MediaDevices | undefined = navigator.mediaDevices
  const all = (await media?.enumerateDevices()) ?? []
  const named = all.filter(({ deviceId, label }) => deviceId !== '' && label !== '')
  return {
    microphones: named.filter(({ kind }) => kind === 'audioinput'),
    speakers: named.filter(({ kind }) => kind === 'audiooutput'),
  }
}

/** Selects the output device, in browsers that support it. */
export async function playAt(audio: HTMLAudioElement, speaker: string | null): Promise<void> {
  if (speaker === null || !('setSinkId' in audio)) return
  // An unplugged speaker: the default one is used.
  await audio.setSinkId(speaker).catch(() => {})
}
