import type { Mood } from '../../domain/intelligence/sentiment.ts'

// Texts of the demo company, which sells, leases and services espresso machines for cafés, hotels and offices. Words in
// braces are replaced: {agent}, {name}, {company}, {machine}, {order}, {invoice}, {day}, {time}.

export interface Dialogue {
  kind: 'support' | 'billing' | 'sales' | 'outbound'
  mood: Mood
  /** Predicted satisfaction, 1 to 5. */
  csat: number
  /** Name of a tag. */
  tag: string
  summary: string
  /** Action items. */
  next: string[]
  /** Comment of the agent. */
  note: string | null
  /** One line per utterance: `A:` is the agent, `C:` the customer. */
  talk: string
}

export interface TalkLine {
  by: 'agent' | 'customer'
  text: string
  /** Seconds from the start of the conversation. */
  start: number
  end: number
}

export type Slots = Readonly<Record<string, string>>

/** Unknown words in braces stay as they are. */
export const filled = (text: string, slots: Slots): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => slots[name] ?? whole)

/** People speak about 2.6 words per second, with a short pause between turns. */
const wordsPerSecond = 2.6
const pause = 0.7

export const spokenLines = (talk: string, slots: Slots): TalkLine[] =>
  timedLines(
    talk
      .trim()
      .split('\n')
      .map((line) => ({
        by: line.startsWith('A:') ? ('agent' as const) : ('customer' as const),
        text: filled(line.slice(3).trim(), slots),
      })),
  )

export function timedLines(lines: readonly Pick<TalkLine, 'by' | 'text'>[]): TalkLine[] {
  let at = 0.4
  return lines.map(({ by, text }) => {
    const start = at
    const end = tenths(start + 0.5 + secondsToSay(text))
    at = tenths(end + pause)
    return { by, text, start, end }
  })
}

export const secondsToSay = (text: string): number => text.split(/\s+/).length / wordsPerSecond

const tenths = (seconds: number) => Math.round(seconds * 10) / 10
