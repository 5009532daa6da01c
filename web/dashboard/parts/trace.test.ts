import { expect, test } from 'vitest'
import type { Call } from './call.ts'
import { pictureOf, talkTimeOf } from './lanes.ts'
import { storyOf, type TraceEntry, verdictOf } from './trace.ts'

const start = Date.parse('2026-06-15T12:00:00.000Z')
const at = (seconds: number) => new Date(start + seconds * 1_000).toISOString()
const idle = { since_seconds: 60, reserved: false }

/** Support is rung: one agent does not answer, one is on a call and rung afterwards, one is offline. */
const missed: TraceEntry[] = [
  { at: at(0), kind: 'widget', node: 'hours', type: 'time_rule', name: 'Opening hours', number_id: 1 },
  { at: at(0), kind: 'time_rule', node: 'hours', open: true },
  { at: at(4), kind: 'widget', node: 'ring', type: 'ring_to', name: null, number_id: 1 },
  {
    at: at(4),
    kind: 'ring',
    node: 'ring',
    purpose: 'flow',
    strategy: 'longest_idle',
    targets: [{ type: 'team', id: 1 }],
  },
  {
    at: at(4),
    kind: 'considered',
    people: [
      { user_id: 4, availability: 'available', ...idle, rung: true },
      { user_id: 5, availability: 'in_call', ...idle, rung: false },
      { user_id: 6, availability: 'offline', ...idle, rung: false },
    ],
  },
  { at: at(24), kind: 'rang', user_id: 4, outcome: 'no_answer', seconds: 20 },
  { at: at(50), kind: 'rang', user_id: 5, outcome: 'declined', seconds: 5 },
  { at: at(60), kind: 'ended', cause: 'normal_clearing', missed_call_reason: 'agents_did_not_answer' },
]

const call: Call = {
  id: 1,
  sid: '1',
  direct_link: '/v1/calls/1',
  direction: 'inbound',
  status: 'done',
  missed_call_reason: 'agents_did_not_answer',
  started_at: start / 1_000,
  answered_at: null,
  ended_at: start / 1_000 + 60,
  duration: 60,
  voicemail: null,
  recording: null,
  asset: null,
  cost: '0.00',
  raw_digits: '+33 1 99 00 07 77',
  user: null,
  contact: null,
  archived: false,
  assigned_to: null,
  transferred_by: null,
  number: null,
  teams: [],
  comments: [],
  tags: [],
  conference_participants: [],
}

test('the result of each agent belongs to its ring step', () => {
  const steps = storyOf(missed, [])

  const ring = steps.find(({ what }) => what.kind === 'ring')
  expect(ring?.asked).toMatchObject([
    { userId: 4, availability: 'available', outcome: 'no_answer', seconds: 20, later: false },
    { userId: 5, availability: 'in_call', outcome: 'declined', seconds: 5, later: true },
    { userId: 6, availability: 'offline', outcome: undefined },
  ])
  expect(steps.map(({ what }) => what.kind)).toEqual(['widget', 'widget', 'ring', 'ended'])
})

test('a missed call has a sentence that explains why no agent answered', () => {
  const verdict = verdictOf(storyOf(missed, []))

  expect(verdict).toBe('2 of 3 agents were rung for up to 20 s: 1 declined, 1 did not answer, 1 was offline.')
})

test('hold comes from the event log, in its place', () => {
  const hold = { event: 'call.hold', timestamp: start / 1_000 + 30, data: { user: { id: 4, name: 'Dario Ortega' } } }

  const kinds = storyOf(missed, [hold]).map(({ what }) => what.kind)

  expect(kinds).toEqual(['widget', 'widget', 'ring', 'event', 'ended'])
})

test('the timeline has a lane for the caller and for each agent who was rung', () => {
  const { lanes, end } = pictureOf(call, missed, [], start)

  expect(end).toBe(start + 60_000)
  expect(lanes.map(({ userId }) => userId)).toEqual([null, 4, 5])
  expect(lanes[1]?.pieces).toEqual([
    { doing: 'ringing', from: start + 4_000, to: start + 24_000, outcome: 'no_answer' },
  ])
})

