import { safeLink } from '../links.ts'

// Links in the text of a message. Pure.

export interface TextPart {
  text: string
  href?: string
}

/** Without control characters that change the direction, which could disguise where a link leads. */
const link = /\bhttps?:\/\/[^\s<>"\u202a-\u202e\u2066-\u2069]+/gi

/** The text split at its web addresses. */
export function partsOfText(text: string): TextPart[] {
  const parts: TextPart[] = []
  let done = 0
  for (const { 0: found, index } of text.matchAll(link)) {
    const address = withoutPunctuation(found)
    const href = safeLink(address)
    if (href === undefined) continue
    if (index > done) parts.push({ text: text.slice(done, index) })
    parts.push({ text: address, href })
    done = index + address.length
  }
  if (done < text.length) parts.push({ text: text.slice(done) })
  return parts
}

/** What ends the sentence does not belong to the address, nor does a bracket that was opened before it. */
function withoutPunctuation(address: string): string {
  const bare = address.replace(/[.,;:!?'’”…*]+$/, '')
  const isClosing = bare.endsWith(')') && !bare.includes('(')
  return isClosing ? withoutPunctuation(bare.slice(0, -1)) : bare
}
