import type { CompanyId } from '../db/tables.ts'
import type { TollRule, TollVerdict } from '../domain/toll.ts'
import type { LegId, VoiceDriver, VoiceEvent } from '../domain/voice.ts'
import { hour } from '../lib/clock.ts'
import type { Metrics } from '../lib/metrics.ts'
import type { Services } from '../services.ts'
import { createBackgroundTasks } from './background-tasks.ts'
import { reserveDial } from './dial-reservation.ts'
import { dialRulesOf, judgeDial, type PlannedDial } from './dial-rules.ts'
import { createDialledLegs } from './dialled-legs.ts'
import { endDialled, endDialledOf, forgetDialled, openDialledOf } from './toll-store.ts'
import { trunksForDial } from './trunk-selection.ts'

// The only module that dials. Every outbound call passes here, with its company and user; the driver knows neither.

export interface DialRequest extends PlannedDial {
  leg?: LegId
  callKey: string
  /** The caller ID. */
  from: string
  timeoutMs: number
  /** The other legs of the call. */
  peers?: LegId[]
}

export interface TollGuard {
  /** Checks the rules without side effects on the call. */
  ask(planned: PlannedDial): Promise<TollVerdict>
  /** Reserves and dials; throws DialRefused. */
  dial(driver: VoiceDriver, request: DialRequest): Promise<LegId>
  /** Legs that another process dialled for these calls of a company, with the numbers they were dialled to. */
  resume(driver: VoiceDriver, companyId: CompanyId, calls: readonly ResumedDials[]): Promise<void>
  onVoiceEvent(event: VoiceEvent): void
  callEnded(companyId: CompanyId, callKey: string): Promise<void>
  /** True when work was pending. */
  settle(): Promise<boolean>
  stop(): void
}

export interface ResumedDials {
  callKey: string
  emergency: boolean
  legs: readonly { leg: LegId; phone: string }[]
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

type Refusal = Extract<TollVerdict, { ok: false }>

export function createTollGuard({ services, metrics }: Options): TollGuard {
  const { db, clock, log } = services
  const tasks = createBackgroundTasks(log)
  const legs = createDialledLegs(services, tasks)

  async function reportRefusal({ companyId, userId, origin }: PlannedDial, { rule, why }: Refusal): Promise<void> {
    metrics.dialsRefused.inc({ rule })
    if (rule === 'form') return
    await services.refusals.report(companyId, { kind: 'dial', rule, why, userId, origin })
  }

  async function refuse(request: DialRequest, refusal: Refusal): Promise<never> {
    await reportRefusal(request, refusal)
    throw new DialRefused(refusal.rule, refusal.why)
  }

  return {
    async ask(planned) {
      const verdict = await judgeDial(services, await dialRulesOf(services, planned.companyId), planned)
      if (!verdict.ok) await reportRefusal(planned, verdict)
      return verdict
    },
    async dial(driver, request) {
      const { companyId } = request
      const rules = await dialRulesOf(services, companyId)
      const verdict = await judgeDial(services, rules, request)
      if (!verdict.ok) return refuse(request, verdict)
      const { emergency } = verdict
      const trunks = await trunksForDial(db, request, emergency)
      const trunkId = trunks[0]?.id ?? null
      const reserved = await reserveDial(services, { ...request, rules, emergency, trunkId })
      if ('rule' in reserved) return refuse(request, reserved)
      try {
        const trunkIds = trunks.map(({ id }) => String(id))
        const leg = await driver.dial({ trunkIds, ...dialOptions(request, emergency) })
        legs.add(leg, reserved, emergency, driver)
        return leg
      } catch (error) {
        await endDialled(db, companyId, reserved.id, clock.now())
        throw error
      }
    },
    async resume(driver, companyId, calls) {
      const dialling = new Map(calls.filter((call) => call.legs.length > 0).map((call) => [call.callKey, call]))
      if (dialling.size === 0) return
      const left = new Map([...dialling].map(([key, call]) => [key, [...call.legs]]))
      const rules = await dialRulesOf(services, companyId)
      for (const { id, call_key, phone, begun_at } of await openDialledOf(db, companyId, [...dialling.keys()])) {
        const ofCall = left.get(call_key) ?? []
        const index = ofCall.findIndex((one) => one.phone === phone)
        const [found] = index < 0 ? [] : ofCall.splice(index, 1)
        const emergency = dialling.get(call_key)?.emergency ?? false
        if (found) legs.resume(found.leg, { companyId, id, to: phone, rules }, emergency, driver, begun_at)
      }
    },
    onVoiceEvent: legs.onVoiceEvent,
    async callEnded(companyId, callKey) {
      await endDialledOf(db, companyId, callKey, clock.now())
    },
    settle: tasks.settle,
    stop: legs.stop,
  }
}

function dialOptions({ leg, callKey, to, from, line, timeoutMs, peers }: DialRequest, emergency: boolean) {
  const isWithheld = from === 'anonymous'
  return {
    ...(leg !== undefined && { leg }),
    callKey,
    to,
    // Emergency services must be able to call back.
    from: isWithheld && emergency ? line : from,
    line,
    anonymous: isWithheld && !emergency,
    timeoutMs,
    ...(peers && { peers }),
    ...(emergency && { urgent: true }),
  }
}

/** Job, daily: dialled numbers that no limit counts any more. */
export const dialledCleaner = ({ db, clock }: Services) => forgetDialled(db, clock.now() - 48 * hour)