test('a call without a trace is drawn from the fields of the call', () => {
  const user = { id: 4, name: 'Dario Ortega' } as NonNullable<Call['user']>
  const answered = { ...call, answered_at: start / 1_000 + 10, user }

  const { lanes } = pictureOf(answered, [], [], start)

  expect(lanes).toEqual([
    {
      userId: null,
      pieces: [
        { doing: 'waiting', from: start, to: start + 10_000 },
        { doing: 'talking', from: start + 10_000, to: start + 60_000 },
      ],
    },
    { userId: 4, pieces: [{ doing: 'talking', from: start + 10_000, to: start + 60_000 }] },
  ])
})

const talked: Call = { ...call, missed_call_reason: null, answered_at: start / 1_000 + 5, ended_at: start / 1_000 + 90 }
const answeredBy = (userId: number, seconds: number): TraceEntry => ({
  at: at(seconds),
  kind: 'answered',
  user_id: userId,
})
const transferTo = (to: string, id: number | null, seconds: number): TraceEntry => ({
  at: at(seconds),
  kind: 'transfer',
  by: 4,
  to,
  id,
  strategy: null,
})
const lanesOf = (trace: TraceEntry[]) =>
  new Map(pictureOf(talked, trace, [], start).lanes.map(({ userId, pieces }) => [userId, pieces]))

test('an agent talks until the transfer, also when no agent of the transfer answers', () => {
  const trace: TraceEntry[] = [
    { at: at(0), kind: 'widget', node: 'ring', type: 'ring_to', name: null, number_id: 1 },
    answeredBy(4, 5),
    transferTo('user', 6, 15),
    { at: at(15), kind: 'no_answer', node: 'ring', goes_to: 'box' },
    { at: at(15), kind: 'widget', node: 'box', type: 'voicemail', name: null, number_id: 1 },
    { at: at(90), kind: 'ended', cause: 'normal_clearing', missed_call_reason: null },
  ]
  const talk = { doing: 'talking', from: start + 5_000, to: start + 15_000 }

  expect(lanesOf(trace).get(4)).toEqual([talk])
  expect(lanesOf(trace).get(null)).toEqual([
    { doing: 'waiting', from: start, to: start + 5_000 },
    { doing: 'voicemail', from: start + 15_000, to: start + 90_000 },
    talk,
  ])
  expect(talkTimeOf(talked, trace, start + 90_000)).toBe(10)
})

test('the order of the entries counts when an answer and a transfer have the same time', () => {
  const lanes = lanesOf([answeredBy(4, 5), transferTo('user', 5, 5), answeredBy(5, 20), transferTo('user', 6, 20)])

  expect(lanes.get(4)).toEqual([{ doing: 'talking', from: start + 5_000, to: start + 5_000 }])
  expect(lanes.get(5)).toEqual([{ doing: 'talking', from: start + 20_000, to: start + 20_000 }])
})

test('a hold ends with the transfer', () => {
  const hold = { event: 'call.hold', timestamp: start / 1_000 + 10, data: {} }
  const { lanes } = pictureOf(talked, [answeredBy(4, 5), transferTo('user', 6, 15)], [hold], start)

  expect(lanes.find(({ userId }) => userId === 4)?.pieces).toContainEqual({
    doing: 'hold',
    from: start + 10_000,
    to: start + 15_000,
  })
})

test('a call that was transferred to an external number is with that number, and counts as talk time', () => {
  const trace = [answeredBy(4, 5), transferTo('+33699000001', null, 15)]

  expect(lanesOf(trace).get(null)).toContainEqual({ doing: 'outside', from: start + 15_000, to: start + 90_000 })
  expect(talkTimeOf(talked, trace, start + 90_000)).toBe(85)
  const unanswered: TraceEntry[] = [...trace, { at: at(30), kind: 'no_answer', node: null, goes_to: null }]
  expect(lanesOf(unanswered).get(null)).toContainEqual({ doing: 'waiting', from: start + 15_000, to: start + 90_000 })
  expect(talkTimeOf(talked, unanswered, start + 90_000)).toBe(10)
})

test('talk time without a trace is the time since the answer', () => {
  expect(talkTimeOf(talked, [], start)).toBe(85)
  expect(talkTimeOf({ ...talked, ended_at: null }, [], start + 65_000)).toBe(60)
  expect(talkTimeOf({ ...talked, answered_at: null }, [], start)).toBeNull()
})
