// A text in the pieces in which it is spoken. A voice begins with the first one while the others are still made.

const longest = 300
/** Too short to be spoken alone: "Dr." or "1." ends no sentence. */
const shortest = 12

const isEnd = (text: string, at: number) => '.!?…'.includes(text[at] ?? '') && /\s/.test(text[at + 1] ?? '')

/** Takes a text as it comes, and gives the sentences that are whole. */
export function sentenceCutter() {
  let held = ''

  /** Where the first whole sentence ends; 0 while there is none. */
  function endOf(): number {
    for (let at = 0; at < held.length; at++) {
      if (held[at] === '\n') return at + 1
      if (at + 1 >= shortest && isEnd(held, at)) return at + 1
      if (at + 1 >= longest && /\s/.test(held[at] ?? '')) return at + 1
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
    /** What is left at the end. */
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
