import { describe, expect, test } from 'vitest'
import { eventNames, serviceEventNames } from '../src/domain/events.ts'
import { parseFlow } from '../src/domain/flow/parse.ts'
import { scored } from '../src/domain/intelligence/scorecard.ts'
import { type Answer, binaryAnswers, ratingAnswers, scoresOf } from '../web/dashboard/conversation/evaluation.ts'
import { allEvents, everyEvent } from '../web/dashboard/dev/events.ts'
import { blank, type Flow, type Widget, type WidgetType } from '../web/dashboard/number-flow/flow.ts'
import { countIssues, validate } from '../web/dashboard/number-flow/validate.ts'

// Rules that the dashboard and the server implement separately must agree.

test('the dashboard offers every event of the API, and no other', () => {
  expect([...everyEvent].sort()).toEqual([...eventNames, ...serviceEventNames].sort())
  expect([...allEvents].sort()).toEqual([...eventNames].sort())
})

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
const waiting = (change: object): Widget => ({ ...blank.waiting(), branches: { next: 'end' }, ...change })

describe('canvas and server agree about', () => {
  test.each<[string, Flow]>([
    ['a single widget', drawn({ start: end })],
    ['somebody who is rung', drawn({ start: ring(), end })],
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
    ['a circle with a queue', drawn({ start: ring({ max_wait_seconds: 30, branches: { no_answer: 'start' } }) })],
    [
      'a callback on offer',
      drawn({
        start: waiting({ callback: true, branches: { next: 'end', callback: 'later' } }),
        later: blank.callback(),
        end,
      }),
    ],
    ['an outside number', drawn({ start: { ...blank.forward(), number: '+33123456789' } })],
  ])('%s, which is right', (_, flow) => {
    expect(countIssues(validate(flow))).toBe(0)
    expect(parseFlow(flow)).toHaveProperty('flow')
  })

  test.each<[string, string, Flow]>([
    ['no widget at all', '', drawn({}, '')],
    ['a start that is gone', '', drawn({ end }, 'start')],
    ['a branch that leads nowhere', 'start', drawn({ start: ring({ branches: {} }) })],
    ['a branch to a widget that is gone', 'start', drawn({ start: ring({ branches: { no_answer: 'gone' } }) })],
    ['a widget nobody can reach', 'lost', drawn({ start: end, lost: end })],
    ['a circle without a wait', 'start', drawn({ start: ring({ branches: { no_answer: 'start' } }) })],
    ['nobody to ring', 'start', drawn({ start: ring({ targets: [] }), end })],
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
      'a callback branch to something else',
      'start',
      drawn({ start: waiting({ callback: true, branches: { next: 'end', callback: 'end' } }), end }),
    ],
    ['hours that end before they begin', 'start', drawn({ start: rule({ mon: [['18:00', '09:00']] }), end })],
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
    ['audio that is no web address', 'start', drawn({ start: { type: 'hang_up', media: 'javascript:alert(1)' } })],
    ['too short a ring', 'start', drawn({ start: ring({ ring_seconds: 2 }), end })],
    ['an outside number that is none', 'start', drawn({ start: { ...blank.forward(), number: '12' } })],
  ])('%s, which is wrong', (_, node, flow) => {
    expect(validate(flow).get(node)).not.toHaveLength(0)
    expect(validate(flow).has(node)).toBe(true)
    expect(parseFlow(flow)).toHaveProperty('flaw')
  })

  test('the values of a new widget', () => {
    const types = Object.keys(blank) as WidgetType[]
    for (const type of types) {
      const fields = new Set(Object.keys(blank[type]()))
      const parsed = parseFlow({ start: 'start', nodes: { start: filled[type], end, later: blank.callback() } })
      // Whether it is reachable does not matter here, only that no field is unknown or missing.
      if ('flaw' in parsed) expect(parsed.flaw).toMatch(/no way from the start leads to it/)
      else expect(new Set(Object.keys(parsed.flow.nodes.start ?? {}))).toEqual(fields)
    }
  })
})

const filled: Record<WidgetType, Widget> = {
  time_rule: rule({}),
  audio: { ...blank.audio(), branches: { next: 'end' } },
  ivr: menu(),
  waiting: waiting({ callback: true, branches: { next: 'end', callback: 'later' } }),
  ring_to: ring(),
  voicemail: blank.voicemail(),
  forward: { ...blank.forward(), number: '+33123456789' },
  go_to_number: { ...blank.go_to_number(), number_id: 1 },
  callback: blank.callback(),
  ai_agent: { ...blank.ai_agent(), agent_id: 'a', branches: { escalated: 'end', unavailable: 'end' } },
  hang_up: end,
}

test('the dashboard counts the points of an evaluation as the server does', () => {
  const phrases: string[] = []
  const common = { strictness: 1 as const, phrases }
  const points = [0, 1, 3, 5, 10, 33, 1_000]
  const questions = (['BINARY', 'RATING'] as const).flatMap((type) => {
    const answers: readonly Answer[] = type === 'BINARY' ? binaryAnswers : ratingAnswers
    return points.flatMap((worth) => answers.map((answer) => ({ question: { type, points: worth }, answer })))
  })
  const halves = [questions.filter((_, nth) => nth % 3 === 0), questions.filter((_, nth) => nth % 3 !== 0), []]

  const there = scored(
    {
      name: 'All',
      description: '',
      categories: halves.map((half) => ({
        name: 'Half',
        questions: half.map(({ question }) => ({ ...question, ...common, text: '?', aiEnabled: true })),
      })),
    },
    halves.flat().map(({ answer }) => ({ answer, feedback: '' })),
  )
  const here = scoresOf(
    {
      id: 1,
      kind: 'scorecard',
      name: 'All',
      active: true,
      created_at: '',
      updated_at: '',
      scorecard: {
        categories: halves.map((half) => ({
          name: 'Half',
          questions: half.map(({ question }) => ({ ...question, ...common, text: '?', ai_enabled: true })),
        })),
      },
    },
    { feedback: '', answers: halves.flat().map(({ answer }) => ({ answer, feedback: '' })) },
  )

  const plain = ({ points, total, normalized }: (typeof there)['score']) => [points, total, normalized]
  const shown = ({ score_points, total_points, normalized_score }: (typeof here)['whole']) => [
    score_points,
    total_points,
    normalized_score,
  ]
  expect(shown(here.whole)).toEqual(plain(there.score))
  expect(here.categories.map(shown)).toEqual(there.categories.map(({ score }) => plain(score)))
})
