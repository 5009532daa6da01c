// Custom JSON of a provider: requests are rendered from a template, response values are read by path.

export type TemplateValues = Readonly<Record<string, string | readonly string[]>>

const placeholder = /\{\{\s{0,5}([a-z_]{1,32})\s{0,5}\}\}/g
const alone = /^\{\{\s{0,5}([a-z_]{1,32})\s{0,5}\}\}$/

/** Unknown placeholders of a template; undefined when the template is not valid JSON. */
export function strangersIn(template: string, known: readonly string[]): string[] | undefined {
  const parsed = parse(template)
  if (parsed === undefined) return undefined
  const strangers = new Set<string>()
  everyText(parsed, (text) => {
    for (const [, name = ''] of text.matchAll(placeholder)) if (!known.includes(name)) strangers.add(name)
  })
  return [...strangers]
}

/** The template is parsed before values are inserted, so that no value can change the structure. */
export function fillIn(template: string, values: TemplateValues): unknown {
  return filled(parse(template), values)
}

function filled(value: unknown, values: TemplateValues): unknown {
  if (typeof value === 'string') {
    const whole = alone.exec(value)?.[1]
    if (whole !== undefined) return values[whole] ?? ''
    return value.replace(placeholder, (_all, name: string) => [values[name] ?? ''].flat().join(' '))
  }
  if (Array.isArray(value)) return value.map((item) => filled(item, values))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, values)]))
}

function everyText(value: unknown, see: (text: string) => void): void {
  if (typeof value === 'string') see(value)
  else if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) everyText(item, see)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** `messages.0.id`: keys and list indexes. */
export function valueAt(value: unknown, path: string): unknown {
  let at = value
  for (const key of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
    at = (at as Record<string, unknown>)[key]
  }
  return at
}

/** The value as text; numbers are converted, other types are ignored. */
export function textAt(value: unknown, path: string | null): string | undefined {
  if (path === null) return undefined
  const found = valueAt(value, path)
  if (typeof found === 'number' && Number.isFinite(found)) return String(found)
  return typeof found === 'string' ? found : undefined
}
