import { describe, expect, test } from 'vitest'
import { readFlow } from './parse.ts'
import { availabilityOf, openNow, setAvailability } from './time-rule.ts'

const drawn = (nodes: object) => readFlow(JSON.stringify({ version: 1, start: 'start', nodes }))
const rule = (mode: string, open = 'end') => ({
  type: 'time_rule',
  mode,
  hours: { mon: [['09:00', '18:00']] },
  closed_dates: ['2026-06-22'],
  branches: { open, otherwise: 'end' },
})
const end = { type: 'hang_up', media: null }
const mondayMorning = Date.UTC(2026, 5, 15, 7)
const closedMonday = Date.UTC(2026, 5, 22, 7)

describe('the availability of a Number', () => {
  test.each([
    ['open', true, true],
    ['closed', false, false],
    ['custom', true, false],
  ])('with the mode %s it is open on a Monday: %s, on a closed date: %s', (mode, monday, closedDate) => {
    const flow = drawn({ start: rule(mode), end })

    expect(availabilityOf(flow)).toBe(mode)
    expect(openNow(flow, 'Europe/Paris', mondayMorning)).toBe(monday)
    expect(openNow(flow, 'Europe/Paris', closedMonday)).toBe(closedDate)
  })

  test('is read from the first Time Rule and changed there', () => {
    const flow = drawn({ start: rule('custom', 'second'), second: rule('closed'), end })

    const result = setAvailability(flow, 'open')

    expect(availabilityOf(flow)).toBe('custom')
    expect(result).toEqual({
      flow: { ...flow, nodes: { ...flow.nodes, start: { ...flow.nodes.start, mode: 'open' } } },
    })
  })

  test('without a Time Rule it is open and cannot be changed', () => {
    const flow = drawn({ start: end })

    expect(availabilityOf(flow)).toBe('open')
    expect(openNow(flow, 'Etc/UTC', 0)).toBe(true)
    expect(setAvailability(flow, 'closed')).toEqual({ problem: expect.stringContaining('Time Rule widget') })
  })
})
