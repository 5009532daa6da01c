import { textOf } from '../../domain/ai-agent/spoken.ts'
import type { MediaId } from '../../domain/voice.ts'

// Nobody decodes anything here: a sound is its length, and a person is a tone.

const defaultMs = 4_000

export const beepMs = 500

const lengthsMs = new Map<MediaId, number>([
  ['beep', beepMs],
  ['callback_later', 3_000],
  ['callback_offer', 5_000],
  ['confirmation', 3_000],
  ['ivr', 6_000],
])

/** The sound that tells a waiting caller of the callback key. */
export const callbackOffer: MediaId = 'callback_offer'

export const lengthMs = (media: readonly MediaId[]): number => media.reduce((sum, name) => sum + lengthOf(name), 0)

function lengthOf(name: MediaId): number {
  const text = textOf(name)
  return text === undefined ? (lengthsMs.get(name) ?? defaultMs) : spokenMs(text)
}

const wordMs = 400

/** As long as somebody needs to say it. */
export const spokenMs = (text: string): number => Math.max(1, text.split(' ').length) * wordMs

/** Of somebody who speaks without a leg. */
export const voiceTone = 490

/** No tone is a multiple of another, or of 350 and 1000 Hz, which mean music and prompts: a filter can tell them apart. */
const tones = {
  left: [440, 530, 830, 1_130],
  right: [620, 710, 930, 1_270],
} as const

export type Side = keyof typeof tones

/** The first tone of the side that nobody present has; the voice one has already is kept when it can be. */
export function toneFor(side: Side, own: number | null, taken: readonly number[]): number {
  if (own !== null && !taken.includes(own)) return own
  const [first, ...others] = tones[side]
  return [first, ...others].find((tone) => !taken.includes(tone)) ?? first
}
