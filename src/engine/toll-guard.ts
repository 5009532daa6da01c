import { transaction } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import {
  type DialOrigin,
  judgeNumber,
  judgeUse,
  priceOf,
  type TollRule,
  type TollRules,
  type TollVerdict,
} from '../domain/toll.ts'
import type { LegId, VoiceDriver, VoiceEvent } from '../domain/voice.ts'
import { lockCompany } from '../features/accounts/companies/store.ts'
import { ownCountries, ownsDigits } from '../features/accounts/numbers/store.ts'
import { dialLimitsOf } from '../features/trunks/outbound-rules/store.ts'
import { type Trunk, usableTrunks } from '../features/trunks/trunks/store.ts'
import { type Cancel, hour, minute, second } from '../lib/clock.ts'
import type { Metrics } from '../lib/metrics.ts'
import { countryOfNumber, kindOfNumber } from '../lib/phone-format.ts'
import type { Services } from '../services.ts'
import {
  concurrentOn,
  dialUse,
  endDialled,
  endDialledOf,
  forgetDialled,
  insertDialled,
  payMore,
  spentToday,
} from './toll-store.ts'

// The only one who dials. Every road to the outside passes here, with its company and its user; the driver hears of
// neither.

export interface DialRequest {
  companyId: CompanyId
  userId: number | null
  callKey: string
  origin: DialOrigin
  to: string
  /** What the far end sees, and the company's own number behind it. */
  from: string
  line: string
  timeoutMs: number
  /** Over this trunk and no other. */
  trunkId?: number
}

/** What is known before there is a call. */
export type Asked = Omit<DialRequest, 'callKey' | 'timeoutMs' | 'from'>

export interface TollGuard {
  /** Before anything changes: whether something speaks against it now. */
  ask(request: Asked): Promise<TollVerdict>
  /** Reserves and dials; throws DialRefused. */
  dial(driver: VoiceDriver, request: DialRequest): Promise<LegId>
  hear(event: VoiceEvent): void
  callEnded(companyId: CompanyId, callKey: string): Promise<void>
  /** True when something was going on. */
  settle(): Promise<boolean>
  stop(): void
}

export class DialRefused extends Error {
  readonly rule: TollRule
  constructor(rule: TollRule, why: string) {
    super(why)
    this.rule = rule
  }
}

interface Parts {
  services: Services
  metrics: Pick<Metrics, 'dialsRefused'>
}

interface Dialled {
  companyId: CompanyId
  id: number
  to: string
  rules: TollRules
  emergency: boolean
  driver: VoiceDriver
  cancels: Cancel[]
}

/** Paid ahead, so that a call never costs more than what was reserved. */
const paidAheadMs = 5 * minute

