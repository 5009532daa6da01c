import { transaction } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import { judgeUse, priceOf, type TollRules, type TollVerdict } from '../domain/toll.ts'
import { lockCompany } from '../features/accounts/companies/store.ts'
import { minute, second } from '../lib/clock.ts'
import type { Services } from '../services.ts'
import { dialUse, insertDialled, payMore, spentToday } from './toll-store.ts'

/** Interval paid in advance, so that a call never costs more than its reservation. */
export const paidAheadMs = 5 * minute

export interface Reservation {
  companyId: CompanyId
  id: number
  to: string
  rules: TollRules
}

interface ReservationParams {
  companyId: CompanyId
  userId: number | null
  callKey: string
  to: string
  rules: TollRules
  /** Emergency calls are free and not limited. */
  emergency: boolean
  trunkId: number | null
}

type Refusal = Extract<TollVerdict, { ok: false }>

/** Counts the call and pays its first interval, unless a limit on use is reached. */
export async function reserveDial({ db, clock }: Services, params: ReservationParams): Promise<Reservation | Refusal> {
  const { companyId, userId, callKey, to, rules, emergency, trunkId } = params
  const price = emergency ? 0 : priceOf(rules.rates, to, paidAheadMs / second)
  return transaction(db, async (tx) => {
    await lockCompany(tx, companyId)
    const now = clock.now()
    if (!emergency) {
      const use = await dialUse(tx, companyId, userId, now)
      const spent = rules.dailySpend === null ? 0 : await spentToday(tx, companyId, now)
      const verdict = judgeUse(rules, { ...use, spentToday: spent }, price)
      if (!verdict.ok) return verdict
    }
    const id = await insertDialled(tx, companyId, { callKey, userId, trunkId, phone: to, price }, now)
    return { companyId, id, to, rules }
  })
}

/** Pays one more interval; false: the daily spend limit is reached. */
export function extendReservation({ db, clock }: Services, { companyId, id, to, rules }: Reservation) {
  return transaction(db, async (tx) => {
    await lockCompany(tx, companyId)
    const price = priceOf(rules.rates, to, paidAheadMs / second)
    const spent = await spentToday(tx, companyId, clock.now())
    if (rules.dailySpend !== null && spent + price > rules.dailySpend) return false
    await payMore(tx, companyId, id, price)
    return true
  })
}
