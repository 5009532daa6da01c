import { spokenMs } from './spoken.ts'

// How much of the agent's speech the caller has heard.

/** One playback of the agent. */
export interface AgentPlayback {
  sound: number
  text: string
  /** The part that must be heard for an answer to count; null: nothing in particular. */
  ask: string | null
  /** The same question was heard before. */
  isKnown: boolean
  at: number
  /** Null while it is playing. */
  endedAt: number | null
  /** What was played, known once it has ended. */
  said: string | null
}

/** Callers answer before the last word of a question. */
const enoughOfAsk = 0.6

/** Length of the text that had been played at that time. */
function playedLength({ text, at, endedAt, said }: AgentPlayback, time: number): number {
  if (endedAt !== null && time >= endedAt) return (said ?? text).length
  const until = endedAt ?? at + spokenMs(text)
  const whole = (said ?? text).length
  return until <= at ? whole : Math.floor((whole * Math.max(0, time - at)) / (until - at))
}

/** Whether enough of the question was played before the caller's speech began. */
export function wasHeard(playback: AgentPlayback, speechStartedAt: number): boolean {
  const { text, ask, isKnown } = playback
  if (isKnown || ask === null) return true
  const start = Math.max(0, text.lastIndexOf(ask))
  return playedLength(playback, speechStartedAt) - start >= ask.length * enoughOfAsk
}

/** Whether the question was played to its end. */
const isComplete = ({ text, said, isKnown }: AgentPlayback) => isKnown || said === text

/** A playback that starts now, after the previous one. */
export function startedPlayback(
  { sound, text, ask, at }: Pick<AgentPlayback, 'sound' | 'text' | 'ask' | 'at'>,
  before: AgentPlayback | null,
): AgentPlayback {
  const isKnown = ask !== null && before?.ask === ask && isComplete(before)
  return { sound, text, ask, isKnown, at, endedAt: null, said: null }
}

/** Words repeated when interrupted speech continues, so that the sentence makes sense. */
const maxRepeated = 6

/** What is left of the speech: from the start of the clause that was cut, or a few words before the cut. */
export function restAfter(text: string, said: string): string {
  if (said === '') return text
  if (!text.startsWith(said)) return text
  const [words, done] = [text.split(' '), said.split(' ').length]
  if (done >= words.length) return ''
  let from = done
  while (from > 0 && done - from < maxRepeated && !'.,;:!?…'.includes(words[from - 1]?.at(-1) ?? ' ')) from--
  return words.slice(from).join(' ')
}
