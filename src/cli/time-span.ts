import { day, hour, minute, second } from '../lib/clock.ts'
import { UsageError } from './command.ts'

const units: Record<string, number> = { s: second, m: minute, h: hour, d: day }

/** `90s`, `30m`, `1h` or `2d` in ms. */
export function spanIn(text: string, option: string): number {
  const [, amount, unit = ''] = /^(\d{1,7})([smhd])$/.exec(text) ?? []
  const ms = Number(amount) * (units[unit] ?? Number.NaN)
  if (!(ms > 0 && ms <= 30 * day))
    throw new UsageError(`${option} must be a duration such as 30m, 1h or 2d, at most 30d`)
  return ms
}

/** The same, up to ten years. */
export function longSpanIn(text: string, option: string): number {
  const [, amount, unit = ''] = /^(\d{1,7})([smhd])$/.exec(text) ?? []
  const ms = Number(amount) * (units[unit] ?? Number.NaN)
  if (!(ms > 0 && ms <= 3_650 * day)) throw new UsageError(`${option} must be a duration such as 12h or 90d`)
  return ms
}

/** The value of `--speed`: a multiple of real time. */
export function speedIn(text: string): number {
  const speed = /^\d{1,4}(\.\d{1,3})?$/.test(text) ? Number(text) : 0
  if (speed < 0.1 || speed > 1_000) throw new UsageError('--speed must be 0.1 to 1000')
  return speed
}
