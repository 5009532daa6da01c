import type { Side } from './sounds.ts'

/** What a recording sounds like, as data; the mp3 is made of it later. */
export interface Score {
  channels: 1 | 2
  parts: Part[]
  /** What was said, for those who will give it a voice or a transcript. */
  lines: ScoreLine[]
  /** To be made into speech. */
  aloud?: true
}

/** Tones in hertz; null is silence. Left are people at browsers, right those outside. */
export interface Part {
  ms: number
  left: number | null
  right: number | null
}

export interface ScoreLine {
  side: Side
  text: string
  startMs: number
  endMs: number
  /** When it began, on the wall clock. */
  at: number
  /** Of somebody outside; null at a browser. */
  phone: string | null
  /** The AI voice agent that said it. */
  voiceAgentId?: string
}

/** Somebody who can be heard at this moment. */
export interface Voice {
  side: Side
  hz: number
  speech: Speech | null
  phone: string | null
  voiceAgentId?: string
  aloud?: boolean
}

/** Something said in one go; without a text when nobody wrote down what. */
export interface Speech {
  text: string | null
}

export interface Take {
  /** From now on these are heard. */
  hear(at: number, voices: readonly Voice[]): void
  pause(at: number): void
  resume(at: number): void
  lengthMs(at: number): number
  finish(at: number): Score
}

/** Notes who is heard from when to when; time that is paused does not exist in it. */
export function startTake(channels: 1 | 2, startedAt: number): Take {
  const parts: Part[] = []
  const lines = new Map<Speech, ScoreLine>()
  let voices: readonly Voice[] = []
  let recorded = 0
  let notedUntil: number | null = startedAt
  let isAloud = false

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

  // A channel holds one tone: when two speak at once, who came first is heard.
  const toneOf = (side: Side) => voices.find((voice) => voice.side === side)?.hz ?? null

  function addLine({ side, speech, phone, voiceAgentId }: Voice, at: number, ms: number): void {
    if (!speech || speech.text === null) return
    const line = lines.get(speech)
    if (line) line.endMs = recorded + ms
    else {
      const who = { side, phone, ...(voiceAgentId !== undefined && { voiceAgentId }) }
      lines.set(speech, { ...who, text: speech.text, startMs: recorded, endMs: recorded + ms, at })
    }
  }

  return {
    hear(at, now) {
      noteUntil(at)
      voices = now
      isAloud ||= now.some(({ aloud }) => aloud)
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
      // What was cut off is known once it was.
      const said = [...lines].map(([{ text }, line]) => ({ ...line, text: text ?? '' }))
      return { channels, parts, lines: said.filter(({ text }) => text !== ''), ...(isAloud && { aloud: true }) }
    },
  }
}
