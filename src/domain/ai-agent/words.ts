/** Lower case, without accents and punctuation, words separated by single spaces. */
export const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/[^\p{L}\p{N}+]/gu, ' ')
    .split(' ')
    .filter((word) => word !== '')
    .join(' ')

/** Whether the text contains one of the phrases as whole words. */
export function containsPhrase(text: string, phrases: readonly string[]): boolean {
  const words = ` ${plain(text)} `
  return phrases.some((phrase) => plain(phrase) !== '' && words.includes(` ${plain(phrase)} `))
}
