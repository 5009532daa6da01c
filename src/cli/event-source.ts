/** One message of a `text/event-stream`. */
export interface SourceEvent {
  /** `message` unless the stream names it. */
  event: string
  data: string
  /** The last id the stream has told, which may have come with an earlier message. */
  id: string
}

/**
 * Reads server-sent events, whatever pieces they arrive in. As the HTML standard (§9.2.6) says: lines end with CR, LF or
 * both, comments and unknown fields are skipped, and a message that was not finished by an empty line never happened.
 */
export async function* eventsIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<SourceEvent> {
  let event = ''
  let data: string[] = []
  let id = ''
  for await (const line of linesIn(chunks)) {
    if (line === '') {
      if (data.length > 0) yield { event: event || 'message', data: data.join('\n'), id }
      event = ''
      data = []
      continue
    }
    const [field, value] = fieldIn(line)
    if (field === 'event') event = value
    else if (field === 'data') data.push(value)
    else if (field === 'id' && !value.includes('\0')) id = value
  }
}

/** A comment is a field without a name. */
function fieldIn(line: string): [field: string, value: string] {
  const colon = line.indexOf(':')
  if (colon < 0) return [line, '']
  const value = line.slice(colon + 1)
  return [line.slice(0, colon), value.startsWith(' ') ? value.slice(1) : value]
}

async function* linesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  // Drops a byte order mark, and keeps half a character until the rest of it comes.
  const decoder = new TextDecoder()
  let begun: string[] = []
  let endedWithCr = false
  for await (const chunk of chunks) {
    let text = decoder.decode(chunk, { stream: true })
    if (text === '') continue
    // The CR has ended a line already; its LF may come with the next piece.
    if (endedWithCr && text.startsWith('\n')) text = text.slice(1)
    endedWithCr = text === '' ? false : text.endsWith('\r')
    const [first = '', ...others] = text.split(/\r\n|\r|\n/)
    begun.push(first)
    for (const next of others) {
      yield begun.join('')
      begun = [next]
    }
  }
}
