import { withoutTrailing } from '../lib/text.ts'

/** The configuration is invalid. The message lists every problem. */
export class ConfigError extends Error {}

export type Environment = Record<string, string | undefined>

/** Reads settings and collects all problems instead of stopping at the first one. */
export class SettingReader {
  readonly problems: string[] = []
  private readonly env: Environment
  constructor(env: Environment) {
    this.env = env
  }

  text(name: string): string | undefined {
    const value = this.env[name]?.trim()
    return value === '' ? undefined : value
  }

  integer(name: string, fallback: number, from: number, to: number): number {
    const value = this.text(name)
    if (value === undefined) return fallback
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
    if (number >= from && number <= to) return number
    this.problems.push(`${name} must be a whole number from ${from} to ${to}`)
    return fallback
  }

  flag(name: string, fallback: boolean): boolean {
    const value = this.text(name)
    if (value === undefined) return fallback
    if (value !== '0' && value !== '1') this.problems.push(`${name} must be 1 or 0`)
    return value === '1'
  }

  choice<T extends string>(name: string, fallback: T, choices: readonly T[]): T {
    const value = this.text(name) ?? fallback
    const chosen = choices.find((choice) => choice === value)
    if (!chosen) this.problems.push(`${name} must be one of ${choices.join(', ')}`)
    return chosen ?? fallback
  }

  url(name: string, schemes: readonly string[]): string | undefined {
    const value = this.text(name)
    if (value === undefined) return undefined
    const url = URL.canParse(value) ? new URL(value) : undefined
    if (url && schemes.includes(url.protocol)) return withoutTrailing(value, '/')
    this.problems.push(`${name} must be a URL that begins with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`)
    return undefined
  }

  /** A base URL: appending a path to it must result in a valid URL. */
  base(name: string, schemes: readonly string[] = ['https:', 'http:']): string | undefined {
    const value = this.url(name, schemes)
    if (value === undefined) return undefined
    const { username, password, search, hash } = new URL(value)
    if (!(username || password || search || hash)) return value
    this.problems.push(`${name} must be a plain URL, without a password, ? or #`)
    return undefined
  }

  list(name: string): string[] {
    return (this.text(name) ?? '')
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean)
  }
}
