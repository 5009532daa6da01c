// A WhatsApp template: an approved message with placeholders.

export interface Template {
  id: number
  name: string
  language: string
  category: string
  components: readonly Component[]
}

export interface Component {
  type: 'HEADER' | 'BODY' | 'FOOTER' | 'BUTTONS'
  format?: 'TEXT' | 'IMAGE' | 'VIDEO' | 'DOCUMENT'
  text?: string
  buttons?: Button[]
}

export interface Button {
  type: 'QUICK_REPLY' | 'URL' | 'PHONE_NUMBER'
  text: string
  url?: string
  phone_number?: string
}

/** Placeholder values of a request. */
export interface PlaceholderValues {
  language?: string
  header?: { type: string; text?: string; mediaUrl?: string; filename?: string }
  body?: readonly { key: string; value: string }[]
  buttons?: readonly { index: number; type: string; value: string }[]
}

export interface Filled {
  id: number
  name: string
  language: string
  category: string
  header: { type: string; text?: string; url?: string } | null
  body: string
  footer: string | null
  buttons: { type: string; text: string; value: string | null }[]
}

export const placeholder = /\{\{\s*(\d{1,3})\s*\}\}/g
/** The numbers of the placeholders, each once: `1` for `{{1}}`. */
export const placeholdersIn = (text: string): string[] => [
  ...new Set([...text.matchAll(placeholder)].map(([, n]) => n ?? '')),
]
const placesIn = (text: string) => new Set(placeholdersIn(text).map((n) => `{{${n}}}`))
const put = (text: string, values: ReadonlyMap<string, string>) =>
  text.replace(placeholder, (_whole, n: string) => values.get(`{{${n}}}`) ?? '')

/**
 * The message as the customer reads it, or why the values are invalid. `mediaUrl` may supply the file of the header.
 */
export function fillTemplate(
  template: Template,
  values: PlaceholderValues,
  mediaUrl: string | undefined,
): Filled | { mistake: string } {
  const of = (type: Component['type']) => template.components.find((component) => component.type === type)
  const body = of('BODY')?.text ?? ''
  const given = new Map((values.body ?? []).map(({ key, value }) => [key.replace(/\s/g, ''), value]))
  const wanted = placesIn(body)
  for (const key of wanted) if (!given.has(key)) return { mistake: `\`templateParams.body\` has no value for ${key}` }
  for (const key of given.keys()) {
    if (!wanted.has(key)) return { mistake: `\`templateParams.body\`: the template has no variable ${key}` }
  }
  const header = headerOf(of('HEADER'), values.header, mediaUrl)
  if (header !== null && 'mistake' in header) return { mistake: header.mistake }
  const buttons = buttonsOf(of('BUTTONS')?.buttons ?? [], values.buttons ?? [])
  if ('mistake' in buttons) return buttons
  return {
    id: template.id,
    name: template.name,
    language: values.language ?? template.language,
    category: template.category,
    header,
    body: put(body, given),
    footer: of('FOOTER')?.text ?? null,
    buttons,
  }
}

function headerOf(
  header: Component | undefined,
  given: PlaceholderValues['header'],
  mediaUrl: string | undefined,
): Filled['header'] | { mistake: string } {
  if (!header) return given ? { mistake: '`templateParams.header`: the template has no header' } : null
  const type = (header.format ?? 'TEXT').toLowerCase()
  if (given && given.type !== type) return { mistake: `\`templateParams.header.type\` must be ${type}` }
  if (type === 'text') {
    const text = header.text ?? ''
    const [variable] = placesIn(text)
    if (variable === undefined) return { type, text }
    if (given?.text === undefined)
      return { mistake: '`templateParams.header.text` is missing: the header has a variable' }
    return { type, text: put(text, new Map([[variable, given.text]])) }
  }
  const url = given?.mediaUrl ?? mediaUrl
  if (url === undefined) return { mistake: `\`templateParams.header.mediaUrl\` is missing: the header shows a ${type}` }
  return { type, url }
}

function buttonsOf(
  buttons: readonly Button[],
  given: NonNullable<PlaceholderValues['buttons']>,
): Filled['buttons'] | { mistake: string } {
  const filled: Filled['buttons'] = []
  for (const [index, button] of buttons.entries()) {
    const type = button.type.toLowerCase()
    const mine = given.find((one) => one.index === index)
    if (mine && mine.type !== type) return { mistake: `\`templateParams.buttons\`: button ${index} is of type ${type}` }
    if (button.type !== 'URL') {
      filled.push({ type, text: button.text, value: mine?.value ?? button.phone_number ?? null })
      continue
    }
    const [variable] = placesIn(button.url ?? '')
    if (variable !== undefined && !mine)
      return { mistake: `\`templateParams.buttons\` has no value for button ${index}` }
    if (variable === undefined && mine)
      return { mistake: `\`templateParams.buttons\`: button ${index} has no variable` }
    const value =
      variable === undefined ? (button.url ?? '') : put(button.url ?? '', new Map([[variable, mine?.value ?? '']]))
    filled.push({ type, text: button.text, value })
  }
  const stray = given.find(({ index }) => index >= buttons.length)
  if (stray) return { mistake: `\`templateParams.buttons\`: the template has no button ${stray.index}` }
  return filled
}
