// Segmentation of SMS (3GPP TS 23.038 and 23.040): the alphabet a text needs, and where it may be split.

/** The GSM default alphabet; the index of a character is its code. Code 27 escapes to the extension table. */
const basic =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\x1bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
const shift = 0x1b
const extension: Record<string, number> = {
  '\f': 0x0a,
  '^': 0x14,
  '{': 0x28,
  '}': 0x29,
  '\\': 0x2f,
  '[': 0x3c,
  '~': 0x3d,
  ']': 0x3e,
  '|': 0x40,
  '€': 0x65,
}

const numbers = new Map([...basic].map((character, number) => [character, number] as const))
numbers.delete('\x1b')
const extended = new Map(Object.entries(extension).map(([character, number]) => [number, character] as const))

export type Alphabet = 'gsm7' | 'ucs2'

/** The septets of a character, or undefined when the default alphabet lacks it. */
function septetsOf(character: string): number[] | undefined {
  const number = numbers.get(character)
  if (number !== undefined) return [number]
  const more = extension[character]
  return more === undefined ? undefined : [shift, more]
}

export const alphabetOf = (text: string): Alphabet =>
  [...text].every((character) => septetsOf(character) !== undefined) ? 'gsm7' : 'ucs2'

export interface Segments {
  alphabet: Alphabet
  /** One septet per byte, or two bytes per UTF-16 unit, big-endian. */
  parts: Uint8Array[]
}

/** Octets of the user data header, by the width of its reference. */
const headingOctets = { 8: 6, 16: 7 } as const
const maxOctets = 140

/** A whole text, or the parts of one that is too long for a single message. */
export function segmentsOf(text: string, reference: 8 | 16 = 8): Segments {
  const alphabet = alphabetOf(text)
  const units = [...text].map((character) =>
    alphabet === 'gsm7' ? (septetsOf(character) ?? []) : bigEndian(character),
  )
  const octets = maxOctets - headingOctets[reference]
  const [single, several] = alphabet === 'gsm7' ? [160, Math.floor((octets * 8) / 7)] : [140, octets - (octets % 2)]
  const total = units.reduce((sum, { length }) => sum + length, 0)
  return { alphabet, parts: total <= single ? [Uint8Array.from(units.flat())] : cut(units, several) }
}

/** Characters stay whole: neither an escape sequence nor a surrogate pair is split. */
function cut(units: readonly number[][], maxLength: number): Uint8Array[] {
  const parts: Uint8Array[] = []
  let part: number[] = []
  for (const unit of units) {
    if (part.length + unit.length > maxLength) {
      parts.push(Uint8Array.from(part))
      part = []
    }
    part.push(...unit)
  }
  parts.push(Uint8Array.from(part))
  return parts
}

function bigEndian(character: string): number[] {
  const bytes: number[] = []
  for (let i = 0; i < character.length; i++) {
    const unit = character.charCodeAt(i)
    bytes.push(unit >> 8, unit & 0xff)
  }
  return bytes
}

/** Unknown characters become a space, as the standard requires of receivers. */
export function readGsm7(septets: Uint8Array): string {
  let text = ''
  for (let i = 0; i < septets.length; i++) {
    const number = septets[i] ?? 0
    if (number !== shift) text += basic[number] ?? ' '
    else {
      const next = septets[++i]
      if (next !== undefined) text += extended.get(next) ?? basic[next] ?? ' '
    }
  }
  return text
}

export function readUcs2(bytes: Uint8Array): string {
  let text = ''
  for (let i = 0; i + 1 < bytes.length; i += 2)
    text += String.fromCharCode(((bytes[i] ?? 0) << 8) | (bytes[i + 1] ?? 0))
  return text
}
