/** What may be dialled, as the API tells it. */
export interface DialLimits {
  countries: string[] | null
  concurrent: number | null
  concurrent_per_user: number | null
  per_minute: number | null
  per_minute_per_user: number | null
  daily_spend: number | null
  rates: { prefix: string; per_minute: number }[]
  max_seconds: number
}

/** Outbound rules for messages, as the API returns them. */
export interface MessageLimits {
  countries: string[] | null
  per_minute: number | null
  per_minute_per_user: number | null
  per_day: number | null
  per_day_per_user: number | null
  daily_spend: number | null
  daily_spend_per_user: number | null
  rates: { prefix: string; per_part: number }[]
}

export const messageRateLinesOf = (rates: MessageLimits['rates']): RateLine[] =>
  rateLinesOf(rates.map(({ prefix, per_part }) => ({ prefix, per_minute: per_part })))

export function messageRatesOf(lines: readonly RateLine[]): { rates: MessageLimits['rates'] } | { flaw: string } {
  const read = ratesOf(lines, 'a message')
  if ('flaw' in read) return read
  return { rates: read.rates.map(({ prefix, per_minute }) => ({ prefix, per_part: per_minute })) }
}

/** A line of the table while it is typed. */
export interface RateLine {
  key: string
  prefix: string
  perMinute: number | ''
}

export const rateLinesOf = (rates: DialLimits['rates']): RateLine[] =>
  rates.map(({ prefix, per_minute }) => ({ key: prefix, prefix: `+${prefix}`, perMinute: per_minute }))

/** Empty lines do not count; a wrong one is told in a sentence. */
export function ratesOf(
  lines: readonly RateLine[],
  unit = 'a minute',
): { rates: DialLimits['rates'] } | { flaw: string } {
  const rates: DialLimits['rates'] = []
  for (const { prefix, perMinute } of lines) {
    const digits = prefix.replace(/[\s+]/g, '')
    if (digits === '' && perMinute === '') continue
    if (!/^[1-9]\d{0,14}$/.test(digits))
      return { flaw: `“${prefix}” is no beginning of a number: write +33, for example` }
    if (perMinute === '') return { flaw: `What does ${unit} to +${digits} cost?` }
    if (rates.some((rate) => rate.prefix === digits)) return { flaw: `+${digits} is there twice` }
    rates.push({ prefix: digits, per_minute: perMinute })
  }
  return { rates }
}

/** Money cannot be counted without prices. */
export const countsNothing = ({ daily_spend }: Pick<DialLimits, 'daily_spend'>, lines: readonly RateLine[]) =>
  daily_spend !== null && lines.every(({ perMinute }) => perMinute === '')
