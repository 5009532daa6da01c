import type { CallRecord, IvrChoice, MissedReason } from '../domain/call/record.ts'
import type { Ivr } from '../domain/flow/document.ts'
import { openNow } from '../domain/flow/time-rule.ts'
import { day, hour, minute, second } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import {
  type Cast,
  externalParty,
  inbound,
  type PastCall,
  type PastLine,
  type PastParty,
  type PastRing,
  person,
  uuidOf,
  withNotes,
} from './past-call.ts'
import { pastVoiceAgentCall } from './past-sessions.ts'
import { planTalks } from './past-talks.ts'

// Generates thirty days of plausible calls: answered, missed and why. The same seed gives the same calls; no database access.

const days = 30

/** In the order of their start; the last one ended some minutes ago. */
export function planHistory(cast: Cast, at: number, random: Random): PastCall[] {
  const calls: PastCall[] = []
  const missedBefore = (line: PastLine) => calls.filter(({ record }) => isMissedOn(line, record)).length
  const today = Math.floor(at / day) * day
  for (let back = days; back >= 0; back--) {
    const midnight = today - back * day
    const share = shareOfWeekday[new Date(midnight).getUTCDay()] ?? 1
    const many = Math.round(share * random.integer(15, 21))
    for (let n = 0; n < many; n++) calls.push(anyCall(cast, momentOf(midnight, random), random, missedBefore))
  }
  const isOver = ({ record: { startedAt, endedAt } }: PastCall) =>
    startedAt > at - days * day && endedAt !== null && endedAt < at - 5 * minute
  const past = [...calls.filter(isOver), ...planRecent(cast, at, random)]
  past.sort((a, b) => a.record.startedAt - b.record.startedAt)
  return planTalks(past, cast, random).map((call) => ({ ...call, archived: isHandled(call, at, random) }))
}

/** From Sunday to Saturday. */
const shareOfWeekday = [0.12, 1.25, 1.1, 1, 1.05, 0.85, 0.25]

/** Calls per hour of the day, in UTC: a peak in the morning, one after lunch, few in the evening. */
const shareOfHour = [0, 0, 0, 0, 0, 0, 1, 5, 10, 12, 10, 6, 5, 9, 10, 8, 5, 3, 2, 2, 1, 1, 0, 0]
const hours = shareOfHour.flatMap((share, at) => Array.from({ length: share }, () => at))

const momentOf = (midnight: number, random: Random): number =>
  midnight + random.pick(hours) * hour + random.integer(0, 3_599) * second

type Recent = 'answered' | 'outbound' | MissedReason

/** Minutes before now: whenever the sandbox starts, there are calls of today, and some are waiting to be handled. */
const recent: readonly [minutes: number, kind: Recent][] = [
  [9, 'agents_did_not_answer'],
  [14, 'answered'],
  [20, 'outbound'],
  [27, 'agents_did_not_answer'],
  [35, 'answered'],
  [46, 'no_available_agent'],
  [58, 'answered'],
  [75, 'outbound'],
  [95, 'agents_did_not_answer'],
  [118, 'short_abandoned'],
  [140, 'answered'],
  [175, 'agents_did_not_answer'],
  [215, 'answered'],
  [260, 'no_available_agent'],
  [310, 'answered'],
]

function planRecent(cast: Cast, at: number, random: Random): PastCall[] {
  const open = cast.lines.filter((line) => line.recording && line.voiceAgent === null && line.ringers.length > 0)
  if (open.length === 0) return []
  return recent.map(([minutes, kind]) => {
    const startedAt = Math.floor((at - minutes * minute) / second) * second
    const line = random.pick(open)
    const external = random.pick(cast.phones.slice(0, 40).concat(someone(cast, random)))
    if (kind === 'answered') return answered(cast, line, startedAt, external, random)
    if (kind === 'outbound') return outbound(cast, line, startedAt, external, random)
    return missed(line, kind, startedAt, external, random, kind === 'short_abandoned' ? 0 : 0.75)
  })
}

/** Old calls are handled, and some of the last two days are not. */
function isHandled({ record, voicemailMs }: PastCall, at: number, random: Random): boolean {
  const roll = random.next()
  if (record.missedReason === null && voicemailMs === null) return roll < 0.85
  const age = at - record.startedAt
  if (age < 6 * hour) return record.missedReason === 'short_abandoned'
  return roll < (age < 2 * day ? 0.6 : 0.97)
}

const isMissedOn = ({ id }: PastLine, { numberId, missedReason }: CallRecord) =>
  numberId === id && missedReason !== null && missedReason !== 'out_of_opening_hours'

function anyCall(cast: Cast, startedAt: number, random: Random, missedBefore: (line: PastLine) => number): PastCall {
  const external = someone(cast, random)
  const ours = cast.lines.filter(({ validated, linked }) => validated && linked.length > 0)
  if (random.next() < 0.28 && ours.length > 0)
    return outbound(cast, weighted(ours, random), startedAt, external, random)
  const line = weighted(cast.lines, random)
  if (line.voiceAgent) return pastVoiceAgentCall(cast, line, line.voiceAgent, startedAt, external, random)
  const wasOpen = openNow(line.flow, line.timeZone, startedAt)
  if (wasOpen && line.ringers.length > 0 && random.next() < 0.78)
    return answered(cast, line, startedAt, external, random)
  const reason = wasOpen ? whyMissed(line, missedBefore(line)) : 'out_of_opening_hours'
  return missed(line, reason, startedAt, random.next() < 0.05 ? 'anonymous' : external, random, 0.45)
}

