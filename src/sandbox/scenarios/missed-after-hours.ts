import { firstTimeRule, ruleIsOpen, scheduleOf } from '../../domain/flow/time-rule.ts'
import { nextChange } from '../../domain/opening-hours.ts'
import type { Random } from '../../lib/random.ts'
import {
  count,
  fictionalCaller,
  rateParameter,
  type Scenario,
  type ScenarioNumber,
  type ScheduledStep,
  seedParameter,
} from './plan.ts'

/** Starts when a Number closes, which may be hours away. */
export const missedAfterHours: Scenario = {
  name: 'missed-after-hours',
  description: 'Callers reach a Number after its closing time; some leave a voicemail.',
  parameters: {
    callers: count('Number of callers', 8, 200),
    minutes: count('Duration in minutes', 60, 300),
    voicemail_rate: rateParameter('Share of callers who leave a voicemail', 0.5),
    seed: seedParameter,
  },
  plan({ at, lines }, given, random) {
    const [soonest] = lines
      .flatMap((line) => {
        const closesAt = closing(line, at)
        return closesAt === undefined ? [] : [{ line, closesAt }]
      })
      .sort((a, b) => a.closesAt - b.closesAt)
    if (!soonest) return { lacks: 'a Number with business hours' }
    const begin = Math.ceil((soonest.closesAt - at) / 1_000) + 1
    return Array.from({ length: given('callers') }, () => {
      const after = begin + random.integer(0, given('minutes') * 60)
      return visit(soonest.line, after, given('voicemail_rate'), random)
    })
  },
}

/** Now, if it is closed already. */
function closing({ flow, timeZone }: ScenarioNumber, at: number): number | undefined {
  const rule = firstTimeRule(flow)?.rule
  if (!rule || rule.mode === 'open') return undefined
  if (!ruleIsOpen(rule, timeZone, at)) return at
  return nextChange(scheduleOf(rule), timeZone, at)
}

function visit({ digits }: ScenarioNumber, after: number, voicemailRate: number, random: Random): ScheduledStep {
  const leavesMessage = random.next() < voicemailRate
  const length = random.integer(6, 30)
  return {
    after,
    do: 'call',
    from: fictionalCaller(random),
    to: digits,
    script: leavesMessage ? [{ voicemail: length }] : [{ wait: length }, { hang_up: true }],
    patience: null,
  }
}
