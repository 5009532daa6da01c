// The vocabulary of Moonshine stands as base64 in the script that comes with its weights. Only the text is taken out of it.

const beginsWith = '"PHVuaz4K'

/** In the order of their numbers. */
export function piecesFromScript(script: string): string[] {
  const from = script.indexOf(beginsWith)
  const until = script.indexOf('"', from + 1)
  if (from < 0 || until < 0) throw new Error('the vocabulary is not where it was')
  return Buffer.from(script.slice(from + 1, until), 'base64')
    .toString('utf8')
    .split('\n')
}

const byte = /^<0x([0-9A-F]{2})>$/

/** A piece is a part of a word, in which ▁ is a blank, or a single byte. What is no piece is left out. */
export function textOfPieces(tokens: readonly number[], pieces: readonly string[]): string {
  const parts = tokens
    .filter((token) => token > 2)
    .map((token) => {
      const piece = pieces[token] ?? ''
      const hex = byte.exec(piece)?.[1]
      return hex === undefined ? Buffer.from(piece.replaceAll('▁', ' ')) : Buffer.from(hex, 'hex')
    })
  return Buffer.concat(parts).toString('utf8').trim()
}
