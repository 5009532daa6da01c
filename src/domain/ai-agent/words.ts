/** Lower case, without accents and punctuation, one blank between words. */
export const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}+]/gu, ' ')
    .split(' ')
    .filter((word) => word !== '')
    .join(' ')

/** Whether one of the phrases was said, as whole words. */
export function says(text: string, phrases: readonly string[]): boolean {
  const heard = ` ${plain(text)} `
  return phrases.some((phrase) => plain(phrase) !== '' && heard.includes(` ${plain(phrase)} `))
}
