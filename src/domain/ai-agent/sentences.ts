// Splits text into sentences, so that playback starts with the first one while the others are synthesized.

const maxLength = 300
/** Shorter fragments such as "Dr." or "1." do not end a sentence. */
const minLength = 12

const isEnd = (text: string, at: number) => '.!?…'.includes(text[at] ?? '') && /\s/.test(text[at + 1] ?? '')

/** Accepts streamed text and returns complete sentences. */
export function sentenceCutter() {
  let held = ''

  /** Index after the first complete sentence; 0 while there is none. */
  function endOf(): number {
    for (let at = 0; at < held.length; at++) {
      if (held[at] === '\n') return at + 1
      if (at + 1 >= minLength && isEnd(held, at)) return at + 1
      if (at + 1 >= maxLength && /\s/.test(held[at] ?? '')) return at + 1
    }
    return 0
  }

  return {
    push(text: string): string[] {
      held += text
      const whole: string[] = []
      for (let end = endOf(); end > 0; end = endOf()) {
        const sentence = held.slice(0, end).trim()
        held = held.slice(end)
        if (sentence !== '') whole.push(sentence)
      }
      return whole
    },
    /** The remainder at the end of the stream. */
    rest(): string {
      const last = held.trim()
      held = ''
      return last
    },
  }
}

export function sentencesIn(text: string): string[] {
  const cutter = sentenceCutter()
  return [...cutter.push(text), cutter.rest()].filter((sentence) => sentence !== '')
}

/** What is left of a text that was lost after `said`, from the sentence that was cut. */
export function fromCutSentence(text: string, said: string): string {
  const sentences = sentencesIn(text)
  let rest = said
  let whole = 0
  for (const sentence of sentences) {
    if (!rest.startsWith(sentence)) break
    rest = rest.slice(sentence.length).trimStart()
    whole++
  }
  // The end of the last sentence is missing even if its length was estimated as complete.
  const first = rest === '' && whole > 0 ? whole - 1 : whole
  return sentences.slice(first).join(' ')
}
