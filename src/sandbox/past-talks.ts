import { second } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import type { Cast, PastCall } from './past-call.ts'
import { type Dialogue, filled, type Slots, spokenLines } from './texts/dialogue.ts'
import { officeDialogues } from './texts/office-dialogues.ts'
import { machines } from './texts/regions.ts'
import { supportDialogues } from './texts/support-dialogues.ts'
import { leftMessages } from './texts/voicemails.ts'

// Gives past calls their conversations and voicemails. No database access.

/** How often a dialogue is used, with other names and figures. */
const rounds = 2

/** From the newest call to the oldest; a call is as long as its conversation. */
export function planTalks(calls: readonly PastCall[], cast: Cast, random: Random): PastCall[] {
  const recorded = new Set(cast.lines.filter(({ recording }) => recording).map(({ id }) => id))
  const dialogues = shuffled([...supportDialogues, ...officeDialogues], random)
  const queues = new Map<Dialogue['kind'], Dialogue[]>()
  for (const one of Array.from({ length: rounds }, () => dialogues).flat()) {
    queues.set(one.kind, [...(queues.get(one.kind) ?? []), one])
  }
  const messages = Array.from({ length: rounds }, () => leftMessages).flat()

  const talked = calls.toReversed().map((call): PastCall => {
    const { record, voicemailMs } = call
    const slots = slotsFor(call, cast, random)
    if (voicemailMs !== null) {
      const message = slots && messages.shift()
      return message ? leaving(call, message, slots) : withoutVoicemail(call)
    }
    const isPlain = record.answeredAt !== null && record.transferredTo === null && call.session === null
    if (!slots || !isPlain || !recorded.has(record.numberId)) return call
    const dialogue = queues.get(kindOf(call))?.shift()
    return dialogue ? talking(call, dialogue, slots, cast, random) : call
  })
  return talked.toReversed()
}

function kindOf({ record: { direction, ivrOptions } }: PastCall): Dialogue['kind'] {
  if (direction === 'outbound') return 'outbound'
  const [choice] = ivrOptions
  return choice?.title === 'Sales' ? 'sales' : choice?.title === 'Billing' ? 'billing' : 'support'
}

/** Undefined for unknown callers. */
function slotsFor({ record }: PastCall, cast: Cast, random: Random): Slots | undefined {
  const customer = cast.customers.get(record.external)
  if (!customer) return undefined
  return {
    ...customer,
    agent: cast.agents.get(record.userId ?? 0) ?? 'the team',
    machine: random.pick(machines),
    order: `A-${random.integer(20_100, 29_900)}`,
    invoice: `R-${random.integer(4_100, 6_900)}`,
    day: random.pick(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday']),
    time: random.pick(['ten', 'eleven', 'noon', 'two', 'half past two', 'three', 'four']),
  }
}

function talking(call: PastCall, dialogue: Dialogue, slots: Slots, cast: Cast, random: Random): PastCall {
  const { record } = call
  const lines = spokenLines(dialogue.talk, slots)
  const answeredAt = record.answeredAt ?? record.startedAt
  const endedAt = answeredAt + Math.ceil((lines.at(-1)?.end ?? 0) + 1) * second
  const tag = cast.tags.get(dialogue.tag)
  const note = dialogue.note === null ? [] : [filled(dialogue.note, slots)]
  const isNoted = random.next() < 0.6
  return {
    ...call,
    record: { ...record, endedAt },
    parties: call.parties.map((party) => ({ ...party, leftAt: endedAt })),
    tags: tag === undefined ? call.tags : [tag],
    comments: isNoted ? note.map((content) => ({ content, by: record.userId ?? 0, at: endedAt + 25 * second })) : [],
    talk: {
      lines,
      mood: dialogue.mood,
      csat: Math.min(98, dialogue.csat * 19 + random.integer(-4, 6)),
      summary: filled(dialogue.summary, slots),
      next: dialogue.next.map((item) => filled(item, slots)),
    },
  }
}

function leaving(call: PastCall, message: (typeof leftMessages)[number], slots: Slots): PastCall {
  const lines = spokenLines(`C: ${message.text}`, slots)
  const voicemailMs = Math.ceil((lines.at(-1)?.end ?? 0) + 1) * second
  const next = message.next.map((item) => filled(item, slots))
  const { record } = withoutVoicemail(call)
  return {
    ...call,
    record: { ...record, endedAt: (record.endedAt ?? 0) + voicemailMs },
    voicemailMs,
    talk: { lines, mood: message.mood, csat: null, summary: null, next },
  }
}

function withoutVoicemail(call: PastCall): PastCall {
  const { record, voicemailMs } = call
  return { ...call, record: { ...record, endedAt: (record.endedAt ?? 0) - (voicemailMs ?? 0) }, voicemailMs: null }
}

function shuffled<T>(list: readonly T[], random: Random): T[] {
  return list
    .map((item) => ({ item, key: random.next() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item)
}
