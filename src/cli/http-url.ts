import { UsageError } from './command.ts'

/** An address somebody has typed. */
export function httpUrlIn(text: string, option: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw new UsageError(`${option} must begin with http:// or https://`)
  if (url.username || url.password) throw new UsageError(`${option} must not hold a name or a password`)
  return url
}
