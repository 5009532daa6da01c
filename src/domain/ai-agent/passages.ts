// The text of a document, split into passages that are retrieved one by one.

export interface Passage {
  /** Name of the document. */
  document: string
  text: string
  /** Unit vector of its meaning; null without an embedding model. */
  vector: Int8Array | null
}

export const maxPassageLength = 700
/** Shorter paragraphs are joined with the next one. */
const minPassageLength = 80
const maxHeadingLength = 120

/**
 * Passages of whole paragraphs under one heading, each with that heading. A paragraph that is too long is split at the
 * end of a sentence, or else of a word.
 */
export function passagesOf(text: string): string[] {
  const passages: string[] = []
  let heading = ''
  let current = ''
  const flush = () => {
    if (current !== '') passages.push(heading === '' ? current : `${heading}\n${current}`)
    current = ''
  }
  for (const paragraph of paragraphsOf(text)) {
    const title = headingIn(paragraph)
    if (title !== undefined) {
      flush()
      heading = title
      continue
    }
    for (const piece of piecesOf(paragraph, maxPassageLength - maxHeadingLength)) {
      const joined = current === '' ? piece : `${current}\n${piece}`
      if (current.length >= minPassageLength || joined.length > maxPassageLength - maxHeadingLength) {
        flush()
        current = piece
      } else current = joined
    }
  }
  flush()
  return passages
}

/** Separated by empty lines; a Markdown heading is a paragraph of its own. */
function paragraphsOf(text: string): string[] {
  const paragraphs: string[] = []
  let lines: string[] = []
  const flush = () => {
    if (lines.length > 0) paragraphs.push(lines.join('\n'))
    lines = []
  }
  for (const raw of text.split('\n')) {
    const line = raw.trim()
    if (line === '') flush()
    else if (headingIn(line) !== undefined) {
      flush()
      paragraphs.push(line)
    } else lines.push(line)
  }
  flush()
  return paragraphs
}

function headingIn(paragraph: string): string | undefined {
  if (!paragraph.startsWith('#') || paragraph.includes('\n')) return undefined
  const title = /^#{1,6} (.{1,500})$/.exec(paragraph)?.[1]
  return title?.trim().slice(0, maxHeadingLength)
}

function piecesOf(paragraph: string, max: number): string[] {
  const pieces: string[] = []
  let rest = paragraph
  while (rest.length > max) {
    const cut = cutOf(rest.slice(0, max))
    pieces.push(rest.slice(0, cut).trim())
    rest = rest.slice(cut).trim()
  }
  if (rest !== '') pieces.push(rest)
  return pieces
}

/** Not in the first half, so that no piece is tiny. */
function cutOf(part: string): number {
  const half = part.length / 2
  const sentence = Math.max(...['. ', '! ', '? ', '\n'].map((end) => part.lastIndexOf(end)))
  if (sentence >= half) return sentence + 1
  const word = part.lastIndexOf(' ')
  if (word >= half) return word
  // No half of a surrogate pair.
  const last = part.charCodeAt(part.length - 1)
  return last >= 0xd800 && last <= 0xdbff ? part.length - 1 : part.length
}
