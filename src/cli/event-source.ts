/** One message of a `text/event-stream`. */
export interface SourceEvent {
  /** Default `message`. */
  event: string
  data: string
  /** The last event id, which may have been sent with an earlier message. */
  id: string
}

/**
 * Parses server-sent events from arbitrary chunks. According to the HTML standard (§9.2.6) lines end with CR, LF or both,
 * comments and unknown fields are ignored, and a message without a terminating empty line is discarded.
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

/** A comment is a field with an empty name. */
function fieldIn(line: string): [field: string, value: string] {
  const colon = line.indexOf(':')
  if (colon < 0) return [line, '']
  const value = line.slice(colon + 1)
  return [line.slice(0, colon), value.startsWith(' ') ? value.slice(1) : value]
}

async function* linesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  // The decoder removes a byte order mark and buffers incomplete characters.
  const decoder = new TextDecoder()
  let pending: string[] = []
  let endedWithCr = false
  for await (const chunk of chunks) {
    let text = decoder.decode(chunk, { stream: true })
    if (text === '') continue
    // A CRLF may be split between two chunks.
    if (endedWithCr && text.startsWith('\n')) text = text.slice(1)
    endedWithCr = text === '' ? false : text.endsWith('\r')
    const [first = '', ...others] = text.split(/\r\n|\r|\n/)
    pending.push(first)
    for (const next of others) {
      yield pending.join('')
      pending = [next]
    }
  }
}
