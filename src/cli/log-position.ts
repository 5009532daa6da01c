import { day, hour, minute } from '../lib/clock.ts'
import type { Api } from './api.ts'
import { UsageError } from './command.ts'
import { lastPosition } from './event-stream.ts'

const units: Record<string, number> = { m: minute, h: hour, d: day }

/** `30m`, `1h` or `2d` in ms. */
export function spanIn(text: string, option: string): number {
  const [, amount, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  const ms = Number(amount) * (units[unit] ?? Number.NaN)
  if (!(ms > 0 && ms <= 30 * day)) throw new UsageError(`${option} must be like 30m, 1h or 2d, at most 30d`)
  return ms
}

/** The position behind which the events since that moment stand. The log is in order of time, so halving finds it. */
export async function positionBefore(api: Api, moment: number): Promise<number> {
  let [low, high] = [0, await lastPosition(api)]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const first = await firstAfter(api, middle)
    // Between two events of a company may be many positions of others.
    if (first && first.timestamp < Math.floor(moment / 1_000)) low = first.position
    else high = middle
  }
  return low
}

async function firstAfter(api: Api, position: number) {
  const page = await api.ask<{ events: { position: number; timestamp: number }[] }>(
    'GET',
    `/v1/events?per_page=1&after=${position}`,
  )
  return page.events[0]
}
