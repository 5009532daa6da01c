// Text to be spoken where a media file is expected: a driver with speech synthesis speaks it.

const mark = 'say:'

export const spoken = (text: string): string => `${mark}${text}`

export const textOf = (media: string): string | undefined =>
  media.startsWith(mark) ? media.slice(mark.length) : undefined

/** The whole words of an interrupted sentence; a partial word is dropped. */
export function playedPart(text: string, share: number): string {
  if (share >= 1) return text
  const words = text.split(' ')
  return words.slice(0, Math.floor(words.length * Math.max(0, share))).join(' ')
}
