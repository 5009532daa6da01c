import { describe, expect, test } from 'vitest'
import {
  availableFlag,
  changeOfAvailability,
  granular,
  isOpenForCalls,
  type Openness,
  substatusOf,
} from './availability.ts'

const mondayMorning = Date.UTC(2026, 5, 15, 9)
const mondayNight = Date.UTC(2026, 5, 15, 22)
const officeHours: Openness = {
  status: 'custom',
  workingHours: { hours: { mon: [['09:00', '17:00']] }, closedDates: [] },
  timeZone: 'Europe/Paris',
}

describe('substatus', () => {
  test.each([
    ['available', 'on_a_break', 'always_open'],
    ['custom', null, 'always_open'],
    ['unavailable', null, 'always_closed'],
    ['unavailable', 'on_a_break', 'on_a_break'],
  ] as const)('a user who is %s with the reason %s shows %s', (status, reason, substatus) => {
    expect(substatusOf(status, reason)).toBe(substatus)
  })
})

describe('who is open for calls', () => {
  test('a user on working hours follows them in the own time zone', () => {
    expect(isOpenForCalls(officeHours, mondayMorning)).toBe(true)
    expect(isOpenForCalls(officeHours, mondayNight)).toBe(false)
  })

  test('a chosen status outweighs the working hours', () => {
    expect(isOpenForCalls({ ...officeHours, status: 'available' }, mondayNight)).toBe(true)
    expect(isOpenForCalls({ ...officeHours, status: 'unavailable' }, mondayMorning)).toBe(false)
  })

  test('a user on working hours that are not set is open', () => {
    expect(isOpenForCalls({ ...officeHours, workingHours: null }, mondayNight)).toBe(true)
  })
})

describe('granular availability', () => {
  const ready = { confirmed: true, active: true, connected: true, openForCalls: true }

  test.each([
    [{ ...ready, confirmed: false }, 'offline'],
    [{ ...ready, active: false }, 'offline'],
    [{ ...ready, connected: false, inCall: true }, 'offline'],
    [ready, 'available'],
    [{ ...ready, openForCalls: false }, 'do_not_disturb'],
    [{ ...ready, inCall: true, afterCallWork: true }, 'in_call'],
    [{ ...ready, openForCalls: false, afterCallWork: true }, 'after_call_work'],
  ] as const)('%j is %s', (presence, value) => {
    expect(granular(presence)).toBe(value)
  })

  test('available asks for a connected phone', () => {
    expect(availableFlag(ready)).toBe(true)
    expect(availableFlag({ ...ready, active: false })).toBe(false)
    expect(availableFlag({ ...ready, connected: false })).toBe(false)
    expect(availableFlag({ ...ready, openForCalls: false })).toBe(false)
  })
})

describe('opened and closed', () => {
  const open = { openForCalls: true, substatus: 'always_open' } as const
  const closed = { openForCalls: false, substatus: 'always_closed' } as const
  const atLunch = { openForCalls: false, substatus: 'out_for_lunch' } as const

  test('becoming available publishes one event', () => {
    expect(changeOfAvailability(atLunch, open)).toEqual([{ event: 'opened', substatus: 'always_open' }])
  })

  test('becoming unavailable without a substatus publishes one event', () => {
    expect(changeOfAvailability(open, closed)).toEqual([{ event: 'closed', substatus: 'always_closed' }])
  })

  test('becoming unavailable with a substatus publishes two events, the substatus second', () => {
    expect(changeOfAvailability(open, atLunch)).toEqual([
      { event: 'closed', substatus: 'always_closed' },
      { event: 'closed', substatus: 'out_for_lunch' },
    ])
  })

  test('the end of working hours closes a user who is still on them', () => {
    const afterHours = { openForCalls: false, substatus: 'always_open' } as const

    expect(changeOfAvailability(open, afterHours)).toEqual([{ event: 'closed', substatus: 'always_open' }])
  })

  test('a substatus set or changed later publishes one event', () => {
    expect(changeOfAvailability(closed, atLunch)).toEqual([{ event: 'closed', substatus: 'out_for_lunch' }])
    expect(changeOfAvailability(atLunch, closed)).toEqual([{ event: 'closed', substatus: 'always_closed' }])
  })

  test('a user set to unavailable outside of working hours is published as closed', () => {
    const afterHours = { openForCalls: false, substatus: 'always_open' } as const

    expect(changeOfAvailability(afterHours, atLunch)).toHaveLength(2)
    expect(changeOfAvailability(atLunch, afterHours)).toEqual([])
  })

  test('no change publishes nothing', () => {
    expect(changeOfAvailability(open, open)).toEqual([])
    expect(changeOfAvailability(atLunch, atLunch)).toEqual([])
  })
})
