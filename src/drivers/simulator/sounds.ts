import { spokenMs, textOf } from '../../domain/ai-agent/spoken.ts'
import type { MediaId } from '../../domain/voice.ts'

// The simulator decodes no audio: a sound is a duration, and a person is a tone.

const defaultMs = 4_000

export const simulatedBeepMs = 500

const lengthsMs = new Map<MediaId, number>([
  ['beep', simulatedBeepMs],
  ['callback_later', 3_000],
  ['callback_offer', 5_000],
  ['confirmation', 3_000],
  ['ivr', 6_000],
])

/** The prompt that offers a callback to a waiting caller. */
export const callbackOffer: MediaId = 'callback_offer'

export const lengthMs = (media: readonly MediaId[]): number => media.reduce((sum, name) => sum + lengthOf(name), 0)

function lengthOf(name: MediaId): number {
  const text = textOf(name)
  return text === undefined ? (lengthsMs.get(name) ?? defaultMs) : spokenMs(text)
}

/** Tone of an AI voice agent, which has no leg. */
export const voiceTone = 490

/** No tone is a multiple of another, or of 350 and 1000 Hz (music and prompts), so a filter can separate them. */
const tones = {
  left: [440, 530, 830, 1_130],
  right: [620, 710, 930, 1_270],
} as const

export type Side = keyof typeof tones

/** The first tone of the side that no participant uses; the current tone is kept if possible. */
export function toneFor(side: Side, own: number | null, taken: readonly number[]): number {
  if (own !== null && !taken.includes(own)) return own
  const [first, ...others] = tones[side]
  return [first, ...others].find((tone) => !taken.includes(tone)) ?? first
}
