// Whisper's vocabulary maps every byte to a printable character; this converts between tokens and text.

/** The byte of each character of the vocabulary. */
function bytesByCharacter(): Map<string, number> {
  const printable = (byte: number) =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff)
  const found = new Map<string, number>()
  let next = 256
  for (let byte = 0; byte < 256; byte++) found.set(String.fromCharCode(printable(byte) ? byte : next++), byte)
  return found
}

export interface Vocabulary {
  textOf(tokens: readonly number[]): string
  /** The tokens of the original tokenizer. */
  tokensOf(text: string): number[]
}

/** Words, numbers and punctuation, each with the space before it, are encoded separately. */
const words = /'(?:s|t|re|ve|m|ll|d)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+/gu

export function readVocabulary(vocabulary: Readonly<Record<string, number>>): Vocabulary {
  const bytes = bytesByCharacter()
  const characters = new Map([...bytes].map(([character, byte]) => [byte, character]))
  const ids = new Map(Object.entries(vocabulary))
  const pieces: string[] = []
  for (const [piece, token] of ids) pieces[token] = piece
  return {
    textOf(tokens) {
      const found = tokens.flatMap((token) => [...(pieces[token] ?? '')].flatMap((letter) => bytes.get(letter) ?? []))
      return Buffer.from(found).toString('utf8')
    },
    tokensOf(text) {
      return (text.match(words) ?? []).flatMap((word) => {
        const letters = [...Buffer.from(word)].map((byte) => characters.get(byte) ?? '')
        return merged(letters, ids).flatMap((piece) => ids.get(piece) ?? [])
      })
    },
  }
}

/** Byte pair encoding. Tokens are numbered in the order of the merges, so the lowest number is merged first. */
function merged(letters: readonly string[], ids: ReadonlyMap<string, number>): string[] {
  const pieces = [...letters]
  while (pieces.length > 1) {
    let at = -1
    let lowest = Number.POSITIVE_INFINITY
    for (let i = 0; i + 1 < pieces.length; i++) {
      const token = ids.get(`${pieces[i]}${pieces[i + 1]}`) ?? Number.POSITIVE_INFINITY
      if (token < lowest) [at, lowest] = [i, token]
    }
    if (at < 0) break
    pieces.splice(at, 2, `${pieces[at]}${pieces[at + 1]}`)
  }
  return pieces
}
