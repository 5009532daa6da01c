import { expect, test } from 'vitest'
import { parseFlow } from '../flow/parse.ts'
import {
  actInDraftCall,
  beginDraftCall,
  type DraftAgents,
  type DraftCall,
  hasNextInDraftCall,
  isDraftCallOver,
} from './draft-call.ts'

const advance = (call: DraftCall, seconds: number) => actInDraftCall(call, { kind: 'wait', seconds })
const pressKey = (call: DraftCall, digit: string) => actInDraftCall(call, { kind: 'key', digit })
const hangUp = (call: DraftCall) => actInDraftCall(call, { kind: 'hang_up' })

const nodes = {
  hours: {
    type: 'time_rule',
    mode: 'custom',
    hours: { mon: [['09:00', '18:00']] },
    closed_dates: [],
    branches: { open: 'menu', otherwise: 'box' },
  },
  menu: {
    type: 'ivr',
    media: null,
    options: [{ key: '1', title: 'Sales' }],
    timeout_seconds: 5,
    tries: 2,
    branches: { 1: 'ring', fallback: 'box' },
  },
  ring: { type: 'ring_to', targets: [{ type: 'team', id: 4 }], max_wait_seconds: 30, branches: { no_answer: 'box' } },
  box: { type: 'voicemail', media: null },
}
const mondayMorning = Date.UTC(2026, 0, 5, 10)
const sunday = Date.UTC(2026, 0, 4, 10)

function call(agents: DraftAgents, at = mondayMorning): DraftCall {
  const parsed = parseFlow({ version: 1, start: 'hours', nodes })
  if ('problem' in parsed) throw new Error(parsed.problem)
  const number = {
    ...{ id: 3, digits: '+33199000001', timeZone: 'Etc/UTC', recording: false, priority: null },
    ...{ ringSimultaneousMs: 30_000, ringOneByOneMs: 20_000, musicOnHold: null, flow: parsed.flow },
  }
  return beginDraftCall({ number, at, agents, membersOf: () => [7, 8] })
}

const pathOf = ({ trace }: DraftCall) => trace.flatMap(({ entry }) => (entry.kind === 'widget' ? entry.node : []))
const lastOf = ({ trace }: DraftCall) => trace.at(-1)?.entry

test('a key in the menu leads to the team, and an agent answers', () => {
  const chosen = pressKey(advance(call('answer'), 2), '1')
  const talking = advance(chosen, 10)
  const over = hangUp(talking)

  expect(pathOf(talking)).toEqual(['hours', 'menu', 'ring'])
  expect(talking.trace.map(({ entry }) => entry.kind)).toContain('answered')
  expect([isDraftCallOver(talking), isDraftCallOver(over)]).toEqual([false, true])
  expect(lastOf(over)).toMatchObject({ kind: 'ended', missed_call_reason: null })
})

test('without an answer, without input and outside opening hours the call reaches voicemail', () => {
  expect(pathOf(advance(pressKey(call('no_answer'), '1'), 120))).toEqual(['hours', 'menu', 'ring', 'box'])
  expect(pathOf(advance(pressKey(call('unavailable'), '1'), 120))).toEqual(['hours', 'menu', 'ring', 'box'])
  expect(pathOf(advance(call('answer'), 60))).toEqual(['hours', 'menu', 'box'])
  expect(pathOf(call('answer', sunday))).toEqual(['hours', 'box'])
})

test('the next event is the next thing that happens by itself', () => {
  let now = call('no_answer')
  let steps = 0
  while (hasNextInDraftCall(now) && steps++ < 50) now = actInDraftCall(now, { kind: 'next' })

  expect(pathOf(now)).toEqual(['hours', 'menu', 'box'])
  expect(steps).toBeLessThan(50)
})

test('the events of the call are those of a real one, and its actions repeat it', () => {
  const over = hangUp(advance(pressKey(advance(call('answer'), 2), '1'), 10))
  const again = over.actions.reduce(actInDraftCall, call('answer'))

  expect(over.events.map(({ event }) => event)).toEqual([
    'created',
    'ivr_option_selected',
    'ringing_on_agent',
    'ringing_on_agent',
    'answered',
    'hungup',
  ])
  expect(again.events).toEqual(over.events)
})

test('a flow that repeats forever comes to a halt', () => {
  const menu = { ...nodes.menu, branches: { 1: 'menu', fallback: 'menu' } }
  const parsed = parseFlow({ version: 1, start: 'menu', nodes: { menu } })
  if ('problem' in parsed) throw new Error(parsed.problem)
  const first = call('answer')
  const options = { ...first.options, number: { ...first.options.number, flow: parsed.flow } }
  let now = beginDraftCall(options)
  for (let waits = 0; waits < 300; waits++) now = advance(now, 600)

  expect(now.steps).toBeLessThanOrEqual(2_000)
  expect(hasNextInDraftCall(now)).toBe(false)
})
