export interface PromptPart {
  /** Name of the data block; null: instructions. */
  data: string | null
  text: string
}

/** A system prompt as instructions and data blocks, in order. */
export function promptParts(prompt: string): PromptPart[] {
  const parts: PromptPart[] = []
  let instructions: string[] = []
  const flush = () => {
    if (instructions.length > 0) parts.push({ data: null, text: instructions.join('\n') })
    instructions = []
  }
  const lines = prompt.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const name = /^<([a-z_]{1,40})>$/.exec(line)?.[1]
    const end = name === undefined ? -1 : lines.indexOf(`</${name}>`, at)
    if (name === undefined || end < 0) {
      instructions.push(line)
      continue
    }
    flush()
    parts.push({ data: name, text: lines.slice(at + 1, end).join('\n') })
    at = end
  }
  flush()
  return parts
}
