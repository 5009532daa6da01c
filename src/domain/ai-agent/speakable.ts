// Text of a language model as it is spoken: without Markdown, code, JSON, tags, web addresses and emoji. Models write
// them although the prompt forbids it.

/** Removes code blocks and JSON objects from streamed text; both may be split over chunks. */
export function proseFilter() {
  let held = ''
  let isCode = false
  let depth = 0
  let isString = false
  let isEscaped = false

  /** Within a JSON object; strings may contain braces. */
  function skipJson(char: string) {
    if (isEscaped) isEscaped = false
    else if (isString && char === '\\') isEscaped = true
    else if (char === '"') isString = !isString
    else if (!isString && char === '{') depth++
    else if (!isString && char === '}') depth--
  }

  function read(text: string): string {
    let prose = ''
    for (let at = 0; at < text.length; at++) {
      const char = text[at] ?? ''
      if (depth === 0 && text.startsWith(fence, at)) {
        isCode = !isCode
        at += fence.length - 1
        prose += '\n'
      } else if (isCode) continue
      else if (depth > 0 || char === '{') skipJson(char)
      else prose += char
    }
    return prose
  }

  return {
    push(text: string): string {
      const whole = held + text
      // A fence may continue in the next chunk.
      const open = openFence(whole)
      held = whole.slice(whole.length - open)
      return read(whole.slice(0, whole.length - open))
    },
    rest(): string {
      const last = read(held)
      held = ''
      return last
    },
  }
}

const fence = '```'

/** Length of an incomplete fence at the end. */
function openFence(text: string): number {
  let length = 0
  while (length < text.length && text.at(-1 - length) === '`') length++
  return length % fence.length
}

/** One sentence or line as it is spoken; empty if nothing of it can be. */
export function speakable(line: string): string {
  const text = line.trim()
  const item = withoutMarker(text)
  const words = withoutTags(withLinkTexts(item))
    .replaceAll('|', ', ')
    .replace(/[*`~"[\]]|\p{Extended_Pictographic}|[\u{1F1E6}-\u{1F1FF}\u{1F3FB}-\u{1F3FF}]|\uFE0F|\u200D|\u20E3/gu, '')
    .split(/\s/)
    .map(spokenWord)
    .filter((word) => word !== '')
    .join(' ')
    .replaceAll(' ,', ',')
  if (!/[\p{L}\p{N}]/u.test(words)) return ''
  const sentence = text.startsWith('|') ? words.replace(/^, |,$/g, '') : words
  return item !== text && !'.!?…:;,'.includes(sentence.at(-1) ?? '') ? `${sentence}.` : sentence
}

/** Of a heading, a quote, an item of a list or the row of a table. */
function withoutMarker(text: string): string {
  if (text.startsWith('|')) return text.slice(1)
  return text.replace(/^(?:#{1,6}|>|[-*+•]|\d{1,2}[.)])\s/, '')
}

/** `[text](address)` and `![text](address)`: the text. */
function withLinkTexts(text: string): string {
  let read = ''
  let from = 0
  for (let middle = text.indexOf(']('); middle !== -1; middle = text.indexOf('](', from)) {
    const start = text.lastIndexOf('[', middle)
    const end = text.indexOf(')', middle)
    if (start < from || end === -1) break
    read += text.slice(from, start).replace(/!$/, '') + text.slice(start + 1, middle)
    from = end + 1
  }
  return read + text.slice(from)
}

/** `<b>`, `</tool_call>`; "3 < 4" is no tag. */
function withoutTags(text: string): string {
  let read = ''
  let from = 0
  for (let start = text.indexOf('<'); start !== -1; start = text.indexOf('<', start + 1)) {
    const end = text.indexOf('>', start)
    if (end === -1) break
    if (start < from || !/[a-z/!]/i.test(text[start + 1] ?? '')) continue
    const inner = text.slice(start + 1, end)
    read += `${text.slice(from, start)} ${inner.startsWith('http') ? inner : ''}`
    from = end + 1
  }
  return read + text.slice(from)
}

/** A web address by its host name, `order_number` in words, emphasis by underscores removed. */
function spokenWord(word: string): string {
  const at = word.search(/https?:\/\//)
  if (at !== -1) {
    const address = word.slice(at)
    const end = /[.,;:!?)]$/.exec(address)?.[0] ?? ''
    const url = end === '' ? address : address.slice(0, -1)
    return word.slice(0, at) + (URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, '') : '') + end
  }
  // An e-mail address keeps its underscores.
  return word.includes('@') ? word : word.replaceAll('__', '').replaceAll('_', ' ').trim()
}
