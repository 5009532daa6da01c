import { UsageError } from './command.ts'

/** Parses a URL argument. */
export function httpUrlIn(text: string, option: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw new UsageError(`${option} must start with http:// or https://`)
  if (url.username || url.password) throw new UsageError(`${option} must not contain a username or a password`)
  return url
}
