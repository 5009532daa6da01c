import { useEffect, useRef, useState } from 'react'
import { wavOf } from './to-wav.ts'

export const maxRecordingSeconds = 40

export type RecorderState = 'idle' | 'asking' | 'recording' | 'converting'

/** Records the microphone until it is stopped, and gives a WAV file. */
export function useRecorder(onRecorded: (wav: Blob) => void) {
  const [state, setState] = useState<RecorderState>('idle')
  const [seconds, setSeconds] = useState(0)
  const [problem, setProblem] = useState<string>()
  const recorder = useRef<MediaRecorder>(undefined)
  const isGone = useRef(false)

  const release = () => {
    for (const track of recorder.current?.stream.getTracks() ?? []) track.stop()
    recorder.current = undefined
  }
  useEffect(() => {
    isGone.current = false
    return () => {
      isGone.current = true
      for (const track of recorder.current?.stream.getTracks() ?? []) track.stop()
    }
  }, [])
  useEffect(() => {
    if (state !== 'recording') return
    const timer = setInterval(() => setSeconds((passed) => passed + 1), 1_000)
    return () => clearInterval(timer)
  }, [state])
  useEffect(() => {
    if (seconds >= maxRecordingSeconds) recorder.current?.stop()
  }, [seconds])

  const start = async () => {
    setProblem(undefined)
    setState('asking')
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true })
      const chunks: Blob[] = []
      const running = new MediaRecorder(stream)
      recorder.current = running
      if (isGone.current) return release()
      running.ondataavailable = ({ data }) => chunks.push(data)
      running.onstop = () => {
        release()
        setState('converting')
        wavOf(new Blob(chunks, { type: running.mimeType }))
          .then((wav) => !isGone.current && onRecorded(wav))
          .catch(() => setProblem('The browser could not read the recording. Record again, or upload a file.'))
          .finally(() => setState('idle'))
      }
      setSeconds(0)
      running.start()
      setState('recording')
    } catch (error) {
      release()
      setState('idle')
      setProblem(problemOf(error))
    }
  }
  return { state, seconds, problem, start: () => void start(), stop: () => recorder.current?.stop() }
}

/** What the user can do about an error of getUserMedia. */
function problemOf(error: unknown): string {
  const name = error instanceof Error ? error.name : ''
  if (name === 'NotAllowedError' || name === 'SecurityError')
    return 'The browser blocks the microphone. Click the icon next to the address bar, allow the microphone, then record again.'
  if (name === 'NotFoundError') return 'No microphone was found. Connect a headset or a microphone, then record again.'
  if (name === 'TypeError') return 'Browsers allow recording on https pages only. Open the dashboard by https.'
  return 'The microphone is not available. Another application may be using it.'
}
