import type { CompanyId } from '../db/tables.ts'
import { type DialOrigin, judgeNumber, type TollRules, type TollVerdict } from '../domain/toll.ts'
import { ownCountries, ownsDigits } from '../features/accounts/numbers/store.ts'
import { dialLimitsOf } from '../features/trunks/outbound-rules/store.ts'
import { countryOfNumber, kindOfNumber } from '../lib/phone-format.ts'
import type { Services } from '../services.ts'

/** An outbound call, as far as it is known before it exists. */
export interface PlannedDial {
  companyId: CompanyId
  userId: number | null
  origin: DialOrigin
  to: string
  /** The company's own number behind the caller ID. */
  line: string
  /** Restricts the call to this trunk. */
  trunkId?: number
}

export async function dialRulesOf({ db, rules }: Services, companyId: CompanyId): Promise<TollRules> {
  // Calls in a sandbox cost nothing; its configured limits still apply.
  const limits = await dialLimitsOf(db, companyId)
  return { ...limits, anyCountry: rules.sandbox && limits.countries === null }
}

/** Whether the company may call the number, however much it has used already. */
export async function judgeDial(
  { db }: Services,
  rules: TollRules,
  { companyId, origin, to, line }: PlannedDial,
): Promise<TollVerdict> {
  const fromIsOwn = await ownsDigits(db, companyId, line)
  const fromCountry = await countryOfNumber(line)
  const isE164 = /^\+[1-9]\d{6,14}$/.test(to)
  const country = isE164 ? await countryOfNumber(to) : null
  const kind = isE164 ? await kindOfNumber(to) : 'unknown'
  const countries = await ownCountries(db, companyId)
  return judgeNumber(rules, { origin, to, country, kind, fromCountry, fromIsOwn, ownCountries: countries })
}
