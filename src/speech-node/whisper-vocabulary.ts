// Whisper's vocabulary maps every byte to a printable character; this decodes tokens to text.

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
}

export function readVocabulary(vocabulary: Readonly<Record<string, number>>): Vocabulary {
  const bytes = bytesByCharacter()
  const words: string[] = []
  for (const [word, token] of Object.entries(vocabulary)) words[token] = word
  return {
    textOf(tokens) {
      const found = tokens.flatMap((token) => [...(words[token] ?? '')].flatMap((letter) => bytes.get(letter) ?? []))
      return Buffer.from(found).toString('utf8')
    },
  }
}
