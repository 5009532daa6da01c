import {
  type CallParticipant,
  type CallRecord,
  type IvrChoice,
  type MissedReason,
  newRecord,
} from '../domain/call/record.ts'
import type { Ivr } from '../domain/flow/document.ts'
import { openNow } from '../domain/flow/time-rule.ts'
import { day, hour, minute, second } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import type { ScenarioNumber } from './scenarios/plan.ts'

// Generates thirty days of plausible calls: answered, missed and why. The same seed gives the same calls; no database access.

export interface PastCall {
  uuid: string
  record: CallRecord
  rings: PastRing[]
  parties: PastParty[]
  tags: number[]
  comments: { content: string; by: number; at: number }[]
  archived: boolean
  voicemailMs: number | null
}

export interface PastRing {
  userId: number
  teamId: number | null
  startedAt: number
  endedAt: number
  outcome: 'answered' | 'declined' | 'no_answer' | 'cancelled'
  origin: 'RING_TO' | 'TRANSFER'
}

/** Participants with their join and leave times. */
export interface PastParty {
  userId: number
  way: 'taken' | 'made' | 'transfer'
  joinedAt: number
  leftAt: number
  gaveAt: number | null
}

export interface Cast {
  lines: PastLine[]
  /** Numbers of known contacts. */
  phones: string[]
  tagIds: number[]
}

export interface PastLine extends ScenarioNumber {
  /** Team that the flow rings, if any. */
  teamId: number | null
}

const days = 30
const remarks = [
  'Asked for a new invoice',
  'Will call again tomorrow',
  'Wants a quote for ten seats',
  'Delivery is late, promised to look into it',
  'Solved on the phone',
  'Left a message with a colleague',
  'Needs the contract as PDF',
]

/** In the order of their start; the last one ended some minutes ago. */
export function planHistory(cast: Cast, at: number, random: Random): PastCall[] {
  const calls: PastCall[] = []
  const missedBefore = (line: PastLine) => calls.filter(({ record }) => isMissedOn(line, record)).length
  const today = Math.floor(at / day) * day
  for (let back = days; back >= 0; back--) {
    const midnight = today - back * day
    const isWeekend = [0, 6].includes(new Date(midnight).getUTCDay())
    const many = isWeekend ? random.integer(2, 5) : random.integer(14, 22)
    for (let n = 0; n < many; n++) calls.push(anyCall(cast, momentOf(midnight, random), random, missedBefore))
  }
  const isOver = ({ record: { startedAt, endedAt } }: PastCall) =>
    startedAt > at - days * day && endedAt !== null && endedAt < at - 5 * minute
  return calls.filter(isOver).sort((a, b) => a.record.startedAt - b.record.startedAt)
}

/** Most calls are in the morning and the afternoon, few at night. */
function momentOf(midnight: number, random: Random): number {
  const isLate = random.next() < 0.12
  const from = isLate ? 18.5 * hour : 7 * hour
  const long = isLate ? 4 * hour : 10 * hour
  return midnight + from + Math.floor((random.next() * long) / second) * second
}

const isMissedOn = ({ id }: PastLine, { numberId, missedReason }: CallRecord) =>
  numberId === id && missedReason !== null && missedReason !== 'out_of_opening_hours'

function anyCall(cast: Cast, startedAt: number, random: Random, missedBefore: (line: PastLine) => number): PastCall {
  const external = someone(cast, random)
  const ours = cast.lines.filter(({ validated, linked }) => validated && linked.length > 0)
  if (random.next() < 0.3 && ours.length > 0) return outbound(cast, random.pick(ours), startedAt, external, random)
  const line = random.pick(cast.lines)
  const wasOpen = openNow(line.flow, line.timeZone, startedAt)
  if (wasOpen && line.ringers.length > 0 && random.next() < 0.7)
    return answered(cast, line, startedAt, external, random)
  const reason = wasOpen ? whyMissed(line, missedBefore(line)) : 'out_of_opening_hours'
  return missed(line, reason, startedAt, random.next() < 0.05 ? 'anonymous' : external, random)
}

const someone = ({ phones }: Cast, random: Random) =>
  random.next() < 0.6 && phones.length > 0 ? random.pick(phones) : `+33199${String(random.integer(100_000, 999_999))}`

function answered(cast: Cast, line: PastLine, startedAt: number, external: string, random: Random): PastCall {
  const choice = menuChoice(line, startedAt, random)
  const rangAt = (choice?.takenAt ?? startedAt) + second
  const answeredAt = rangAt + random.integer(3, 25) * second
  const endedAt = answeredAt + random.integer(30, 720) * second
  const first = random.pick(line.ringers)
  const next = random.next() < 0.07 ? line.ringers.find((id) => id !== first) : undefined
  const userId = next ?? first
  const record: CallRecord = {
    ...inbound(line, startedAt, endedAt, external),
    answeredAt,
    userId,
    assignedTo: next ?? (random.next() < 0.05 ? first : null),
    transferredBy: next === undefined ? null : first,
    transferredTo: next ?? null,
    teamIds: line.teamId === null ? [] : [line.teamId],
    participants: [...partiesOf(external), person(first), ...(next === undefined ? [] : [person(next)])],
    ivrOptions: choice ? [choice] : [],
  }
  const rings = line.ringers.slice(0, 4).map((id): PastRing => {
    const outcome = id === first ? 'answered' : 'cancelled'
    return { userId: id, teamId: line.teamId, startedAt: rangAt, endedAt: answeredAt, outcome, origin: 'RING_TO' }
  })
  const before = rings.filter((ring) => ring.userId !== next)
  if (next === undefined) {
    const parties: PastParty[] = [{ userId: first, way: 'taken', joinedAt: answeredAt, leftAt: endedAt, gaveAt: null }]
    return withNotes(cast, { record, rings: before, parties }, userId, random)
  }
  const gaveAt = answeredAt + Math.floor((endedAt - answeredAt) / 3 / second) * second
  const takenAt = gaveAt + 4 * second
  const ring: PastRing = {
    userId: next,
    teamId: null,
    startedAt: gaveAt,
    endedAt: takenAt,
    outcome: 'answered',
    origin: 'TRANSFER',
  }
  const parties: PastParty[] = [
    { userId: first, way: 'taken', joinedAt: answeredAt, leftAt: gaveAt, gaveAt },
    { userId: next, way: 'transfer', joinedAt: takenAt, leftAt: endedAt, gaveAt: null },
  ]
  return withNotes(cast, { record, rings: [...before, ring], parties }, userId, random)
}

