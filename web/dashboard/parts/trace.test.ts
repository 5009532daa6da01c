import { expect, test } from 'vitest'
import type { Call } from './call.ts'
import { pictureOf } from './lanes.ts'
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
