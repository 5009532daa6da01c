import type { ResponseOf } from '../../kit/api.ts'

type DialLimits = ResponseOf<'/v1/dial_limits'>['dial_limits']
type MessageLimits = ResponseOf<'/v1/message_limits'>['message_limits']

/** The common form state of both. */
export interface OutboundRules {
  countries: string[] | null
  numbers: Readonly<Record<string, number | null>>
  rates: Rate[]
}

export interface Rate {
  prefix: string
  price: number
}

export const dialRulesOf = ({ countries, rates, ...numbers }: DialLimits): OutboundRules => ({
  countries,
  numbers,
  rates: rates.map(({ prefix, per_minute }) => ({ prefix, price: per_minute })),
})

export const dialLimitsOf = ({ countries, numbers, rates }: OutboundRules) => ({
  countries,
  ...numbers,
  rates: rates.map(({ prefix, price }) => ({ prefix, per_minute: price })),
})

export const messageRulesOf = ({ countries, rates, ...numbers }: MessageLimits): OutboundRules => ({
  countries,
  numbers,
  rates: rates.map(({ prefix, per_part }) => ({ prefix, price: per_part })),
})

export const messageLimitsOf = ({ countries, numbers, rates }: OutboundRules) => ({
  countries,
  ...numbers,
  rates: rates.map(({ prefix, price }) => ({ prefix, per_part: price })),
})

/** A row of the table while it is edited. */
export interface RateLine {
  key: string
  prefix: string
  price: number | ''
}

export const rateLinesOf = (rates: readonly Rate[]): RateLine[] =>
  rates.map(({ prefix, price }) => ({ key: prefix, prefix: `+${prefix}`, price }))

/** Empty rows are ignored; `unit` is what a price is for. */
export function ratesOf(lines: readonly RateLine[], unit: string): { rates: Rate[] } | { issue: string } {
  const rates: Rate[] = []
  for (const { prefix, price } of lines) {
    const digits = prefix.replace(/[\s+]/g, '')
    if (digits === '' && price === '') continue
    if (!/^[1-9]\d{0,14}$/.test(digits)) return { issue: `“${prefix}” is not a prefix of a phone number. Example: +33` }
    if (price === '') return { issue: `Enter the price per ${unit} for +${digits}` }
    if (rates.some((rate) => rate.prefix === digits)) return { issue: `The prefix +${digits} is listed twice` }
    rates.push({ prefix: digits, price })
  }
  return { rates }
}

/** An amount cannot be limited without rates. */
export const countsNothing = (amount: number | null | undefined, lines: readonly RateLine[]) =>
  typeof amount === 'number' && lines.every(({ price }) => price === '')