function missed(line: PastLine, reason: MissedReason, startedAt: number, external: string, random: Random): PastCall {
  const seconds = reason === 'short_abandoned' ? random.integer(2, 9) : random.integer(12, 60)
  const reachesBox = !['short_abandoned', 'abandoned_in_ivr', 'abandoned_in_classic'].includes(reason)
  const voicemailMs = reachesBox && random.next() < 0.45 ? random.integer(4, 45) * second : null
  const endedAt = startedAt + seconds * second + (voicemailMs ?? 0)
  const isRung = reason === 'agents_did_not_answer'
  const rangAt = startedAt + 2 * second
  const rings = (isRung ? line.ringers : []).map(
    (userId): PastRing => ({
      userId,
      teamId: line.teamId,
      startedAt: rangAt,
      endedAt: startedAt + seconds * second,
      outcome: random.next() < 0.2 ? 'declined' : 'no_answer',
      origin: 'RING_TO',
    }),
  )
  const record: CallRecord = {
    ...inbound(line, startedAt, endedAt, external),
    missedReason: reason,
    teamIds: line.teamId !== null && reason !== 'out_of_opening_hours' && reachesBox ? [line.teamId] : [],
    participants: partiesOf(external),
  }
  const archived = random.next() < 0.5
  return { uuid: uuidOf(random), record, rings, parties: [], tags: [], comments: [], archived, voicemailMs }
}

/** In rotation, so that each variant occurs. */
function whyMissed(line: PastLine, nth: number): MissedReason {
  const ways: MissedReason[] = ['short_abandoned', 'no_available_agent']
  if (line.ringers.length > 0) ways.push('agents_did_not_answer')
  ways.push(menuOf(line) ? 'abandoned_in_ivr' : 'abandoned_in_classic')
  return ways[nth % ways.length] ?? 'short_abandoned'
}

function outbound(cast: Cast, line: PastLine, startedAt: number, external: string, random: Random): PastCall {
  const userId = random.pick(line.linked)
  const isAnswered = random.next() < 0.65
  const answeredAt = isAnswered ? startedAt + random.integer(4, 25) * second : null
  const endedAt = (answeredAt ?? startedAt) + random.integer(15, answeredAt === null ? 60 : 600) * second
  const record: CallRecord = {
    ...inbound(line, startedAt, endedAt, external),
    direction: 'outbound',
    answeredAt,
    userId,
    hangupCause: isAnswered ? 'normal_clearing' : random.pick(['no_answer', 'no_answer', 'user_busy']),
    participants: [...partiesOf(external), person(userId)],
  }
  const parties: PastParty[] = [{ userId, way: 'made', joinedAt: startedAt, leftAt: endedAt, gaveAt: null }]
  return withNotes(cast, { record, rings: [], parties }, userId, random)
}

type Bare = Pick<PastCall, 'record' | 'rings' | 'parties'>

function withNotes({ tagIds }: Cast, call: Bare, userId: number, random: Random): PastCall {
  const endedAt = call.record.endedAt ?? 0
  const many = random.next()
  const tags =
    tagIds.length === 0 || many < 0.4 ? [] : [random.pick(tagIds), ...(many > 0.9 ? [random.pick(tagIds)] : [])]
  const comments = random.next() < 0.2 ? [{ content: random.pick(remarks), by: userId, at: endedAt + 20 * second }] : []
  const archived = random.next() < 0.6
  return { ...call, uuid: uuidOf(random), tags: [...new Set(tags)], comments, archived, voicemailMs: null }
}

const inbound = (line: PastLine, startedAt: number, endedAt: number, external: string): CallRecord => ({
  ...newRecord('inbound', startedAt),
  numberId: line.id,
  external,
  endedAt,
  hangupCause: 'normal_clearing',
})

const person = (userId: number): CallParticipant => ({ kind: 'user', userId })
const partiesOf = (external: string): CallParticipant[] => [{ kind: 'external', phone: external }]

const menuOf = ({ flow }: PastLine): Ivr | undefined =>
  Object.values(flow.nodes).find((widget) => widget.type === 'ivr')

function menuChoice(line: PastLine, startedAt: number, random: Random): IvrChoice | undefined {
  const menu = menuOf(line)
  if (!menu) return undefined
  const { key, title } = random.pick(menu.options)
  const shownAt = startedAt + 4 * second
  const takenAt = shownAt + random.integer(2, 8) * second
  return { id: uuidOf(random), title, key, branch: menu.branches[key] ?? null, createdAt: takenAt, shownAt, takenAt }
}

/** Has the format of a version 4 UUID. */
export function uuidOf(random: Random): string {
  const hex = (digits: number) => Array.from({ length: digits }, () => random.integer(0, 15).toString(16)).join('')
  return `${hex(8)}-${hex(4)}-4${hex(3)}-${random.pick(['8', '9', 'a', 'b'])}${hex(3)}-${hex(12)}`
}
