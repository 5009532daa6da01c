import type { RecordingSegment, ScriptedLine, ScriptedRecording } from '../../media/scripted-recording.ts'
import type { Side } from './sounds.ts'

/** A simulated recording as data; the MP3 file is rendered from it later. */
export interface RecordingScript extends ScriptedRecording {
  parts: RecordingSegment[]
  lines: ScriptedLine[]
}

/** A voice that is audible now. */
export interface AudibleVoice {
  side: Side
  hz: number
  speech: SimulatedUtterance | null
  phone: string | null
  voiceAgentId?: string
  synthesized?: boolean
}

/** One utterance; without a text if the words do not matter. */
export interface SimulatedUtterance {
  text: string | null
}

export interface Take {
  /** From now on these voices are audible. */
  setVoices(at: number, voices: readonly AudibleVoice[]): void
  pause(at: number): void
  resume(at: number): void
  lengthMs(at: number): number
  finish(at: number): RecordingScript
}

/** Notes which voices are audible from when to when. Paused time is left out. */
export function startTake(channels: 1 | 2, startedAt: number): Take {
  const parts: RecordingSegment[] = []
  const lines = new Map<SimulatedUtterance, ScriptedLine>()
  let voices: readonly AudibleVoice[] = []
  let recorded = 0
  let notedUntil: number | null = startedAt
  let isSynthesized = false

  const elapsed = (at: number) => (notedUntil === null ? 0 : at - notedUntil)

  function noteUntil(at: number): void {
    const ms = elapsed(at)
    if (ms <= 0) return
    addPart(ms)
    for (const voice of voices) addLine(voice, at - ms, ms)
    recorded += ms
    notedUntil = at
  }

  function addPart(ms: number): void {
    const left = toneOf('left')
    const right = toneOf('right')
    const last = parts.at(-1)
    if (last?.left === left && last.right === right) last.ms += ms
    else parts.push({ ms, left, right })
  }

  // A channel holds one tone: of two simultaneous voices the first one is recorded.
  const toneOf = (side: Side) => voices.find((voice) => voice.side === side)?.hz ?? null

  function addLine({ side, speech, phone, voiceAgentId }: AudibleVoice, at: number, ms: number): void {
    if (!speech || speech.text === null) return
    const line = lines.get(speech)
    if (line) line.endMs = recorded + ms
    else {
      const who = { side, phone, ...(voiceAgentId !== undefined && { voiceAgentId }) }
      lines.set(speech, { ...who, text: speech.text, startMs: recorded, endMs: recorded + ms, at })
    }
  }

  return {
    setVoices(at, now) {
      noteUntil(at)
      voices = now
      isSynthesized ||= now.some(({ synthesized }) => synthesized)
    },
    pause(at) {
      noteUntil(at)
      notedUntil = null
    },
    resume(at) {
      notedUntil ??= at
    },
    lengthMs: (at) => recorded + elapsed(at),
    finish(at) {
      noteUntil(at)
      // The text of an interrupted line is known only at the end.
      const said = [...lines].map(([{ text }, line]) => ({ ...line, text: text ?? '' }))
      return { channels, parts, lines: said.filter(({ text }) => text !== ''), ...(isSynthesized && { aloud: true }) }
    },
  }
}
