import type { AgentLanguage } from '../plan.ts'
import { type SpelledPart, spelledParts } from './spelling.ts'

// Postcodes by country, as letters and digits without separators, and how they are written.

interface Format {
  pattern: RegExp
  written(code: string): string
}

const digits = (pattern: RegExp, at = 0, separator = ' '): Format => ({
  pattern,
  written: (code) => (at === 0 ? code : `${code.slice(0, at)}${separator}${code.slice(at)}`),
})

const five = digits(/^\d{5}$/)
const four = digits(/^\d{4}$/)

const formats: Readonly<Record<string, Format>> = {
  GB: { pattern: /^[A-Z]{1,2}\d[A-Z\d]?\d[A-Z]{2}$/, written: (code) => `${code.slice(0, -3)} ${code.slice(-3)}` },
  IE: digits(/^[A-Z]\d[\dW][A-Z\d]{4}$/, 3),
  US: {
    pattern: /^\d{5}(?:\d{4})?$/,
    written: (code) => (code.length > 5 ? `${code.slice(0, 5)}-${code.slice(5)}` : code),
  },
  CA: digits(/^[A-Z]\d[A-Z]\d[A-Z]\d$/, 3),
  NL: digits(/^[1-9]\d{3}[A-Z]{2}$/, 4),
  PT: digits(/^\d{7}$/, 4, '-'),
  PL: digits(/^\d{5}$/, 2, '-'),
  SE: digits(/^\d{5}$/, 3),
  CZ: digits(/^\d{5}$/, 3),
  ...Object.fromEntries(
    ['FR', 'DE', 'ES', 'IT', 'FI', 'MC', 'HR', 'EE', 'UA', 'MX', 'TR'].map((country) => [country, five]),
  ),
  ...Object.fromEntries(
    ['BE', 'CH', 'AT', 'LU', 'DK', 'NO', 'HU', 'SI', 'BG', 'AU', 'NZ', 'CY'].map((country) => [country, four]),
  ),
}

/** Countries whose postcodes callers of the language give. */
const countriesOf: Record<AgentLanguage, readonly string[]> = {
  en: ['GB', 'US', 'CA', 'IE', 'AU'],
  fr: ['FR', 'BE'],
  de: ['DE', 'AT'],
  es: ['ES'],
  it: ['IT', 'CH'],
  nl: ['NL', 'BE'],
}

/** More parts than that are no postcode, even if it is spelled. */
const maxParts = 9

export function postcodeIn(text: string, language: AgentLanguage, country?: string): string | undefined {
  const parts = spelledParts(text, language).filter(({ kind }) => kind !== 'dash')
  for (const name of [...(country === undefined ? [] : [country]), ...countriesOf[language]]) {
    const format = formats[name]
    const code = format && codeIn(parts, format)
    if (code) return code
  }
  return undefined
}

function codeIn(parts: readonly SpelledPart[], { pattern, written }: Format): string | undefined {
  for (let length = Math.min(maxParts, parts.length); length >= 1; length--) {
    for (let from = parts.length - length; from >= 0; from--) {
      const code = joined(parts.slice(from, from + length))
      if (code !== undefined && pattern.test(code) && !isLongerNumber(parts, from, length)) return written(code)
    }
  }
  return undefined
}

/** Part of a longer sequence of digits, such as a phone number. */
const isLongerNumber = (parts: readonly SpelledPart[], from: number, length: number) =>
  parts[from - 1]?.kind === 'digits' || parts[from + length]?.kind === 'digits'

function joined(parts: readonly SpelledPart[]): string | undefined {
  let code = ''
  for (const part of parts) {
    if (!('text' in part) || part.text.length > 9) return undefined
    code += part.text.toUpperCase()
  }
  return code
}