export function createTollGuard({ services, metrics }: Parts): TollGuard {
  const { db, clock, log } = services
  const legs = new Map<LegId, Dialled>()
  const errands = new Set<Promise<void>>()

  function errand(work: Promise<unknown>, what: string): void {
    const done = work
      .then(() => {})
      .catch((error) => log.warn({ error }, what))
      .finally(() => errands.delete(done))
    errands.add(done)
  }

  async function rulesOf(companyId: CompanyId): Promise<TollRules> {
    // Nothing in a sandbox costs anything; what it forbids by setting is forbidden there too.
    const limits = await dialLimitsOf(db, companyId)
    return { ...limits, anyCountry: services.rules.sandbox && limits.countries === null }
  }

  async function judged(rules: TollRules, { companyId, origin, to, line }: Asked) {
    const fromIsOwn = await ownsDigits(db, companyId, line)
    const fromCountry = await countryOfNumber(line)
    const isE164 = /^\+[1-9]\d{6,14}$/.test(to)
    const country = isE164 ? await countryOfNumber(to) : null
    const kind = isE164 ? await kindOfNumber(to) : 'unknown'
    const countries = await ownCountries(db, companyId)
    return judgeNumber(rules, { origin, to, country, kind, fromCountry, fromIsOwn, ownCountries: countries })
  }

  async function refuse(request: Pick<DialRequest, 'companyId' | 'userId' | 'origin'>, verdict: TollVerdict) {
    if (verdict.dial) return
    const { companyId, userId, origin } = request
    const { rule, why } = verdict
    metrics.dialsRefused.inc({ rule })
    if (rule === 'form') return
    await services.refusals.report(companyId, { kind: 'dial', rule, why, userId, origin })
  }

  /** In the order of priority; those that are down come last, because what we know of them may be old. */
  async function choose({ companyId, to, trunkId }: DialRequest, emergency: boolean): Promise<Trunk[]> {
    const all = (await usableTrunks(db, companyId)).filter(({ enabled }) => enabled)
    if (trunkId !== undefined) return all.filter(({ id }) => id === trunkId)
    const digits = to.replace('+', '')
    const fit = all.filter(({ prefixes, emergency: carries }) =>
      emergency ? carries : prefixes.length === 0 || prefixes.some((prefix) => digits.startsWith(prefix)),
    )
    const free: Trunk[] = []
    for (const trunk of fit) {
      if (emergency || (await concurrentOn(db, trunk.companyId, trunk.id)) < trunk.maxCalls) free.push(trunk)
    }
    return [...free.filter(({ up }) => up !== false), ...free.filter(({ up }) => up === false)]
  }

  async function reserve(request: DialRequest, rules: TollRules, emergency: boolean, trunk: Trunk | undefined) {
    const { companyId, userId, callKey, to } = request
    const price = emergency ? 0 : priceOf(rules.rates, to, paidAheadMs / second)
    return transaction(db, async (tx): Promise<{ id: number } | { verdict: TollVerdict }> => {
      await lockCompany(tx, companyId)
      const now = clock.now()
      if (!emergency) {
        const use = await dialUse(tx, companyId, userId, now)
        const spent = rules.dailySpend === null ? 0 : await spentToday(tx, companyId, now)
        const verdict = judgeUse(rules, { ...use, spentToday: spent }, price)
        if (!verdict.dial) return { verdict }
      }
      const id = await insertDialled(
        tx,
        companyId,
        { callKey, userId, trunkId: trunk?.id ?? null, phone: to, price },
        now,
      )
      return { id }
    })
  }

  function end(leg: LegId): void {
    const dialled = legs.get(leg)
    if (!dialled) return
    legs.delete(leg)
    for (const cancel of dialled.cancels) cancel()
    errand(endDialled(db, dialled.companyId, dialled.id, clock.now()), 'the end of a dialled call could not be noted')
  }

  /** From its answer on a call has a longest time, and is paid for ahead. */
  function watch(leg: LegId, dialled: Dialled): void {
    if (dialled.emergency) return
    const { rules } = dialled
    const hangUp = (why: string) => {
      log.warn({ companyId: dialled.companyId, why }, 'a call to the outside was ended')
      errand(dialled.driver.hangup(leg, 'hangup'), 'a call could not be ended')
    }
    dialled.cancels.push(clock.after(rules.maxSeconds * second, () => hangUp('it lasted too long')))
    if (rules.dailySpend !== null) payAhead(leg, dialled, () => hangUp('the daily amount is used up'))
  }

  function payAhead(leg: LegId, dialled: Dialled, hangUp: () => void): void {
    const cancel = clock.after(paidAheadMs, () => {
      const extended = extend(dialled).then((paid) => {
        if (!legs.has(leg)) return
        if (paid) payAhead(leg, dialled, hangUp)
        else hangUp()
      })
      errand(extended, 'a call could not be paid ahead')
    })
    dialled.cancels.push(cancel)
  }

  const extend = ({ companyId, id, to, rules }: Dialled) =>
    transaction(db, async (tx) => {
      await lockCompany(tx, companyId)
      const price = priceOf(rules.rates, to, paidAheadMs / second)
      const spent = await spentToday(tx, companyId, clock.now())
      if (rules.dailySpend !== null && spent + price > rules.dailySpend) return false
      await payMore(tx, companyId, id, price)
      return true
    })

  return {
    async ask(request) {
      const verdict = await judged(await rulesOf(request.companyId), request)
      await refuse(request, verdict)
      return verdict
    },
    async dial(driver, request) {
      const { companyId, to, from, line, timeoutMs } = request
      const rules = await rulesOf(companyId)
      const verdict = await judged(rules, request)
      if (!verdict.dial) {
        await refuse(request, verdict)
        throw new DialRefused(verdict.rule, verdict.why)
      }
      const { emergency } = verdict
      const trunks = await choose(request, emergency)
      const reserved = await reserve(request, rules, emergency, trunks[0])
      if ('verdict' in reserved) {
        await refuse(request, reserved.verdict)
        const { rule, why } = reserved.verdict as Extract<TollVerdict, { dial: false }>
        throw new DialRefused(rule, why)
      }
      try {
        const isWithheld = from === 'anonymous'
        const leg = await driver.dial({
          trunkIds: trunks.map(({ id }) => String(id)),
          to,
          // Whoever needs help is called back.
          from: isWithheld && emergency ? line : from,
          line,
          anonymous: isWithheld && !emergency,
          timeoutMs,
          ...(emergency && { urgent: true }),
        })
        legs.set(leg, { companyId, id: reserved.id, to, rules, emergency, driver, cancels: [] })
        return leg
      } catch (error) {
        await endDialled(db, companyId, reserved.id, clock.now())
        throw error
      }
    },
    hear(event) {
      if (event.kind === 'leg.ended') return end(event.leg)
      const dialled = event.kind === 'leg.answered' ? legs.get(event.leg) : undefined
      if (dialled && event.kind === 'leg.answered') watch(event.leg, dialled)
    },
    async callEnded(companyId, callKey) {
      await endDialledOf(db, companyId, callKey, clock.now())
    },
    async settle() {
      const wasBusy = errands.size > 0
      while (errands.size > 0) await Promise.all(errands)
      return wasBusy
    },
    stop() {
      for (const { cancels } of legs.values()) for (const cancel of cancels) cancel()
      legs.clear()
    },
  }
}

/** Every day: dialled numbers that no limit counts any more. */
export const dialledCleaner = ({ db, clock }: Services) => forgetDialled(db, clock.now() - 48 * hour)
