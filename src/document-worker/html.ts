import { Parser } from 'htmlparser2'
import { decodeText } from '../lib/text-encoding.ts'
import type { ExtractionResponse } from './protocol.ts'

// The readable text of a page: without scripts, styles, navigation and forms. Headings are written as in Markdown.

const skipped = new Set(
  'script style noscript template iframe object embed svg math canvas nav form button select textarea'.split(' '),
)
const blocks = new Set(
  'p div section article main header footer aside ul ol li dl dt dd table tr blockquote pre h1 h2 h3 h4 h5 h6 hr br figure figcaption details summary address'.split(
    ' ',
  ),
)
const spaced = new Set(['p', 'section', 'article', 'table', 'ul', 'ol', 'dl', 'blockquote', 'pre', 'div'])
const voids = new Set(['embed'])

export function textOfHtml(bytes: Uint8Array, maxLength: number): ExtractionResponse {
  let text = ''
  let title = ''
  let inTitle = false
  /** Depth of elements within one that is skipped. */
  let depth = 0
  let isTooLong = false
  const lineBreak = (isSpaced: boolean) => {
    text = text.trimEnd()
    if (text !== '') text += isSpaced ? '\n\n' : '\n'
  }
  const parser = new Parser({
    onopentag(name, attributes) {
      const isHidden = skipped.has(name) || 'hidden' in attributes || attributes['aria-hidden'] === 'true'
      if (depth > 0 || isHidden) {
        if (!voids.has(name)) depth++
        return
      }
      if (name === 'title') inTitle = true
      if (!blocks.has(name)) return
      const level = /^h([1-6])$/.exec(name)?.[1]
      lineBreak(level !== undefined || spaced.has(name))
      if (level !== undefined) text += `${'#'.repeat(Number(level))} `
    },
    ontext(piece) {
      if (depth > 0) return
      if (inTitle) {
        title += piece
        return
      }
      const words = piece.replace(/\s+/g, ' ')
      text += text === '' || text.endsWith('\n') || text.endsWith(' ') ? words.trimStart() : words
      if (text.length > maxLength) {
        isTooLong = true
        parser.pause()
      }
    },
    onclosetag(name) {
      if (depth > 0) {
        depth--
        return
      }
      if (name === 'title') inTitle = false
      if (blocks.has(name)) lineBreak(spaced.has(name) || /^h[1-6]$/.test(name))
    },
  })
  parser.write(decodeText(bytes))
  if (isTooLong) return { problem: 'too_long' }
  parser.end()
  return { text: text.trim(), title: title.replace(/\s+/g, ' ').trim().slice(0, 200) || null }
}
