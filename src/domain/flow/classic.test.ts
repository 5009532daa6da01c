import { describe, expect, test } from 'vitest'
import { alwaysOpen } from '../opening-hours.ts'
import { type ClassicSettings, classicFlow, starterFlow } from './classic.ts'
import { hasIvr, messagesOf, setMessages } from './messages.ts'
import { widgetsInOrder } from './order.ts'
import { parseFlow } from './parse.ts'
import { ringTargets } from './references.ts'
import { openNow } from './time-rule.ts'

const settings: ClassicSettings = { hours: alwaysOpen, closedDates: ['2026-12-25'], mode: 'custom', userIds: [4, 2] }

describe('a classic number', () => {
  const flow = classicFlow(settings)

  test('has the fixed shape, which would pass as a drawn flow', () => {
    expect(parseFlow(flow)).toEqual({ flow })
    expect(widgetsInOrder(flow).map(({ widget }) => widget.type)).toEqual([
      'time_rule',
      'audio',
      'waiting',
      'ring_to',
      'voicemail',
      'voicemail',
    ])
    expect(hasIvr(flow)).toBe(false)
  })

  test('rings its users', () => {
    expect(ringTargets(flow)).toEqual({ users: [4, 2], teams: [] })
    expect(ringTargets(classicFlow({ ...settings, userIds: [] }))).toEqual({ users: [], teams: [] })
  })

  test('keeps its audio when its hours change', () => {
    const spoken = { welcome: 'a', voicemail: 'b', after_hours: 'c', ringing_tone: 'd' }
    const changed = setMessages(flow, spoken)
    if ('problem' in changed) throw new Error(changed.problem)

    const rebuilt = classicFlow({ ...settings, userIds: [4], media: messagesOf(changed.flow) })

    expect(messagesOf(rebuilt)).toEqual({ ...spoken, ivr: null })
  })
})

test('a new flow number takes messages day and night', () => {
  const flow = starterFlow()

  expect(parseFlow(flow)).toEqual({ flow })
  expect(openNow(flow, 'Asia/Tokyo', Date.UTC(2026, 11, 25, 3))).toBe(true)
})
