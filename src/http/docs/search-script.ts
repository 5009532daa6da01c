/**
 * Ranking of the documentation's search: plain JavaScript, which the browser runs as a part of the script of the pages.
 */
export const searchScript = `
const wordsIn = (text) => text.toLowerCase().split(/\\s+/).filter(Boolean)

function rate({ page, title, text, words: names }, words) {
  const [inTitle, inPage, inText] = [title, page, text].map((one) => one.toLowerCase())
  const named = new Set(wordsIn(names))
  let points = 0
  for (const word of words) {
    const at = inText.indexOf(word)
    // Of two titles with the word, the shorter one is about it.
    const ofTitle = inTitle.includes(word) ? 20 + (10 * word.length) / inTitle.length : 0
    const mine = (named.has(word) ? 40 : 0) + ofTitle + (inPage.includes(word) ? 5 : 0) + (at >= 0 ? 2 + (at < 300 ? 1 : 0) : 0)
    if (mine === 0) return 0
    points += mine
  }
  // The page about it comes before an object or a section of that name.
  const asked = words.join(' ')
  return points + (inTitle === asked || (title === page && inTitle.startsWith(asked)) ? 20 : 0)
}

const rated = (entries, words) =>
  entries.map((entry) => ({ entry, points: rate(entry, words) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points)
    .map(({ entry }) => entry)

/** How many letters are missing, added, wrong or exchanged. */
function distance(a, b) {
  let before = []
  let row = Array.from({ length: b.length + 1 }, (_, n) => n)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) next[j] = Math.min(next[j], before[j - 2] + 1)
    }
    before = row
    row = next
  }
  return row[b.length]
}

const vocabularies = new WeakMap()

/** The words of the documentation, and how frequent they are; those of titles count more. */
function vocabularyOf(entries) {
  const counts = vocabularies.get(entries) ?? new Map()
  if (counts.size > 0) return counts
  vocabularies.set(entries, counts)
  const add = (text, weight) => {
    for (const word of text.toLowerCase().match(/[a-z][a-z0-9_-]{3,}/g) ?? []) counts.set(word, (counts.get(word) ?? 0) + weight)
  }
  for (const { page, title, text, words } of entries) {
    add(title + ' ' + page + ' ' + words, 10)
    add(text, 1)
  }
  return counts
}

/** The word of the documentation that was probably meant; the word itself if none is similar. */
function corrected(word, vocabulary) {
  const max = word.length < 4 ? 0 : word.length < 6 ? 1 : 2
  let best = { word, letters: max + 1, count: 0 }
  for (const [known, count] of vocabulary) {
    if (Math.abs(known.length - word.length) > max) continue
    const letters = distance(word, known)
    if (letters < best.letters || (letters === best.letters && letters <= max && count > best.count)) best = { word: known, letters, count }
  }
  return best.word
}

/** Sections with all words, the best one first. Misspelled words are corrected if nothing has them. */
function ranked(entries, asked) {
  const words = wordsIn(asked)
  const found = rated(entries, words)
  if (found.length > 0 || words.length === 0) return { found, words }
  const vocabulary = vocabularyOf(entries)
  const meant = words.map((word) => (rated(entries, [word]).length > 0 ? word : corrected(word, vocabulary)))
  return { found: rated(entries, meant), words: meant }
}
`
