// Outbound calling rules as pure functions: a stolen password must not cause charges.

/** Where the request to dial comes from. */
export type DialOrigin =
  | 'app'
  | 'api'
  | 'dialer'
  | 'transfer'
  | 'conference'
  | 'callback'
  | 'forward'
  | 'ai_agent'
  | 'test_call'

/** Limits of one company; null means unlimited. */
export interface TollRules {
  /** ISO codes; null: the countries of the company's own Numbers. */
  countries: readonly string[] | null
  anyCountry: boolean
  concurrent: number | null
  concurrentPerUser: number | null
  perMinute: number | null
  perMinutePerUser: number | null
  /** In the currency of the rates, from midnight UTC. */
  dailySpend: number | null
  /** Price per minute by prefix of digits, without the plus. */
  rates: Readonly<Record<string, number>>
  maxSeconds: number
}

export interface DialFacts {
  origin: DialOrigin
  /** As entered or sent. */
  to: string
  /** From the numbering plans: the country of `to`, and whether it is a premium-rate number. */
  country: string | null
  kind: 'ordinary' | 'premium' | 'shared_cost' | 'unknown'
  /** The calling number, and whether the company owns it. */
  fromCountry: string
  fromIsOwn: boolean
  ownCountries: readonly string[]
}

/** Usage counters of the company and the user. */
export interface DialUse {
  concurrent: number
  concurrentOfUser: number
  inMinute: number
  inMinuteOfUser: number
  spentToday: number
}

export type TollRule =
  | 'form'
  | 'premium'
  | 'country'
  | 'satellite'
  | 'line'
  | 'concurrent'
  | 'concurrent_user'
  | 'per_minute'
  | 'per_minute_user'
  | 'spend'
  | 'emergency_by_machine'

export type TollVerdict = { ok: true; emergency: boolean } | { ok: false; rule: TollRule; why: string }

const allowed: TollVerdict = { ok: true, emergency: false }
const refused = (rule: TollRule, why: string): TollVerdict => ({ ok: false, rule, why })

const strictForm = /^\+[1-9]\d{6,14}$/
const satellites = ['870', '878', '881', '882', '883']

/** Satellite and international network numbers, which belong to no country. */
export const isSatellite = (to: string): boolean => satellites.some((prefix) => to.startsWith(`+${prefix}`))

/** Origins without a person who could confirm an emergency. */
const machines: ReadonlySet<DialOrigin> = new Set(['dialer', 'ai_agent', 'forward', 'callback', 'test_call'])

/** Rules that need no counters. */
export function judgeNumber(rules: TollRules, facts: DialFacts): TollVerdict {
  if (isEmergency(facts.to, facts.fromCountry)) {
    return machines.has(facts.origin)
      ? refused('emergency_by_machine', 'Emergency numbers can only be dialled by users')
      : { ok: true, emergency: true }
  }
  if (!strictForm.test(facts.to)) return refused('form', 'Give the number in E.164, for example +14155550123')
  if (facts.kind === 'premium' || facts.kind === 'shared_cost') {
    return refused('premium', 'Premium-rate numbers are not allowed')
  }
  if (isSatellite(facts.to) && !rules.countries?.includes('001')) {
    return refused('satellite', 'Satellite and international networks are not allowed; an admin can allow them as 001')
  }
  if (!rules.anyCountry && !countriesOf(rules, facts).includes(facts.country ?? '')) {
    return refused('country', `Calls to ${facts.country ?? 'this country'} are not allowed; an admin can allow them`)
  }
  if (!facts.fromIsOwn) return refused('line', 'The calling number is none of the company’s Numbers')
  return allowed
}

const countriesOf = (rules: TollRules, { ownCountries }: DialFacts) => rules.countries ?? ownCountries

/** Rules that need counters, checked in the same transaction as the reservation. */
export function judgeUse(rules: TollRules, use: DialUse, price: number): TollVerdict {
  const full = (used: number, max: number | null) => max !== null && used >= max
  if (full(use.concurrent, rules.concurrent)) {
    return refused('concurrent', `The company has ${use.concurrent} outbound calls already; an admin can allow more`)
  }
  if (full(use.concurrentOfUser, rules.concurrentPerUser)) {
    return refused('concurrent_user', `The user has ${use.concurrentOfUser} outbound calls already`)
  }
  if (full(use.inMinute, rules.perMinute)) {
    return refused('per_minute', `The company may begin ${rules.perMinute} calls a minute; wait, or ask an admin`)
  }
  if (full(use.inMinuteOfUser, rules.perMinutePerUser)) {
    return refused(
      'per_minute_user',
      `A user may begin ${rules.perMinutePerUser} calls a minute; wait, or ask an admin`,
    )
  }
  if (rules.dailySpend !== null && use.spentToday + price > rules.dailySpend) {
    return refused('spend', 'The daily spend limit for calls is reached; an admin can raise it')
  }
  return allowed
}

/** The longest prefix applies; a number without a matching prefix costs as much as the most expensive one. */
export function ratePer(rates: TollRules['rates'], to: string): number {
  const digits = to.replace(/^\+/, '')
  for (let length = digits.length; length > 0; length--) {
    const rate = rates[digits.slice(0, length)]
    if (rate !== undefined) return rate
  }
  return Math.max(0, ...Object.values(rates))
}

/** The amount reserved for the next interval. */
export const priceOf = (rates: TollRules['rates'], to: string, seconds: number): number =>
  ratePer(rates, to) * Math.ceil(seconds / 60)

/** Matched as a whole: 911 is an emergency number in the United States, +1911… is not. */
export function isEmergency(to: string, country: string): boolean {
  return (emergencyNumbers[country] ?? everywhere).includes(to)
}

/** In any country, with or without a plus: for callers that must be certain not to dial one. */
export function isEmergencyAnywhere(to: string): boolean {
  const plain = to.replace(/^\+/, '')
  return [everywhere, ...Object.values(emergencyNumbers)].some((numbers) => numbers.includes(plain))
}

const everywhere = ['112']
const european = ['112']

/** Emergency numbers by the country of the calling number; they are always allowed. */
const emergencyNumbers: Record<string, readonly string[]> = {
  US: ['911', '933', '988'],
  CA: ['911', '933', '988'],
  MX: ['911'],
  GB: ['999', '112', '111', '116123'],
  IE: ['999', '112'],
  FR: [...european, '15', '17', '18', '114', '115', '119', '191', '196', '197'],
  DE: [...european, '110', '115', '116117'],
  ES: [...european, '061', '062', '080', '085', '091', '092', '016'],
  IT: [...european, '113', '115', '118', '1530'],
  NL: [...european, '113', '144'],
  BE: [...european, '100', '101', '102', '103', '106', '107', '108'],
  LU: [...european, '113'],
  CH: [...european, '117', '118', '143', '144', '145', '147', '1414'],
  AT: [...european, '122', '133', '140', '141', '142', '144', '147'],
  PT: [...european, '115', '117'],
  SE: [...european, '114'],
  NO: [...european, '110', '113'],
  DK: [...european, '114'],
  FI: european,
  PL: [...european, '997', '998', '999'],
  CZ: [...european, '150', '155', '156', '158'],
  AU: ['000', '112', '106'],
  NZ: ['111', '112'],
  IN: ['112', '100', '101', '102', '108'],
  JP: ['110', '118', '119'],
  SG: ['995', '999', '112'],
  HK: ['999', '112'],
  BR: ['190', '192', '193', '112', '911'],
  ZA: ['112', '10111', '10177'],
  IL: ['100', '101', '102', '112'],
}
