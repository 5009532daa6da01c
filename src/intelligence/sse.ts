/** Parses server-sent events from chunks: the `data` of each, in order, until `end`. */
export interface SseReader {
  take(chunk: Buffer): void
  /** With the error that ended the stream, if any. */
  end(error?: unknown): void
  events: AsyncIterable<string>
}

export function sseReader(): SseReader {
  const decoder = new TextDecoder()
  const ready: string[] = []
  let rest = ''
  let data: string[] = []
  let over = false
  let failed: unknown
  let wake = () => {}

  function line(text: string) {
    if (text === '') {
      if (data.length > 0) ready.push(data.join('\n'))
      data = []
    } else if (text.startsWith('data:')) data.push(text.slice(text[5] === ' ' ? 6 : 5))
  }

  async function* events() {
    for (;;) {
      const next = ready.shift()
      if (next !== undefined) {
        yield next
        continue
      }
      if (over) {
        if (failed !== undefined) throw failed
        return
      }
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }

  return {
    take(chunk) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n/)
      rest = lines.pop() ?? ''
      for (const text of lines) line(text)
      wake()
    },
    end(error) {
      line(rest)
      line('')
      over = true
      failed = error
      wake()
    },
    events: events(),
  }
}
