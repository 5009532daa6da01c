// A sentence where a sound is expected: a driver that has a voice says it.

const mark = 'say:'

export const spoken = (text: string): string => `${mark}${text}`

export const textOf = (media: string): string | undefined =>
  media.startsWith(mark) ? media.slice(mark.length) : undefined

/** Of a sentence that was cut off: whole words, the one in the middle is not counted. */
export function heardPart(text: string, share: number): string {
  if (share >= 1) return text
  const words = text.split(' ')
  return words.slice(0, Math.floor(words.length * Math.max(0, share))).join(' ')
}
