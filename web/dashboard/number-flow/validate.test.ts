import { describe, expect, test } from 'vitest'
import type { WidgetType } from '../../../src/domain/flow/document.ts'
import { parseFlow } from '../../../src/domain/flow/parse.ts'
import { type Flow, newWidget, type Widget } from './flow.ts'
import { countIssues, validate } from './validate.ts'

const end: Widget = { type: 'hang_up', media: null }
const drawn = (nodes: Record<string, Widget>, start = 'start'): Flow => ({ start, nodes })
const ring = (change: object = {}): Widget => ({
  type: 'ring_to',
  targets: [{ type: 'team', id: 1 }],
  strategy: 'simultaneous',
  max_wait_seconds: 0,
  branches: { no_answer: 'end' },
  ...change,
})
const menu = (change: object = {}): Widget => ({
  type: 'ivr',
  media: null,
  options: [{ key: '1', title: 'Sales' }],
  timeout_seconds: 5,
  tries: 3,
  branches: { '1': 'end', fallback: 'end' },
  ...change,
})
const rule = (hours: object): Widget => ({
  type: 'time_rule',
  mode: 'custom',
  hours,
  closed_dates: [],
  branches: { open: 'end', otherwise: 'end' },
})
const waiting = (change: object): Widget => ({ ...newWidget.waiting(), branches: { next: 'end' }, ...change })

describe('the editor validates', () => {
  test.each<[string, Flow]>([
    ['a single widget', drawn({ start: end })],
    ['an agent who is rung', drawn({ start: ring(), end })],
    ['a menu', drawn({ start: menu(), end })],
    [
      'hours with a break',
      drawn({
        start: rule({
          mon: [
            ['08:00', '12:00'],
            ['13:00', '24:00'],
          ],
        }),
        end,
      }),
    ],
    ['a loop through a queue', drawn({ start: ring({ max_wait_seconds: 30, branches: { no_answer: 'start' } }) })],
    [
      'an offered callback',
      drawn({
        start: waiting({ callback: true, branches: { next: 'end', callback: 'later' } }),
        later: newWidget.callback(),
        end,
      }),
    ],
    ['an external number', drawn({ start: { ...newWidget.forward(), number: '+33123456789' } })],
  ])('%s: valid', (_, flow) => {
    expect(countIssues(validate(flow))).toBe(0)
  })

  test.each<[string, string, Flow]>([
    ['no widgets', '', drawn({}, '')],
    ['a missing start', '', drawn({ end }, 'start')],
    ['a branch that is not connected', 'start', drawn({ start: ring({ branches: {} }) })],
    ['a branch to a missing widget', 'start', drawn({ start: ring({ branches: { no_answer: 'gone' } }) })],
    ['an unreachable widget', 'lost', drawn({ start: end, lost: end })],
    ['a loop without a wait', 'start', drawn({ start: ring({ branches: { no_answer: 'start' } }) })],
    ['no agent to ring', 'start', drawn({ start: ring({ targets: [] }), end })],
    [
      'a key twice',
      'start',
      drawn({
        start: menu({
          options: [
            { key: '1', title: '' },
            { key: '1', title: '' },
          ],
        }),
        end,
      }),
    ],
    [
      'a callback branch to another widget',
      'start',
      drawn({ start: waiting({ callback: true, branches: { next: 'end', callback: 'end' } }), end }),
    ],
    ['hours that end before they start', 'start', drawn({ start: rule({ mon: [['18:00', '09:00']] }), end })],
    [
      'hours that overlap',
      'start',
      drawn({
        start: rule({
          tue: [
            ['09:00', '13:00'],
            ['12:00', '18:00'],
          ],
        }),
        end,
      }),
    ],
    ['audio without an http URL', 'start', drawn({ start: { type: 'hang_up', media: 'javascript:alert(1)' } })],
    ['a ring timeout that is too short', 'start', drawn({ start: ring({ ring_seconds: 2 }), end })],
    ['an invalid external number', 'start', drawn({ start: { ...newWidget.forward(), number: '12' } })],
  ])('%s: invalid', (_, node, flow) => {
    expect(validate(flow).get(node)).not.toHaveLength(0)
    expect(validate(flow).has(node)).toBe(true)
  })

  test('a new widget, which has all fields of the document', () => {
    const types = Object.keys(newWidget) as WidgetType[]
    for (const type of types) {
      const fields = new Set(Object.keys(newWidget[type]()))
      const parsed = parseFlow({ start: 'start', nodes: { start: filled[type], end, later: newWidget.callback() } })
      // Reachability does not matter here, only that no field is unknown or missing.
      if ('problem' in parsed) expect(parsed.problem).toMatch(/no way from the start leads to it/)
      else expect(new Set(Object.keys(parsed.flow.nodes.start ?? {}))).toEqual(fields)
    }
  })
})

const filled: Record<WidgetType, Widget> = {
  time_rule: rule({}),
  audio: { ...newWidget.audio(), branches: { next: 'end' } },
  ivr: menu(),
  waiting: waiting({ callback: true, branches: { next: 'end', callback: 'later' } }),
  ring_to: ring(),
  voicemail: newWidget.voicemail(),
  forward: { ...newWidget.forward(), number: '+33123456789' },
  go_to_number: { ...newWidget.go_to_number(), number_id: 1 },
  callback: newWidget.callback(),
  ai_agent: { ...newWidget.ai_agent(), agent_id: 'a', branches: { escalated: 'end', unavailable: 'end' } },
  hang_up: end,
}
