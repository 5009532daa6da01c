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
import { createBackgroundTasks } from './background-tasks.ts'
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

// The only module that dials. Every outbound call passes here, with its company and user; the driver knows neither.

export interface DialRequest {
  companyId: CompanyId
  userId: number | null
  callKey: string
  origin: DialOrigin
  to: string
  /** The caller ID, and the company's own number behind it. */
  from: string
  line: string
  timeoutMs: number
  /** Restricts the call to this trunk. */
  trunkId?: number
}

/** What is known before the call exists. */
export type PlannedDial = Omit<DialRequest, 'callKey' | 'timeoutMs' | 'from'>

export interface TollGuard {
  /** Checks the rules without side effects on the call. */
  ask(request: PlannedDial): Promise<TollVerdict>
  /** Reserves and dials; throws DialRefused. */
  dial(driver: VoiceDriver, request: DialRequest): Promise<LegId>
  onVoiceEvent(event: VoiceEvent): void
  callEnded(companyId: CompanyId, callKey: string): Promise<void>
  /** True when work was pending. */
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

interface Options {
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

/** Interval paid in advance, so that a call never costs more than its reservation. */
const paidAheadMs = 5 * minute

export function createTollGuard({ services, metrics }: Options): TollGuard {
  const { db, clock, log } = services
  const legs = new Map<LegId, Dialled>()
  const tasks = createBackgroundTasks(log)

  async function rulesOf(companyId: CompanyId): Promise<TollRules> {
    // Calls in a sandbox cost nothing; its configured limits still apply.
    const limits = await dialLimitsOf(db, companyId)
    return { ...limits, anyCountry: services.rules.sandbox && limits.countries === null }
  }

  async function judged(rules: TollRules, { companyId, origin, to, line }: PlannedDial) {
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

  /** By priority; trunks that are down come last, because the state may be outdated. */
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
    const ended = endDialled(db, dialled.companyId, dialled.id, clock.now())
    tasks.run(ended, 'dial.end_not_saved', 'could not save the end of an outbound call')
  }

  /** From the answer on, the call has a maximum duration and is paid in advance. */
  function watch(leg: LegId, dialled: Dialled): void {
    if (dialled.emergency) return
    const { rules } = dialled
    const hangUp = (why: string) => {
      log.warn({ event: 'dial.ended_by_limit', companyId: dialled.companyId, why }, 'outbound call ended')
      tasks.run(dialled.driver.hangup(leg, 'hangup'), 'dial.hangup_failed', 'could not end an outbound call')
    }
    dialled.cancels.push(clock.after(rules.maxSeconds * second, () => hangUp('maximum duration reached')))
    if (rules.dailySpend !== null) payAhead(leg, dialled, () => hangUp('daily spend limit reached'))
  }

  function payAhead(leg: LegId, dialled: Dialled, hangUp: () => void): void {
    const cancel = clock.after(paidAheadMs, () => {
      const extended = extend(dialled).then((paid) => {
        if (!legs.has(leg)) return
        if (paid) payAhead(leg, dialled, hangUp)
        else hangUp()
      })
      tasks.run(extended, 'dial.reservation_failed', 'could not extend the reservation of a call')
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
          // Emergency services must be able to call back.
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
    onVoiceEvent(event) {
      if (event.kind === 'leg.ended') return end(event.leg)
      const dialled = event.kind === 'leg.answered' ? legs.get(event.leg) : undefined
      if (dialled && event.kind === 'leg.answered') watch(event.leg, dialled)
    },
    async callEnded(companyId, callKey) {
      await endDialledOf(db, companyId, callKey, clock.now())
    },
    settle: tasks.settle,
    stop() {
      for (const { cancels } of legs.values()) for (const cancel of cancels) cancel()
      legs.clear()
    },
  }
}

/** Job, daily: dialled numbers that no limit counts any more. */
export const dialledCleaner = ({ db, clock }: Services) => forgetDialled(db, clock.now() - 48 * hour)
