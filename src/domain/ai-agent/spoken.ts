// Text to be spoken where a media file is expected: a driver with speech synthesis speaks it.

const mark = 'say:'

export const spoken = (text: string): string => `${mark}${text}`

export const textOf = (media: string): string | undefined =>
  media.startsWith(mark) ? media.slice(mark.length) : undefined

const wordMs = 400

/** Estimated speaking time of the text. */
export const spokenMs = (text: string): number => Math.max(1, text.split(' ').length) * wordMs

/** The whole words of an interrupted sentence; a partial word is dropped. */
export function playedPart(text: string, share: number): string {
  if (share >= 1) return text
  const words = text.split(' ')
  return words.slice(0, Math.floor(words.length * Math.max(0, share))).join(' ')
}
