/** The response of a model without its reasoning, which some models write before the answer. */
export function withoutThoughts(text: string): string {
  let rest = text
  for (;;) {
    const open = rest.indexOf('<think>')
    const close = rest.indexOf('</think>')
    if (close < 0) return open < 0 ? rest : rest.slice(0, open)
    // The opening tag may be missing: some servers strip it.
    rest = (open >= 0 && open < close ? rest.slice(0, open) : '') + rest.slice(close + '</think>'.length)
  }
}

/** The first JSON object in a text; undefined when there is none. */
export function firstJson(text: string): unknown {
  for (let at = text.indexOf('{'), tries = 0; at >= 0 && tries < maxTries; at = text.indexOf('{', at + 1), tries++) {
    const end = endOfObject(text, at)
    if (end === undefined) continue
    try {
      return JSON.parse(text.slice(at, end))
    } catch {
      // Not a JSON object: try the next brace.
    }
  }
  return undefined
}

const maxTries = 50

function endOfObject(text: string, from: number): number | undefined {
  let depth = 0
  let inString = false
  for (let at = from; at < text.length; at++) {
    const sign = text[at]
    if (inString) {
      if (sign === '\\') at++
      else if (sign === '"') inString = false
    } else if (sign === '"') inString = true
    else if (sign === '{') depth++
    else if (sign === '}' && --depth === 0) return at + 1
  }
  return undefined
}
