// Name search: matches any part of any word, ignoring case and accents.

const maxWordLength = 40
const maxWords = 30

/** Without case and accents, so that `elodie` finds Élodie and both databases compare alike. */
export const folded = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

/** The distinct words of some texts, sorted. */
export function searchWords(texts: readonly (string | null)[]): string[] {
  const words = texts.flatMap((text) => (text === null ? [] : folded(text).split(/\s+/)))
  const short = words.filter(Boolean).map((word) => [...word].slice(0, maxWordLength).join(''))
  return [...new Set(short)].slice(0, maxWords).sort()
}

interface Names {
  firstName: string | null
  lastName: string | null
  companyName: string | null
}

/** The searchable texts of a contact. */
export const nameWords = ({ firstName, lastName, companyName }: Names): string[] =>
  searchWords([firstName, lastName, companyName])

/** Every suffix of a word, so that a prefix search finds any part of it. */
export function endingsOf(word: string): string[] {
  const letters = [...word]
  return [...new Set(letters.map((_, i) => letters.slice(i).join('')))]
}

/** Every text that starts with `part` is at least `part` and less than this, compared byte by byte. */
export const endOfRange = (part: string): string => `${part}\u{10FFFF}`
