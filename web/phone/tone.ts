/** The ring, made by two oscillators: two seconds of sound, three of silence. Nothing is loaded for it. */
export interface Tone {
  start(): void
  stop(): void
}

const ringSeconds = 1.6
const everyMs = 4_000

export function createTone(): Tone {
  let audio: AudioContext | undefined
  let timer: number | undefined

  function ring(): void {
    audio ??= new AudioContext()
    // Browsers keep a page silent that nobody has touched, and a ring may be over before they let it sound.
    if (audio.state === 'suspended') audio.resume().catch(() => {})
    const from = audio.currentTime
    const volume = audio.createGain()
    volume.gain.setValueAtTime(0, from)
    volume.gain.linearRampToValueAtTime(0.12, from + 0.05)
    volume.gain.setValueAtTime(0.12, from + ringSeconds - 0.1)
    volume.gain.linearRampToValueAtTime(0, from + ringSeconds)
    volume.connect(audio.destination)
    for (const frequency of [440, 480]) {
      const oscillator = audio.createOscillator()
      oscillator.frequency.value = frequency
      oscillator.connect(volume)
      oscillator.start(from)
      oscillator.stop(from + ringSeconds)
    }
  }

  return {
    start() {
      if (timer !== undefined) return
      ring()
      timer = window.setInterval(ring, everyMs)
    },
    stop() {
      window.clearInterval(timer)
      timer = undefined
      // A ring that has begun must not go on into the talk.
      audio?.close().catch(() => {})
      audio = undefined
    },
  }
}

/** For a message: one soft note, once. */
export function chime(): void {
  const audio = new AudioContext()
  const from = audio.currentTime
  const volume = audio.createGain()
  volume.gain.setValueAtTime(0, from)
  volume.gain.linearRampToValueAtTime(0.06, from + 0.02)
  volume.gain.linearRampToValueAtTime(0, from + 0.35)
  volume.connect(audio.destination)
  const oscillator = audio.createOscillator()
  oscillator.frequency.value = 880
  oscillator.connect(volume)
  oscillator.start(from)
  oscillator.stop(from + 0.4)
  oscillator.onended = () => void audio.close().catch(() => {})
  // A page that nobody has touched stays silent, and a note that comes late is worse than none.
  if (audio.state === 'suspended') audio.close().catch(() => {})
}
