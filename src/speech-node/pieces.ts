// The vocabulary of Moonshine is base64 in the script that ships with its weights. The script is read, never run.

const beginsWith = '"PHVuaz4K'

/** In the order of the token ids. */
export function piecesFromScript(script: string): string[] {
  const from = script.indexOf(beginsWith)
  const until = script.indexOf('"', from + 1)
  if (from < 0 || until < 0) throw new Error('the vocabulary was not found in the script')
  return Buffer.from(script.slice(from + 1, until), 'base64')
    .toString('utf8')
    .split('\n')
}

const byte = /^<0x([0-9A-F]{2})>$/

/** A piece is a part of a word, in which ▁ is a space, or a single byte. Unknown tokens are left out. */
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
