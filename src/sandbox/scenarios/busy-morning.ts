import { openNow } from '../../domain/flow/time-rule.ts'
import { defaultAutopilot } from '../../domain/sandbox/people.ts'
import type { Random } from '../../lib/random.ts'
import {
  connect,
  count,
  disconnect,
  fictionalCaller,
  hasWidget,
  type Office,
  rateParameter,
  type Scenario,
  type ScenarioNumber,
  type ScheduledStep,
  seedParameter,
} from './plan.ts'

const maxTalk = 240
const patience = 180

/** More callers than agents: queues, wait times, wrap-up and abandoned calls. */
export const busyMorning: Scenario = {
  name: 'busy-morning',
  description:
    'Callers reach every open Number for a while; agents answer, talk, tag and wrap up; some callers abandon.',
  parameters: {
    callers: count('Number of callers', 20, 500),
    agents: count('Maximum number of agents', 3, 50),
    minutes: count('Duration in minutes', 30, 600),
    decline_rate: rateParameter('Share of ring attempts that agents decline', 0.1),
    seed: seedParameter,
  },
  plan(office, given, random) {
    const lines = office.lines.filter((line) => isStaffed(line, office))
    const agents = staffOf(lines).slice(0, given('agents'))
    if (agents.length === 0) return { lacks: 'a Number that is open now and rings an agent' }
    const until = given('minutes') * 60
    const end = until + patience + maxTalk + 60
    return [
      ...agents.flatMap((userId) => shift(office, userId, given('decline_rate'), end, random)),
      ...Array.from({ length: given('callers') }, () => visit(lines, until, random)),
    ]
  },
}

/** Users answer its calls, no AI agent. */
const isStaffed = (line: ScenarioNumber, { at }: Office) =>
  line.ringers.length > 0 && !hasWidget(line, 'ai_agent') && openNow(line.flow, line.timeZone, at)

const staffOf = (lines: readonly ScenarioNumber[]) =>
  [...new Set(lines.flatMap(({ ringers }) => ringers))].sort((a, b) => a - b)

function shift(office: Office, userId: number, declineRate: number, end: number, random: Random): ScheduledStep[] {
  const autopilot = {
    ...defaultAutopilot,
    answer_after_seconds: random.integer(2, 8),
    talk_seconds: random.integer(60, maxTalk),
    decline_rate: declineRate,
    tag: office.tagIds.length > 0 ? random.pick(office.tagIds) : null,
    finish_wrap_up_after_seconds: random.integer(5, 20),
  }
  return [
    { after: 0, do: 'autopilot', userId, autopilot },
    connect(userId, 0),
    disconnect(userId, end),
    { after: end, do: 'autopilot', userId, autopilot: null },
  ]
}

function visit(lines: readonly ScenarioNumber[], until: number, random: Random): ScheduledStep {
  const after = 5 + random.integer(0, until)
  const hangsUpFirst = random.next() < 0.3
  return {
    after,
    do: 'call',
    from: fictionalCaller(random),
    to: random.pick(lines).digits,
    script: hangsUpFirst ? [{ hear: random.integer(20, 90) }, { hang_up: true }] : [],
    patience: random.integer(20, patience),
  }
}
