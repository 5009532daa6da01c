// A sentence where a sound is expected: a driver that has a voice says it.

const mark = 'say:'

export const spoken = (text: string): string => `${mark}${text}`

export const textOf = (media: string): string | undefined =>
  media.startsWith(mark) ? media.slice(mark.length) : undefined
