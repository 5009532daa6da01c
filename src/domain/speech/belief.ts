// What may be believed of what an engine says it has heard.

const wordsIn = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}']{1,60}/gu) ?? []

const maxAlike = 4
const maxPhraseLength = 4

/** A phrase of up to four words said four times or more in a row: a person stops, an engine may not. */
export function goesRound(text: string): boolean {
  const words = wordsIn(text)
  for (let length = 1; length <= maxPhraseLength; length++) {
    let alike = 0
    for (let i = length; i < words.length; i++) {
      alike = words[i] === words[i - length] ? alike + 1 : 0
      if (alike >= length * (maxAlike - 1)) return true
    }
  }
  return false
}

const fewestPerSecond = 0.6
const maxPerSecond = 9
/** Below this nobody can say how many words there should be. */
const judgedFromMs = 2_000

/** Far fewer words than so much speech must hold: some were lost. */
export const hasLostWords = (text: string, ms: number) =>
  ms >= judgedFromMs && wordsIn(text).length < (ms / 1_000) * fewestPerSecond

/** More words than anybody can say in that time: they were made up. */
export const isTooMuch = (text: string, ms: number) => wordsIn(text).length > Math.max(4, (ms / 1_000) * maxPerSecond)

/** What can be kept; nothing when there is no word in it, or too many, or the same for ever. */
export function believed(text: string, ms: number): string {
  const said = text.trim()
  if (wordsIn(said).length === 0 || goesRound(said) || isTooMuch(said, ms)) return ''
  return said
}
