import { isSatellite, ratePer, type TollRules } from './toll.ts'

// Whether a message may be sent: the outbound calling rules, applied to messages. A stolen API key, or a form that
// sends codes to any number, must not cause charges.

/** Limits of one company; null means unlimited. */
export interface MessageRules {
  /** ISO codes; null: the countries that may be called. */
  countries: readonly string[] | null
  perMinute: number | null
  perMinutePerUser: number | null
  perDay: number | null
  perDayPerUser: number | null
  /** In the currency of the rates, from midnight UTC. */
  dailySpend: number | null
  dailySpendPerUser: number | null
  /** Price of one message part by prefix of digits, without the plus. */
  rates: TollRules['rates']
}

export interface MessageFacts {
  /** E.164. */
  to: string
  country: string
  kind: 'ordinary' | 'premium' | 'shared_cost' | 'unknown'
  isShort: boolean
  /** Countries that may be called, or those of the company's own Numbers. */
  callableCountries: readonly string[]
  ownCountries: readonly string[]
  /** Sandbox: every country that is not high-risk. */
  anyCountry: boolean
}

/** Messages and amounts of the current minute and day, this message included. */
export interface MessageUse {
  inMinute: number
  inDay: number
  spentInDay: number
}

export type MessageRule =
  | 'short'
  | 'premium'
  | 'satellite'
  | 'country'
  | 'per_minute'
  | 'per_minute_user'
  | 'per_day'
  | 'per_day_user'
  | 'spend'
  | 'spend_user'

export type MessageVerdict = { ok: true } | { ok: false; rule: MessageRule; why: string }

const allowed: MessageVerdict = { ok: true }
const refused = (rule: MessageRule, why: string): MessageVerdict => ({ ok: false, rule, why })
const remedy = 'an admin can change this under Outbound rules'

/**
 * Destinations where a message is expensive and fraudulent traffic is common. They need to be allowed by name, also where
 * every other country is allowed.
 */
export const highRiskCountries: ReadonlySet<string> = new Set(
  (
    'AF AO AZ BD BF BI BJ BT CD CF CG CI CM CU DJ DZ EG ER ET GA GM GN GQ GW HT ID IQ IR KG KH KM KP LA LK LR LY MG ML MM MR ' +
    'MW MZ NE NG NP PG PK PS RW SD SL SN SO SS SY TD TG TJ TL TM TN TZ UG UZ YE ZM ZW'
  ).split(' '),
)

/** Rules that need no counters. */
export function judgeRecipient(rules: Pick<MessageRules, 'countries'>, facts: MessageFacts): MessageVerdict {
  const { to, country, kind } = facts
  if (facts.isShort) return refused('short', `${to} is too short for its country; short codes cannot be sent to`)
  if (kind === 'premium' || kind === 'shared_cost') {
    return refused('premium', `${to} is a premium-rate or shared-cost number; messages to such numbers are not sent`)
  }
  if (isSatellite(to) && !rules.countries?.includes('001')) {
    return refused('satellite', `${to} is a satellite or international network number; ${remedy}: allow 001`)
  }
  if (!isCountryAllowed(rules, facts)) {
    return refused('country', `Messages to ${country} are not allowed: add it to the countries for messages; ${remedy}`)
  }
  return allowed
}

function isCountryAllowed({ countries }: Pick<MessageRules, 'countries'>, facts: MessageFacts): boolean {
  const { to, country, ownCountries, callableCountries, anyCountry } = facts
  if (isSatellite(to)) return true
  if (countries) return countries.includes(country)
  if (ownCountries.includes(country)) return true
  return !highRiskCountries.has(country) && (anyCountry || callableCountries.includes(country))
}

/** Rules that need counters, checked in the transaction that stores the message. */
export function judgeMessageUse(
  rules: MessageRules,
  company: MessageUse,
  user: MessageUse | undefined,
): MessageVerdict {
  const over = (used: number, limit: number | null) => limit !== null && used > limit
  if (over(company.inMinute, rules.perMinute)) {
    return refused('per_minute', `The company may send ${rules.perMinute} messages per minute; wait, or ${remedy}`)
  }
  if (over(company.inDay, rules.perDay)) {
    return refused('per_day', `The company may send ${rules.perDay} messages per day (UTC); ${remedy}`)
  }
  if (over(company.spentInDay, rules.dailySpend)) {
    return refused('spend', `The daily spend limit for messages is reached; ${remedy}`)
  }
  if (!user) return allowed
  if (over(user.inMinute, rules.perMinutePerUser)) {
    return refused(
      'per_minute_user',
      `A user may send ${rules.perMinutePerUser} messages per minute; wait, or ${remedy}`,
    )
  }
  if (over(user.inDay, rules.perDayPerUser)) {
    return refused('per_day_user', `A user may send ${rules.perDayPerUser} messages per day (UTC); ${remedy}`)
  }
  if (over(user.spentInDay, rules.dailySpendPerUser)) {
    return refused('spend_user', `The daily spend limit of this user for messages is reached; ${remedy}`)
  }
  return allowed
}

/** The longest prefix applies; a recipient without a matching prefix costs as much as the most expensive one. */
export const priceOfMessage = (rates: TollRules['rates'], recipients: readonly string[], parts: number): number =>
  recipients.reduce((sum, to) => sum + ratePer(rates, to) * parts, 0)
