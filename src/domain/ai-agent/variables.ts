import type { AgentLanguage } from './plan.ts'

// Context variables of a call: `{{name}}` in a first message is replaced with a value of the context.

export type Context = Readonly<Record<string, string | number>>

const variable = /\{\{ ?([A-Za-z0-9_]{1,64}) ?\}\}/g

/** Distinct names. */
export const variablesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(variable)].map(([, name]) => name ?? '')),
]

/** `2026-06-15T12:00:00Z`: an instant that is spoken as words. */
const isInstant = (value: unknown): value is string =>
  typeof value === 'string' &&
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?Z$/.test(value) &&
  !Number.isNaN(Date.parse(value))

/** The first variable of the message that has no value. */
export const missingVariable = (message: string, context: Context): string | undefined =>
  variablesIn(message).find((name) => !Object.hasOwn(context, name))

/** Why the context of a call is invalid, as a sentence. */
export function problemOfContext(message: string, context: Context): string | undefined {
  const missing = missingVariable(message, context)
  if (missing !== undefined) return `\`context\` has no \`${missing}\`, which the first message names`
  const { timezone } = context
  if (timezone !== undefined && !isTimeZone(timezone)) return '`context.timezone` must be an IANA time zone'
  const timed = Object.entries(context).find(([, value]) => isInstant(value))
  if (timed && timezone === undefined)
    return `\`context.${timed[0]}\` is a datetime: \`context.timezone\` must be given`
  return undefined
}

function isTimeZone(name: string | number): boolean {
  if (typeof name !== 'string' || !/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

export function withContext(message: string, context: Context, language: AgentLanguage): string {
  return message.replace(variable, (_whole, name: string) => {
    const value = Object.hasOwn(context, name) ? context[name] : undefined
    // Without a context, the placeholder is dropped.
    if (value === undefined) return ''
    if (!isInstant(value)) return String(value)
    // Of a response of another server, which nothing has checked.
    const { timezone = 'UTC' } = context
    return inWords(value, isTimeZone(timezone) ? String(timezone) : 'UTC', language)
  })
}

const inWords = (instant: string, timeZone: string, language: AgentLanguage) =>
  new Intl.DateTimeFormat(language, { timeZone, dateStyle: 'full', timeStyle: 'short' }).format(new Date(instant))
