// Bencode, as far as rtpengine's control protocol needs it: text, lists and dictionaries; numbers only when read.

export type Bencoded = string | number | readonly Bencoded[] | { readonly [key: string]: Bencoded }

export function bencode(value: Bencoded): string {
  if (typeof value === 'string') return `${Buffer.byteLength(value)}:${value}`
  if (typeof value === 'number') return `i${value}e`
  if (isList(value)) return `l${value.map(bencode).join('')}e`
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `d${entries.map(([key, each]) => bencode(key) + bencode(each)).join('')}e`
}

const isList = (value: Bencoded): value is readonly Bencoded[] => Array.isArray(value)

/** Throws where the text is not bencode. */
export function readBencode(text: Buffer): Bencoded {
  let at = 0

  function until(end: string): string {
    const stop = text.indexOf(end, at)
    if (stop < 0) throw new Error('this is no bencode')
    const word = text.toString('latin1', at, stop)
    at = stop + 1
    return word
  }

  function readText(): string {
    const length = Number(until(':'))
    at += length
    return text.toString('utf8', at - length, at)
  }

  function isEnd(): boolean {
    if (text[at] !== 0x65) return false
    at++
    return true
  }

  function read(): Bencoded {
    const kind = String.fromCharCode(text[at] ?? 0)
    if (/\d/.test(kind)) return readText()
    at++
    if (kind === 'i') return Number(until('e'))
    if (kind === 'l') {
      const list: Bencoded[] = []
      while (!isEnd()) list.push(read())
      return list
    }
    if (kind !== 'd') throw new Error('this is no bencode')
    const dictionary: Record<string, Bencoded> = {}
    while (!isEnd()) dictionary[readText()] = read()
    return dictionary
  }

  return read()
}
