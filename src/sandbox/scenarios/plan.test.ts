import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../lib/random.ts'
import { numbers } from '../demo-data.ts'
import { scenarios } from './index.ts'
import { parametersIn } from './parameters.ts'
import type { Office, Scenario, ScheduledStep } from './plan.ts'

const monday = Date.UTC(2026, 5, 15, 12)
const userIds = [1, 2, 3, 4, 5, 6, 7, 8]

const office: Office = {
  at: monday,
  userIds,
  lines: numbers.map((number, index) => ({
    id: index + 1,
    digits: number.digits,
    validated: number.validated,
    recording: number.recording,
    timeZone: number.timeZone,
    flow: number.flow({ users: userIds, teams: [1, 2, 3] }),
    ringers: [4, 5, 6],
    linked: [4, 5, 6],
  })),
  tagIds: [1, 2],
}
const empty: Office = { at: monday, userIds: [], lines: [], tagIds: [] }

function planOf(scenario: Scenario, given: Record<string, number> = {}, at = office): ScheduledStep[] {
  const values = parametersIn(scenario, given)
  const plan = scenario.plan(at, values, seededRandom(values('seed')))
  if ('lacks' in plan) throw new Error(plan.lacks)
  return plan
}

describe.each(scenarios.map((scenario) => [scenario.name, scenario] as const))('%s', (_, scenario) => {
  test('is planned the same for the same seed', () => {
    expect(planOf(scenario, { seed: 5 })).toEqual(planOf(scenario, { seed: 5 }))
    expect(planOf(scenario, { seed: 6 })).not.toEqual(planOf(scenario, { seed: 5 }))
  })

  test('plans no step in the past, calls from outside to numbers of the company, and releases every user it took', () => {
    const plan = planOf(scenario)

    expect(plan.every(({ after }) => Number.isFinite(after) && after >= 0)).toBe(true)
    const ours = office.lines.map(({ digits }) => digits)
    for (const step of plan) {
      if (step.do !== 'call') continue
      expect(ours).toContain(step.to)
      expect(ours).not.toContain(step.from)
    }
    const open = new Map<number, number>()
    for (const step of plan.toSorted((a, b) => a.after - b.after)) {
      if (step.do !== 'act') continue
      const change = { connect: 1, disconnect: -1 }[step.wish.action as 'connect'] ?? 0
      open.set(step.userId, (open.get(step.userId) ?? 0) + change)
    }
    expect([...open.values()].filter((sessions) => sessions !== 0)).toEqual([])
    const onAutopilot = plan.filter((step) => step.do === 'autopilot')
    expect(onAutopilot.filter(({ autopilot }) => autopilot === null)).toHaveLength(onAutopilot.length / 2)
  })

  test('reports what an empty company lacks', () => {
    const values = parametersIn(scenario, {})

    expect(scenario.plan(empty, values, seededRandom(1))).toEqual({ lacks: expect.any(String) })
  })

  test('has parameters with a default value within their limits', () => {
    for (const [name, { default: defaultValue, min, max, type }] of Object.entries(scenario.parameters)) {
      expect(defaultValue, name).toBeGreaterThanOrEqual(min)
      expect(defaultValue, name).toBeLessThanOrEqual(max)
      if (type === 'integer') expect(Number.isInteger(defaultValue), name).toBe(true)
    }
  })
})

test('names are words with hyphens, each once', () => {
  const names = scenarios.map(({ name }) => name)

  expect(names.every((name) => /^[a-z]+(-[a-z]+)*$/.test(name))).toBe(true)
  expect(new Set(names).size).toBe(names.length)
})

test('an invalid parameter is reported by name', () => {
  const [first] = scenarios
  if (!first) throw new Error('there are scenarios')

  expect(() => parametersIn(first, { callers: 0 })).toThrow('`callers` must be an Integer from 1 to 500')
  expect(() => parametersIn(first, { decline_rate: 1.5 })).toThrow('`decline_rate` must be a number from 0 to 1')
})