function weighted(lines: readonly PastLine[], random: Random): PastLine {
  return random.pick(lines.flatMap((line) => Array.from({ length: line.weight }, () => line)))
}

/** Some customers call often. */
function someone({ phones }: Cast, random: Random): string {
  if (phones.length === 0 || random.next() < 0.15) return `+33199${String(random.integer(100_000, 999_999))}`
  return phones[Math.floor(random.next() ** 1.6 * phones.length)] ?? ''
}

function answered(cast: Cast, line: PastLine, startedAt: number, external: string, random: Random): PastCall {
  const choice = menuChoice(line, startedAt, random)
  const teamId = teamOf(line, choice) ?? line.teamId
  const members = (teamId === null ? undefined : cast.teams.get(teamId)) ?? []
  const ringers = members.length > 0 ? members : line.ringers
  const rangAt = (choice?.takenAt ?? startedAt) + second
  const answeredAt = rangAt + random.integer(3, 25) * second
  const endedAt = answeredAt + random.integer(45, 540) * second
  const first = random.pick(ringers)
  const next =
    random.next() < 0.07 ? random.pick(line.ringers.filter((id) => id !== first).concat(0)) || undefined : undefined
  const userId = next ?? first
  const record: CallRecord = {
    ...inbound(line, startedAt, endedAt, external),
    answeredAt,
    userId,
    assignedTo: next ?? (random.next() < 0.05 ? first : null),
    transferredBy: next === undefined ? null : first,
    transferredTo: next ?? null,
    teamIds: teamId === null ? [] : [teamId],
    participants: [...externalParty(external), person(first), ...(next === undefined ? [] : [person(next)])],
    ivrOptions: choice ? [choice] : [],
  }
  const rings = ringers.map((id): PastRing => {
    const outcome = id === first ? 'answered' : 'cancelled'
    return { userId: id, teamId, startedAt: rangAt, endedAt: answeredAt, outcome, origin: 'RING_TO' }
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

function missed(
  line: PastLine,
  reason: MissedReason,
  startedAt: number,
  external: string,
  random: Random,
  voicemails: number,
): PastCall {
  const seconds = reason === 'short_abandoned' ? random.integer(2, 9) : random.integer(12, 60)
  const reachesBox = !['short_abandoned', 'abandoned_in_ivr', 'abandoned_in_classic'].includes(reason)
  const voicemailMs = reachesBox && random.next() < voicemails ? random.integer(4, 45) * second : null
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
    assignedTo: reachesBox && line.ringers.length > 0 && random.next() < 0.25 ? random.pick(line.ringers) : null,
    teamIds: line.teamId !== null && reason !== 'out_of_opening_hours' && reachesBox ? [line.teamId] : [],
    participants: externalParty(external),
  }
  const nothing = { parties: [], tags: [], comments: [], archived: false, talk: null, session: null }
  return { uuid: uuidOf(random), record, rings, voicemailMs, ...nothing }
}

/** In rotation, so that each variant occurs. */
function whyMissed(line: PastLine, nth: number): MissedReason {
  const ways: MissedReason[] = ['short_abandoned', 'no_available_agent']
  if (line.ringers.length > 0) ways.push('agents_did_not_answer')
  ways.push(menuOf(line) ? 'abandoned_in_ivr' : 'abandoned_in_classic')
  return ways[nth % ways.length] ?? 'short_abandoned'
}

function outbound(cast: Cast, line: PastLine, startedAt: number, external: string, random: Random): PastCall {
  const userId = random.pick(line.linked.length > 0 ? line.linked : line.ringers)
  const isAnswered = random.next() < 0.7
  const answeredAt = isAnswered ? startedAt + random.integer(4, 25) * second : null
  const endedAt = (answeredAt ?? startedAt) + random.integer(15, answeredAt === null ? 60 : 480) * second
  const record: CallRecord = {
    ...inbound(line, startedAt, endedAt, external),
    direction: 'outbound',
    answeredAt,
    userId,
    hangupCause: isAnswered ? 'normal_clearing' : random.pick(['no_answer', 'no_answer', 'user_busy']),
    participants: [...externalParty(external), person(userId)],
  }
  const parties: PastParty[] = [{ userId, way: 'made', joinedAt: startedAt, leftAt: endedAt, gaveAt: null }]
  return withNotes(cast, { record, rings: [], parties }, userId, random)
}

const menuOf = ({ flow }: PastLine): Ivr | undefined =>
  Object.values(flow.nodes).find((widget) => widget.type === 'ivr')

/** The team behind the option. */
function teamOf({ flow }: PastLine, choice: IvrChoice | undefined): number | undefined {
  const widget = choice?.branch ? flow.nodes[choice.branch] : undefined
  const target = widget?.type === 'ring_to' ? widget.targets[0] : undefined
  return target?.type === 'team' ? target.id : undefined
}

function menuChoice(line: PastLine, startedAt: number, random: Random): IvrChoice | undefined {
  const menu = menuOf(line)
  if (!menu) return undefined
  const { key, title } = random.pick(menu.options)
  const shownAt = startedAt + 4 * second
  const takenAt = shownAt + random.integer(2, 8) * second
  return { id: uuidOf(random), title, key, branch: menu.branches[key] ?? null, createdAt: takenAt, shownAt, takenAt }
}
