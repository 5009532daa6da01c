/** Verbatim sentences, with punctuation. */
export const sentencesOf = (text: string): string[] =>
  text
    .split(/(?<=[.!?…])\s+/)
    .map((sentence) => sentence.trim())
    .filter(Boolean)

/** Clauses of a sentence. */
export const clausesOf = (text: string): string[] =>
  sentencesOf(text)
    .flatMap((sentence) => sentence.split(/[,;:]\s|\s(?:and|but|because|so)\s/i))
    .map((clause) => clause.trim())
    .filter(Boolean)

/** Lower case, without punctuation; `isn't` stays one word. */
export const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .replaceAll('’', "'")
    .split(/[^\p{L}\p{N}']+/u)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))

/** Stems an English word: invoices, invoiced and invoice are one. */
export function stemOf(word: string): string {
  const bare = word.replace(/'s$|'$/, '')
  for (const ending of ['ing', 'ed', 'es', 's']) {
    if (bare.endsWith(ending) && bare.length - ending.length >= 3 && !bare.endsWith('ss')) {
      return bare.slice(0, -ending.length).replace(/e$/, '')
    }
  }
  return bare.length > 3 ? bare.replace(/e$/, '') : bare
}

const negations = new Set(['not', 'no', 'never', 'cannot', 'without', 'nobody', 'nothing', 'neither', 'nor'])

export const isNegation = (word: string) => negations.has(word) || word.endsWith("n't")
