import { expect, test } from 'vitest'
import { checkThreshold, type LiveAlertKind, type LiveAlertState, type LiveFigures, noAlert } from './live-alerts.ts'

const calm: LiveFigures = { waiting: 0, maxWaitSeconds: 0, answeredPercent: null, availableAgents: 1, isOpen: true }

/** Checks every ten seconds; returns the changes with their seconds. */
function run(kind: LiveAlertKind, threshold: number | null, figures: Partial<LiveFigures>[]): string[] {
  let state: LiveAlertState = noAlert
  return figures.flatMap((given, index) => {
    const step = checkThreshold(kind, threshold, state, { ...calm, ...given }, index * 10_000)
    state = step.change?.kind === 'raise' ? { ...step.state, alertId: 1 } : step.state
    return step.change ? `${step.change.kind} ${index * 10}` : []
  })
}

const waiting = (...counts: number[]) => counts.map((n) => ({ waiting: n }))
const times = <T>(n: number, value: T) => Array.from({ length: n }, () => value)

test('a queue that is long for a moment raises no alert', () => {
  expect(run('waiting_calls', 5, waiting(5, 4, 5, 4, 5, 4))).toEqual([])
  expect(run('waiting_calls', 5, waiting(5, 5))).toEqual(['raise 10'])
})

test('an alert is cleared only after a minute well within the threshold', () => {
  // 4 is within the margin of a threshold of 5: one below.
  const values = waiting(5, 5, ...times(3, 4), 5, ...times(6, 4))
  expect(run('waiting_calls', 5, values)).toEqual(['raise 10'])
  expect(run('waiting_calls', 5, [...values, ...waiting(4)])).toEqual(['raise 10', 'clear 120'])
})

test('a value between threshold and margin neither raises nor clears', () => {
  expect(
    run(
      'longest_wait',
      60,
      [61, 70, ...times(20, 55)].map((s) => ({ maxWaitSeconds: s })),
    ),
  ).toEqual(['raise 10'])
})

test('the same alert is raised at most every five minutes', () => {
  const values = waiting(9, 9, ...times(7, 0), ...times(40, 9))
  expect(run('waiting_calls', 5, values)).toEqual(['raise 10', 'clear 80', 'raise 380'])
})

test('the answered share needs enough calls, and two points more to be cleared', () => {
  const share = (answeredPercent: number | null) => ({ answeredPercent })
  expect(run('answered_share', 80, times(5, share(null)))).toEqual([])
  expect(run('answered_share', 80, [...times(2, share(79)), ...times(9, share(81))])).toEqual(['raise 10'])
  expect(run('answered_share', 80, [...times(2, share(79)), ...times(9, share(82))])).toEqual(['raise 10', 'clear 80'])
})

test('no available agent counts during opening hours, after the given time', () => {
  const none = { availableAgents: 0 }
  expect(run('no_agent', 60, times(6, none))).toEqual([])
  expect(run('no_agent', 60, times(7, none))).toEqual(['raise 60'])
  expect(run('no_agent', 60, times(20, { ...none, isOpen: false }))).toEqual([])
})

test('a removed threshold clears its alert immediately', () => {
  const state = { ...noAlert, alertId: 7, beyondSince: 0 }
  expect(checkThreshold('waiting_calls', null, state, calm, 5).change).toEqual({ kind: 'clear' })
  expect(checkThreshold('waiting_calls', null, noAlert, calm, 5).change).toBeUndefined()
})
